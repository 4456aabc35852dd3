// The plan at a moment: what the agent had sent, and what the client had got.

// planAt returns the plans of a session on one side ("sent" or "seen") behind a row:
// a map from the id of a plan to what was said of it last, with what was said before.
function planAt(session, side, moment) {
  const state = new Map();
  for (const p of record.plans) {
    if (p.row > moment) break;
    if (!p[side] || p.session !== session) continue;
    if (p.kind === "removed") {
      // Of an unnamed plan that is removed, every one may be meant.
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

const boxes = { pending: "[ ]", in_progress: "[~]", completed: "[x]" };

function drawPlans(title, state) {
  const side = make("section", { class: "side", "aria-label": title }, make("h3", {}, title));
  if (state.size === 0) side.append(make("p", { class: "note" }, "No plan."));
  for (const p of state.values()) {
    const name = p.id ? `Plan ${p.id}` : "The plan";
    const from = button(`#${rows[p.row].seq}`, () => select(p.row));
    from.setAttribute("aria-label", `${visible(name)}: go to message ${rows[p.row].seq}`);
    side.append(make("div", { class: "buttons" }, make("span", {}, `${name} (${p.kind})`), from));
    if (p.kind === "entries") side.append(drawEntries(p));
    else side.append(make("pre", { class: "code" }, p.text));
    if (p.leftOut) side.append(make("p", { class: "note" }, p.kind === "entries" ? `${plural(p.leftOut, "entry", "entries")} more are not in this file.` : `${bytes(p.leftOut)} more are not in this file.`));
  }
  return side;
}

function drawEntries(p) {
  const known = new Set((p.before || []).map((e) => e.status + " " + e.content));
  const list = make("ul", { class: "entries" });
  for (const e of p.entries || []) {
    const fresh = p.before && !known.has(e.status + " " + e.content);
    const box = make("span", { class: "box", role: "img", "aria-label": visible(e.status || "no status") }, Object.hasOwn(boxes, e.status) ? boxes[e.status] : "[?]");
    const text = make("span", e.status === "completed" ? { class: "completed" } : {}, e.content);
    if (!Object.hasOwn(boxes, e.status)) text.append(make("span", { class: "note" }, ` status: ${e.status || "none"}`));
    if (e.priority === "high") text.append(make("span", { class: "note" }, " high"));
    const item = make("li", fresh ? { class: "new" } : {}, box, text);
    if (fresh) text.append(make("span", { class: "note" }, " changed"));
    list.append(item);
  }
  if (!list.firstChild) return make("p", { class: "note" }, "It has no entries.");
  return list;
}

// nextPlan is the row of the next message about a plan in a direction, or -1.
function nextPlan(i, step) {
  const plans = step > 0 ? record.plans : record.plans.toReversed();
  const found = plans.find((p) => (p.row - i) * step > 0);
  return found ? found.row : -1;
}

function showPlan(panel, i) {
  panel.replaceChildren();
  const row = rows[i];
  if (!row || record.plans.length === 0) {
    panel.append(make("p", { class: "note" }, row ? "No message of this record is about a plan." : "No message is selected."));
    return;
  }
  // What came and what went on in its place are one moment.
  const moment = Math.max(i, ...(outs.get(i) || []));
  const last = record.plans.findLast((p) => p.row <= moment);
  const session = row.session || (last ? last.session : record.plans[0].session);
  const previous = nextPlan(i, -1), next = nextPlan(i, 1);
  panel.append(
    make("h2", {}, `Session ${session || "without id"}, at #${row.seq} (${seconds(row.at)} s)`),
    make("div", { class: "buttons" },
      button("‹ Earlier plan message", () => select(previous), previous < 0),
      button("Later plan message ›", () => select(next), next < 0)),
    make("div", { class: "sides" },
      drawPlans("The client got", planAt(session, "seen", moment)),
      drawPlans("The agent sent", planAt(session, "sent", moment))));
}
