// The list of messages. Only the rows in sight are in the page.

const spare = 16; // rows above and below what can be seen

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
      if (!element) return;
      const i = shown[Number(element.dataset.place)];
      if (e.target.closest(".turner")) {
        turn(i);
        return;
      }
      look(i);
      sheet.show();
    });
    this.box.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (!keys.on && /^[a-z]$/.test(e.key))) return;
      const page = Math.max(Math.floor(this.box.clientHeight / this.height()) - 1, 1);
      const act = {
        ArrowUp: () => step(-1), k: () => step(-1), ArrowDown: () => step(1), j: () => step(1),
        PageUp: () => step(-page), PageDown: () => step(page), Home: () => step(-Infinity), End: () => step(Infinity),
        ArrowLeft: () => related(-1), ArrowRight: () => related(1),
        Enter: () => (sheet.show(), openTab().focus()), " ": () => turn(selected),
      }[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    });
  },

  height() {
    return this.narrow.matches ? 52 : 28;
  },

  // fill draws the list anew from shown.
  fill() {
    for (const element of this.drawn.values()) element.remove();
    this.drawn.clear();
    this.sizer.style.height = shown.length * this.height() + "px";
    const empty = this.box.querySelector(".empty");
    if (empty) empty.remove();
    if (shown.length === 0) this.box.append(make("p", { class: "empty" }, rows.length ? "No message matches this filter." : "The record has no messages."));
    this.draw();
  },

  // hold keeps the reader's place while the rows change: the selected row, or the nearest one,
  // stays where it is or moves to the middle. Without a selection this is the first row in sight.
  hold(change) {
    const high = this.height(), box = this.box, first = Math.ceil(box.scrollTop / high), chosen = placeOf(selected);
    const inSight = (place) => place * high >= box.scrollTop && (place + 1) * high <= box.scrollTop + box.clientHeight;
    const place = rows[selected] ? nearestPlace(selected) : first, row = rows[selected] ? selected : shown[first];
    const offset = inSight(place) && (chosen >= 0 || shown.length) ? place * high - box.scrollTop : (box.clientHeight - high) / 2;
    change();
    if (row !== undefined && shown.length) box.scrollTop = nearestPlace(row) * high - offset;
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
    // A screen reader follows the order in the page.
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
