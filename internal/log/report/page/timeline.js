// The timeline: requests as spans, everything else as ticks, in the lane of the sender.

const lanes = ["client", "agent", "acpshim", "stderr"];
const tickKinds = [...lanes, "gap", "plan"];
const spanLevels = 3;

const timeline = {
  canvas: byID("timeline"),
  from: 0, // microseconds, at the left edge
  to: 1,
  end: 1,
  spans: [], // [row, level] of requests
  hits: [], // what was drawn: [x0, x1, y0, y1, row]

  begin() {
    let least = Infinity, most = 0;
    for (const row of rows) {
      least = Math.min(least, row.at);
      most = Math.max(most, row.at, record.ended || 0);
    }
    this.first = Number.isFinite(least) ? Math.min(least, 0) : 0;
    this.end = Math.max(most, this.first + 1000);
    this.from = this.first;
    this.to = this.end;
    this.stack();
    byID("key").append(drawLegend());
    const canvas = this.canvas;
    let drag = null;
    canvas.addEventListener("pointerdown", (e) => {
      drag = { x: e.clientX, from: this.from, to: this.to, moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!drag) return;
      const by = ((drag.x - e.clientX) / this.wide) * (drag.to - drag.from);
      if (Math.abs(drag.x - e.clientX) > 4) drag.moved = true;
      if (drag.moved) this.show(drag.from + by, drag.to + by);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (drag && !drag.moved) this.pick(e.offsetX, e.offsetY);
      drag = null;
    });
    canvas.addEventListener("pointercancel", () => (drag = null));
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.shiftKey) return; // the page scrolls
      e.preventDefault();
      this.zoom(e.deltaY > 0 || e.deltaX > 0 ? 1.25 : 0.8, this.timeAt(e.offsetX));
    }, { passive: false });
    canvas.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const act = {
        ArrowLeft: () => step(-1), ArrowDown: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => step(1),
        PageDown: () => step(-20), PageUp: () => step(20), Home: () => step(-Infinity), End: () => step(Infinity),
        "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(this.first, this.end), Enter: () => byID("list").focus(),
      }[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    });
    byID("in").addEventListener("click", () => this.zoom(0.5));
    byID("out").addEventListener("click", () => this.zoom(2));
    byID("fit").addEventListener("click", () => this.show(this.first, this.end));
    new ResizeObserver(() => this.draw()).observe(canvas);
  },

  // stack gives requests that are pending at the same time different levels.
  stack() {
    const free = { client: [], agent: [] };
    rows.forEach((row, i) => {
      if (!asks(row) || !free[row.dir]) return;
      const until = this.until(row);
      let level = free[row.dir].findIndex((t) => t <= row.at);
      if (level < 0) level = Math.min(free[row.dir].length, spanLevels - 1);
      free[row.dir][level] = Math.max(free[row.dir][level] || 0, until);
      this.spans.push([i, level]);
    });
  },

  // until is when a request got its response. Without one, it was pending until the end.
  until(row) {
    return row.response === undefined ? this.end : rows[row.response].at;
  },

  left: 0, // of what has a time on the canvas, and how wide that is: see measure
  wide: 1,

  measure() {
    this.left = innerWidth < 760 ? 52 : 64;
    this.wide = Math.max(this.canvas.clientWidth - this.left - 8, 1);
  },
  x(us) {
    return this.left + ((us - this.from) / (this.to - this.from)) * this.wide;
  },
  timeAt(x) {
    return this.from + ((x - this.left) / this.wide) * (this.to - this.from);
  },

  show(from, to) {
    const length = Math.min(Math.max(to - from, 100), this.end - this.first);
    this.from = Math.min(Math.max(from, this.first), this.end - length);
    this.to = this.from + length;
    this.draw();
  },

  zoom(by, around) {
    if (around === undefined) {
      const row = rows[selected];
      around = row && row.at >= this.from && row.at <= this.to ? row.at : (this.from + this.to) / 2;
    }
    this.show(around - (around - this.from) * by, around + (this.to - around) * by);
  },

  // reveal moves the visible range so that a row is in it.
  reveal(row) {
    if (row.at >= this.from && row.at <= this.to) return;
    const half = (this.to - this.from) / 2;
    this.show(row.at - half, row.at + half);
  },

  pick(x, y) {
    let best = -1, least = 12;
    for (const [x0, x1, y0, y1, i] of this.hits) {
      const far = Math.max(x0 - x, x - x1, 0) + Math.max(y0 - y, y - y1, 0) + (x1 - x0 > 3 ? 0.5 : 0);
      if (far < least) [best, least] = [i, far];
    }
    if (best < 0) return;
    look(best);
    sheet.show();
  },

  draw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.paint();
    });
  },

  paint() {
    const canvas = this.canvas, scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const c = canvas.getContext("2d"), css = getComputedStyle(document.documentElement);
    const color = (name) => css.getPropertyValue("--" + name).trim();
    const colors = { client: color("client"), agent: color("agent"), acpshim: color("shim"), stderr: color("quiet") };
    c.scale(scale, scale);
    c.font = `${innerWidth < 760 ? 10 : 11}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    this.measure();
    const left = this.left, axis = 16, head = turns.length ? 16 : 0, lane = (height - axis - head) / lanes.length, tops = {};
    lanes.forEach((name, n) => {
      tops[name] = head + n * lane;
      c.fillStyle = color("line");
      if (n || head) c.fillRect(0, tops[name], width, 1);
      c.fillStyle = colors[name];
      c.fillText(name, 6, tops[name] + lane / 2);
    });
    this.hits = [];
    this.paintAxis(c, color, height - axis, height, width);
    c.save();
    c.beginPath();
    c.rect(left - 2, 0, width - left + 2, height - axis);
    c.clip();
    this.paintTurns(c, color, head, height - axis, left, width);
    for (const [i, level] of this.spans) {
      if (!isShown[i]) continue;
      const row = rows[i], open = row.response === undefined;
      const x0 = this.x(row.at), x1 = Math.max(this.x(this.until(row)), x0 + (open ? 6 : 2));
      if (x1 < left || x0 > width) continue;
      const high = (lane - 6) / spanLevels, y = tops[row.dir] + 3 + level * high;
      const failed = row.wrong || (!open && rows[row.response].wrong);
      c.globalAlpha = 0.75;
      c.fillStyle = c.strokeStyle = failed ? color("bad") : colors[row.dir];
      if (open) c.strokeRect(x0 + 0.5, y + 0.5, x1 - x0, high - 2);
      else c.fillRect(x0, y, x1 - x0, high - 1);
      c.globalAlpha = 1;
      this.hits.push([x0, x1, y, y + high, i]);
    }
    this.paintTicks(c, color, colors, tops, lane, left, width, height - axis);
    c.restore();
    const row = rows[selected];
    if (row && row.at >= this.from && row.at <= this.to) {
      c.fillStyle = color("ink");
      c.fillRect(Math.round(this.x(row.at)) - 1, 0, 2, height - axis + 4);
    }
    byID("range").textContent = `${seconds(this.from)} s to ${seconds(this.to)} s`;
  },

  // paintTurns draws a band for each turn, with its number and prompt.
  paintTurns(c, color, head, bottom, left, width) {
    turns.forEach((turn, n) => {
      const x0 = Math.max(this.x(rows[turn.row].at), left - 2), x1 = Math.min(Math.max(this.x(ends(turn)), x0 + 1), width);
      if (x1 < left || x0 > width) return;
      c.globalAlpha = n % 2 ? 0.5 : 0.25;
      c.fillStyle = color("line");
      c.fillRect(x0, 0, x1 - x0, bottom);
      c.globalAlpha = 1;
      this.hits.push([x0, x1, 0, head, turn.row]);
      if (x1 - x0 < 50) return;
      c.save();
      c.beginPath();
      c.rect(x0, 0, x1 - x0 - 4, head);
      c.clip();
      c.fillStyle = color("ink");
      c.fillText(visible(`Turn ${n + 1}: ${turn.text}`).slice(0, 200), x0 + 4, head / 2 + 1);
      c.restore();
    });
  },

  // paintTicks draws what is not a request. Ticks at the same place of the screen are one tick,
  // which is higher the more there are. A plan has a mark above it.
  paintTicks(c, color, colors, tops, lane, left, width, bottom) {
    const ticks = new Map(), bad = color("bad"), good = color("good");
    const tick = (x, name, paint, i) => {
      const key = tickKinds.indexOf(name) * 65536 * 2 + (paint === bad ? 65536 : 0) + x;
      const known = ticks.get(key);
      if (known) known.count++;
      else ticks.set(key, { x, name, paint, i, count: 1 });
    };
    for (let i = 0; i < rows.length; i++) {
      if (!isShown[i]) continue;
      const row = rows[i], x = Math.round(this.x(row.at));
      if (x < left - 2 || x > width) continue;
      if (row.stage) tick(x, "acpshim", colors.acpshim, i);
      if (row.kind === "gap") tick(x, "gap", bad, i);
      else if (row.kind === "stderr") tick(x, "stderr", colors.stderr, i);
      else if (row.kind === "event") tick(x, "acpshim", colors.stderr, i);
      else if (row.kind !== "request" && row.kind !== "response" && row.stage !== "out" && row.dir) {
        tick(x, row.dir, row.wrong ? bad : colors[row.dir], i);
        if (row.update && row.update.startsWith("plan")) tick(x, "plan", good, i);
      }
    }
    let most = 1;
    for (const t of ticks.values()) most = Math.max(most, t.count);
    for (const t of ticks.values()) {
      const high = lane * (0.3 + 0.25 * (Math.log(t.count) / Math.log(Math.max(most, 2))));
      let box = [t.x, (tops[t.name] ?? 0) + lane - 2 - high, 1, high];
      if (t.name === "gap") box = [t.x - 1, 0, 3, bottom];
      if (t.name === "plan") box = [t.x - 1, tops.agent + lane * 0.32, 3, 4];
      c.fillStyle = t.paint;
      c.fillRect(...box);
      this.hits.push([box[0], box[0] + box[2], box[1], box[1] + box[3], t.i]);
    }
  },

  paintAxis(c, color, top, bottom, width) {
    c.fillStyle = color("line");
    c.fillRect(0, top, width, 1);
    const least = ((this.to - this.from) / this.wide) * 90;
    let gap = 10 ** Math.ceil(Math.log10(least));
    if (gap / 5 >= least) gap /= 5;
    else if (gap / 2 >= least) gap /= 2;
    const digits = Math.min(Math.max(6 - Math.floor(Math.log10(gap)), 0), 6);
    for (let n = Math.ceil(this.from / gap); n * gap <= this.to; n++) {
      const t = n * gap, x = this.x(t);
      c.fillStyle = color("line");
      c.fillRect(x, top, 1, 4);
      c.fillStyle = color("quiet");
      if (x < width - 40) c.fillText((t / 1e6).toFixed(digits) + " s", x + 3, (top + bottom) / 2 + 1);
    }
  },

  // tell tells a screen reader which message is selected.
  tell() {
    const at = placeOf(selected);
    this.canvas.setAttribute("aria-valuemax", Math.max(shown.length - 1, 0));
    this.canvas.setAttribute("aria-valuenow", Math.max(at, 0));
    this.canvas.setAttribute("aria-valuetext", rows[selected] ? label(selected) : "none");
  },
};
