// Agents of others, started without an account, behind acpshim: each choice of a mode or a model is made in both
// forms, as an old client does it (session/set_mode, session/set_model) and as a new one (session/set_config_option),
// and has to be seen in the other. No model is asked before a prompt, so nothing listens where theirs would be.
// What one of them offers as an option only is set in the old way without acpshim, too, and refused with -32601.
// Usage: node agents.mjs <acpshim> [agent...]
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { homeWith, initialize, pause, start } from "./lines.mjs";

const [acpshim, ...names] = process.argv.slice(2);
const nowhere = "http://127.0.0.1:9";
const here = dirname(fileURLToPath(import.meta.url));
const bin = (name) => ["agents", "codex", "qwen"].map((folder) => join(here, folder, "node_modules/.bin", name)).find(existsSync) ?? name;
const json = JSON.stringify;

// What they offer is what was seen. isAlone: it is also asked without acpshim. never: what is not chosen.
const agents = {
  "claude-agent-acp": {
    env: { ANTHROPIC_BASE_URL: nowhere, ANTHROPIC_API_KEY: "x", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    offers: "mode as list and option, model as option",
    isAlone: true,
  },
  "codex-acp": {
    env: {
      CODEX_CONFIG: json({
        model_provider: "nowhere",
        model_providers: { nowhere: { name: "nowhere", base_url: `${nowhere}/v1`, wire_api: "responses" } },
      }),
    },
    offers: "mode as list and option, model as list and option",
  },
  opencode: {
    args: ["acp"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_CONFIG_CONTENT: json({
        model: "nowhere/small",
        provider: {
          nowhere: {
            npm: "@ai-sdk/openai-compatible",
            name: "Nowhere",
            options: { baseURL: `${nowhere}/v1`, apiKey: "x" },
            models: { small: { name: "Small" }, large: { name: "Large" } },
          },
        },
      }),
    },
    offers: "mode as option, model as option",
  },
  gemini: {
    args: ["--acp"],
    env: { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: nowhere },
    settings: { ".gemini/settings.json": { security: { auth: { selectedType: "gemini-api-key" } } } },
    offers: "mode as list, model as list",
    never: ["yolo", "autoEdit"], // they want a folder that a person trusts
  },
  qwen: {
    args: ["--acp"],
    env: { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${nowhere}/v1`, OPENAI_MODEL: "m" },
    settings: { ".qwen/settings.json": { security: { auth: { selectedType: "openai" } } } },
    offers: "mode as list and option, model as list and option",
  },
};

const kinds = [
  { category: "mode", list: "modes", available: "availableModes", current: "currentModeId", id: "id", method: "session/set_mode", param: "modeId" },
  { category: "model", list: "models", available: "availableModels", current: "currentModelId", id: "modelId", method: "session/set_model", param: "modelId" },
];

const optionOf = (options, { category }) => options?.find((o) => o.category === category && o.type === "select");
const valuesOf = (option) => option.options.flatMap((o) => o.options ?? [o]).map(({ value }) => value);

// In which forms a session's result offers a kind.
function formsOf(result, kind) {
  const forms = [];
  if (result[kind.list]?.[kind.available]?.length) forms.push("list");
  if (optionOf(result.configOptions, kind)) forms.push("option");
  return forms;
}

// Opens a session with an agent in an empty home, with nothing in its environment but a path.
async function open(name, through) {
  const { args = [], env, settings } = agents[name];
  const home = homeWith(settings);
  const agent = start([...through, bin(name), ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, IS_SANDBOX: "1", ...env },
  });
  const stop = async () => {
    const how = await agent.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    return how;
  };
  const { error } = await agent.call("initialize", initialize);
  const response = error ? { error } : await agent.call("session/new", { cwd: home, mcpServers: [] });
  if (response.error) {
    await stop();
    throw new Error(`${name} opens no session: ${json(response.error)}`);
  }
  return { ...agent, ...agents[name], stop, result: response.result, sessionId: response.result.sessionId };
}

// What the client knows of a kind in each form, by all that it was sent.
class View {
  constructor({ result, updates }) {
    Object.assign(this, { result, updates, read: 0, lists: {}, options: result.configOptions });
    for (const kind of kinds) this.lists[kind.category] = result[kind.list]?.[kind.current];
  }
  take() {
    for (; this.read < this.updates.length; this.read++) {
      const update = this.updates[this.read];
      if (update.sessionUpdate === "current_mode_update") this.lists.mode = update.currentModeId;
      if (update.sessionUpdate === "config_option_update") this.options = update.configOptions;
    }
  }
  option(kind) {
    return optionOf(this.options, kind);
  }
}

async function choose(agent, view, kind, form) {
  const option = view.option(kind);
  const isList = form === "list";
  const values = isList ? agent.result[kind.list][kind.available].map((m) => m[kind.id]) : valuesOf(option);
  const value = values.findLast((v) => !agent.never?.includes(v) && v !== (isList ? view.lists[kind.category] : option.currentValue));
  if (value === undefined) return { text: "nothing else to choose" };
  const { result, error } = isList
    ? await agent.call(kind.method, { sessionId: agent.sessionId, [kind.param]: value })
    : await agent.call("session/set_config_option", { sessionId: agent.sessionId, configId: option.id, value });
  await pause(300); // updates may come behind the response
  view.take();
  if (error) return { value, error };
  if (isList) view.lists[kind.category] = value;
  else view.options = result.configOptions;
  const seen = isList ? view.option(kind)?.currentValue : kind.category === "mode" ? view.lists.mode : value;
  return { value, seen };
}

// Tries what an agent does not offer, without acpshim. It is refused.
async function alone(name) {
  const agent = await open(name, []);
  const said = [];
  for (const kind of kinds) {
    const forms = formsOf(agent.result, kind);
    if (forms.join() !== "option") continue;
    const value = valuesOf(optionOf(agent.result.configOptions, kind)).at(-1);
    const { error } = await agent.call(kind.method, { sessionId: agent.sessionId, [kind.param]: value });
    said.push([kind.method, error?.code]);
  }
  await agent.stop();
  return said;
}

const complaints = [];
async function check(name) {
  const { offers, isAlone } = agents[name];
  const say = (text) => process.stdout.write(`  ${text}\n`);
  const complain = (text) => complaints.push(`${name}: ${text}`) && say(`FAIL ${text}`);
  process.stdout.write(`${name}, which offers ${offers}\n`);
  for (const [method, code] of isAlone ? await alone(name) : []) {
    code === -32601 ? say(`alone: ${method} is refused with ${code}`) : complain(`alone: ${method} is answered with ${code}`);
  }
  const agent = await open(name, [acpshim, "--log-level", "error", "--"]);
  const view = new View(agent);
  for (const kind of kinds) {
    const isMade = !offers.includes(`${kind.category} as list and option`);
    const forms = formsOf(agent.result, kind);
    if (forms.length !== 2) complain(`${kind.category} is offered as ${forms.join() || "nothing"}`);
    for (const form of forms) {
      const { text, value, seen, error } = await choose(agent, view, kind, form);
      if (text) say(`${kind.category} as ${form}: ${text}`);
      else if (error) complain(`${kind.category} as ${form}, ${value}: ${json(error)}`);
      else if (seen !== value && isMade) complain(`${kind.category} as ${form}: ${value} is chosen, ${seen} is seen`);
      else say(`${kind.category} as ${form}: ${value} is chosen, and seen in the other form as ${seen}`);
    }
  }
  const { code } = await agent.stop();
  if (code !== 0) complain(`exit ${code}`);
}

for (const name of names.length ? names : Object.keys(agents)) await check(name).catch(({ message }) => complaints.push(message));
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.stdout.write(`${names.length || Object.keys(agents).length} agents, ${complaints.length} failed\n`);
process.exit(complaints.length ? 1 : 0);
