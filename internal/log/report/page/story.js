// The first panel: what happened, in short, with links to the messages that it is about.

const mostListed = 50; // of each list

const linkTo = (seq) => make("a", { href: "#" + seq, class: "seq" }, "#" + seq);

// section is a list below its heading; nothing if the list is empty.
function section(heading, all, draw, more = 0) {
  if (!all.length) return [];
  const list = make("ul", { class: "section" }), left = all.length - mostListed + more;
  for (const one of all.slice(0, mostListed)) list.append(make("li", {}, ...draw(one).filter(Boolean)));
  if (left > 0) list.append(make("li", { class: "note" }, `${number(left)} more`));
  return [make("h3", {}, heading), list];
}

const milliseconds = (ms) => duration(Math.round(ms * 1000));

function showStory(panel) {
  const s = record.story;
  panel.replaceChildren(
    make("h2", {}, `${peerName(s.client, "a client")} with ${peerName(s.agent, (s.command || []).join(" ") || "an agent")}`),
    make("p", {}, oneSentence(s)),
    ...wrong(s),
    ...section("Turns", s.turns, drawTurn, s.more.turns),
    ...section("Plans", s.plans, drawPlanOf, s.more.plans),
    ...section("What acpshim changed, and by what", s.changes, drawChangeOf, s.more.changes),
    ...announced(s),
    make("h3", {}, "Legend"), drawLegend());
}

const peerName = (peer, otherwise) => [peer.name || otherwise, peer.version].filter(Boolean).join(" ");

// headline says who talked to whom, and the verdict.
function headline(s) {
  const who = `${peerName(s.client, "a client")} with ${peerName(s.agent, (s.command || []).join(" ") || "an agent")}`;
  return `${who}: ${s.verdict.text}`;
}

function oneSentence(s) {
  const parts = [s.version ? "protocol " + s.version : "no protocol was negotiated", plural(s.messages, "message"), plural(s.sessions, "session"),
    plural(s.turns.length + (s.more.turns || 0), "turn"), milliseconds(s.took_ms)];
  if (s.end) parts.push(`ended with status ${s.end.status}${s.end.signal ? ", signal " + s.end.signal : ""}`);
  return parts.join(" · ");
}

// wrong is what a reader looks for first: what went wrong, and what is missing.
function wrong(s) {
  const all = [...badEnd(s), ...section("What went wrong", s.wrong, drawWrong, s.more.wrong)];
  const lines = section("Against the schema", s.valid.findings.filter((f) => !f.note), (f) => [linkTo(f.seq), make("span", {}, `${f.name} of ${f.acpshim ? "acpshim" : "the " + f.from}: ${f.pointer} ${f.text}`)], s.more.findings);
  if (s.missing) all.push(make("p", { class: "shim narrow" }, "The record is not whole: " + s.missing + "."));
  if (!all.length && !lines.length) return [make("p", { class: "good" }, "Nothing went wrong.")];
  for (const one of all) if (one.tagName === "H3") one.className = "bad";
  return [...all, ...lines];
}

const drawWrong = (w) => [
  linkTo(w.seq), make("span", { class: "bad" }, w.side === "acpshim" ? w.side : "the " + w.side), make("span", {}, ` ${w.text}${w.count > 1 ? ` (${number(w.count)} times)` : ""}`),
];

// badEnd is the verdict on a run in which something went wrong, and what the agent wrote last.
function badEnd(s) {
  if (!s.verdict.bad) return [];
  const text = make("p", { class: "bad" }, s.verdict.text);
  if (s.verdict.seq) text.append(" ", linkTo(s.verdict.seq));
  return [text, ...(s.end && s.end.stderr.length ? [make("pre", { class: "code" }, s.end.stderr.join("\n"))] : [])];
}

function drawTurn(turn) {
  const tokens = turn.tokens && turn.tokens.total ? plural(turn.tokens.total, "token") : "";
  const context = turn.context && turn.context.size ? `context ${number(turn.context.used)} of ${number(turn.context.size)}` : "";
  const sent = turn.failed ? "failed: " + turn.failed : turn.stop || "no response";
  const ended = turn.client_got ? `${sent}; the client got ${turn.client_got}` : sent;
  const facts = [ended, turn.took_ms === null ? "" : milliseconds(turn.took_ms), tokens, context].filter(Boolean).join(" · ");
  return [linkTo(turn.seq), make("span", {}, turn.prompt || "(a prompt without text)"),
    make("span", { class: turn.failed || turn.stop === "refusal" ? "note bad" : "note" }, " " + facts)];
}

function drawPlanOf(p) {
  const sent = p.sent ? "sent " + plural(p.sent, "time") : "";
  const as = { agent_message_chunk: " as a message", agent_thought_chunk: " as a thought" }[p.got_as] || "";
  const shown = p.shown ? "shown " + plural(p.shown, "time") : p.got ? `shown${as} in #${p.got}` : "never shown";
  return [
    linkTo(p.first), make("span", {}, p.id ? `Plan ${p.id} of session ${p.session}` : p.sent ? `The plan of session ${p.session}` : `The one plan that the client got in session ${p.session}`),
    make("span", { class: "note" }, ` ${[sent, shown].filter(Boolean).join(", ")}, the last time in `), linkTo(p.last), p.removed && make("span", { class: "note" }, "and removed"),
  ];
}

const drawChangeOf = (c) => [
  make("b", {}, c.by), make("span", {}, `${c.why ? ", " + c.why : ""}: ${plural(c.messages, "message")}, `), ...c.first.flatMap((seq) => [linkTo(seq), " "]), c.messages > c.first.length && "…",
];

// announced are the capabilities, which few want to read.
function announced(s) {
  const side = (name, peer) => [
    make("h4", {}, name), make("p", {}, peer.capabilities.join(", ") || "nothing"),
    peer.added.length ? make("p", { class: "shim" }, "acpshim added: " + peer.added.join(", ")) : "",
    peer.hidden.length ? make("p", { class: "shim" }, "acpshim hid: " + peer.hidden.join(", ")) : "",
  ];
  return [make("details", {}, make("summary", {}, "What they announced"), ...side("The client", s.client), ...side("The agent", s.agent))];
}

// drawLegend says what the colours of the timeline and the rows mean.
function drawLegend() {
  const all = make("p", { class: "legend" });
  for (const [kind, text] of [["client", "from the client"], ["agent", "from the agent"], ["shim", "changed or made by acpshim"], ["good", "plan"], ["bad", "failed, or missing"], ["quiet", "stderr and log"], ["turn", "turn"]]) {
    all.append(make("span", {}, make("i", { class: "swatch " + kind }), text));
  }
  return all;
}
