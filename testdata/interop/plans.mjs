// Plan mode of real agents, with a client that knows the legacy plan only. Behind acpshim the client has to get the plan
// of a turn, and no earlier one, before the agent asks the user about it. Then a new process of the agent loads the
// session, and all plans have to come before the response. The model is model.mjs, so no account is needed. Prints a line
// a check.
// Usage: node plans.mjs <acpshim>
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { initialize, start } from "./lines.mjs";
import { blocksOf, model, textOf } from "./model.mjs";

const acpshim = resolve(process.argv[2]);
const here = dirname(fileURLToPath(import.meta.url));
const PATH = [join(here, "agents/node_modules/.bin"), join(here, "codex/node_modules/.bin"), process.env.PATH].join(":");
const json = JSON.stringify;

const stepsOf = (plan) => ["first", "second", "third"].map((nth) => `The ${nth} step of ${plan}`);
const documentOf = (plan) => `# Plan ${plan}\n\nMind the comments of ${plan}.\n\n${stepsOf(plan).map((step) => `- [ ] ${step}\n`).join("")}`;
const task = "The only task";
const isOfPlan = /step of [ABC]|The only task/;

const text = (text) => ({ type: "text", text });
const tool = (name, plan, input) => ({ type: "tool_use", id: `${name}_${plan}`, name, input });
const planAsked = (texts) => texts.map((text) => /^Plan ([ABC])$/.exec(text)?.[1]).findLast(Boolean);

const codex = {
  command: "codex-acp",
  env: (url) => ({
    CODEX_CONFIG: json({
      model: "gpt-5.5",
      model_provider: "loopback",
      model_providers: { loopback: { name: "loopback", base_url: `${url}/v1`, wire_api: "responses" } },
    }),
  }),
  planMode: ["session/set_config_option", { configId: "collaboration_mode", value: "plan" }],
  // While a plan is being written, the agent sends it at most every 150 ms. C comes at once, so nothing is new in turn 4.
  reply({ input }) {
    const plan = planAsked(input.flatMap(({ content }) => [content ?? []].flat().map(({ text }) => text)));
    return [{ ...text(`I have a plan.\n<proposed_plan>\n${documentOf(plan)}</proposed_plan>`), pause: plan === "C" ? 0 : 40 }];
  },
};

const claude = {
  command: "claude-agent-acp",
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "x",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    IS_SANDBOX: "1",
  }),
  planMode: ["session/set_mode", { modeId: "plan" }],
  // The tool ExitPlanMode reads the plan from a file, which the agent has named to the model.
  reply(request, home) {
    const plan = planAsked(blocksOf(request, "text").map(textOf));
    const [file_path] = json(request).match(`${home}/.claude/plans/[\\w-]+\\.md`) ?? [];
    if (plan) return [text("I have a plan."), tool("Write", plan, { file_path, content: documentOf(plan) })];
    const [done, of] = blocksOf(request, "tool_result").at(-1)?.tool_use_id.split("_") ?? [];
    if (done === "Write") return [tool("ExitPlanMode", of, {})];
    if (done === "ExitPlanMode") return [tool("TaskCreate", of, { subject: task, description: task })];
    return [text("Done")];
  },
};

// A turn has the plan that the model makes and the option that the client chooses. inTurn lists the parts of a plan that
// have to come as text, afterLoad those of all plans. isInToolCall: the plan may not come as text, because a tool call
// shows it. asMessages: no list of steps may come. last is the last list.
const cases = {
  "codex-acp": {
    ...codex,
    turns: [["A", "revise_plan"], ["B", "revise_plan"], ["C", "revise_plan"], ["C", "revise_plan"]],
    inTurn: (plan) => [documentOf(plan).trim(), ...stepsOf(plan)],
    afterLoad: ["A", "B", "C"].map((plan) => documentOf(plan).trim()),
    last: stepsOf("C"),
  },
  "claude-agent-acp": {
    ...claude,
    turns: [["A", "reject"], ["B", "exit-plan-default"]],
    isInToolCall: true,
    last: [task],
  },
  "claude-agent-acp, version 2": {
    ...claude,
    env: (url) => ({ ...claude.env(url), CLAUDE_AGENT_ACP_PROTOCOL: "v2" }),
    turns: [["A", "reject"], ["B", "exit-plan-default"]],
    isInToolCall: true,
    last: [task],
  },
  "claude-agent-acp, plans as messages": {
    ...claude,
    asMessages: true,
    turns: [["A", "reject"], ["B", "exit-plan-default"]],
    inTurn: stepsOf,
    afterLoad: [task],
  },
};

