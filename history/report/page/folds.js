// The pieces of a streamed message: one row of the list for all of them, or one each.

let folding = true;
const exceptions = new Set(); // streams that are not as folding says
const streams = new Map(); // by the row of their first piece, as rows name them

function findStreams() {
  rows.forEach((row, i) => {
    if (row.stream === undefined) return;
    if (!streams.has(row.stream)) streams.set(row.stream, { pieces: [], text: "", ends: null });
    streams.get(row.stream).pieces.push(i);
  });
}

const isFolded = (stream) => stream !== undefined && folding !== exceptions.has(stream);

function setFolding(on) {
  folding = on;
  exceptions.clear();
  byID("fold").setAttribute("aria-pressed", folding);
  list.hold(arrange);
}

// turn folds or unfolds the one message that a row is a piece of.
function turn(i) {
  const stream = rows[i] && rows[i].stream;
  if (stream === undefined) return;
  if (!exceptions.delete(stream)) exceptions.add(stream);
  list.hold(arrange);
}

function beginFolds() {
  byID("fold").addEventListener("click", () => setFolding(!folding));
}

// pieceText is what a piece says, or what it is if that is no text.
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
  const stream = rows[fold.pieces[0]].stream;
  if (fold.pieces.length === streams.get(stream).pieces.length) return joined(stream).text;
  if (fold.text === undefined) fold.text = textOf(fold.pieces);
  return fold.text;
}

// inStreams asks about a row whether a text is found in the message that it is a piece
// of. Of a message that is shown in pieces only those are meant that have a part of it.
function inStreams(found) {
  const known = new Map(); // pieces that have a part, by stream
  return (row) => {
    if (row.stream === undefined) return false;
    if (!known.has(row.stream)) known.set(row.stream, piecesWith(row.stream, found));
    const pieces = known.get(row.stream);
    return pieces.size > 0 && (folding || exceptions.has(row.stream) || pieces.has(row));
  };
}

function piecesWith(stream, found) {
  const { pieces, text, ends } = joined(stream), having = new Set();
  let n = 0;
  for (const match of text.matchAll(new RegExp(found, "gi"))) {
    while (ends[n] <= match.index) n++;
    for (let k = n; k === n || (k < pieces.length && ends[k - 1] < match.index + match[0].length); k++) having.add(rows[pieces[k]]);
  }
  return having;
}

function showFold(panel, fold) {
  const all = fold.pieces.map((i) => rows[i]), first = all[0], last = all.at(-1);
  const whole = streams.get(first.stream).pieces.length, cut = all.reduce((sum, row) => sum + (row.cut || 0), 0);
  panel.append(
    make("h2", {}, `#${first.seq} to #${last.seq} ${way(first)} ${title(first)}`),
    facts([
      ["Time", `${seconds(first.at)} s to ${seconds(last.at)} s${first.wall ? ", " + clock(first.wall) : ""}`],
      ["Pieces", `${all.length === whole ? number(whole) : `${number(all.length)} of ${number(whole)}, which the filter shows,`} in ${duration(Math.max(last.at - first.at, 0))}`],
      ...sharedFacts(first),
      ["Length", number(all.reduce((sum, row) => sum + row.len, 0)) + " bytes"],
      ["Redacted", all.some((row) => row.redacted) ? "secrets were taken out of it" : ""],
      ["Not shown", cut ? plural(cut, "byte") + " of its pieces are not in this file" : ""],
    ]));
  const buttons = make("div", { class: "buttons" }, turnButton(fold.pieces[0], `Unfold its ${plural(all.length, "piece")}`));
  addCopy(buttons, foldText(fold));
  const code = make("pre", { class: "code" });
  lay(code, plainLines(foldText(fold)), drawLine);
  panel.append(buttons, code);
}

// turnButton goes to the list, as the panel that it is in is drawn anew.
const turnButton = (i, text) => button(text, () => {
  turn(i);
  byID("list").focus();
});
