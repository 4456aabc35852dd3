// The plan messages of one scripted turn. unstable-agent.mjs sends them and plan-client.mjs compares
// what it received with them, so "intact" means equal to these objects and not merely "accepted".

export const stepsPlan = {
  sessionUpdate: "plan_update",
  plan: {
    type: "items",
    planId: "steps",
    entries: [
      { content: "Read the parser", priority: "high", status: "completed" },
      { content: "Fix comment handling", priority: "medium", status: "in_progress" },
      { content: "Add regression tests", priority: "low", status: "pending" },
    ],
  },
};

// Each snapshot is the whole document so far, as agents stream it; the first ends inside a line.
const documents = [
  "# Fix the parser\n\nComments need care, bec",
  "# Fix the parser\n\nComments need care, because strings may hold them.\n\n- [x] Reproduce\n- [ ] Patch the le",
  "# Fix the parser\n\nComments need care, because strings may hold them.\n\n- [x] Reproduce\n- [ ] Patch the lexer\n- [ ] Add tests\n\nNo API changes.\n",
];

export const docPlans = documents.map((content) => ({
  sessionUpdate: "plan_update",
  plan: { type: "markdown", planId: "doc", content },
}));

export const legacyPlan = {
  sessionUpdate: "plan",
  entries: [
    { content: "Legacy step one", priority: "high", status: "completed" },
    { content: "Legacy step two", priority: "medium", status: "pending" },
  ],
};

export const permission = {
  toolCall: { toolCallId: "review-1", title: "Implement this plan?", kind: "switch_mode", status: "pending" },
  options: [
    { optionId: "yes", name: "Implement", kind: "allow_once" },
    { optionId: "no", name: "Revise", kind: "reject_once" },
  ],
};

export const removals = ["steps", "doc"].map((planId) => ({ sessionUpdate: "plan_removed", planId }));

export const chunk = (text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

// The ids of acpshim's own messages are all alike to a test. Blank lines keep them apart.
export const told = (text) => ({ ...chunk(`\n\n${text.trim()}\n\n`), messageId: "acpshim-plan-..." });
export const withoutID = (update) =>
  update.messageId?.startsWith("acpshim-plan-") ? { ...update, messageId: "acpshim-plan-..." } : update;

// What a client sees of the turn, with the marks that run-client.mjs records.
export const wholeTurn = [
  stepsPlan,
  ...docPlans,
  legacyPlan,
  { sessionUpdate: "<permission request>" },
  ...removals,
  chunk("done"),
  { sessionUpdate: "<prompt answered>" },
];

// What an old client behind acpshim sees of it. The document is one message in its last state, with an
// id that acpshim gives it, before the question: its steps are not on show while there are checklists.
export const oldTurn = [
  { sessionUpdate: "plan", entries: stepsPlan.plan.entries },
  { sessionUpdate: "plan", entries: [...stepsPlan.plan.entries, ...legacyPlan.entries] },
  told(documents.at(-1)),
  { sessionUpdate: "<permission request>" },
  legacyPlan,
  chunk("done"),
  { sessionUpdate: "<prompt answered>" },
];
