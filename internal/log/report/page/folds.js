// What the list shows in one row, or in a row each: the pieces of a streamed message, the
// messages about a tool call, and a message with what was sent instead.

let folding = true;
const exceptions = new Set(); // groups that are not as folding says
const streams = new Map(); // by the row of their first piece, as rows name them
const groups = new Map(); // rows of more than one, by the one that leads them
const leads = []; // that row, by each

function findStreams() {
  let written = -1; // the first of several lines of stderr, one after the other
  rows.forEach((row, i) => {
    if (row.kind !== "stderr") written = -1;
    else if (written < 0) written = i;
    if (row.stream !== undefined) {
      if (!streams.has(row.stream)) streams.set(row.stream, { pieces: [], text: "", ends: null });
      streams.get(row.stream).pieces.push(i);
    }
    const base = baseOf(i);
    leads[i] = rows[base].stream ?? rows[base].call ?? (written >= 0 ? written : base);
    if (leads[i] === i) return;
    if (!groups.has(leads[i])) groups.set(leads[i], [leads[i]]);
    groups.get(leads[i]).push(i);
  });
}

// baseOf is the row whose place a row took, or the row itself.
const baseOf = (i) => rows[i].of ?? i;

const isFolded = (lead) => groups.has(lead) && folding !== exceptions.has(lead);

// kindOf is the kind of the rows of a group.
const kindOf = (lead) => (rows[lead].kind === "stderr" ? "line" : rows[lead].stream !== undefined ? "piece" : rows[lead].call !== undefined ? "update" : "stage");

function setFolding(on) {
  folding = on;
  exceptions.clear();
  byID("fold").setAttribute("aria-pressed", folding);
  list.hold(arrange);
}

// turn folds or unfolds the rows of a row's group.
function turn(i) {
  const lead = leads[i];
  if (!groups.has(lead)) return;
  if (!exceptions.delete(lead)) exceptions.add(lead);
  list.hold(arrange);
}

function beginFolds() {
  byID("fold").addEventListener("click", () => setFolding(!folding));
}

// pieceText is the text of a piece, or its kind if it is not a text.
function pieceText(row) {
  let content;
  try {
    content = JSON.parse(row.text).params.update.content;
  } catch {
    return "⋯"; // this file has not all of it
  }
  if (typeof content?.text === "string") return content.text;
  const words = [content?.type, content?.uri, content?.name].filter((s) => typeof s === "string" && s);
  return `[${words.slice(0, 2).join(" ")}]`;
}

const textOf = (pieces) => pieces.map((i) => pieceText(rows[i])).join("");

// joined is a stream with its text, and where in it each piece ends.
function joined(stream) {
  const whole = streams.get(stream);
  if (!whole.ends) {
    let at = 0;
    const texts = whole.pieces.map((i) => pieceText(rows[i]));
    whole.ends = texts.map((text) => (at += text.length));
    whole.text = texts.join("");
  }
  return whole;
}

// foldText is the text of those pieces of a message that a fold has.
function foldText(fold) {
  if (fold.kind === "line") return fold.pieces.map((i) => rows[i].text).join("\n");
  const stream = rows[fold.pieces[0]].stream;
  if (fold.pieces.length === streams.get(stream).pieces.length) return joined(stream).text;
  if (fold.text === undefined) fold.text = textOf(fold.pieces);
  return fold.text;
}

// A StreamSearch looks for a text in whole messages, for their pieces.
class StreamSearch {
  constructor(found) {
    this.found = new RegExp(found, "giu");
    this.known = new Map(); // by stream, see parts
  }

  // means says whether a row is a piece of a message that has the text. If the message is shown in
  // pieces, only the pieces with a part of the text match.
  means(row) {
    if (row.stream === undefined) return false;
    const parts = this.parts(row.stream);
    return parts.size > 0 && (folding || isFolded(leads[row.stream]) || parts.has(row));
  }

  // places are where the text, or a part of it, is in a piece.
  places(row) {
    return this.parts(row.stream).get(row) || [];
  }

  // parts are the places in each piece that has one.
  parts(stream) {
    const known = this.known.get(stream);
    if (known) return known;
    const { pieces, text, ends } = joined(stream), parts = new Map();
    this.known.set(stream, parts);
    let n = 0;
    for (const match of text.matchAll(this.found)) {
      const end = match.index + match[0].length;
      while (ends[n] <= match.index) n++;
      for (let k = n; k < pieces.length; k++) {
        const begin = k ? ends[k - 1] : 0;
        if (begin >= end) break;
        if (!parts.has(rows[pieces[k]])) parts.set(rows[pieces[k]], []);
        parts.get(rows[pieces[k]]).push([Math.max(match.index, begin) - begin, Math.min(end, ends[k]) - begin]);
      }
    }
    return parts;
  }
}

function showFold(panel, fold) {
  const all = fold.pieces.map((i) => rows[i]), first = all[0], last = all.at(-1), streamed = fold.kind !== "update";
  const whole = new Set(groups.get(leads[fold.pieces[0]]).map(baseOf)).size;
  const cut = all.reduce((sum, row) => sum + (row.cut || 0), 0);
  panel.append(
    make("h2", {}, `#${first.seq} to #${last.seq} ${way(fold.pieces[0])} `, fold.kind === "line" ? "" : marked(streamed ? title(first) : "tool call")),
    facts([
      ["Time", `${seconds(first.at)} s to ${seconds(last.at)} s${first.wall ? ", " + clock(first.wall) : ""}`],
      [{ piece: "Pieces", line: "Lines", update: "Messages" }[fold.kind], `${all.length === whole ? number(whole) : `${number(all.length)} of ${number(whole)}, which match the filter,`} in ${duration(Math.max(last.at - first.at, 0))}`],
      ...sharedFacts(fold.pieces[0]),
      ["Length", number(all.reduce((sum, row) => sum + row.len, 0)) + " bytes"],
      ["Redacted", redaction(all)],
      ["Not shown", cut ? plural(cut, "byte") + " of its pieces are not in this file" : ""],
    ]));
  const buttons = make("div", { class: "buttons" }, turnButton(fold.pieces[0], `Unfold its ${plural(all.length, fold.kind)}`));
  if (!streamed) {
    const steps = make("div", { class: "steps" });
    for (const i of fold.pieces.slice(0, mostSteps)) steps.append(link(i), make("span", {}, `${seconds(rows[i].at)} s `, brief(i)));
    if (fold.pieces.length > mostSteps) steps.append(make("span", { class: "note" }, `${number(fold.pieces.length - mostSteps)} more`));
    panel.append(buttons, steps, make("h3", {}, `The last of them, #${last.seq}`), drawJSON(last));
    return;
  }
  addCopy(buttons, foldText(fold));
  const code = make("pre", { class: "code" });
  lay(code, plainLines(foldText(fold)), drawLine);
  panel.append(buttons, code);
  showMark(panel);
}

const mostSteps = 100; // of a tool call that a panel lists

// turnButton moves the focus to the list, because its panel is drawn anew.
const turnButton = (i, text) => button(text, () => {
  turn(i);
  byID("list").focus();
});
