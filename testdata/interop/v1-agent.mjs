// An agent that speaks only version 1, written with a release of the SDK. What its turn does depends on the
// text of the prompt. It is strict: a prompt while another one runs is refused.
// Usage: node v1-agent.mjs [RELEASE]
import { Readable, Writable } from "node:stream";
const acp = await import(process.argv[2] ?? "@agentclientprotocol/sdk");

setTimeout(() => {
  process.stderr.write("v1-agent: still running after 30 s\n");
  process.exit(1);
}, 30_000).unref();

const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }] };
const text = (t) => ({ type: "text", text: t });
const { agent: does, client: asks } = acp.methods;
let running = false;
let cancel;
acp
  .agent({ name: "v1-agent" })
  .onRequest(does.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "v1-agent", version: "1.0.0" },
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
    authMethods: [{ id: "key", name: "A key" }],
  }))
  .onRequest(does.authenticate, () => ({}))
  .onRequest(does.session.new, () => ({ sessionId: "s1", modes }))
  .onRequest(does.session.load, async ({ params: { sessionId }, client }) => {
    const send = (update) => client.notify(asks.session.update, { sessionId, update });
    await send({ sessionUpdate: "user_message_chunk", content: text("an old question") });
    await send({ sessionUpdate: "agent_message_chunk", content: text("an old ") });
    await send({ sessionUpdate: "agent_message_chunk", content: text("answer") });
    return { modes };
  })
  .onRequest(does.session.setMode, () => ({}))
  .onNotification(does.session.cancel, () => cancel?.())
  .onRequest(does.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    if (running) throw acp.RequestError.internalError({}, "a prompt runs");
    running = true;
    try {
      const send = (update) => client.notify(asks.session.update, { sessionId, update });
      return await ({ cancel: waits, error: fails }[prompt[0].text] ?? all)(send, client, sessionId);
    } finally {
      running = false;
    }
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

async function all(send, client, sessionId) {
  await send({ sessionUpdate: "agent_thought_chunk", content: text("hm") });
  await send({ sessionUpdate: "agent_message_chunk", content: text("One ") });
  await send({ sessionUpdate: "agent_message_chunk", content: text("message.") });
  await send({ sessionUpdate: "plan", entries: [{ content: "Look", priority: "high", status: "in_progress" }] });
  await send({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Edit", kind: "edit", status: "pending", content: [
    { type: "diff", path: "/w/a", oldText: "old\n", newText: "new\n" }] });
  const { outcome } = await client.request(asks.session.requestPermission, { sessionId, toolCall: { toolCallId: "t1", title: "Edit /w/a" },
    options: [{ optionId: "y", name: "Yes", kind: "allow_once" }, { optionId: "n", name: "No", kind: "reject_once" }] });
  await send({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", title: null });
  await send({ sessionUpdate: "agent_message_chunk", content: text(`chosen: ${outcome.optionId}`) });
  await send({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "plan", description: "Plan first", input: { hint: "what" } }] });
  await send({ sessionUpdate: "current_mode_update", currentModeId: "ask" });
  const files = await client.request(asks.fs.readTextFile, { sessionId, path: "/w/a" }).then(() => "read", (e) => e.code);
  await send({ sessionUpdate: "agent_message_chunk", content: text(`, files: ${files}`) });
  return { stopReason: "end_turn" };
}

async function waits(send) {
  await send({ sessionUpdate: "agent_message_chunk", content: text("waiting") });
  await new Promise((resolve) => (cancel = resolve));
  return { stopReason: "cancelled" };
}

async function fails(send) {
  await send({ sessionUpdate: "agent_message_chunk", content: text("trying") });
  throw acp.RequestError.authRequired();
}
