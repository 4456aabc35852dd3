// An agent without an SDK: it sends the updates of dialects.mjs as they stand there, each if the client advertised
// the capability of its spelling, and last their number as a message. Usage: node dialects-agent.mjs [flawed]
import { createInterface } from "node:readline";
import { steps } from "./dialects.mjs";
import { chunk } from "./turn.mjs";

const sendsFlawed = process.argv[2] === "flawed";
const sessionId = "session-1";
let capabilities = {};

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const notify = (update) => send({ method: "session/update", params: { sessionId, update } });

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    capabilities = params.clientCapabilities;
    send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  } else if (method === "session/new") {
    send({ id, result: { sessionId } });
  } else if (method === "session/prompt") {
    const sent = steps()
      .filter(({ capability, isFlawed }) => (!capability || capabilities[capability]) && (!isFlawed || sendsFlawed))
      .map(({ update }) => update);
    [...sent, chunk(String(sent.length))].forEach(notify);
    send({ id, result: { stopReason: "end_turn" } });
  }
}
