// The plan at a moment: what the agent had sent, and what the client had got.

// loads are the requests with which a session begins anew, on both sides: the plans replayed after
// them are all there are. A request that fails changes nothing.
let loads = [];

function findLoads() {
  rows.forEach((row, i) => {
    if (row.kind !== "request" || row.dir !== "client" || !replays(row)) return;
    const response = rows[(row.of === undefined ? row : rows[row.of]).response];
    if (!response || !response.failed) loads.push(i);
  });
}

function replays(row) {
  if (row.method !== "session/resume") return row.method === "session/load";
  try {
    return Boolean(JSON.parse(row.text).params.replayFrom); // of version 2
  } catch {
    return false;
  }
}

const loadAt = (session, moment) => loads.findLast((i) => i <= moment && (rows[i].session || 0) === session) ?? -1;

// sessionAt is the session of a message. A message without one has the session before it.
function sessionAt(i) {
  if (record.plans.some((p) => p.row === i)) return rows[i].session || 0;
  for (let j = i; j >= 0; j--) if (rows[j].session) return rows[j].session;
  return record.plans[0].session;
}

// planAt returns the plans of a session on one side ("sent" or "seen") after a row: a map from the
// id of a plan to its last update, with the updates before it.
function planAt(session, side, moment) {
  const state = new Map(), begin = loadAt(session, moment);
  for (const p of record.plans) {
    if (p.row > moment) break;
    if (!p[side] || p.session !== session || p.row < begin) continue;
    if (p.kind === "removed") {
      // Removing a plan without a name may mean any plan.
      p.id ? state.delete(p.id) : state.clear();
      continue;
    }
    const before = state.get(p.id);
    const text = p.delta && before ? before.text + p.text : p.text || "";
    state.delete(p.id);
    state.set(p.id, { ...p, text, before: before ? before.entries || [] : null });
  }
  return state;
}

function drawPlans(title, state) {
  const side = make("section", { class: "side", "aria-label": title }, make("h3", {}, title));
  if (state.size === 0) side.append(make("p", { class: "note" }, "No plan."));
  for (const p of state.values()) {
    const name = p.id ? `Plan ${p.id}` : "The plan", from = link(p.row);
    from.setAttribute("aria-label", `${visible(name)}: go to message ${rows[p.row].seq}`);
    side.append(make("div", { class: "buttons" }, make("span", {}, `${name} (${p.kind === "message" ? "as a message" : p.kind})`), from));
    if (p.kind === "entries") side.append(drawEntries(p));
    else if (p.kind === "markdown" || p.kind === "message") side.append(drawDocument(p.text));
    else side.append(make("pre", { class: "code" }, marked(p.text, 10 * mostMarks)));
    if (p.leftOut) side.append(make("p", { class: "note" }, p.kind === "entries" ? `${plural(p.leftOut, "entry", "entries")} more are not in this file.` : `${bytes(p.leftOut)} more are not in this file.`));
  }
  return side;
}

function drawEntries(p) {
  const known = new Set((p.before || []).map((e) => e.status + " " + e.content));
  const list = make("ul", { class: "entries" });
  for (const e of p.entries || []) {
    const fresh = p.before && !known.has(e.status + " " + e.content), box = drawBox(e.status);
    const text = make("span", e.status === "completed" ? { class: "completed" } : {}, marked(e.content));
    if (box.classList.contains("unknown")) text.append(make("span", { class: "note" }, ` status: ${e.status || "none"}`));
    if (e.priority === "high") text.append(make("span", { class: "note" }, " high"));
    const item = make("li", fresh ? { class: "new" } : {}, box, text);
    if (fresh) text.append(make("span", { class: "note" }, " changed"));
    list.append(item);
  }
  if (!list.firstChild) return make("p", { class: "note" }, "It has no entries.");
  return list;
}

