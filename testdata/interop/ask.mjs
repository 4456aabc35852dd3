// The AskUserQuestion tool of claude-agent-acp, and a client that knows no forms. Without acpshim the agent does not
// offer the tool to the model. Behind acpshim each question comes as a permission request, and the model has to be
// told what is chosen there and nothing else. The model is model.mjs, so no account is needed. Prints a line a case.
// Usage: node ask.mjs <acpshim>
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { initialize, start } from "./lines.mjs";
import { blocksOf, model, textOf } from "./model.mjs";

const acpshim = process.argv[2];
const command = join(dirname(fileURLToPath(import.meta.url)), "agents/node_modules/.bin/claude-agent-acp");
const tool = "AskUserQuestion";
const json = JSON.stringify;

const options = ([label, description]) => ({ label, description });
const question = (header, question, answers, multiSelect = false) => ({ header, question, options: answers.map(options), multiSelect });
const storage = question("Storage", "Where are sessions kept?", [["Memory", "Lost at the end"], ["SQLite", "A file"]]);
const tests = question("Tests", "Which tests?", [["Few", "Fast"], ["Many", "Slow"]]);
const parts = question("Parts", "Which parts?", [["Lexer", "First"], ["Parser", "Last"]], true);

// What the client shows of them: the title, then the names of the options.
const storageShown = ["Storage: Where are sessions kept?", "Ask me again", "Memory: Lost at the end", "SQLite: A file", "None of these"];
const storageAlone = ["Where are sessions kept? Storage", ...storageShown.slice(1)];
const testsShown = ["Tests: Which tests?", "Ask me again", "Few: Fast", "Many: Slow", "None of these"];
const answered = (text) => `Your questions have been answered: ${text}. You can now continue with these answers in mind.`;
const aborted = "Tool permission request failed: Error: Tool use aborted";
const notAnswered = "The user did not answer the questions.";

// What the tool asks and the client chooses, what the client shows for it, and what the model is told. To choose undefined
// is to close the dialog; closesTurn: after session/cancel, as a client has to.
const cases = {
  "one is chosen": {
    asks: [storage],
    chooses: ["SQLite: A file"],
    shown: [storageAlone],
    told: answered('"Where are sessions kept?"="SQLite"'),
  },
  "two are chosen": {
    asks: [storage, tests],
    chooses: ["Memory: Lost at the end", "Many: Slow"],
    shown: [storageShown, testsShown],
    told: answered('"Where are sessions kept?"="Memory", "Which tests?"="Many"'),
  },
  "one of two is left out": {
    asks: [storage, tests],
    chooses: ["None of these", "Few: Fast"],
    shown: [storageShown, testsShown],
    told: answered('"Which tests?"="Few"'),
  },
  "none is answered": {
    asks: [storage, tests],
    chooses: ["Ask me again", "Do not answer here"],
    shown: [storageShown, storageShown.with(1, "Do not answer here")],
    told: notAnswered,
  },
  "several may be chosen": {
    asks: [parts],
    chooses: [],
    shown: [],
    told: notAnswered,
    message: "Which parts?\n\n- Parts\n  - Lexer: First\n  - Parser: Last\n",
  },
  "the dialog is closed": {
    asks: [storage, tests],
    chooses: ["SQLite: A file", undefined],
    shown: [storageShown, testsShown],
    told: aborted,
  },
  "the turn is cancelled": {
    asks: [storage, tests],
    chooses: [undefined],
    closesTurn: true,
    shown: [storageShown],
    // The agent takes the cancel and the closed dialog in either order: it may ask the model once more before it ends the turn.
    told: ["The user doesn't want to proceed with this tool use.", aborted],
  },
  "one is chosen after that": {
    asks: [storage],
    chooses: ["Memory: Lost at the end"],
    shown: [storageAlone],
    told: answered('"Where are sessions kept?"="Memory"'),
  },
};

