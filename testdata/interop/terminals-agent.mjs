// An agent that runs its commands in terminals of the client, through the SDK's TerminalHandle, and says in messages
// what came of each. Without terminals it says so. It works in the session's folder, and goes on when the client has
// made the file "seen" there.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { chunk } from "./turn.mjs";

const sessionId = "session-1";
let hasTerminals = false;

acp
  .agent({ name: "terminals-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    hasTerminals = params.clientCapabilities?.terminal === true;
    return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "terminals-agent", version: "1.0.0" } };
  })
  .onRequest(acp.methods.agent.session.new, () => ({ sessionId }))
  .onRequest(acp.methods.agent.session.prompt, async ({ client }) => {
    const send = (update) => client.notify(acp.methods.client.session.update, { sessionId, update });
    const say = (what) => send(chunk(JSON.stringify(what)));
    const shell = (script, more) => client.createTerminal({ sessionId, command: "sh", args: ["-c", script], ...more });
    if (!hasTerminals) {
      await say("the client has no terminals");
      return { stopReason: "end_turn" };
    }

    const build = await shell('echo "building $WHAT"; until [ -e seen ]; do sleep 0.05; done; echo built; exit 3', { env: [{ name: "WHAT", value: "it" }] });
    const content = [{ type: "terminal", terminalId: build.id }];
    await send({ sessionUpdate: "tool_call", toolCallId: "build", title: "Build", kind: "execute", status: "in_progress", content });
    const waits = await Promise.all([build.waitForExit(), build.waitForExit()]);
    await say(waits);
    await say(await build.currentOutput());
    await send({ sessionUpdate: "tool_call_update", toolCallId: "build", status: "completed" });
    await build.release();
    await say(await build.currentOutput().catch(({ code }) => ({ code })));

    const much = await shell("yes 0123456789 | head -c 100000000; echo; echo end", { outputByteLimit: 8 });
    await much.waitForExit();
    await say(await much.currentOutput());
    await much.release();

    const server = await shell("echo serving; exec sleep 100");
    const wait = server.waitForExit();
    while (!(await server.currentOutput()).output) await new Promise((resolve) => setTimeout(resolve, 20));
    await server.kill();
    await say(await wait);
    await say(await server.currentOutput());
    await server.release();

    await client.createTerminal({ sessionId, command: "no-such-program" }).catch(({ code, message }) => say({ code, message }));
    await shell("exit", { cwd: "here" }).catch(({ code, message }) => say({ code, message }));
    await shell("echo $$ >left.pid; exec sleep 100"); // never released
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
