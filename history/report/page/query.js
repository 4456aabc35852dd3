// The filter language of "acpshim log": see package history/query.

const termValues = {
  dir: ["agent", "client"],
  kind: ["request", "notification", "answer", "other"],
  changed: ["yes", "no"],
  failed: ["yes", "no"],
};
const termNames = ["dir", "method", "update", "id", "session", "rule", "changed", "since", "until", "kind", "failed"];

class QueryError extends Error {
  constructor(at, problem) {
    super(problem);
    this.at = at;
  }
}

const isSpace = (c) => c === " " || c === "\t" || c === "\n" || c === "\r";

// parseQuery returns a function that says whether a row is meant, whose texts are those
// that have to be in it. The error is a QueryError, whose at is a place in the text.
function parseQuery(text) {
  const terms = [];
  for (let at = 0; at < text.length; ) {
    if (isSpace(text[at])) {
      at++;
      continue;
    }
    const [term, next] = readTerm(text, at);
    terms.push(term);
    at = next;
  }
  const meant = (row) => terms.every((t) => t.holds(row) !== t.not);
  meant.texts = terms.filter((t) => !t.not && t.holds.text).map((t) => t.holds.text);
  return meant;
}

function readTerm(text, begin) {
  let at = begin, name = "";
  const not = text[at] === "-";
  if (not) at++;
  const named = /^([^\s":]*):/.exec(text.slice(at));
  if (named) {
    name = named[1];
    if (!termNames.includes(name)) {
      const near = nearest(name, termNames);
      if (near) throw new QueryError(at, `unknown term "${name}", did you mean "${near}"?`);
      const word = text.slice(at).split(" ")[0];
      throw new QueryError(at, `unknown term "${name}": want one of ${termNames.join(", ")}, or "${word}" in quotes for a text`);
    }
    at += name.length + 1;
  }
  const quoted = text[at] === '"';
  const [value, next] = readValue(text, at);
  if (quoted && next < text.length && !isSpace(text[next])) throw new QueryError(next, "want a space behind a text in quotes");
  if (value === "" && name === "" && next === at) throw new QueryError(begin, "want a term behind -");
  if (value === "") throw new QueryError(at, "want " + wants(name));
  return [{ not, holds: condition(name, value, at) }, next];
}

function readValue(text, at) {
  if (text[at] !== '"') {
    let to = at;
    while (to < text.length && !isSpace(text[to])) to++;
    return [text.slice(at, to), to];
  }
  let value = "";
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '"') return [value, i + 1];
    if (text[i] === "\\" && (text[i + 1] === '"' || text[i + 1] === "\\")) i++;
    value += text[i];
  }
  throw new QueryError(at, 'want a " at the end of the text');
}

function wants(name) {
  switch (name) {
    case "": return "a text between the quotes";
    case "method": return "a pattern such as session/*";
    case "update": return "a pattern such as plan*";
    case "rule": return "a rule's name or a pattern of it";
    case "id": return "the id of a request";
    case "session": return "a number, such as 2 for the second session, or the beginning of a session's id";
    case "since":
    case "until": return "a time since the record's begin such as 10s or 1m30s, or a clock time such as 14:30:05";
  }
  return termValues[name].join(" or ");
}

const isMessage = (row) => Object.hasOwn(termKinds, row.kind);
const termKinds = { request: 1, notification: 1, answer: 1, other: 1 };

