// The filter language of "acpshim log": see package history/query, whose
// testdata/vectors.txt is tried here, too.

const termValues = {
  dir: ["agent", "client"],
  from: ["agent", "client"],
  kind: ["request", "notification", "response", "other"],
  changed: ["yes", "no"],
  failed: ["yes", "no"],
};
const termNames = ["dir", "from", "method", "update", "id", "session", "rule", "changed", "since", "until", "kind", "failed"];

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
  const hint = misspelled(text.slice(at));
  if (hint) throw new QueryError(at, hint);
  const named = /^([^ \t\n\r":]*):/.exec(text.slice(at));
  if (named) {
    name = named[1];
    if (!termNames.includes(name)) {
      const near = nearest(name, termNames);
      if (near) throw new QueryError(at, `unknown term ${JSON.stringify(name)}, did you mean "${near}"?`);
      const word = readValue(text, at)[0];
      throw new QueryError(at, `unknown term ${JSON.stringify(name)}: want one of ${termNames.join(", ")}, or ${JSON.stringify(word)} for a text`);
    }
    at += name.length + 1;
  }
  const quoted = text[at] === '"', valueAt = at;
  const [value, next] = readValue(text, at);
  if (quoted && next < text.length && !isSpace(text[next])) throw new QueryError(next, "want a space after a text in quotes");
  if (value === "" && name === "" && next === at) throw new QueryError(begin, "want a term after -");
  if (value === "") throw new QueryError(at, "want " + wants(name));
  if (value[0] === "!" && ["method", "update", "rule"].includes(name)) {
    throw new QueryError(valueAt, `a minus before the term negates it: -${name}:${value.slice(1)}`);
  }
  return [{ not, holds: condition(name, value, valueAt) }, next];
}

// misspelled says what a term should be that has another sign between name and value,
// or for its negation. It is empty for what is none.
function misspelled(text) {
  if (text[0] === '"') return "";
  const word = readValue(text, 0)[0];
  const negated = /^!([^:]*):/.exec(word);
  if (negated && termNames.includes(negated[1])) return `a minus before the term negates it: -${word.slice(1)}`;
  const equals = /^([^=]*)=([^]*)$/.exec(word);
  if (equals && termNames.includes(equals[1])) return `want ${equals[1]}:${equals[2]}, or ${JSON.stringify(word)} for a text`;
  return "";
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
    case "method": return "a glob such as session/*";
    case "update": return "a glob such as plan*";
    case "rule": return "a rule's name or a glob for it";
    case "id": return "the id of a request";
    case "session": return "a number, such as 2 for the second session, or the beginning of a session's id";
    case "since":
    case "until": return "a time since the run began, such as 10s or 1m30s, or a time of day, such as 14:30:05";
  }
  return termValues[name].join(" or ");
}

const isMessage = (row) => Object.hasOwn(termKinds, row.kind);
const termKinds = { request: 1, notification: 1, response: 1, other: 1 };

function condition(name, value, at) {
  if (termValues[name] && !termValues[name].includes(value)) {
    const near = nearest(value, termValues[name]);
    throw new QueryError(at, near ? `${name}: unknown value ${JSON.stringify(value)}, did you mean "${near}"?` : `${name}: want ${wants(name)}, not ${JSON.stringify(value)}`);
  }
  const ofMessage = (ask) => (row) => isMessage(row) && ask(row);
  switch (name) {
    case "dir":
    case "from": return ofMessage((row) => row.dir === value);
    case "kind": return ofMessage((row) => row.kind === value);
    case "changed": return ofMessage((row) => Boolean(row.stage) === (value === "yes"));
    case "failed": return ofMessage((row) => Boolean(row.failed) === (value === "yes"));
    case "method":
    case "update":
    case "rule": {
      const matches = glob(value, (problem) => {
        throw new QueryError(at, `${name}: ${problem}`);
      });
      if (name === "rule") return ofMessage((row) => (row.by || []).some(matches));
      return ofMessage((row) => Boolean(row[name]) && matches(row[name]));
    }
    case "id": {
      const same = [idKey(value), '"' + value];
      return ofMessage((row) => Boolean(row.id) && same.includes(row.id));
    }
    case "session": {
      const id = (row) => (row.session ? record.sessions[row.session - 1] : "");
      const n = /^[+-]?[0-9]+$/.test(value) ? Number(value) : NaN;
      if (n <= mostSessionNumber) return ofMessage((row) => (n > 0 && row.session === n) || id(row) === value);
      return ofMessage((row) => id(row).startsWith(value));
    }
    case "since":
    case "until":
      return moment(name === "since" ? 1 : -1, value, name, at);
  }
  const escape = (s) => s.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const found = new RegExp(escape(value) + "|" + escape(JSON.stringify(value).slice(1, -1)), "iu");
  const streamed = new StreamSearch(found);
  const holds = (row) => found.test(row.why ?? row.text) || streamed.means(row);
  holds.text = { found, streamed };
  return holds;
}

