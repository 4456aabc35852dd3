// Real agents across versions of the protocol, with a model on the loopback: claude-agent-acp set to version 2 in front
// of acpx, which speaks version 1; and a client of version 2 with the SDK's reader in front of opencode and of
// claude-agent-acp set to version 1. The last is compared with what claude-agent-acp itself says in version 2.
// Usage: node versions.mjs <acpshim>
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { blocksOf, model } from "./model.mjs";

const acpshim = resolve(process.argv[2]);
const bin = join(dirname(fileURLToPath(import.meta.url)), "agents/node_modules/.bin");
const home = mkdtempSync(join(tmpdir(), "acpshim-versions-"));
const text = (text) => ({ type: "text", text });

// Each turn calls a tool that needs permission, and one for the list of tasks.
const tasks = [{ content: "Look", status: "completed", priority: "high" }, { content: "Change", status: "in_progress", priority: "low" }];
const { url, close } = await model((request) => {
  const names = (request.tools ?? []).map(({ name }) => name);
  const results = blocksOf(request, "tool_result").map(({ tool_use_id }) => tool_use_id);
  const shell = names.find((name) => /^bash$/i.test(name));
  const todo = names.find((name) => /^todo_?write$/i.test(name));
  if (!shell || results.includes("run")) return [text("The end.")];
  if (todo && results.length === 0) return [{ type: "tool_use", id: "todo", name: todo, input: { todos: tasks.map((t) => ({ ...t, activeForm: t.content })) } }];
  return [text("I look."), { type: "tool_use", id: "run", name: shell, input: { command: "touch made", description: "Make a file" } }];
});

const env = (more) => ({ PATH: `${bin}:${process.env.PATH}`, HOME: home, ...more });
const claude = (version) =>
  env({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "x", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", CLAUDE_AGENT_ACP_PROTOCOL: version, IS_SANDBOX: "1" });
const opencode = env({
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_CONFIG_CONTENT: JSON.stringify({
    model: "loopback/small",
    permission: { bash: "ask" },
    provider: { loopback: { npm: "@ai-sdk/anthropic", name: "Loopback", options: { baseURL: `${url}/v1`, apiKey: "x" }, models: { small: { name: "Small", tool_call: true } } } },
  }),
});

// What a client of version 2 sees of one turn.
async function turn(command, env) {
  const child = spawn(command[0], command.slice(1), { env, cwd: home, stdio: ["pipe", "pipe", "ignore"] });
  const updates = [];
  const permissions = [];
  const refused = [];
  const { error } = console;
  console.error = (...words) => refused.push(words.map(String).join(" "));
  const { agent: does, client: asks } = acp.methods;
  const { agent } = acp
    .client({ name: "v2-client" })
    .onNotification(asks.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(asks.session.requestPermission, ({ params }) => {
      permissions.push(params);
      return { outcome: { outcome: "selected", optionId: params.options.find((o) => o.kind === "allow_once").optionId } };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const initialized = await agent.request(does.initialize, { protocolVersion: 2, info: { name: "v2-client", version: "1" }, capabilities: {} });
  const { sessionId, configOptions } = await agent.request(does.session.new, { cwd: home, mcpServers: [] });
  await agent.request(does.session.prompt, { sessionId, prompt: [text("Do it.")] });
  const isEnd = (u) => u.sessionUpdate === "state_update" && u.state === "idle" && u.stopReason;
  for (let i = 0; !updates.some(isEnd) && i < 3000; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  child.stdin.end();
  setTimeout(() => child.kill("SIGKILL"), 2000).unref();
  console.error = error;
  assert.deepEqual(refused, []);
  return { initialized, configOptions, updates, permissions, end: updates.find(isEnd)?.stopReason };
}

const of = (updates, kind) => updates.filter((u) => u.sessionUpdate === kind);
const states = (updates) => of(updates, "state_update").map((u) => u.state).join(" ");

const { stdout } = await promisify(execFile)(
  join(bin, "acpx"),
  ["--cwd", home, "--approve-all", "--timeout", "60", "--agent", `${acpshim} --log-level off -- claude-agent-acp`, "exec", "Do it."],
  { env: claude("v2"), timeout: 90_000 },
);
for (const shown of [/I look\./, /The end\./, /\[tool\] .*Make a file|\[tool\] .*touch made/, /\[done\] end_turn/]) assert.match(stdout, shown);
console.log("acpx, version 1, with claude-agent-acp, version 2: text, a tool call that it permits, the end of the turn");

const open = await turn([acpshim, "--log-level", "off", "--", "opencode", "acp"], opencode);
assert.equal(open.end, "end_turn");
assert.equal(of(open.updates, "plan_update").at(-1).plan.entries.length, 2);
assert.equal(open.permissions.length, 1);
assert.equal(open.permissions[0].subject.type, "tool_call");
console.log(`a client of version 2 with opencode ${open.initialized.info.version}: its list of todos as plan_update, ${states(open.updates)}`);

const bridged = await turn([acpshim, "--log-level", "off", "--", "claude-agent-acp"], claude("v1"));
const own = await turn(["claude-agent-acp"], claude("v2"));
assert.equal(bridged.end, own.end);
const kinds = ({ updates }) => [...new Set(updates.map((u) => u.sessionUpdate))].sort().join(" ");
const said = ({ updates }) => of(updates, "agent_message_chunk").map((u) => u.content.text).join("");
assert.equal(said(bridged), said(own));
console.log("a client of version 2 with claude-agent-acp in version 1, and the same in version 2 without acpshim:");
for (const [what, see] of Object.entries({
  "kinds of update": kinds,
  states: ({ updates }) => states(updates),
  "options of configuration": ({ configOptions = [] }) => configOptions.map((o) => o.configId).join(" "),
  "capabilities of sessions": ({ initialized }) => Object.keys(initialized.capabilities.session).sort().join(" "),
  permission: ({ permissions }) => permissions.map((p) => `${p.title}; ${p.subject?.type}; ${p.options.map((o) => o.kind).join(" ")}`).join(),
})) {
  const [one, other] = [see(bridged), see(own)];
  console.log(one === other ? `  ${what}: ${one}` : `  ${what}: ${one}\n    in version 2: ${other}`);
}
close();
rmSync(home, { recursive: true, force: true });
process.exit(0);