function condition(name, value, at) {
  if (termValues[name] && !termValues[name].includes(value)) {
    const near = nearest(value, termValues[name]);
    throw new QueryError(at, near ? `${name}: unknown value "${value}", did you mean "${near}"?` : `${name}: want ${wants(name)}, not "${value}"`);
  }
  const ofMessage = (ask) => (row) => isMessage(row) && ask(row);
  switch (name) {
    case "dir": return ofMessage((row) => row.dir === value);
    case "kind": return ofMessage((row) => row.kind === value);
    case "changed": return ofMessage((row) => Boolean(row.stage) === (value === "yes"));
    case "failed": return ofMessage((row) => Boolean(row.failed) === (value === "yes"));
    case "method":
    case "update":
    case "rule": {
      const matches = glob(value, at);
      if (name === "rule") return ofMessage((row) => (row.by || []).some(matches));
      return ofMessage((row) => Boolean(row[name]) && matches(row[name]));
    }
    case "id": {
      const same = [value, '"' + value];
      const n = Number(value);
      if (/^-?[0-9]/.test(value) && Number.isSafeInteger(n)) same.push(String(n));
      if (value[0] === '"') same.push(value.replace(/"$/, ""));
      return ofMessage((row) => Boolean(row.id) && same.includes(row.id));
    }
    case "session":
      return ofMessage((row) => Boolean(row.session) && (String(row.session) === value || record.sessions[row.session - 1].startsWith(value)));
    case "since":
    case "until":
      return moment(name === "since" ? 1 : -1, value, name, at);
  }
  const escape = (s) => s.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const found = new RegExp(escape(value) + "|" + escape(JSON.stringify(value).slice(1, -1)), "i");
  const streamed = new StreamSearch(found);
  const holds = (row) => found.test(row.text) || streamed.means(row);
  holds.text = { found, streamed };
  return holds;
}

const units = { ns: 1e-3, us: 1, "µs": 1, "μs": 1, ms: 1e3, s: 1e6, m: 6e7, h: 3.6e9 };

// moment asks about the time: since the run began, or by the clock where the reader is.
function moment(sign, value, name, at) {
  if (/^\+?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(value)) {
    let us = 0;
    for (const [, n, unit] of value.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) us += Number(n) * units[unit];
    return (row) => sign * (row.at - us) >= 0;
  }
  const clock = /^(\d\d?):(\d\d)(?::(\d\d)([.,]\d+)?)?$/.exec(value);
  if (clock && clock[1] < 24 && clock[2] < 60 && !(clock[3] > 59)) {
    return (row) => {
      const day = new Date(row.wall - row.at / 1000);
      day.setHours(clock[1], clock[2], clock[3] || 0, 1000 * Number((clock[4] || "0").replace(",", ".")));
      return sign * (row.wall - day.getTime()) >= 0;
    };
  }
  const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
  if (!Number.isNaN(full)) return (row) => sign * (row.wall - full) >= 0;
  throw new QueryError(at, `${name}: want ${wants(name)}`);
}

// glob matches a text as a whole, as package glob does: * ? [a-z] [^a-z] and \ before
// a character that is meant.
function glob(pattern, at) {
  const wrong = (want) => {
    throw new QueryError(at, `glob "${pattern}": ${want}`);
  };
  const runes = Array.from(pattern), elements = [];
  let i = 0;
  const rune = () => {
    if (runes[i] === "\\" && ++i === runes.length) wrong("want a rune after \\");
    return runes[i++].codePointAt(0);
  };
  while (i < runes.length) {
    if (runes[i] === "*") {
      i++;
      elements.push(null);
    } else if (runes[i] === "?") {
      i++;
      elements.push(() => true);
    } else if (runes[i] === "[") {
      i++;
      const not = runes[i] === "^", spans = [];
      if (not) i++;
      while (runes[i] !== "]" || spans.length === 0) {
        if (i >= runes.length) wrong("want a ] for each [, or \\[ for a bracket");
        if (runes[i] === "]" || runes[i] === "-") wrong("want runes or ranges between [ and ], and \\ before a ] or - that is meant");
        const low = rune();
        let high = low;
        if (runes[i] === "-") {
          i++;
          if (i >= runes.length || runes[i] === "]") wrong("want a rune after -");
          high = rune();
        }
        if (high < low) wrong("want a range that goes up");
        spans.push([low, high]);
      }
      i++;
      elements.push((c) => spans.some(([low, high]) => low <= c && c <= high) !== not);
    } else {
      const one = rune();
      elements.push((c) => c === one);
    }
  }
  return (text) => matchGlob(elements, Array.from(text, (c) => c.codePointAt(0)));
}

// matchGlob goes back to the last run only, so that it is quick for any pattern.
function matchGlob(elements, text) {
  let e = 0, t = 0, run = -1, from = 0;
  while (t < text.length) {
    if (e < elements.length && elements[e] === null) {
      run = e++;
      from = t;
    } else if (e < elements.length && elements[e](text[t])) {
      e++;
      t++;
    } else if (run >= 0) {
      e = run + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (e < elements.length && elements[e] === null) e++;
  return e === elements.length;
}

// nearest is the name that a word is a misspelling of, or "".
function nearest(word, names) {
  let best = "", least = 3;
  for (const name of names) {
    const n = distance(word.slice(0, 20), name);
    if (n < least && n < name.length) [best, least] = [name, n];
  }
  return best;
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}
