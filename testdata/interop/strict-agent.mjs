// An agent without an SDK that breaks the protocol as agents have done: it writes the version as a text and the text of
// its messages in other shapes, asks about a call that it never announces, and announces another one twice.
import { createInterface } from "node:readline";

const sessionId = "session-1";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const notify = (update) => send({ method: "session/update", params: { sessionId, update } });
const message = (members) => notify({ sessionUpdate: "agent_message_chunk", ...members });

export const texts = ["no type, ", "a string, ", "next to the kind, ", "a list, ", "a second block, ", "right"];
const [untyped, string, beside, first, second, right] = texts;

function work() {
  message({ content: { text: untyped } });
  message({ content: string });
  message({ text: beside });
  message({ content: [{ type: "text", text: first }, second] });
  message({ content: { type: "text", text: right } });
  notify({ sessionUpdate: "agent_thought_chunk", content: ["a thought"] });
  notify({ sessionUpdate: "user_message_chunk", content: "go" });
  notify({ sessionUpdate: "tool_call", toolCallId: "twice", title: "Terminal", kind: "execute", status: "pending" });
  notify({ sessionUpdate: "tool_call", toolCallId: "twice", title: "git diff", kind: "execute", rawInput: { command: "git diff" } });
  notify({ sessionUpdate: "tool_call_update", toolCallId: "twice", status: "completed" });
  send({
    id: "asked",
    method: "session/request_permission",
    params: {
      sessionId,
      toolCall: { toolCallId: "asked", title: "lookup", kind: "search", rawInput: { term: "lexer" } },
      options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
    },
  });
}

let prompt;
if (process.argv[1] === new URL(import.meta.url).pathname)
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line);
    if (method === "initialize") send({ id, result: { protocolVersion: "1.0", agentCapabilities: {} } });
    else if (method === "session/new") send({ id, result: { sessionId } });
    else if (method === "session/prompt") {
      prompt = id;
      work();
    } else if (id === "asked") {
      notify({ sessionUpdate: "tool_call_update", toolCallId: "asked", status: "completed" });
      send({ id: prompt, result: { stopReason: "end_turn" } });
    }
  }