let tools; // that the agent offered last
const calls = []; // of the tool, by the case
const told = {}; // by the agent as a call's result, by the case
const text = (text) => [{ type: "text", text }];
const claude = await model((request) => {
  if (!request.tools?.length) return text("A title");
  tools = request.tools.map(({ name }) => name);
  const results = blocksOf(request, "tool_result").map((block) => (told[calls[block.tool_use_id]] = textOf(block)));
  const name = /^case: (.*)$/m.exec(blocksOf(request, "text").map(textOf).join("\n"))?.[1];
  if (!name || !tools.includes(tool)) return text(`I was told: ${results}`);
  return [{ type: "tool_use", id: String(calls.push(name) - 1), name: tool, input: { questions: cases[name].asks } }];
});

// Opens a session, and returns what runs a case in it.
async function open(prefix) {
  const home = mkdtempSync(join(tmpdir(), "acpshim-ask-"));
  let shown, chooses, cancels;
  const agent = start([...prefix, command], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: claude.url,
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    answer({ method, params }) {
      if (method !== "session/request_permission") return shown.push([method]) && undefined;
      shown.push([params.toolCall.title, ...params.options.map(({ name }) => name)]);
      const chosen = params.options.find(({ name }) => name === chooses[shown.length - 1]);
      if (chosen) return { result: { outcome: { outcome: "selected", optionId: chosen.optionId } } };
      cancels?.();
      return { result: { outcome: { outcome: "cancelled" } } };
    },
  });
  await agent.call("initialize", initialize);
  const { result, error } = await agent.call("session/new", { cwd: home, mcpServers: [] });
  if (error) throw new Error(`no session: ${json(error)}`);
  const { sessionId } = result;
  const run = async (name) => {
    shown = [];
    chooses = cases[name].chooses;
    cancels = cases[name].closesTurn && (() => agent.notify("session/cancel", { sessionId }));
    const from = agent.updates.length;
    const response = await agent.call("session/prompt", { sessionId, prompt: [{ type: "text", text: `case: ${name}` }] }, 60);
    const updates = agent.updates.slice(from);
    const texts = updates.map((u) => (u.sessionUpdate === "agent_message_chunk" ? u.content.text : ""));
    // A notice of the agent's own comes at any time, and acpshim puts a blank line between it and another message.
    const said = texts.map((t) => t.replace(/^\n+/, "")).filter((t) => !t.startsWith("**Warning:** ")).join("");
    return { shown, said, stopReason: response.result?.stopReason ?? response.error };
  };
  const stop = async () => {
    const how = await agent.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    return how;
  };
  return { run, stop };
}

const complaints = [];
const say = (text) => process.stdout.write(`  ${text}\n`);
const complain = (text) => complaints.push(text) && say(`FAIL ${text}`);

async function alone() {
  const { run, stop } = await open([]);
  const { shown, said } = await run("one is chosen");
  const offered = `alone: the model is offered ${tools.length} tools, ${tools.includes(tool) ? "and" : "but not"} ${tool}`;
  if (tools.length < 5 || tools.includes(tool) || shown.length || said !== "I was told: ") complain(`${offered}: ${json({ shown, said })}`);
  else say(offered);
  await stop();
}

async function behind() {
  const { run, stop } = await open([acpshim, "--log-level", "error", "--"]);
  const turns = {};
  for (const name of Object.keys(cases)) turns[name] = await run(name);
  for (const [name, turn] of Object.entries(turns)) judge(name, turn);
  const { code } = await stop();
  if (code !== 0) complain(`exit ${code}`);
}

function judge(name, { shown, said, stopReason }) {
  const { told: texts, message = "", closesTurn, shown: isToShow } = cases[name];
  const meant = [texts].flat().find((text) => told[name]?.startsWith(text));
  const end = closesTurn ? "cancelled" : "end_turn";
  const isMeant =
    isDeepStrictEqual(shown, isToShow) &&
    meant !== undefined &&
    stopReason === end &&
    (closesTurn ? ["", `I was told: ${meant}`].includes(said) : said.includes(message) && said.endsWith(`I was told: ${meant}`));
  if (isMeant) say(`${name}: ${shown.length} shown, ${end}, the model is told: ${meant}`);
  else complain(`${name}: ${json({ shown, said, stopReason, told: told[name] })}`);
}

process.stdout.write(`claude-agent-acp, which asks with ${tool}\n`);
await alone();
await behind();
claude.close();
process.exit(complaints.length ? 1 : 0);