// mostSessionNumber is up to where a number means the n-th session; larger ones are the
// beginning of an id.
const mostSessionNumber = 9999;

// idKey is what the id of a request is known by: see wire.ID.
function idKey(raw) {
  if (raw[0] === '"') {
    try {
      return '"' + JSON.parse(raw);
    } catch {
      return '"';
    }
  }
  const n = Number(raw);
  if (/^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(raw) && (raw[0] === "-" || /[.eE]/.test(raw)) && Number.isSafeInteger(n)) return String(n);
  return /^[-0-9]/.test(raw) ? raw : "";
}

const units = { ns: 1, us: 1e3, "µs": 1e3, "μs": 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };
const mostDuration = 2 ** 63; // nanoseconds

// moment asks about the time: since the run began, or by the clock where the reader is.
function moment(sign, value, name, at) {
  const length = /^([+-]?)(0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(value);
  if (length) {
    let ns = 0;
    for (const [, n, unit] of length[2].matchAll(/([0-9.]+)(ns|us|µs|μs|ms|s|m|h)/g)) ns += Number(n) * units[unit];
    const us = Math.floor(Math.round(ns) / 1e3);
    if (ns < mostDuration && (length[1] !== "-" || ns === 0)) return (row) => sign * (row.at - us) >= 0;
  }
  const clock = /^([0-9][0-9]?):([0-9][0-9])(?::([0-9][0-9])([.,][0-9]+)?)?$/.exec(value);
  if (clock && isClock(clock)) {
    return (row) => {
      const day = new Date(row.wall - row.at / 1000);
      day.setHours(clock[1], clock[2], clock[3] || 0, thousandths(clock[4]));
      return sign * (row.wall - day.getTime()) >= 0;
    };
  }
  const full = /^([0-9]{4})-([0-9][0-9])-([0-9][0-9])T(([0-9][0-9]?):([0-9][0-9]):([0-9][0-9])([.,][0-9]+)?)(Z|([+-])([0-9][0-9]):([0-9][0-9]))$/.exec(value);
  if (full && isClock(full.slice(4)) && full[2] > 0 && full[2] < 13 && full[3] > 0 && full[3] <= new Date(Date.UTC(full[1], full[2], 0)).getUTCDate() && !(full[11] > 24) && !(full[12] > 60)) {
    const east = full[9] === "Z" ? 0 : (full[10] + "1") * (full[11] * 60 + Number(full[12])) * 60_000;
    const wall = Date.UTC(full[1], full[2] - 1, full[3], full[5], full[6], full[7], thousandths(full[8])) - east;
    return (row) => sign * (row.wall - wall) >= 0;
  }
  throw new QueryError(at, `${name}: want ${wants(name)}`);
}

const isClock = ([, hours, minutes, seconds]) => hours < 24 && minutes < 60 && !(seconds > 59);

// thousandths are those of a part of a second such as ".5".
const thousandths = (part) => Number((part || "").slice(1, 4).padEnd(3, "0"));

// nearest is the name that a word is a misspelling of, or "".
function nearest(word, names) {
  let best = "", least = 1 + Math.min(3, Math.floor((word.length + 2) / 3));
  for (const name of names) {
    const n = distance(word.toLowerCase(), name);
    if (n < least) [best, least] = [name, n];
  }
  return best;
}

// distance counts two letters in the wrong order as one mistake.
function distance(a, b) {
  if (a.length > b.length + 12) return a.length; // too far, and perhaps long
  for (let i = 1; a.length === b.length && i < b.length; i++) {
    if (a === b.slice(0, i - 1) + b[i] + b[i - 1] + b.slice(i + 1)) return 1;
  }
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length];
}
