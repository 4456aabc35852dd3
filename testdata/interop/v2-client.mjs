// A client of version 2, with the SDK's reader, in front of v1-agent.mjs.
// Usage: node v2-client.mjs <acpshim> -- node v1-agent.mjs [RELEASE]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const watchdog = setTimeout(() => {
  console.log("no end within 25 s", JSON.stringify(updates));
  process.exit(1);
}, 25_000);

const refused = [];
console.error = (...words) => refused.push(words.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
let updates = [];
const permissions = [];
let dismisses = false;
const { agent: does, client: asks } = acp.methods;
const { agent } = acp
  .client({ name: "v2-client" })
  .onNotification(asks.session.update, ({ params }) => void updates.push(params.update))
  .onRequest(asks.session.requestPermission, ({ params }) => {
    permissions.push(params);
    return { outcome: dismisses ? { outcome: "cancelled" } : { outcome: "selected", optionId: params.options[0].optionId } };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const of = (kind) => updates.filter((u) => u.sessionUpdate === kind);
const said = (kind = "agent_message_chunk") => of(kind).map((u) => u.content.text).join("");
const states = () => of("state_update").map((u) => u.state);
const idle = async (n = 1) => {
  while (states().filter((s) => s === "idle").length < n) await new Promise((resolve) => setTimeout(resolve, 5));
  return of("state_update").at(-1);
};

const initialized = await agent.request(does.initialize, { protocolVersion: 2, info: { name: "v2-client", version: "1" }, capabilities: {} });
assert.equal(initialized.protocolVersion, 2);
assert.equal(initialized.info.name, "v1-agent");
assert.ok(initialized.capabilities.session.prompt.image);
assert.equal(initialized.authMethods[0].methodId, "key");
await agent.request(does.auth.login, { methodId: "key" });

const { sessionId, configOptions } = await agent.request(does.session.new, { cwd: "/w", mcpServers: [{ type: "stdio", name: "m", command: "/bin/m" }] });
const mode = configOptions.find((o) => o.category === "mode");
assert.equal(mode.currentValue, "ask");
const set = await agent.request(does.session.setConfigOption, { sessionId, configId: mode.configId, type: "id", value: "code" });
assert.equal(set.configOptions.find((o) => o.category === "mode").currentValue, "code");

const prompt = (t) => agent.request(does.session.prompt, { sessionId, prompt: [{ type: "text", text: t }] });
updates = [];
const { messageId } = await prompt("go");
assert.equal((await idle()).stopReason, "end_turn");
assert.equal(of("user_message")[0].messageId, messageId);
assert.deepEqual(states(), ["running", "requires_action", "running", "idle"]);
assert.equal(said(), "One message.chosen: y, files: -32601");
assert.equal(new Set(of("agent_message_chunk").slice(0, 2).map((u) => u.messageId)).size, 1);
assert.equal(of("plan_update")[0].plan.entries[0].content, "Look");
const [begun, , ended] = [of("tool_call_update")[0], , of("tool_call_update").at(-1)];
assert.equal(begun.title, "Edit");
assert.deepEqual(begun.content[0].changes, [{ operation: "modify", path: "/w/a" }]);
assert.match(begun.content[0].patch.text, /^-old\n\+new\n/m);
assert.equal(ended.status, "completed");
assert.equal("title" in ended && ended.title === null, false);
assert.equal(permissions[0].title, "Edit /w/a");
assert.equal(permissions[0].subject.toolCall.toolCallId, "t1");
assert.equal(of("available_commands_update")[0].availableCommands[0].input.hint, "what");
assert.equal(of("config_option_update").at(-1).configOptions.find((o) => o.category === "mode").currentValue, "ask");

dismisses = true; // without a cancel: a refusal in version 1
updates = [];
await prompt("go");
await idle();
assert.match(said(), /chosen: n/);

updates = [];
const [one, two] = [prompt("cancel"), prompt("go")];
await one;
while (!said()) await new Promise((resolve) => setTimeout(resolve, 5));
await agent.notify(does.session.cancel, { sessionId });
await assert.rejects(two, (e) => e.code === -32800, "a prompt that waits is cancelled");
assert.equal((await idle()).stopReason, "cancelled");

updates = [];
const queued = [prompt("go"), prompt("go")];
await Promise.all(queued);
await idle(2);
assert.equal(of("user_message").length, 2);

updates = [];
await prompt("error");
const failed = await idle();
assert.deepEqual([failed.stopReason, failed.error.code], ["error", -32000]);

updates = [];
await agent.request(does.session.resume, { sessionId: "s0", cwd: "/w", replayFrom: { type: "start" } });
await idle();
assert.deepEqual([said("user_message_chunk"), said()], ["an old question", "an old answer"]);
assert.equal(of("replay_complete").length, 1);
updates = [];
await agent.request(does.session.resume, { sessionId: "s2", cwd: "/w" });
await idle();
assert.deepEqual(updates.map((u) => u.sessionUpdate), ["state_update"], "no replay was asked for");
const { sessions } = await agent.request(does.session.list, {});
assert.ok(sessions.some((s) => s.sessionId === sessionId));
await agent.request(does.session.close, { sessionId });

assert.deepEqual(refused, []);
console.log(`ok   spoke version 2 with ${initialized.info.name}: ${permissions.length} permission requests`);
clearTimeout(watchdog);
child.stdin.end();
