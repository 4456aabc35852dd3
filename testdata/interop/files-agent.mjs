// An agent that reads and writes files by the client, with the SDK. It says what it did as a message, a line a step.
// Usage: node files-agent.mjs
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { chunk } from "./turn.mjs";

const sessionId = "session-1";
const { readTextFile, writeTextFile } = acp.methods.client.fs;
let announced;
let cwd;

acp
  .agent({ name: "files-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    announced = params.clientCapabilities?.fs;
    return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "files-agent", version: "1.0.0" } };
  })
  .onRequest(acp.methods.agent.session.new, ({ params }) => ((cwd = params.cwd), { sessionId }))
  .onRequest(acp.methods.agent.session.prompt, async ({ client }) => {
    const steps = [JSON.stringify(announced)];
    const step = async (method, params) => {
      try {
        const result = await client.request(method, { sessionId, ...params });
        steps.push(JSON.stringify(method === readTextFile ? result.content : "written"));
      } catch (error) {
        steps.push(`${error.code} ${error.message.replaceAll(cwd, "")}`);
      }
    };
    await step(writeTextFile, { path: `${cwd}/new/a.txt`, content: "one\ntwo\nthr\u00e9e\n" });
    await step(readTextFile, { path: `${cwd}/new/a.txt` });
    await step(readTextFile, { path: `${cwd}/new/a.txt`, line: 2, limit: 1 });
    await step(readTextFile, { path: `${cwd}/none.txt` });
    await step(writeTextFile, { path: join(dirname(cwd), "outside.txt"), content: "" });
    await step(writeTextFile, { path: `${cwd}/../outside.txt`, content: "" });
    await client.notify(acp.methods.client.session.update, { sessionId, update: chunk(steps.join("\n")) });
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