// whyShown says how a message about a plan reached the client, or why it did not.
function whyShown(i) {
  const came = baseOf(i), row = rows[came], went = outs.get(came) || [], by = (row.by || []).join(", ");
  const why = make("div", { class: "why" });
  if (!record.plans.some((p) => baseOf(p.row) === came)) return why;
  if (!row.stage) why.append(make("p", {}, link(came), ": the client got it as the agent sent it."));
  else if (isOwn(row)) why.append(make("p", {}, link(came), `was made by acpshim: ${by || "the record does not say by what"}.`));
  else if (!went.length && arrivedWith(came)) why.append(make("p", {}, link(came), "reached the client with ", linkTo(arrivedWith(came)), "."));
  else if (!went.length) why.append(make("p", {}, link(came), row.reason ? "was not shown to the client." : `was not shown to the client: ${by || "the record does not say by what"}.`));
  else if (went.every((j) => rows[j].same)) why.append(make("p", {}, link(came), ": the client got it as the agent sent it."));
  else why.append(make("p", {}, link(came), "became ", link(went[0]), by ? `by ${by}.` : ", the record does not say by what."));
  showReason(why, row);
  return why;
}

// arrivedWith is the number of the later message with which the client got a plan.
const arrivedWith = (came) => record.plans.find((p) => p.row === came && p.arrived)?.arrived;

// lastPlan is the row of the last message about a plan, for a row without one before it.
const lastPlan = (i) => (record.plans.length && i < baseOf(record.plans[0].row) ? baseOf(record.plans.at(-1).row) : -1);

// nextPlan is the row of the next message about a plan of the same session in a
// direction, or -1.
function nextPlan(i, step) {
  const session = rows[i] && rows[i].session;
  const plans = step > 0 ? record.plans : record.plans.toReversed();
  const from = rows[i] ? baseOf(i) : -1;
  const found = plans.find((p) => (baseOf(p.row) - from) * step > 0 && (!session || p.session === session));
  return found ? baseOf(found.row) : -1;
}

const mostSessions = 20;

// otherPlans are the other sessions with plans: by session, the row of the last message about a
// plan before a moment, else of the first one.
function otherPlans(session, moment) {
  const others = new Map();
  for (const p of record.plans) if (p.session !== session && (p.row <= moment || !others.has(p.session))) others.set(p.session, baseOf(p.row));
  return [...others].slice(0, mostSessions).sort((a, b) => a[0] - b[0]);
}

function showPlan(panel, i) {
  const row = rows[i];
  if (!row || record.plans.length === 0) {
    panel.replaceChildren(make("p", { class: "note" }, row ? "No message of this record is about a plan." : "No message is selected."));
    return;
  }
  // A message and what was sent instead are one moment.
  const moment = Math.max(i, ...(outs.get(baseOf(i)) || [])), session = sessionAt(i);
  // The strip stays in the page while a reader moves along it.
  const states = strip.show(session, moment);
  if (states.parentNode !== panel) panel.replaceChildren(make("div"), states, make("div"));
  panel.firstChild.replaceChildren(...planHead(i, moment, session));
  panel.lastChild.replaceChildren(
    whyShown(i),
    make("div", { class: "sides" },
      drawPlans("The agent sent", planAt(session, "sent", moment)),
      drawPlans("The client got", planAt(session, "seen", moment))));
}

function planHead(i, moment, session) {
  const row = rows[i], load = loadAt(session, moment), previous = nextPlan(i, -1), next = nextPlan(i, 1);
  const nameOf = (session) => (session ? "session " + session : "the session without id");
  const head = [
    make("h2", {}, `Session ${session || "without id"}, at #${row.seq} (${seconds(row.at)} s)`),
    make("div", { class: "buttons" },
      button("‹ Earlier plan message", () => select(previous), previous < 0),
      button("Later plan message ›", () => select(next), next < 0),
      ...otherPlans(session, moment).map(([other, row]) => button("Plan of " + nameOf(other), () => select(row)))),
  ];
  if (!row.session) head.push(make("p", { class: "note" }, `#${row.seq} names no session.`));
  if (load >= 0) head.push(make("p", { class: "note" }, `The session was loaded at #${rows[load].seq}. Its plans began anew there.`));
  return head;
}
