// Agents that announce tool calls, show their results or replay them in their own ways: cline, pi-acp with pi, and
// kimi-code. Behind acpshim a client has to get what people look for: each call once, the output of a command and the
// diff of an edit, also of a loaded session, the plan, and the end of a cancelled turn. The model is model.mjs, so no
// account is needed, and a proxy that is not there keeps the agents from the network. Prints a line a check.
// Usage: node calls.mjs <acpshim> [agent...]
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { homeWith, initialize, start } from "./lines.mjs";
import { model } from "./model.mjs";

const acpshim = resolve(process.argv[2]);
const bin = join(dirname(fileURLToPath(import.meta.url)), "calls/node_modules/.bin"); // also a node that pi and kimi-code accept
const nowhere = "http://127.0.0.1:9";
const seconds = 60; // for a response
const json = JSON.stringify;

const todos = [
  { title: "Read the code", status: "done" },
  { title: "Change it", status: "in_progress" },
];
const entries = [
  { content: "Read the code", priority: "medium", status: "completed" },
  { content: "Change it", priority: "medium", status: "in_progress" },
];

const agents = {
  cline: {
    command: ["cline", "--acp"],
    options: ["--set", "shutdown.input_grace=200ms"], // it does not end with its input
    env: {
      CLINE_API_KEY: "x",
      CLINE_PROVIDER: "anthropic",
      CLINE_MODEL: "claude-sonnet-4-5",
      CLINE_SESSION_BACKEND_MODE: "local", // no process in the background
    },
    files: (url) => {
      const settings = { provider: "anthropic", apiKey: "x", model: "claude-sonnet-4-5", baseUrl: `${url}/v1` };
      const anthropic = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
      return { ".cline/data/settings/providers.json": { version: 1, lastUsedProvider: "anthropic", modes: {}, providers: { anthropic } } };
    },
    async run({ open, check }) {
      const { client, turn } = await open();
      const [call, ...others] = (await turn([["run_commands", { commands: ["echo THE OUTPUT"] }]])).calls;
      check("a command is one call, which ends", !others.length && call?.status === "completed", { call, others });
      check("it is announced once", call?.announced === 1, call);
      const asked = await turn([["run_commands", { commands: ["sleep 20"] }]], { cancelWhen: "asked" });
      check("a cancel while it asks ends the turn", asked.result?.stopReason === "cancelled", asked);
      const running = await turn([["run_commands", { commands: ["sleep 20"] }]], { cancelWhen: "running" });
      check("a cancel while a command runs ends the turn", running.result?.stopReason === "cancelled", running);
      await client.stop();
    },
  },
  "pi-acp": {
    command: ["pi-acp"],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: { loopback: { baseUrl: url, api: "anthropic-messages", apiKey: "x", models: ["small", "large"].map((id) => ({ id, reasoning: true })) } },
      },
      ".pi/agent/settings.json": { defaultProvider: "loopback", defaultModel: "small", quietStartup: true },
    }),
    async run({ open, check, asked }) {
      const { client, turn, session } = await open();
      const modes = session.modes.availableModes.map(({ id }) => id);
      const same = session.configOptions.filter(({ options = [] }) => isDeepStrictEqual(options.map(({ value }) => value), modes));
      check("its modes are one option", same.length === 1, same);
      const { sessionId } = session;
      const set = await client.call("session/set_model", { sessionId, modelId: "loopback/large" });
      const { calls } = await turn([["bash", { command: "echo THE OUTPUT" }], ["write", { path: "new.txt", content: "new\n" }]]);
      check("set_model chooses the model", set.result && asked.at(-1) === "large", { set, asked });
      check("a command shows its output", json(calls[0]?.content).includes("THE OUTPUT"), calls[0]);
      check("a write shows its diff in the end", diffOf(calls[1])?.newText === "new\n", calls[1]);
      await client.stop();
      const loaded = await open(sessionId);
      const command = loaded.calls().find(({ toolCallId }) => toolCallId === calls[0]?.toolCallId);
      check("loaded, a command shows its output", json(command?.content ?? null).includes("THE OUTPUT"), command);
      await loaded.client.stop();
    },
  },
  "kimi-code": {
    command: ["kimi", "acp"],
    env: (url) => ({
      KIMI_MODEL_NAME: "m",
      KIMI_MODEL_API_KEY: "x",
      KIMI_MODEL_PROVIDER_TYPE: "anthropic",
      KIMI_MODEL_BASE_URL: url,
      KIMI_DISABLE_TELEMETRY: "1",
      KIMI_CODE_NO_AUTO_UPDATE: "1",
    }),
    async run({ open, check }) {
      const { client, turn, session } = await open();
      const { calls, plans } = await turn([
        ["TodoList", { todos }],
        ["Edit", { path: "a.txt", old_string: "hello", new_string: "bye" }],
      ]);
      check("its list of todos is one plan", isDeepStrictEqual(plans, [entries]), plans);
      check("an edit shows its diff in the end", diffOf(calls[1])?.newText === "bye", calls[1]);
      await client.stop();
      const loaded = await open(session.sessionId);
      check("loaded, the plan is there", isDeepStrictEqual(loaded.plans().at(-1), entries), loaded.plans());
      await loaded.client.stop();
    },
  },
};

