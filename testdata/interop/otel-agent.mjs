// An agent with one scripted turn: a tool call that asks for permission, a file, and the tokens. For .ci/otel.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const sessionId = "otel-session-1";
const update = (update) => send({ method: "session/update", params: { sessionId, update } });
const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
const usage = { totalTokens: 9, inputTokens: 4, outputTokens: 5 };
let prompt;

const answer = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: "otel-agent", version: "1" }, agentCapabilities: {} }),
  "session/new": () => ({ sessionId }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, result } = JSON.parse(line);
  if (answer[method]) send({ id, result: answer[method]() });
  else if (method === "session/prompt") {
    prompt = id;
    update({ sessionUpdate: "tool_call", toolCallId: "t", title: "Run it", kind: "execute", status: "pending" });
    send({ id: 0, method: "session/request_permission", params: { sessionId, toolCall: { toolCallId: "t" }, options } });
  } else if (result) {
    update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
    send({ id: prompt, result: { stopReason: "end_turn", usage } });
  } else send({ id, error: { code: -32601, message: "unknown" } });
}
