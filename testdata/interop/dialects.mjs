// Every kind of plan update in every spelling that is alive. dialects-agent.mjs sends them, and accepts.mjs
// compares what clients received with them.
import { docPlans, legacyPlan, stepsPlan } from "./turn.mjs";

// capability: what an agent of this spelling looks for before it sends plans. keys: how it names their ids.
const spellings = [
  { capability: "planCapabilities", keys: ["id"] },
  { capability: "plan", keys: ["id"] },
  { capability: "plan", keys: ["planId"] },
  { capability: "plan", keys: ["id", "planId"] },
];

const entry = (content, status = "pending", priority = "medium") => ({ content, priority, status });
const fileURL = new URL("dialects-plan.md", import.meta.url).href;

// What a strict reader refuses and a lenient one shortens, and what is meant by it.
const flawed = [
  { content: "No priority", status: "completed" },
  { content: "Foreign words", priority: "urgent", status: "done" },
  { content: "Given up", priority: "low", status: "cancelled" },
  { content: "", priority: "low", status: "pending" },
  { content: "Own key", priority: "low", status: "pending", id: "4" },
];
const repaired = [
  entry("No priority", "completed"),
  entry("Foreign words"),
  entry("[cancelled] Given up", "completed", "low"),
  entry("Own key", "pending", "low"),
];

function stepsOf(spelling, keys) {
  const named = (plan) =>
    Object.fromEntries(keys.map((key) => [key, `${plan}, ${spelling.capability}, ${spelling.keys.join("+")}`]));
  const update = (name, plan, _meta) => ({
    sessionUpdate: "plan_update",
    plan: { ...named(name), ...plan },
    ...(_meta && { _meta }),
  });
  const removed = (name, shown = []) => ({ update: { sessionUpdate: "plan_removed", ...named(name) }, shown });
  const items = (entries, name = "steps") => update(name, { type: "items", entries });
  const markdown = (content, _meta) => update("doc", { type: "markdown", content }, _meta);
  const air = { jetbrains: { air: { contentDelta: "- [x] Reproduce\n- [ ] Add tests\n" } } };
  const release = entry("Release it");
  return [
    { update: items(stepsPlan.plan.entries), shown: stepsPlan.plan.entries },
    { update: items(flawed), shown: repaired, isFlawed: true },
    { update: items(undefined), isFlawed: true }, // means nothing to anybody
    { update: items([release], "release"), shown: [...repaired, release] },
    removed("steps", [release]),
    removed("release"),
    { update: markdown("- [/] Patch the lexer\n"), shown: [entry("Patch the lexer", "in_progress")] },
    {
      update: markdown("", air),
      shown: [entry("Patch the lexer", "in_progress"), entry("Reproduce", "completed"), entry("Add tests")],
    },
    removed("doc"),
    {
      update: update("file", { type: "file", uri: fileURL }),
      shown: [entry("Write the plan down", "completed"), entry("Read it")],
    },
    removed("file"),
  ].map((step) => ({ ...step, capability: spelling.capability }));
}

// The turn as agents spell it or, if a key is given, as a reader sees it that knows this one only. Each step has
// its update and, where there is one, the capability it depends on. An old client is shown the entries and told
// the text. Flawed updates are acpshim's to repair for old clients only.
export function steps(key) {
  const prose = docPlans.at(-1).plan.content;
  return [
    ...spellings.flatMap((spelling) => stepsOf(spelling, key ? [key] : spelling.keys)),
    { update: { sessionUpdate: "plan", entries: flawed, stats: {} }, shown: repaired, isFlawed: true },
    { update: legacyPlan, shown: legacyPlan.entries },
    {
      update: { sessionUpdate: "plan_update", plan: { type: "markdown", [key ?? "planId"]: "prose", content: prose } },
      capability: "plan",
      told: prose,
    },
  ];
}
