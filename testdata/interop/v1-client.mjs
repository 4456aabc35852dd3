// A client of version 1, as a release of the SDK has it, in front of v2-agent.mjs: it must be shown what
// that agent does, and its reader must accept each message.
// Usage: node v1-client.mjs RELEASE <acpshim> -- node v2-agent.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { connect } from "./run-client.mjs";

const [release, command, ...args] = process.argv.slice(2);
const acp = await import(release);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const watchdog = setTimeout(() => {
  console.log("no end within 25 s");
  process.exit(1);
}, 25_000);

const refused = [];
console.error = (...words) => refused.push(words.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
let updates = [];
const permissions = [];
const handlers = {
  sessionUpdate: async ({ update }) => void updates.push(update),
  requestPermission: async (params) => {
    permissions.push(params);
    return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  },
};
const agent = connect(acp, handlers, acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const of = (kind) => updates.filter((u) => u.sessionUpdate === kind);
const said = (kind = "agent_message_chunk") => of(kind).map((u) => u.content.text).join("");

const initialized = await agent.initialize({
  protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, terminal: true },
  clientInfo: { name: "v1-client", version: "1" },
});
assert.equal(initialized.protocolVersion, 1);
assert.equal(initialized.agentInfo?.name, "v2-agent");
assert.equal(initialized.agentCapabilities.loadSession, true);
assert.equal(initialized.agentCapabilities.promptCapabilities.image, true);
assert.equal(initialized.authMethods[0].id, "key");
await agent.authenticate({ methodId: "key" });

const opened = await agent.newSession({ cwd: "/w", mcpServers: [{ name: "m", command: "/bin/m", args: [], env: [] }] });
const { sessionId } = opened;
assert.equal(opened.configOptions[0].id, "mode");
assert.equal(opened.modes.currentModeId, "ask");
await agent.setSessionMode({ sessionId, modeId: "code" });

const prompt = (text) => agent.prompt({ sessionId, prompt: [{ type: "text", text }] });
assert.equal((await prompt("go")).stopReason, "end_turn");
assert.equal(said(), "One message.\n\nAnother. And its end.chosen: y\n\n**A notice**");
assert.deepEqual(of("plan")[0].entries.map((e) => `${e.status} ${e.content}`), ["completed Look", "in_progress Change"]);
assert.deepEqual(of("tool_call").map((u) => [u.toolCallId, u.title]), [["t1", "execute"], ["t2", "Edit"]]);
const t1 = of("tool_call_update").filter((u) => u.toolCallId === "t1");
assert.equal(t1.at(-1).status, "failed");
assert.equal(t1.findLast((u) => u.content).content[0].content.text, "```\n$ price\ncosts 5 €\n```\nended with status 0");
const edit = of("tool_call").find((u) => u.toolCallId === "t2").content;
assert.deepEqual([edit[0].path, edit[0].oldText, edit[0].newText], ["/w/a", "old\n", "new\n"]);
assert.equal(edit[1].content.text, "move /w/b to /w/c");
assert.equal(of("tool_call_update").findLast((u) => u.toolCallId === "t2").content.at(-1).content.text, "checked");
assert.equal(permissions[0].toolCall.title, "Run it?");
assert.deepEqual(permissions[0].options.map((o) => o.optionId), ["y"], "version 1 has no kind for the other");
assert.equal(of("available_commands_update").at(-1).availableCommands[0].input.hint, "what");
assert.equal(of("usage_update")[0].used, 5);
assert.equal(of("notice").length + of("state_update").length + of("user_message_chunk").length, 0);

updates = [];
const cancelled = prompt("cancel");
while (!said()) await new Promise((resolve) => setTimeout(resolve, 10));
await agent.cancel({ sessionId });
assert.equal((await cancelled).stopReason, "cancelled");
assert.equal(said(), "waiting, stopped", "all that was said comes before the end");

await assert.rejects(prompt("error"), (e) => e.code === -32000 && e.message === "log in first");

updates = [];
await agent.loadSession({ sessionId: "s0", cwd: "/w", mcpServers: [] });
assert.equal(said("user_message_chunk"), "an old question");
assert.equal(said(), "an old answer");

assert.deepEqual(refused, []);
console.log(`ok   ${release.padEnd(26)} spoke version 1 with ${initialized.agentInfo.name}: ${permissions.length} permission request, ${updates.length} replayed`);
clearTimeout(watchdog);
child.stdin.end();
