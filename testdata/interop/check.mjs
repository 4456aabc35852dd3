// Agents of others under "acpshim check", directly and behind acpshim. Behind it, nothing may be wrong that is right
// without it. The model is model.mjs: it writes the file that the prompt asks for with the tool that the agent offers.
// Prints what is wrong of each agent, a line a rule, and what acpshim repairs.
// Usage: node check.mjs <acpshim> [agent...]
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { homeWith } from "./lines.mjs";
import { model } from "./model.mjs";

const [program, ...chosen] = process.argv.slice(2);
const acpshim = resolve(program);
const here = process.env.ACPSHIM_INTEROP ?? dirname(fileURLToPath(import.meta.url));
const bins = ["calls", "agents", "codex", "qwen"].map((folder) => join(here, folder, "node_modules/.bin")).filter(existsSync);
const nowhere = "http://127.0.0.1:9";
const json = JSON.stringify;

const agents = {
  "claude-agent-acp": {
    command: ["claude-agent-acp"],
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "x", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" }),
  },
  "codex-acp": {
    command: ["codex-acp"],
    env: (url) => ({
      CODEX_CONFIG: json({
        model: "gpt-5.5",
        model_provider: "loopback",
        model_providers: { loopback: { name: "loopback", base_url: `${url}/v1`, wire_api: "responses" } },
      }),
    }),
  },
  opencode: {
    command: ["opencode", "acp"],
    env: (url) => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_CONFIG_CONTENT: json({
        model: "loopback/small",
        permission: { edit: "ask", bash: "ask" },
        provider: {
          loopback: {
            npm: "@ai-sdk/anthropic",
            name: "Loopback",
            options: { baseURL: `${url}/v1`, apiKey: "x" },
            models: { small: { name: "Small", tool_call: true }, large: { name: "Large", tool_call: true } },
          },
        },
      }),
    }),
  },
  "pi-acp": {
    command: ["pi-acp"],
    env: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }),
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: { loopback: { baseUrl: url, api: "anthropic-messages", apiKey: "x", models: ["small", "large"].map((id) => ({ id, reasoning: true })) } },
      },
      ".pi/agent/settings.json": { defaultProvider: "loopback", defaultModel: "small", quietStartup: true },
    }),
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
  },
  cline: {
    command: ["cline", "--acp"],
    env: () => ({ CLINE_API_KEY: "x", CLINE_PROVIDER: "anthropic", CLINE_MODEL: "claude-sonnet-4-5", CLINE_SESSION_BACKEND_MODE: "local" }),
    files: (url) => {
      const settings = { provider: "anthropic", apiKey: "x", model: "claude-sonnet-4-5", baseUrl: `${url}/v1` };
      const anthropic = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
      return { ".cline/data/settings/providers.json": { version: 1, lastUsedProvider: "anthropic", modes: {}, providers: { anthropic } } };
    },
  },
};

// The input of each tool that writes the file.
const writers = {
  Write: (path, keys) => (keys.includes("file_path") ? { file_path: path, content: "ok\n" } : { path, content: "ok\n" }),
  write: (path, keys) => (keys.includes("filePath") ? { filePath: path, content: "ok\n" } : { path, content: "ok\n" }),
  exec_command: (path) => ({ cmd: `echo ok >${path}`, sandbox_permissions: "require_escalated", justification: "to write the file" }),
  shell_command: (path) => ({ command: `echo ok >${path}`, sandbox_permissions: "require_escalated", justification: "to write the file" }),
  run_commands: (path) => ({ commands: [`echo ok >${path}`] }),
};

const calls = { tools: new Set(), made: 0 };
function reply(request) {
  const tools = request.tools ?? [];
  const nameOf = (tool) => tool.name ?? tool.function?.name;
  for (const tool of tools) calls.tools.add(nameOf(tool));
  const tool = tools.find((tool) => writers[nameOf(tool)]);
  const last = (request.messages ?? request.input).at(-1);
  const isResult = json(last).includes("tool_result") || last?.type === "function_call_output";
  const [folder] = json(request).match(/\/[\w/.-]*acpshim-check-\w+\/\w+/) ?? ["."];
  if (!tool || isResult) return [{ type: "text", text: "Done." }];
  const schema = tool.input_schema ?? tool.parameters ?? {};
  const input = writers[nameOf(tool)](join(folder, "check.txt"), Object.keys(schema.properties ?? {}));
  return [{ type: "text", text: "I write it.\n" }, { type: "tool_use", id: `call_${++calls.made}`, name: nameOf(tool), input }];
}

function check(name, through) {
  const { command, env, files = () => ({}) } = agents[name];
  return model(reply).then(({ url, close }) => {
    const home = homeWith(files(url));
    const args = ["check", "--json", "--timeout", "180s", "--", ...through, ...command];
    const options = {
      cwd: home,
      maxBuffer: 1 << 26,
      env: { PATH: [...bins, process.env.PATH].join(":"), HOME: home, CODEX_HOME: home, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: "127.0.0.1", XDG_STATE_HOME: process.env.KEEP ?? join(home, "state"), ...env(url) },
    };
    return new Promise((resolve) =>
      execFile(acpshim, args, options, (error, stdout, stderr) => {
        close();
        rmSync(home, { recursive: true, force: true, maxRetries: 5 });
        try {
          resolve(JSON.parse(stdout));
        } catch {
          resolve({ rules: [], error: `${error} ${stderr}` });
        }
      }),
    );
  });
}

const wrong = (report) => new Map(report.rules.filter(({ status }) => status === "failed" || status === "warning").map((f) => [f.rule, f]));
let worse = 0;
for (const name of chosen.length ? chosen : Object.keys(agents)) {
  const began = Date.now();
  const direct = await check(name, []);
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  console.log(`${name} ${direct.agent?.version ?? ""}: ${direct.failed} failed, ${direct.warnings} warnings, ${direct.ok} ok, ${direct.skipped} skipped in ${seconds} s ${direct.error ?? ""}`);
  for (const f of wrong(direct).values()) console.log(`  ${f.status} ${f.rule}: ${f.sent && `sent ${f.sent}; `}got ${f.got}${f.more ? ` and ${f.more} more` : ""}`);
  for (const f of direct.rules) if (f.status === "skipped") console.log(`  skipped ${f.rule}: ${f.text}`);
  const behind = await check(name, [acpshim, "--log-level", "error", "--"]);
  for (const f of wrong(behind).values())
    if (!wrong(direct).has(f.rule)) {
      worse++;
      console.log(`  BEHIND ACPSHIM ${f.status} ${f.rule}: ${f.sent && `sent ${f.sent}; `}got ${f.got}`);
    }
  const repaired = [...wrong(direct).keys()].filter((rule) => behind.rules.some((f) => f.rule === rule && f.status === "ok"));
  console.log(`  behind acpshim: ${behind.failed} failed, ${behind.warnings} warnings ${behind.error ?? ""}; repaired: ${repaired.join(", ") || "nothing"}`);
  if (process.env.TOOLS) console.log([...calls.tools].join(" "));
}
process.exitCode = worse ? 1 : 0;
