// What docs/debugging.md says of finding a cause, tried with real agents: a rule of the user drops the plan, the editor
// does not draw it, the agent dies. Each run is recorded, and its cause has to stand in what three commands print, a
// screen each. The model is model.mjs, so no account is needed. Prints a line a run.
// Usage: node debug.mjs <acpshim> [folder to keep the records in]
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { initialize, start } from "./lines.mjs";
import { model } from "./model.mjs";

const [acpshim, keep] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const PATH = [join(here, "agents/node_modules/.bin"), join(here, "codex/node_modules/.bin"), process.env.PATH].join(":");
const json = JSON.stringify;

// The steps of the plan that the model makes, and the call with which each agent lets it.
const steps = [
  ["Reproduce the bug", "in_progress"],
  ["Patch the lexer", "pending"],
];
const agents = {
  "codex-acp": {
    call: { name: "update_plan", input: { plan: steps.map(([step, status]) => ({ step, status })) } },
    env: (url) => ({
      CODEX_CONFIG: json({
        model: "gpt-5.5",
        model_provider: "loopback",
        model_providers: { loopback: { name: "loopback", base_url: `${url}/v1`, wire_api: "responses" } },
        tools: { update_plan: { enabled: true } },
      }),
    }),
    broken: { CODEX_CONFIG: "{" },
  },
  "claude-agent-acp": {
    call: { name: "TodoWrite", input: { todos: steps.map(([content, status]) => ({ content, status, activeForm: content })) } },
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    }),
    broken: { NODE_OPTIONS: "--require=./hooks.cjs" }, // of a project, and not there
  },
};

const rule = `[[rule]]
name = "less noise"
update = "plan*"
action = "drop"
`;
const summary = ["log", "summary"];
const plans = ["log", "show", "update:plan*"];
const message = (number) => ["log", "show", number];

// What happens in a run, and the commands that find it with what they have to say. A text in brackets is the number for
// a command that comes later. Space of any kind is one space.
const cases = {
  "a rule drops the plan": {
    config: rule,
    finds: [
      [summary, /plans #(\d+): none reached the client \(less noise: a rule .*the agent sent the plan 1 time/],
      [plans, /<- - plan 1 0 of 2 done less noise: a rule .* \[~\] Reproduce the bug \[ \] Patch the lexer/],
      [message, /changed by less noise: a rule .* acpshim sent nothing instead/],
    ],
  },
  "the editor does not draw it": {
    finds: [
      [summary, /client announces nothing .* plans #(\d+): the client got the plan \(#\d+\); the agent sent the plan 1 time /],
      [plans, /<- plan 1 0 of 2 done \[~\] Reproduce the bug \[ \] Patch the lexer/],
      [message, /passed unchanged, to the client .*"Patch the lexer"/],
    ],
  },
  "the agent dies": {
    kills: true,
    finds: [
      [summary, /^the agent was killed by a signal \(killed\), not by acpshim, before it responded to #(\d+) session\/prompt, /],
      [message, /response #\d+, .*"Fix the parser"/],
    ],
  },
  "the agent does not start": {
    breaks: true,
    finds: [[summary, /^the agent ended with status 1 before it responded to #1 initialize, .* stderr .*(Error: Cannot find module|SyntaxError: )/]],
  },
};

// The processes that a thread has started; a thread that has ended since has none.
const childrenOf = (thread) => {
  try {
    return readFileSync(`${thread}/children`, "utf8").split(" ").map(Number).filter(Boolean);
  } catch {
    return [];
  }
};
// The processes that a process has started.
const children = (pid) => readdirSync(`/proc/${pid}/task`).flatMap((task) => childrenOf(`/proc/${pid}/task/${task}`));

// Runs an agent behind acpshim in a home of its own, up to the end of a turn with a plan.
async function record(name, home, { config = "", kills, breaks }) {
  const { call, env, broken } = agents[name];
  const cwd = join(home, "project");
  mkdirSync(cwd);
  writeFileSync(join(home, "mine.toml"), config);
  let asked = 0;
  const { url, close } = await model((request) => {
    if (!request.tools?.length) return [{ type: "text", text: "A title" }];
    if (asked++ === 0) return [{ type: "tool_use", id: "plan_1", ...call }];
    if (kills) children(client.pid).forEach((pid) => process.kill(pid, "SIGKILL"));
    return [{ type: "text", text: "Done" }];
  });
  const client = start([resolve(acpshim), "--log-level", "warn", "--record", "--config", join(home, "mine.toml"), "--", name], {
    cwd,
    env: { PATH, HOME: home, CODEX_HOME: home, ...env(url), ...(breaks && broken) },
  });
  const { result } = await client.call("initialize", initialize);
  const opened = result && (await client.call("session/new", { cwd, mcpServers: [] }));
  const sessionId = opened?.result?.sessionId;
  if (sessionId) await client.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "Fix the parser" }] });
  await client.stop();
  close();
}

// What is wrong with what the commands print of the record in a home; "" if they find the cause.
function look(home, finds) {
  let number;
  for (const [command, says] of finds) {
    const args = typeof command === "function" ? command(number) : command;
    const printed = execFileSync(resolve(acpshim), args, { env: { PATH, HOME: home }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    const lines = printed.trimEnd().split("\n");
    const found = says.exec(printed.replace(/\s+/g, " "));
    if (!found) return `"acpshim ${args.join(" ")}" does not say ${says}:\n${printed}`;
    number = found[1] ?? number;
    if (lines.length > 24) return `"acpshim ${args.join(" ")}" prints ${lines.length} lines:\n${printed}`;
    const wide = lines.find((line) => [...line].length > 80);
    if (wide) return `"acpshim ${args.join(" ")}" prints more than 80 columns:\n${wide}`;
  }
  return "";
}

const complaints = [];

// Has an agent in all cases, one after the other.
async function check(name) {
  for (const [title, its] of Object.entries(cases)) {
    const home = mkdtempSync(join(tmpdir(), "debug-"));
    await record(name, home, its);
    const wrong = look(home, its.finds);
    if (wrong) complaints.push(`${name}, ${title}: ${wrong}`);
    process.stdout.write(`  ${wrong ? "FAIL " : ""}${name}, ${title}: found in ${its.finds.length} of 3 commands\n`);
    if (keep) cpSync(join(home, ".local/state/acpshim/records"), join(keep, `${name}, ${title}`), { recursive: true });
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.stdout.write("causes that are found in records\n");
await Promise.all(Object.keys(agents).map(check));
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exit(complaints.length ? 1 : 0);
