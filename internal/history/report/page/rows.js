// A row of the list: what a message is, and what it says.

function drawRow(i) {
  const row = rows[i], fold = folds.get(i), latency = latencyOf(row), name = row.update || title(row);
  const what = make("span", { class: "what" });
  if (row.stage === "in") what.append(make("span", { class: "shim" }, "before "));
  if (row.stage === "out") what.append(make("span", { class: "shim" }, "after "));
  what.append(make("span", row.failed || row.kind === "gap" || row.kind === "other" ? { class: "bad" } : {}, marked(name)));
  what.append(drawPreview(row, fold, name));
  const who = row.kind === "gap" ? "gap" : row.dir || row.kind;
  const end = fold ? plural(fold.pieces.length, "piece") : latency === undefined ? bytes(row.len) : duration(latency);
  return make("div", { class: "row", role: "option" },
    make("span", { class: "no" }, "#" + row.seq),
    make("span", { class: "at" }, seconds(row.at)),
    make("span", { class: row.dir || (row.kind === "gap" ? "bad" : "shim") }, who),
    what,
    make("span", { class: "end" }, end));
}

// title names a message: its method, or the update that it is.
function title(row) {
  switch (row.kind) {
    case "answer": return (row.failed ? "error" : "response") + (row.method ? " to " + row.method : " to " + idOf(row));
    case "request":
    case "notification": return row.update ? `${row.method} ${row.update}` : row.method || "(no method)";
    case "other": return "no message";
  }
  return row.kind;
}

const idOf = (row) => (row.id ? "id " + (row.id[0] === '"' ? row.id + '"' : row.id) : "no id");

// label is a row in words, where there is no more room.
function label(i) {
  const row = rows[i], fold = foldOf(i);
  const which = fold ? `${plural(fold.pieces.length, "piece")} from number ${rows[headOf(i)].seq}` : `number ${row.seq}`;
  const parts = [`${which}, ${(row.at / 1e6).toFixed(3)} seconds`, row.dir ? "from " + row.dir : "", title(row)];
  if (row.stage) parts.push(row.stage === "in" ? "as it came, changed" : "as it went on, changed");
  if (latencyOf(row) !== undefined) parts.push("after " + duration(latencyOf(row)));
  return visible(parts.filter(Boolean).join(", "));
}

const latencyOf = (row) => (row.kind === "answer" && row.request !== undefined ? Math.max(row.at - rows[row.request].at, 0) : undefined);

const previewLength = 200;
const leadLength = 12; // what is left before a mark that would be too far to the right

// drawPreview draws what a message says, or the place in it that the filter found.
function drawPreview(row, fold, name) {
  let text = fold ? foldText(fold) : preview(row), places = placesOf(text);
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

// preview is the part of a message that says most.
function preview(row) {
  if (row.text.length > 32 << 10 || !/^\s*\{/.test(row.text)) return row.text;
  let message;
  try {
    message = JSON.parse(row.text);
  } catch {
    return row.text;
  }
  const update = message.params?.update, params = message.params, plan = update?.plan;
  const found = [
    update?.content?.text, update?.title, plan?.content, plan?.uri, counted(update?.entries), counted(plan?.entries), update?.status,
    message.error?.message, Array.isArray(params?.prompt) ? params.prompt.map((p) => p?.text).find(Boolean) : undefined,
    params?.path, params?.command, params?.toolCall?.title, message.result?.stopReason, message.message,
  ].find((value) => typeof value === "string" && value);
  return found || JSON.stringify(update || params || message.result || message.error || message);
}

function counted(entries) {
  if (!Array.isArray(entries)) return undefined;
  const done = entries.filter((e) => e?.status === "completed").length;
  const now = entries.find((e) => e?.status === "in_progress");
  return `${done} of ${entries.length} done${now ? ", now: " + now.content : ""}`;
}
