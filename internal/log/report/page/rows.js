// A row of the list: the kind of a message, and its content.

function drawRow(i) {
  const row = rows[i], fold = folds.get(i), lead = leads[i], folded = isFolded(lead), name = row.update || row.method || title(row);
  const what = make("span", { class: "what" });
  if (groups.has(lead) && (folded || i === lead)) what.append(make("span", { class: "turner", "aria-hidden": "true" }));
  if (begins(i)) what.append(make("span", { class: "turn" }, "Turn " + turnOf[i]));
  const became = fate(i, folded);
  if (became) what.append(drawBadge(became), " ");
  what.append(make("span", {}, marked(name)));
  what.append(drawPreview(i, fold, name));
  const who = row.kind === "gap" ? "gap" : row.dir ? senderOf(row) : row.kind;
  const element = make("div", { class: "row", role: "treeitem", "aria-level": groups.has(lead) && !folded && i !== lead ? "2" : "1" },
    make("span", { class: "no" }, "#" + row.seq),
    make("span", { class: "at" }, seconds(row.at)),
    make("span", { class: who === "acpshim" || !row.dir && row.kind !== "gap" ? "shim" : row.dir || "bad" }, who),
    what,
    make("span", { class: "end" }, took(i)),
    make("span", { class: "end" }, fold ? plural(fold.pieces.length, fold.kind) : bytes(row.len)));
  if (groups.has(lead) && (folded || i === lead)) element.setAttribute("aria-expanded", !folded);
  if (turnOf[i]) element.classList.add(turnOf[i] % 2 ? "odd" : "even");
  if (begins(i)) element.classList.add("begins");
  if ((fold ? fold.pieces : [i]).some((j) => rows[j].wrong)) element.classList.add("failed");
  return element;
}

// begins says whether a turn begins with a row.
const begins = (i) => turnOf[i] > 0 && turns[turnOf[i] - 1].row === i;

const drawBadge = (text) => make("span", { class: "badge" + (text.startsWith("dropped") ? " bad" : "") }, text);

// took is how long a turn or a request took; "" for anything else.
function took(i) {
  const row = rows[i], latency = latencyOf(row);
  if (begins(i) && turns[turnOf[i] - 1].until >= 0) return duration(Math.max(ends(turns[turnOf[i] - 1]) - row.at, 0));
  return latency === undefined ? "" : duration(latency);
}

// title names a message: its method or its update.
function title(row) {
  switch (row.kind) {
    case "response": return (row.failed ? "error" : "response") + (row.method ? " to " + row.method : " to " + idOf(row));
    case "request":
    case "notification": return row.update ? `${row.method} ${row.update}` : row.method || "(no method)";
    case "other": return "not a message";
  }
  return row.kind;
}

const idOf = (row) => (row.id ? "id " + (row.id[0] === '"' ? row.id + '"' : row.id) : "no id");

// label is a row in words, where there is no more room.
function label(i) {
  const row = rows[i], fold = foldOf(i);
  const which = fold ? `${plural(fold.pieces.length, fold.kind)} from number ${rows[headOf(i)].seq}` : `number ${row.seq}`;
  const parts = [`${which}, ${(row.at / 1e6).toFixed(3)} seconds`, row.dir ? "from " + senderOf(row) : "", title(row), fate(i, isFolded(leads[i]))];
  if (latencyOf(row) !== undefined) parts.push("after " + duration(latencyOf(row)));
  return visible(parts.filter(Boolean).join(", "));
}

const latencyOf = (row) => (row.kind === "response" && row.request !== undefined ? Math.max(row.at - rows[row.request].at, 0) : undefined);

const previewLength = 200;
const leadLength = 12; // what is left before a mark that would be too far to the right

// drawPreview draws what a message says, or the place in it that the filter found.
function drawPreview(i, fold, name) {
  const row = rows[i];
  let text = fold ? foldBrief(fold) : brief(isFolded(leads[i]) ? resultOf(i) : i), places = placesOf(text);
  if (!fold && row.stream !== undefined && text === pieceText(row)) {
    places = meant.texts.flatMap(({ streamed }) => streamed.places(row)).sort((a, b) => a[0] - b[0]);
  }
  if (sought && !places.length && name.search(sought) < 0 && row.text.search(sought) >= 0) {
    text = row.text;
    places = placesOf(text);
  }
  let cut = places.length && places[0][0] > 2 * leadLength ? places[0][0] - leadLength : 0;
  if (/[\udc00-\udfff]/.test(text[cut])) cut--; // not in a character
  const lead = cut ? "⋯" : "";
  return putMarked(make("span", { class: "preview" }), [[lead + text.slice(cut, cut + previewLength), ""]],
    places.map((place) => place.map((at) => at - cut + lead.length)));
}

// brief describes a message in a few words, as the command line does.
const brief = (i) => ((rows[i].update || "").endsWith("_chunk") ? pieceText(rows[i]) : rows[i].brief ?? rows[i].text.slice(0, previewLength));

// resultOf is the row of the message that was sent instead of a message. A plan is described as the
// agent sent it.
function resultOf(i) {
  const went = outs.get(i);
  return went && !(rows[i].update || "").startsWith("plan") ? went[0] : i;
}

// foldBrief is that of a fold: all that was streamed, or the last state of a tool call.
const foldBrief = (fold) => (fold.kind !== "update" ? foldText(fold) : brief(fold.pieces.at(-1)));