const updateOf = ({ method, params }, kind) => method === "session/update" && params.update.sessionUpdate === kind && params.update;
const entriesOf = (message) => updateOf(message, "plan")?.entries?.map(({ content }) => content);
const textIn = (message) => updateOf(message, "agent_message_chunk")?.content?.text ?? "";
const lastPlan = (messages) => messages.map(entriesOf).findLast(Boolean);
const isQuestion = ({ method }) => method === "session/request_permission";
const isPlan = (message) => Boolean(entriesOf(message)) || isOfPlan.test(textIn(message));
const count = (messages, part) => messages.map(textIn).join("").split(part).length - 1;

// What a client got of plans, a line a message.
function seen(messages) {
  const line = (message) => {
    if (isPlan(message)) return entriesOf(message) ? `plan ${json(entriesOf(message))}` : `text ${json(textIn(message))}`;
    if (isQuestion(message)) return "question";
    return "id" in message && "response";
  };
  return messages.map(line).filter(Boolean).map((line) => `    ${line}\n`).join("");
}

let isFailed = false;
function report(title, messages, checks) {
  for (const [name, isMet] of checks) process.stdout.write(`  ${isMet ? "" : "FAIL "}${title}: ${name}\n`);
  if (checks.every(([, isMet]) => isMet)) return;
  isFailed = true;
  process.stdout.write(`    the client got\n${seen(messages)}`);
}

function judgeTurn(title, { asMessages, inTurn, isInToolCall }, plan, messages) {
  const before = messages.slice(0, Math.max(0, messages.findIndex(isQuestion)));
  report(title, messages, [
    asMessages
      ? ["no list of steps", !messages.some(entriesOf)]
      : [`before the question, the last list has the steps of ${plan}`, isDeepStrictEqual(lastPlan(before), stepsOf(plan))],
    isInToolCall
      ? ["no text", stepsOf(plan).every((step) => !count(messages, step))]
      : [`before the question, the text of ${plan}, once`, inTurn(plan).every((part) => count(before, part) === 1 && count(messages, part) === 1)],
  ]);
}

function judgeLoad(title, { last, afterLoad = [] }, messages, response) {
  const before = messages.slice(0, messages.indexOf(response));
  const checks = [["no plan after the response", response.result && !messages.slice(before.length).some(isPlan)]];
  if (last) checks.push([`before the response, the last list is ${json(last)}`, isDeepStrictEqual(lastPlan(before), last)]);
  if (afterLoad.length) checks.push(["before the response, the texts", afterLoad.every((part) => count(before, part))]);
  report(title, messages, checks);
}

async function run(name) {
  const its = cases[name];
  const home = mkdtempSync(join(tmpdir(), "plans-"));
  const { url, close } = await model((request) => (request.tools?.length ? its.reply(request, home) : [text("A title")]));
  let chosen; // the option for each question
  const open = async () => {
    const client = start([acpshim, "--log-level", "error", ...(its.asMessages ? ["--set", "plan.show_as=message"] : []), "--", its.command], {
      cwd: home,
      env: { PATH, HOME: home, CODEX_HOME: home, ...its.env(url) },
      answer: () => ({ result: { outcome: { outcome: "selected", optionId: chosen } } }),
    });
    await client.call("initialize", initialize);
    return client;
  };
  const live = await open();
  const { result, error } = await live.call("session/new", { cwd: home, mcpServers: [] });
  if (error) throw new Error(`${name} opens no session: ${json(error)}`);
  const { sessionId } = result;
  const [method, mode] = its.planMode;
  await live.call(method, { sessionId, ...mode });
  let from;
  for (const [index, [plan, option]] of its.turns.entries()) {
    chosen = option;
    from = live.messages.length;
    await live.call("session/prompt", { sessionId, prompt: [text(`Plan ${plan}`)] });
    judgeTurn(`${name}, turn ${index + 1}`, its, plan, live.messages.slice(from));
  }
  await live.stop();
  if (its.last) report(name, live.messages.slice(from), [[`the last list is ${json(its.last)}`, isDeepStrictEqual(lastPlan(live.messages), its.last)]]);
  const loaded = await open();
  const response = await loaded.call("session/load", { sessionId, cwd: home, mcpServers: [] });
  await loaded.stop(); // now everything has come, also what came after the response
  judgeLoad(`${name}, session/load`, its, loaded.messages, response);
  close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

process.stdout.write("plans of plan mode\n");
for (const name of Object.keys(cases)) await run(name);
process.exit(isFailed ? 1 : 0);
