// An agent that speaks only version 2, written with the SDK. Its turn has every kind of update that a
// client of version 1 has to be shown; what it does depends on the text of the prompt.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";

setTimeout(() => {
  process.stderr.write("v2-agent: still running after 30 s\n");
  process.exit(1);
}, 30_000).unref();

const { agent: does, client: asks } = acp.methods;
const configOptions = (mode) => [
  { type: "select", configId: "mode", name: "Mode", category: "mode", currentValue: mode,
    options: [{ value: "ask", name: "Ask" }, { value: "code", name: "Code" }] },
];
const availableCommands = [{ type: "command", name: "plan", description: "Plan first", input: { type: "text", hint: "what" } }];
const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const euro = Buffer.from("costs 5 €\n"); // the sign has three bytes

let sessions = 0;
let cancel;
const app = acp
  .agent({ name: "v2-agent" })
  .onRequest(does.initialize, () => ({
    protocolVersion: 2,
    info: { name: "v2-agent", version: "1.0.0" },
    capabilities: { session: { prompt: { image: {} }, mcp: { stdio: {} }, delete: {} } },
    authMethods: [{ type: "agent", methodId: "key", name: "A key" }],
  }))
  .onRequest(does.auth.login, ({ params }) => {
    if (params.methodId !== "key") throw acp.RequestError.invalidParams();
    return {};
  })
  .onRequest(does.session.new, () => ({ sessionId: `s${++sessions}`, configOptions: configOptions("ask"), availableCommands }))
  .onRequest(does.session.resume, async ({ params, client }) => {
    const send = (update) => client.notify(asks.session.update, { sessionId: params.sessionId, update });
    if (params.replayFrom) {
      await send({ sessionUpdate: "user_message", messageId: "u1", content: [{ type: "text", text: "an old question" }] });
      await send({ sessionUpdate: "agent_message", messageId: "a1", content: [] });
      await send({ sessionUpdate: "agent_message_chunk", messageId: "a1", content: { type: "text", text: "an old answer" } });
    }
    await send({ sessionUpdate: "state_update", state: "idle" });
    return { configOptions: configOptions("code") };
  })
  .onRequest(does.session.list, () => ({ sessions: [{ sessionId: "s0", cwd: "/w" }] }))
  .onRequest(does.session.close, () => ({}))
  .onRequest(does.session.setConfigOption, ({ params }) => ({ configOptions: configOptions(params.value) }))
  .onNotification(does.session.cancel, () => cancel?.())
  .onRequest(does.session.prompt, ({ params, client }) => {
    const { sessionId, prompt } = params;
    const send = (update) => client.notify(asks.session.update, { sessionId, update });
    const turns = { cancel: waits, error: fails };
    setTimeout(() => (turns[prompt[0].text] ?? all)(send, client, sessionId).catch((e) => process.stderr.write(`v2-agent: ${e.stack}\n`)), 5);
    return { messageId: "u9" };
  });

async function all(send, client, sessionId) {
  const chunk = (messageId, text) => send({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  await send({ sessionUpdate: "user_message", messageId: "u9", content: [{ type: "text", text: "go" }] });
  await send({ sessionUpdate: "state_update", state: "running" });
  await chunk("a", "One ");
  await chunk("a", "message.");
  await chunk("b", "Another.");
  await send({ sessionUpdate: "agent_message", messageId: "b", content: [{ type: "text", text: "Another. And its end." }] });
  await send({ sessionUpdate: "plan_update", plan: { type: "items", planId: "main", entries: [
    { content: "Look", priority: "high", status: "completed" }, { content: "Change", priority: "medium", status: "in_progress" } ] } });
  await send({ sessionUpdate: "tool_call_update", toolCallId: "t1", kind: "execute", status: "in_progress",
    content: [{ type: "terminal", terminalId: "x" }] });
  await send({ sessionUpdate: "terminal_update", terminalId: "x", command: "price", cwd: "/w" });
  for (const piece of [euro.subarray(0, 9), euro.subarray(9)]) {
    await send({ sessionUpdate: "terminal_output_chunk", terminalId: "x", data: base64(piece) });
  }
  await send({ sessionUpdate: "terminal_update", terminalId: "x", exitStatus: { exitCode: 0 } });
  await send({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "cancelled", title: null });
  await send({ sessionUpdate: "tool_call_update", toolCallId: "t2", title: "Edit", kind: "edit", content: [{ type: "diff",
    changes: [{ operation: "modify", path: "/w/a" }, { operation: "move", oldPath: "/w/b", path: "/w/c" }],
    patch: { format: "git_patch", text: "diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-old\n+new\n" } }] });
  await send({ sessionUpdate: "tool_call_content_chunk", toolCallId: "t2", content: { type: "content", content: { type: "text", text: "checked" } } });
  const { outcome } = await client.request(asks.session.requestPermission, { sessionId, title: "Run it?", description: "It takes a while.",
    subject: { type: "command", command: "make", cwd: "/w" },
    options: [{ optionId: "y", name: "Yes", kind: "allow_once" }, { optionId: "n", name: "No", kind: "_later" }] });
  await chunk("c", `chosen: ${outcome.optionId}`);
  await send({ sessionUpdate: "available_commands_update", availableCommands });
  await send({ sessionUpdate: "config_option_update", configOptions: configOptions("code") });
  await send({ sessionUpdate: "usage_update", used: 5, size: 10 });
  await send({ sessionUpdate: "notice", severity: "info", title: "A notice" });
  await send({ sessionUpdate: "plan_removed", planId: "main" });
  await send({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn", usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 } });
}

async function waits(send) {
  await send({ sessionUpdate: "state_update", state: "running" });
  await send({ sessionUpdate: "agent_message_chunk", messageId: "w", content: { type: "text", text: "waiting" } });
  await new Promise((resolve) => (cancel = resolve));
  await send({ sessionUpdate: "agent_message_chunk", messageId: "w", content: { type: "text", text: ", stopped" } });
  await send({ sessionUpdate: "state_update", state: "idle", stopReason: "cancelled" });
}

async function fails(send) {
  await send({ sessionUpdate: "state_update", state: "running" });
  await send({ sessionUpdate: "state_update", state: "idle", stopReason: "error", error: { code: -32000, message: "log in first" } });
}

acp.agentProtocolRouter().withV2(app).connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
