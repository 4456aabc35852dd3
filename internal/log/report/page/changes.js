// How a rule or a translation changed a message.

// difference compares two lists of lines: a list of [sign, line], where sign is
// "+", "-" or " ". Indentation does not count. Lists that differ in very many
// lines are not compared inside.
function difference(before, after) {
  const key = (line) => line.slice(1).map((part) => part[0]).join("");
  const a = before.map(key), b = after.map(key);
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const n = a.length - head - tail, m = b.length - head - tail;
  const made = before.slice(0, head).map((line) => [" ", line]);
  if (n * m > 4e6) {
    for (let i = head; i < head + n; i++) made.push(["-", before[i]]);
    for (let j = head; j < head + m; j++) made.push(["+", after[j]]);
  } else {
    // common[i*(m+1)+j] is the length of the longest common part from there on.
    const common = new Uint16Array((n + 1) * (m + 1));
    for (let i = n - 1; i >= 0; i--) {
      for (let j = m - 1; j >= 0; j--) {
        const at = i * (m + 1) + j;
        common[at] = a[head + i] === b[head + j] ? common[at + m + 2] + 1 : Math.max(common[at + m + 1], common[at + 1]);
      }
    }
    for (let i = 0, j = 0; i < n || j < m; ) {
      if (i < n && j < m && a[head + i] === b[head + j]) {
        made.push([" ", before[head + i++]]);
        j++;
      } else if (i < n && (j === m || common[(i + 1) * (m + 1) + j] >= common[i * (m + 1) + j + 1])) {
        made.push(["-", before[head + i++]]);
      } else {
        made.push(["+", after[head + j++]]);
      }
    }
  }
  for (let i = a.length - tail; i < a.length; i++) made.push([" ", before[i]]);
  return made;
}

// folded leaves out equal lines that are more than three lines from a change: it is a list of
// [sign, line], and of numbers of lines left out.
function folded(made) {
  const near = new Uint8Array(made.length);
  made.forEach(([sign], i) => {
    if (sign !== " ") near.fill(1, Math.max(i - 3, 0), i + 4);
  });
  const kept = [];
  let hidden = 0;
  made.forEach((entry, i) => {
    if (near[i]) {
      if (hidden) kept.push(hidden);
      hidden = 0;
      kept.push(entry);
    } else {
      hidden++;
    }
  });
  if (hidden) kept.push(hidden);
  return kept;
}

function drawChange(entry) {
  if (typeof entry === "number") return make("span", { class: "fold" }, `⋯ ${plural(entry, "equal line")}`);
  const [sign, line] = entry;
  if (sign === " ") {
    const same = drawLine(line);
    same.prepend("  ");
    return same;
  }
  return putLine(make(sign === "+" ? "ins" : "del", {}, sign + " "), line);
}

// outs are the rows that took the place of each row, by its index; beside are those that
// acpshim added next to it.
const outs = new Map(), beside = new Map();

function findChanges() {
  const add = (all, to, i) => {
    if (to === undefined) return;
    if (!all.has(to)) all.set(to, []);
    all.get(to).push(i);
  };
  rows.forEach((row, i) => {
    add(outs, row.of, i);
    add(beside, row.beside, i);
  });
}

// isOwn says whether acpshim made a message itself.
const isOwn = (row) => row.stage === "out" && row.of === undefined;

// asks says whether a row is a request as its sender sent it, be that a peer or acpshim.
const asks = (row) => row.kind === "request" &&
  (row.stage !== "out" || row.of === undefined || rows[row.of].kind !== "request" || rows[row.of].id !== row.id);

// senderOf is who wrote a message as it stands.
const senderOf = (row) => (row.stage === "out" && !row.same ? "acpshim" : row.dir);

const byWhom = (row, what) => what + (row.by ? " by " + row.by.join(", ") : "");

// fate says in a word or two what became of a message: "" if it was forwarded unchanged.
function fate(i, folded) {
  const row = rows[i], went = (outs.get(i) || []).map((j) => rows[j]);
  if (isOwn(row)) return byWhom(row, row.kind === "response" ? "made" : "inserted");
  if (row.stage === "out") return "delivered";
  if (row.stage !== "in") return "";
  if (!went.length && row.later !== undefined) return `sent later as #${rows[row.later].seq}`;
  if (!went.length && row.fate === "rule") return `dropped by ${row.by.at(-1)}`;
  if (!went.length) return byWhom(row, row.response !== undefined && isOwn(rows[row.response]) ? "response" : row.fate || "dropped");
  if (!folded) return "sent";
  return went.every((other) => other.same) ? "" : byWhom(row, "changed");
}

function showChange(panel, i) {
  panel.replaceChildren();
  const row = rows[i];
  if (!row || !row.stage) {
    panel.append(make("p", { class: "note" }, row ? "acpshim forwarded this message unchanged, byte for byte." : "No message is selected."));
    const next = rows.findIndex((r, j) => j > i && r.stage && !r.same);
    if (next >= 0) panel.append(button("Next changed message", () => select(next)));
    return;
  }
  const before = isOwn(row) ? undefined : baseOf(i), by = row.by || [];
  panel.append(make("h2", {}, before === undefined ? `#${row.seq} was made by acpshim` : `What became of #${rows[before].seq}`));
  panel.append(make("p", { class: "note" }, by.length ? "By: " + by.join(", ") : "The record does not say by what."));
  if (row.beside !== undefined) panel.append(make("p", { class: "note" }, "acpshim added it next to ", link(row.beside), "."));
  showReason(panel, row);
  const after = before === undefined ? [i] : outs.get(before) || [];
  const later = before === undefined ? undefined : rows[before].later;
  if (later !== undefined) panel.append(make("p", {}, "acpshim sent it later as ", link(later), "."));
  else if (before !== undefined && after.length === 0) panel.append(make("p", {}, "acpshim sent nothing instead."));
  for (const j of after.length ? after : [undefined]) compare(panel, before, j);
  if (before !== undefined && beside.has(before)) panel.append(make("p", {}, "Added next to it: ", ...beside.get(before).map(link)));
}

// showReason says why, where the record does.
function showReason(panel, row) {
  if (row.reason) panel.append(make("p", { class: "reason" }, "Why: " + row.reason));
}

// compare shows a message as it came and as it was sent on; either may be undefined.
function compare(panel, before, after) {
  const both = [before, after].filter((k) => k !== undefined);
  const buttons = make("div", { class: "buttons" });
  for (const k of both) buttons.append(button(`#${rows[k].seq} ${k === before ? "sent" : "delivered"} (${bytes(rows[k].len)})`, () => select(k)));
  panel.append(buttons);
  if (after !== undefined && rows[after].same) {
    panel.append(make("p", { class: "note" }, "acpshim forwarded it unchanged, byte for byte."));
    return;
  }
  if (both.some((k) => rows[k].cut)) panel.append(make("p", { class: "note" }, "Only the parts that are in this file are compared."));
  const lines = (k) => (k === undefined ? [] : pretty(rows[k].text));
  const code = make("pre", { class: "code" });
  lay(code, folded(difference(lines(before), lines(after))), drawChange);
  panel.append(code);
}
