// The panels beside the list. One is open at a time, and drawn when it is.

const panels = { story: showStory, message: showMessage, change: showChange, plan: showPlan, latency: showLatency, run: showRun };
const tabs = Object.keys(panels);
let openName = "story";

const openTab = () => byID(openName);

function beginTabs() {
  tabs.forEach((name, n) => {
    const tab = byID("tab-" + name);
    tab.addEventListener("click", () => {
      open(name);
      if (name === "plan" && lastPlan(selected) >= 0) select(lastPlan(selected)); // else there is nothing to see
    });
    tab.addEventListener("keydown", (e) => {
      const to = { ArrowRight: n + 1, ArrowLeft: n - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      open(tabs[to % tabs.length]);
      byID("tab-" + openName).focus();
    });
  });
  open("story");
}

function open(name) {
  openName = name;
  for (const other of tabs) {
    byID("tab-" + other).setAttribute("aria-selected", other === name);
    byID("tab-" + other).tabIndex = other === name ? 0 : -1;
    byID(other).hidden = other !== name;
    if (other !== name) byID(other).replaceChildren();
  }
  refresh();
}

// refresh draws the panel that is open. The focus stays on the same button of it.
function refresh() {
  const panel = openTab(), had = document.activeElement;
  const focused = had !== panel && panel.contains(had);
  panels[openName](panel, selected);
  if (!focused || document.activeElement === had) return;
  const same = [...panel.querySelectorAll("button")].find((b) => !b.disabled && b.textContent === had.textContent);
  (same || panel).focus({ preventScroll: true });
}

function facts(pairs) {
  const all = make("dl", { class: "facts" });
  for (const [name, value] of pairs) if (value) all.append(make("dt", {}, name), make("dd", {}, value));
  return all;
}

function showMessage(panel, i) {
  panel.replaceChildren();
  panel.scrollTop = 0;
  const row = rows[i];
  if (!row) {
    panel.append(make("p", { class: "note" }, "No message is selected. Select one in the list, or in the timeline."));
    return;
  }
  if (foldOf(i)) {
    showFold(panel, foldOf(i));
    return;
  }
  const latency = latencyOf(row), became = fate(i, false);
  panel.append(
    make("h2", {}, `#${row.seq} ${way(i)} `, row.kind === "gap" || !row.dir ? "" : marked(title(row)), " ", became ? drawBadge(became) : ""),
    facts([
      ["Time", `${seconds(row.at)} s${row.wall ? ", " + clock(row.wall) : ""}`],
      ["Kind", row.kind],
      ["Id", row.id ? idOf(row).slice(3) : ""],
      ["Took", latency === undefined ? "" : duration(latency)],
      ...sharedFacts(i),
      ["Length", row.kind === "gap" ? bytes(row.len) + " are missing" : number(row.len) + " bytes"],
      ["SHA-256", row.sha256],
      ["Redacted", redaction([row])],
      ["Bytes", row.bytes ? "it has bytes that are not UTF-8, shown as \\xNN" : ""],
      ["Not shown", row.cut ? plural(row.cut, "byte") + " at its end are not in this file" : ""],
    ]));
  const buttons = make("div", { class: "buttons" });
  const to = (text, j) => j !== undefined && buttons.append(button(`${text} #${rows[j].seq}`, () => select(j)));
  to("Its request", row.request);
  to("Its response", row.response);
  to("Sent for", row.for);
  to("As it came", row.of);
  to("Next to", row.beside);
  for (const j of (outs.get(i) || []).slice(0, 20)) to("Sent instead", j);
  if (groups.has(leads[i]) && !isFolded(leads[i])) buttons.append(turnButton(i, `Fold its ${plural(new Set(groups.get(leads[i]).map(baseOf)).size, kindOf(leads[i]))}`));
  addCopy(buttons, row.text);
  const code = drawJSON(row);
  buttons.append(...partButtons(code));
  panel.append(buttons, code);
  showMark(panel);
}

// way says who sent it to whom.
function way(i) {
  const row = rows[i];
  return row.kind === "gap" || !row.dir ? row.kind : `${senderOf(row)} → ${row.dir === "agent" ? "client" : "agent"}`;
}

// sharedFacts are the facts that the pieces of a message have in common.
function sharedFacts(i) {
  const row = rows[i];
  return [
    ["Session", row.session ? `${row.session}: ${record.sessions[row.session - 1]}` : ""],
    ["Turn", turnOf[i] ? String(turnOf[i]) : ""],
    ["By", (row.by || []).join(", ")],
    ["Why", row.reason],
  ];
}

function addCopy(buttons, text) {
  if (!navigator.clipboard) return;
  const copy = button("Copy", () => navigator.clipboard.writeText(text).then(() => (copy.textContent = "Copied"), () => (copy.textContent = "Not allowed")));
  buttons.append(copy);
}

function clock(wall) {
  const time = new Date(wall);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString().replace("T", " ").replace("Z", " UTC");
}

// quantile of a sorted list, by nearest rank.
const quantile = (sorted, q) => sorted[Math.max(Math.ceil(sorted.length * q) - 1, 0)];

// latencies are those of the requests that the filter shows, by who asked and method.
function latencies() {
  const methods = new Map();
  for (const i of shown) {
    const row = rows[i];
    if (!asks(row)) continue;
    const by = row.stage === "out" ? "acpshim" : row.dir, key = by + " " + row.method;
    if (!methods.has(key)) methods.set(key, { name: row.method, dir: by, times: [], open: 0 });
    const m = methods.get(key);
    if (row.response === undefined) m.open++;
    else m.times.push(Math.max(rows[row.response].at - row.at, 0));
  }
  const sum = (m) => m.times.reduce((a, b) => a + b, 0);
  for (const m of methods.values()) m.times.sort((a, b) => a - b);
  return [...methods.values()].sort((a, b) => sum(b) - sum(a));
}

const mostMethods = 100;

function showLatency(panel) {
  panel.replaceChildren();
  const all = latencies();
  if (all.length === 0) {
    panel.append(make("p", { class: "note" }, "No request is shown."));
    return;
  }
  const body = make("tbody");
  const table = make("table", { "aria-label": "Latencies by method" },
    make("thead", {}, make("tr", {}, ...["Method", "p50", "p95", "Longest", "Responses", "Open", "Asked by"].map((t) => make("th", { scope: "col" }, t)))), body);
  for (const m of all.slice(0, mostMethods)) {
    const time = (q) => (m.times.length ? duration(quantile(m.times, q)) : "–");
    body.append(make("tr", {}, make("th", { scope: "row" }, m.name || "(no method)"), ...[time(0.5), time(0.95), time(1), number(m.times.length), number(m.open), m.dir].map((t) => make("td", {}, t))));
  }
  panel.append(make("p", { class: "note" }, "The time from a request to its response, for the requests that the filter shows. The method with the longest total time is first."));
  panel.append(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Latencies" }, table));
  if (all.length > mostMethods) panel.append(make("p", { class: "note" }, `${number(all.length - mostMethods)} more methods are not listed.`));
  panel.append(make("h2", { class: "later" }, "How they are spread"), make("p", { class: "legend" }, make("span", {}, "bars: responses by their time, the time in powers of ten"),
    make("span", { class: "good" }, "│ p50"), make("span", { class: "bad" }, "│ p95")));
  const measured = all.filter((m) => m.times.length).slice(0, 20);
  const least = Math.floor(Math.log10(Math.max(Math.min(...measured.map((m) => m.times[0])), 1)));
  const most = Math.max(Math.ceil(Math.log10(Math.max(...measured.map((m) => m.times.at(-1)), 10))), least + 1);
  for (const m of measured) panel.append(make("div", {}, `${m.name} (${m.dir})`), plot(m, least, most));
}

const svg = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
};

// plot draws the distribution of a method's times between two powers of ten.
function plot(m, least, most) {
  const width = 400, high = 28, columns = 80, counts = new Array(columns).fill(0);
  const part = (us) => (Math.log10(Math.max(us, 1)) - least) / (most - least);
  for (const us of m.times) counts[Math.min(Math.max(Math.floor(part(us) * columns), 0), columns - 1)]++;
  const drawing = svg("svg", {
    class: "plot", viewBox: `0 0 ${width} 44`, preserveAspectRatio: "xMinYMid", role: "img",
    "aria-label": visible(`${m.name}: ${plural(m.times.length, "response")}, half of them within ${duration(quantile(m.times, 0.5))}, 95 % within ${duration(quantile(m.times, 0.95))}`),
  });
  const top = Math.max(...counts);
  counts.forEach((n, i) => {
    if (!n) return;
    const tall = Math.max((n / top) * high, 2);
    drawing.append(svg("rect", { class: "bar", x: (i * width) / columns, y: high - tall, width: width / columns - 0.5, height: tall }));
  });
  for (const [q, name] of [[0.5, "p50"], [0.95, "p95"]]) {
    const x = part(quantile(m.times, q)) * width;
    drawing.append(svg("line", { class: name, x1: x, x2: x, y1: 0, y2: high, "stroke-width": 1.5 }));
  }
  drawing.append(svg("line", { class: "axis", x1: 0, x2: width, y1: high + 0.5, y2: high + 0.5 }));
  for (let power = least; power <= most; power++) {
    const x = ((power - least) / (most - least)) * width;
    drawing.append(svg("text", { x, y: 40, "text-anchor": power === least ? "start" : power === most ? "end" : "middle" }, duration(10 ** power).replace(/\.0+ /, " ")));
  }
  return drawing;
}

function showRun(panel) {
  panel.replaceChildren();
  const s = record.start, e = record.end;
  const ended = record.goesOn ? "the run goes on" : !e ? "the record has no end: the run was killed, or its disk was full" : `status ${e.status}${e.signal ? ", signal " + e.signal : ""}`;
  panel.append(make("h2", {}, "The run"), facts([
    ["Record", record.name],
    ["Agent", s?.argv.join(" ")],
    ["Folder", s?.cwd],
    ["Began", rows.length && rows[0].wall ? clock(Math.round(rows[0].wall - rows[0].at / 1000)) : ""],
    ["Ended", ended],
    ["Missing", record.story.missing || "nothing that is known"],
    ["acpshim", s?.acpshim],
    ["System", s && `${s.os} ${s.arch}, ${s.cpus} processors, ${s.go}`],
    ["Process", s ? String(s.pid) : ""],
    ["Configuration", s?.config],
    ["Secrets", record.redacted ? "removed, as far as they could be recognized" : "not removed"],
    ["Not shown", notShown()],
  ]));
  if (record.sessions.length) {
    panel.append(make("h2", { class: "later" }, "Sessions"));
    const all = make("div", { class: "buttons" });
    record.sessions.slice(0, 200).forEach((id, n) => all.append(button(`${n + 1}: ${id.slice(0, 60)}`, () => setFilter("session:" + (n + 1)))));
    panel.append(all);
  }
  panel.append(make("h2", { class: "later" }, "Filter"), facts([
    ["dir:agent", "what the agent sent; or client"],
    ["method:session/*", "by method, * for anything; responses have their request's"],
    ["update:plan*", "by kind of session update"],
    ["id:7 session:2", "a request and its response; the second session"],
    ["rule:\"a name\"", "what changed it; changed:yes for anything"],
    ["kind:response", "or request, notification, other; failed:yes for errors"],
    ["since:10s until:14:30", "since the run began, or by the clock"],
    ["-update:*chunk*", "not these"],
    ["words \"two words\"", "in the text; for a streamed message, in all its pieces together"],
  ]), make("h2", { class: "later" }, "Keys"));
  const list = make("dl", { class: "facts" });
  for (const [key, what] of [["/", "the filter"], ["Esc", "clear the filter, then back to the list"], ["↑ ↓", "the message before and after"], ["← →", "what belongs to it: its request or response, as it came or what was sent instead"],
    ["Enter", "from the filter to the list, from there to the details"], ["f", "what belongs together in one row, or in a row each"], ["Space", "in the list: one such row"], ["[ ]", "the earlier and later message about a plan"],
    ["1 to 6", "the details: story, message, change, plan, latency, run"], ["+ − 0", "in the timeline: nearer, farther, all"]]) {
    list.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, what));
  }
  panel.append(list, make("p", { class: "note" }, "The button Keys switches keys of one character off."));
}

function notShown() {
  const parts = [];
  if (record.cut) parts.push(`${plural(record.cut, "message")} only as far as this file has them (${bytes(record.shown)} each at most)`);
  if (record.leftOut) parts.push(`${plural(record.leftOut, "record")} at the end`);
  return parts.join("; ");
}
