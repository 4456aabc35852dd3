// What is selected and shown, and how the parts hear of it.

const record = JSON.parse(byID("record").textContent);
const rows = record.rows;

let shown = rows.map((_, i) => i); // indexes of rows, ascending
let isShown = new Uint8Array(rows.length).fill(1);
let selected = -1; // an index of rows, or -1

// placeOf is where a row stands in shown, or -1.
function placeOf(i) {
  const place = placeFrom(i);
  return shown[place] === i ? place : -1;
}

// placeFrom is the place of the first row that is shown and not before this one.
function placeFrom(i) {
  let low = 0, high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle] < i) low = middle + 1;
    else high = middle;
  }
  return low;
}

function select(i) {
  selected = i;
  list.reveal();
  if (rows[i]) timeline.reveal(rows[i]);
  timeline.draw();
  timeline.tell();
  refresh();
}

// step selects the row that is so many places on.
function step(by) {
  if (shown.length === 0) return;
  const exact = placeOf(selected);
  const from = exact >= 0 ? exact : by > 0 ? placeFrom(selected) - 1 : placeFrom(selected);
  select(shown[Math.min(Math.max(from + by, 0), shown.length - 1)]);
}

// related selects what belongs to the message, before or behind it.
function related(step) {
  const row = rows[selected];
  if (!row) return;
  const all = [row.request, row.answer, row.of, ...(outs.get(selected) || [])].filter((i) => i !== undefined && (i - selected) * step > 0);
  if (all.length) select(step > 0 ? Math.min(...all) : Math.max(...all));
}

function filter() {
  const text = byID("filter").value, problem = byID("problem");
  byID("filter").setAttribute("aria-invalid", "false");
  problem.textContent = "";
  let meant;
  try {
    meant = parseQuery(text);
  } catch (e) {
    if (!(e instanceof QueryError)) throw e;
    byID("filter").setAttribute("aria-invalid", "true");
    problem.textContent = `${e.message}\n  ${visible(text)}\n  ${" ".repeat(visible(text.slice(0, e.at)).length)}^`;
    return;
  }
  shown = [];
  isShown = new Uint8Array(rows.length);
  rows.forEach((row, i) => {
    if (!meant(row)) return;
    isShown[i] = 1;
    shown.push(i);
  });
  tellCount();
  list.fill();
  list.reveal();
  timeline.draw();
  timeline.tell();
  if (openName === "latency") refresh();
}

function tellCount() {
  byID("count").textContent = shown.length === rows.length ? plural(rows.length, "entry", "entries") : `${number(shown.length)} of ${plural(rows.length, "entry", "entries")}`;
}

function setFilter(text) {
  byID("filter").value = text;
  filter();
}

function beginFilter() {
  let waiting = 0;
  byID("filter").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  byID("search").addEventListener("submit", (e) => {
    e.preventDefault();
    clearTimeout(waiting);
    filter();
    if (byID("problem").textContent) return;
    byID("list").focus();
    if (placeOf(selected) < 0 && shown.length) select(shown[0]);
  });
  byID("clear").addEventListener("click", () => {
    setFilter("");
    byID("filter").focus();
  });
}

function beginKeys() {
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = e.target === byID("filter");
    if (e.key === "Escape") {
      if (typing && byID("filter").value) setFilter("");
      else byID("list").focus();
    } else if (typing) {
      return;
    } else if (e.key === "/") {
      byID("filter").focus();
      byID("filter").select();
    } else if (e.key === "[" || e.key === "]") {
      const i = nextPlan(selected, e.key === "]" ? 1 : -1);
      if (i >= 0) select(i);
    } else if (e.key >= "1" && e.key <= String(tabs.length)) {
      open(tabs[e.key - 1]);
    } else {
      return;
    }
    e.preventDefault();
  });
}

const themes = ["system", "light", "dark"];

function beginTheme() {
  let theme = 0;
  byID("theme").addEventListener("click", () => {
    theme = (theme + 1) % themes.length;
    if (theme) document.documentElement.dataset.theme = themes[theme];
    else delete document.documentElement.dataset.theme;
    byID("theme").textContent = "Theme: " + themes[theme];
    timeline.draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.draw());
}

function beginHead() {
  document.title = visible("acpshim " + record.name);
  put(byID("name"), record.name);
  const parts = [];
  parts.push(record.redacted ? "secrets taken out" : "secrets not taken out");
  if (record.end) parts.push("exit status " + record.end.status);
  if (record.start) parts.push(record.start.command);
  put(byID("facts"), parts.join(" · ").slice(0, 300));
  if (!notShown()) return;
  byID("notice").textContent = "Not all of the record is in this file: " + notShown() + ".";
  byID("notice").hidden = false;
}

beginHead();
findChanges();
timeline.begin();
list.begin();
beginTabs();
beginFilter();
beginKeys();
beginTheme();
tellCount();
list.fill();
select(shown.length ? shown[0] : -1);
