// The list of messages. Only what can be seen of it is in the page.

const spare = 8; // rows above and below what can be seen

const list = {
  box: byID("list"),
  sizer: byID("sizer"),
  drawn: new Map(), // elements by place in shown

  begin() {
    this.narrow = matchMedia("(max-width: 760px)");
    this.narrow.addEventListener("change", () => this.fill());
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.sizer.addEventListener("click", (e) => {
      const element = e.target.closest(".row");
      if (element) select(shown[Number(element.dataset.place)]);
    });
    this.box.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const page = Math.max(Math.floor(this.box.clientHeight / this.height()) - 1, 1);
      const act = {
        ArrowUp: () => step(-1), k: () => step(-1), ArrowDown: () => step(1), j: () => step(1),
        PageUp: () => step(-page), PageDown: () => step(page), Home: () => step(-Infinity), End: () => step(Infinity),
        ArrowLeft: () => related(-1), ArrowRight: () => related(1),
        Enter: () => openTab().focus(), " ": () => turn(selected),
      }[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    });
  },

  height() {
    return this.narrow.matches ? 52 : 28;
  },

  // fill begins anew, with what is in shown.
  fill() {
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    this.sizer.style.height = shown.length * this.height() + "px";
    const empty = this.box.querySelector(".empty");
    if (empty) empty.remove();
    if (shown.length === 0) this.box.append(make("p", { class: "empty" }, rows.length ? "No message is meant by this filter." : "The record has no messages."));
    this.draw();
  },

  // hold keeps what can be seen where it is while the rows are others.
  hold(change) {
    const high = this.height(), box = this.box, first = Math.ceil(box.scrollTop / high);
    const chosen = placeOf(selected), place = chosen >= first && (chosen + 1) * high <= box.scrollTop + box.clientHeight ? chosen : first;
    const row = shown[place], offset = place * high - box.scrollTop;
    change();
    if (row !== undefined) box.scrollTop = placeFrom(row) * high - offset;
    this.draw();
  },

  draw() {
    const high = this.height();
    const first = Math.max(Math.floor(this.box.scrollTop / high) - spare, 0);
    const last = Math.min(Math.ceil((this.box.scrollTop + this.box.clientHeight) / high) + spare, shown.length);
    for (const [place, element] of this.drawn) {
      if (place >= first && place < last) continue;
      element.remove();
      this.drawn.delete(place);
    }
    for (let place = first; place < last; place++) if (!this.drawn.has(place)) this.add(place, high);
    this.mark();
  },

  add(place, high) {
    const element = drawRow(shown[place]);
    element.id = "row-" + place;
    element.dataset.place = place;
    element.setAttribute("aria-setsize", shown.length);
    element.setAttribute("aria-posinset", place + 1);
    element.style.transform = `translateY(${place * high}px)`;
    // A reader that goes by the page's order meets them in theirs.
    let next = null;
    for (let later = place + 1; !next && later <= place + 4; later++) next = this.drawn.get(later) || null;
    this.sizer.insertBefore(element, next);
    this.drawn.set(place, element);
  },

  // mark shows which row is selected.
  mark() {
    const chosen = placeOf(selected);
    for (const [place, element] of this.drawn) element.setAttribute("aria-selected", place === chosen);
    if (this.drawn.has(chosen)) this.box.setAttribute("aria-activedescendant", "row-" + chosen);
    else this.box.removeAttribute("aria-activedescendant");
  },

  // reveal scrolls to the selected row.
  reveal() {
    const place = placeOf(selected), high = this.height();
    if (place >= 0) {
      const top = place * high, box = this.box;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + high > box.scrollTop + box.clientHeight) box.scrollTop = top + high - box.clientHeight;
    }
    this.draw();
  },
};

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
    case "answer": return (row.failed ? "error" : "answer") + (row.method ? " to " + row.method : " to " + idOf(row));
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