const diffOf = (call) => call?.content?.find(({ type }) => type === "diff");
const plansOf = (updates) => updates.flatMap((u) => (u.sessionUpdate === "plan" ? [u.entries] : []));

// The calls as a client shows them in the end, with how often each was announced.
function callsOf(updates) {
  const calls = new Map();
  for (const { sessionUpdate, ...members } of updates) {
    if (!sessionUpdate.startsWith("tool_call")) continue;
    const call = calls.get(members.toolCallId) ?? { announced: 0 };
    if (sessionUpdate === "tool_call") call.announced++;
    const given = Object.entries(members).filter(([, value]) => value != null);
    calls.set(members.toolCallId, { ...call, ...Object.fromEntries(given) });
  }
  return [...calls.values()];
}

async function run(name) {
  const { command, options = [], env, files = () => ({}), run } = agents[name];
  const lines = [];
  const check = (what, isMet, seen) => lines.push(`  ${isMet ? what : `FAIL ${what}: ${json(seen)}`}`);
  const asked = []; // the names of models, a request each
  let script = []; // the calls that the model still has to make
  const { url, close } = await model((request) => {
    if (!request.tools?.length) return [{ type: "text", text: "A title" }];
    asked.push(request.model);
    const [name, input] = script.shift() ?? [];
    return name ? [{ type: "tool_use", id: `call_${asked.length}`, name, input }] : [{ type: "text", text: "Done." }];
  });
  const home = homeWith({ "work/a.txt": "hello\n", ...files(url) });
  const cwd = join(home, "work");
  const clients = [];

  // Opens a session, or loads one.
  const open = async (load) => {
    let cancelWhen;
    const cancel = () => client.notify("session/cancel", { sessionId: load ?? session.sessionId });
    const client = start([acpshim, "--log-level", "error", ...options, "--", ...command], {
      cwd,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: home,
        HTTP_PROXY: nowhere,
        HTTPS_PROXY: nowhere,
        NO_PROXY: "127.0.0.1",
        NODE_USE_ENV_PROXY: "1",
        ...(typeof env === "function" ? env(url) : env),
      },
      answer({ params }) {
        if (cancelWhen) setTimeout(cancel, cancelWhen === "asked" ? 0 : 1000);
        if (cancelWhen === "asked") return { result: { outcome: { outcome: "cancelled" } } };
        return { result: { outcome: { outcome: "selected", optionId: params.options.find(({ kind }) => kind === "allow_once").optionId } } };
      },
    });
    clients.push(client);
    await client.call("initialize", initialize, seconds);
    const method = load ? "session/load" : "session/new";
    const { result: session, error } = await client.call(method, { cwd, mcpServers: [], ...(load && { sessionId: load }) }, seconds);
    if (error) throw new Error(`${method}: ${json(error)}`);
    const turn = async (calls, { cancelWhen: when } = {}) => {
      cancelWhen = when;
      script = [...calls];
      const from = client.updates.length;
      const prompt = [{ type: "text", text: "Do it." }];
      const response = await client.call("session/prompt", { sessionId: session.sessionId, prompt }, seconds);
      const updates = client.updates.slice(from);
      return { ...response, calls: callsOf(updates), plans: plansOf(updates) };
    };
    return { client, session, turn, calls: () => callsOf(client.updates), plans: () => plansOf(client.updates) };
  };

  await run({ open, check, asked }).catch(({ message }) => check("runs", false, message));
  await Promise.all(clients.map((client) => client.stop()));
  close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  process.stdout.write(`${name}\n${lines.join("\n")}\n`);
  return !lines.some((line) => line.startsWith("  FAIL "));
}

const names = process.argv.slice(3);
const isMet = await Promise.all((names.length ? names : Object.keys(agents)).map(run));
process.exit(isMet.every(Boolean) ? 0 : 1);
