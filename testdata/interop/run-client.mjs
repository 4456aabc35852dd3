// A client in one conversation with an agent: the body of old-client.mjs, plan-client.mjs and accepts.mjs.
import { spawn } from "node:child_process";
import { Readable } from "node:stream";

// Prints one JSON report on stdout; the exit code is 0 only without complaints.
export async function runClient(acp, clientCapabilities, check = () => []) {
  const { updates, complaints, agentExit } = await converse(acp, process.argv.slice(2), clientCapabilities);
  complaints.push(...check(updates));
  process.exitCode = complaints.length === 0 ? 0 : 1;
  process.stdout.write(report(updates, complaints, agentExit));
}

const report = (updates, complaints, agentExit) => JSON.stringify({ updates, complaints, agentExit }) + "\n";

// Has one prompt answered by the agent that the command starts, with a release of the SDK. Complaints are all that
// the SDK refuses. One conversation at a time: what the SDK prints is taken from console.error.
export async function converse(acp, [command, ...args], clientCapabilities) {
  if (!command) {
    process.stderr.write("usage: node <client>.mjs <agent command> [args...]\n");
    process.exit(2);
  }
  const updates = [];
  const complaints = [];

  // The SDK drops a notification that it cannot use and says so only here.
  console.error = (...words) =>
    complaints.push(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));

  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.on("error", (error) => complaints.push(`agent: ${error.message}`));
  child.stdin.on("error", (error) => complaints.push(`agent stdin: ${error.message}`));
  // "close" and not "exit": only then has everything the agent wrote been read, late updates too.
  const exited = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));

  const watchdog = setTimeout(() => {
    complaints.push("no end within 30 s");
    child.kill("SIGKILL");
    process.stdout.write(report(updates, complaints, null), () => process.exit(1));
  }, 30_000);

  // Some refusals never reach console.error: the SDK answers them (id null for a line that is no message,
  // the request's id for unusable params). It hands over one message per write, so each can be looked at.
  const output = new WritableStream({
    write(bytes) {
      const line = new TextDecoder().decode(bytes).trim();
      if ("error" in JSON.parse(line)) complaints.push(`answered with an error: ${line}`);
      return new Promise((resolve, reject) => child.stdin.write(bytes, (error) => (error ? reject(error) : resolve())));
    },
  });

  const handlers = {
    sessionUpdate: ({ update }) => {
      updates.push(update);
    },
    requestPermission: ({ options }) => {
      updates.push({ sessionUpdate: "<permission request>" });
      return { outcome: { outcome: "selected", optionId: options[0].optionId } };
    },
  };
  const agent = connect(acp, handlers, acp.ndJsonStream(output, Readable.toWeb(child.stdout)));

  try {
    const { protocolVersion } = await agent.initialize({
      protocolVersion: 1,
      clientCapabilities,
      clientInfo: { name: "interop-client", version: "1.0.0" },
    });
    // The SDK does not look at the answer.
    if (protocolVersion !== 1) complaints.push(`protocol version ${protocolVersion}`);
    const { sessionId } = await agent.newSession({ cwd: process.cwd(), mcpServers: [] });
    await agent.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
    updates.push({ sessionUpdate: "<prompt answered>" });
  } catch (error) {
    complaints.push(`request failed: ${error.message} ${JSON.stringify(error.data ?? null)}`);
  }

  child.stdin.end();
  const agentExit = await exited;
  clearTimeout(watchdog);
  return { updates, complaints, agentExit };
}

// The requests that a client makes of an agent, in the SDK's API of before 1.0 or today's.
export function connect(acp, handlers, stream) {
  if (!acp.client) return new acp.ClientSideConnection(() => handlers, stream);
  const { agent, client } = acp.methods;
  const connection = acp
    .client({ name: "interop-client" })
    .onNotification(client.session.update, ({ params }) => handlers.sessionUpdate(params))
    .onRequest(client.session.requestPermission, ({ params }) => handlers.requestPermission(params))
    // Not connectWith(): it destroys the agent's stdout as soon as the callback is done.
    .connect(stream);
  return {
    initialize: (params) => connection.agent.request(agent.initialize, params),
    newSession: (params) => connection.agent.request(agent.session.new, params),
    prompt: (params) => connection.agent.request(agent.session.prompt, params),
    cancel: (params) => connection.agent.notify(agent.session.cancel, params),
    loadSession: (params) => connection.agent.request(agent.session.load, params),
    setSessionMode: (params) => connection.agent.request(agent.session.setMode, params),
    authenticate: (params) => connection.agent.request(agent.authenticate, params),
  };
}
