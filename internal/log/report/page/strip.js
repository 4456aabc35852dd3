// The states of a session's plans in time: a bar for each, whose height is the share that is
// done.

const strip = {
  session: -1,
  states: [], // {row, done}

  begin() {
    this.bars = svg("svg", { class: "strip", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.range = make("input", { type: "range", min: "0", step: "1", "aria-label": "State of the plan, in time" });
    this.range.addEventListener("input", () => select(this.states[Number(this.range.value)].row));
    this.words = make("p", { class: "note" });
    this.element = make("div", { class: "states" }, this.bars, this.range, this.words);
  },

  // show shows the states of a session, and marks the state at a moment.
  show(session, moment) {
    if (!this.element) this.begin();
    if (session !== this.session) this.take(session);
    const n = this.states.findLastIndex((s) => s.row <= moment), chosen = this.states[n], all = this.states.length;
    this.bars.childNodes.forEach((bar, i) => bar.classList.toggle("now", i === n));
    this.range.value = String(Math.max(n, 0));
    const words = chosen ? `State ${n + 1} of ${all}, #${rows[chosen.row].seq} at ${seconds(rows[chosen.row].at)} s` : `Before the first of ${plural(all, "state")}`;
    this.range.setAttribute("aria-valuetext", words);
    this.words.textContent = words;
    return this.element;
  },

  take(session) {
    this.session = session;
    const states = new Map();
    for (const p of record.plans) {
      if (p.session !== session) continue;
      const row = baseOf(p.row), entries = p.entries || [];
      const done = entries.length ? entries.filter((e) => e.status === "completed").length / entries.length : states.get(row) || 0;
      states.set(row, done);
    }
    this.states = [...states].sort((a, b) => a[0] - b[0]).map(([row, done]) => ({ row, done }));
    // A bar is above the place of its state.
    this.range.style.width = `calc(${(100 * (this.states.length - 1)) / this.states.length}% + 16px)`;
    this.range.disabled = this.states.length < 2;
    this.range.max = String(this.states.length - 1);
    this.bars.replaceChildren(...this.states.map(({ done }, i) => svg("rect", { x: i + 0.1, width: 0.8, y: 20 - 3 - 17 * done, height: 3 + 17 * done })));
    this.bars.setAttribute("viewBox", `0 0 ${this.states.length} 20`);
  },
};
