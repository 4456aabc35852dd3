// A scripted agent in plain JSON lines that does what real ones do and clients stumble over: modes as a list and a
// model as an option only, tool calls never announced, edits without a diff, and end_turn after a cancel. It asks for
// permission in each turn, and goes on only when it has the answer. The prompt "cancel" waits to be cancelled.
// Nothing here is right for a client of today without acpshim. stderr says what went wrong; the exit code is 1 then.
import { createInterface } from "node:readline";

const sessionId = "session-1";
const values = ["small", "large"];
let mode = "ask";
let model = "small";
let turn; // the prompt's id while one is under way
let asked = 0;
const answers = [];

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const notify = (update) => send({ method: "session/update", params: { sessionId, update } });
const fail = (text) => {
  process.stderr.write(`peers-agent: ${text}\n`);
  process.exitCode = 1;
};

const configOptions = () => [
  {
    id: "llm",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: model,
    options: values.map((value) => ({ value, name: value })),
  },
];
const modes = () => ({ currentModeId: mode, availableModes: ["ask", "code"].map((id) => ({ id, name: id })) });

function ask() {
  send({
    id: `p${asked++}`,
    method: "session/request_permission",
    params: {
      sessionId,
      toolCall: { toolCallId: `edit-${asked}`, title: "Write it?" },
      options: [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "No", kind: "reject_once" },
      ],
    },
  });
}

const said = { type: "content", content: { type: "text", text: "3 files" } };
function begin() {
  notify({ sessionUpdate: "plan", entries: [{ content: "Look around", status: "done" }, { content: "Edit" }] });
  notify({ sessionUpdate: "tool_call_update", toolCallId: `look-${asked}`, status: "completed", title: null, content: [said] });
  notify({ sessionUpdate: "tool_call_update", toolCallId: `look-${asked}`, status: null, rawOutput: { n: 3 } });
  const rawInput = { file_path: "/work/a.txt", old_string: "a", new_string: "b" };
  notify({ sessionUpdate: "tool_call", toolCallId: `edit-${asked + 1}`, title: "Edit", kind: "edit", rawInput: {} });
  notify({ sessionUpdate: "tool_call_update", toolCallId: `edit-${asked + 1}`, rawInput });
  ask();
}

function end(stopReason) {
  send({ id: turn, result: { stopReason } });
  turn = undefined;
}

const methods = {
  initialize: (id) =>
    send({ id, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "peers-agent", version: "1" }, authMethods: [{ id: "key" }] } }),
  "session/new": (id) => send({ id, result: { sessionId, modes: modes(), configOptions: configOptions() } }),
  "session/set_mode": (id, { modeId }) => {
    mode = modeId;
    notify({ sessionUpdate: "current_mode_update", currentModeId: mode });
    send({ id, result: {} });
  },
  "session/set_config_option": (id, { configId, value }) => {
    if (configId !== "llm" || !values.includes(value)) return send({ id, error: { code: -32602, message: "no such choice" } });
    model = value;
    send({ id, result: { configOptions: configOptions() } });
  },
  "session/prompt": (id) => ((turn = id), begin()),
  "session/cancel": () => {}, // it waits for the open permission, as claude-agent-acp does
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (methods[method]) methods[method](id, params);
  else if (method && id !== undefined) send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  else if (!method && error) fail(`the client refuses ${id}: ${line}`);
  else if (!method) {
    if (answers.includes(id)) fail(`${id} is answered twice`);
    answers.push(id);
    if (result.outcome.outcome === "selected") notify({ sessionUpdate: "tool_call_update", toolCallId: `edit-${asked}`, status: "completed" });
    notify({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `mode ${mode}, model ${model}, ${result.outcome.outcome}` } });
    end("end_turn");
  }
}
