// What is selected and shown, and how the parts are told about it.

const record = JSON.parse(byID("record").textContent);
const rows = record.rows;

let meant = parseQuery(""); // what the filter means
let isShown = new Uint8Array(rows.length); // whether it means a row
let shown = []; // the list: indexes of rows, ascending; of what is folded, the first piece that is meant
let heads = new Int32Array(rows.length); // that piece, by each; a row itself, if it is not folded
let folds = new Map(); // what is folded, by that piece
let selected = -1; // an index of rows, or -1

const headOf = (i) => heads[i] ?? i;
const foldOf = (i) => folds.get(headOf(i));

// placeOf is where a row stands in shown, or -1.
function placeOf(i) {
  const place = placeFrom(i);
  return shown[place] === headOf(i) ? place : -1;
}

// placeFrom is the place of the first row that is shown and not before this one.
function placeFrom(i) {
  const head = headOf(i);
  let low = 0, high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle] < head) low = middle + 1;
    else high = middle;
  }
  return low;
}

// nearestPlace is the place of a row, or of the one that is shown nearest to it in time.
function nearestPlace(i) {
  const after = placeFrom(i), at = rows[i] ? rows[i].at : 0;
  if (shown[after] === headOf(i) || after === 0) return after;
  if (after === shown.length) return after - 1;
  return at - rows[shown[after - 1]].at < rows[shown[after]].at - at ? after - 1 : after;
}

function select(i) {
  selected = i;
  list.reveal();
  if (rows[i]) timeline.reveal(rows[i]);
  timeline.draw();
  timeline.tell();
  address.tell();
  refresh();
}

// look selects a row and shows its message, whatever the panel showed.
function look(i) {
  if (openName === "story" || openName === "run") open("message");
  select(i);
}

// step selects the row that is so many places on.
function step(by) {
  if (shown.length === 0) return;
  const exact = placeOf(selected);
  const from = exact >= 0 ? exact : by > 0 ? placeFrom(selected) - 1 : placeFrom(selected);
  look(shown[Math.min(Math.max(from + by, 0), shown.length - 1)]);
}

// related selects what belongs to the message, before or after it.
function related(step) {
  const row = rows[selected];
  if (!row) return;
  const all = [row.request, row.response, row.of, ...(outs.get(selected) || [])].filter((i) => i !== undefined && (i - selected) * step > 0);
  if (all.length) look(step > 0 ? Math.min(...all) : Math.max(...all));
}

function filter() {
  const text = byID("filter").value, problem = byID("problem");
  byID("filter").setAttribute("aria-invalid", "false");
  problem.textContent = "";
  try {
    meant = parseQuery(text);
  } catch (e) {
    if (!(e instanceof QueryError)) throw e;
    byID("filter").setAttribute("aria-invalid", "true");
    problem.textContent = `${e.message}\n  ${visible(text)}\n  ${" ".repeat(visible(text.slice(0, e.at)).length)}^`;
    return;
  }
  seek(meant.texts);
  list.hold(arrange);
}

// arrange makes the list of the rows that the filter and the chips match, folded or not.
function arrange() {
  const leading = new Uint8Array(rows.length), firsts = new Map(); // by the row that leads them
  let count = 0;
  folds = new Map();
  for (let i = 0; i < rows.length; i++) {
    heads[i] = i;
    isShown[i] = meant(rows[i]) && chips.mean(rows[i]);
    if (!isShown[i]) continue;
    count++;
    const base = baseOf(i), lead = leads[i];
    if (!isFolded(lead)) {
      leading[i] = 1;
      continue;
    }
    if (!firsts.has(lead)) firsts.set(lead, base);
    const first = firsts.get(lead);
    heads[i] = first;
    leading[first] = 1;
    if (kindOf(lead) === "stage") continue;
    if (!folds.has(first)) folds.set(first, { kind: kindOf(lead), pieces: [] });
    const { pieces } = folds.get(first);
    if (pieces.at(-1) !== base) pieces.push(base);
  }
  for (const [first, { pieces }] of folds) if (pieces.length < 2) folds.delete(first);
  shown = [];
  leading.forEach((leads, i) => leads && shown.push(i));
  const all = plural(rows.length, "entry", "entries");
  byID("count").textContent = (count === rows.length ? all : `${number(count)} of ${all}`) + (shown.length < count ? " in " + plural(shown.length, "row") : "");
  list.fill();
  timeline.draw();
  timeline.tell();
  refresh();
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
    if (placeOf(selected) < 0 && shown.length) select(shown[nearestPlace(selected)]);
  });
  byID("clear").addEventListener("click", () => {
    chips.clear();
    setFilter("");
    byID("filter").focus();
  });
}

const themes = ["system", "light", "dark"];

function beginTheme() {
  let theme = 0;
  byID("theme").addEventListener("click", () => {
    theme = (theme + 1) % themes.length;
    if (theme) document.documentElement.dataset.theme = themes[theme];
    else delete document.documentElement.dataset.theme;
    byID("theme").lastElementChild.textContent = themes[theme];
    timeline.draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.draw());
}

function beginHead() {
  const what = headline(record.story);
  document.title = visible(what);
  put(byID("name"), what);
  const parts = [record.name];
  parts.push(record.redacted ? "secrets removed" : "secrets not removed");
  if (record.end) parts.push("exit status " + record.end.status);
  if (record.start) parts.push(record.start.argv.join(" "));
  put(byID("facts"), parts.join(" · ").slice(0, 300));
  const notices = [];
  if (record.story.missing) notices.push("The record is not whole: " + record.story.missing + ".");
  if (notShown()) notices.push("Not all of the record is in this file: " + notShown() + ".");
  byID("notice").textContent = notices.join(" ");
  byID("notice").hidden = !notices.length;
}

beginHead();
findChanges();
findStreams();
findLoads();
findTurns();
timeline.begin();
list.begin();
beginTabs();
sheet.begin();
beginFilter();
chips.begin();
beginFolds();
keys.begin();
beginTheme();
arrange();
address.begin();
