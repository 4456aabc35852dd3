"use strict";
// The content of the record becomes text of the page here. It is never read as markup: nodes are
// made one by one, and their text is only text.

const byID = (id) => document.getElementById(id);

// make returns an element; children are nodes, or strings of the record's or ours.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "click") element.addEventListener("click", value);
    else element.setAttribute(key, value);
  }
  for (const child of children) typeof child === "string" ? put(element, child) : element.append(child);
  return element;
}

function button(text, click, disabled = false) {
  const made = make("button", { type: "button", click }, text);
  made.disabled = disabled;
  return made;
}

// Characters that are invisible, or change how their neighbours are shown. U+200D holds emoji
// together, and U+200C is in Persian words.
const unseen = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/gu;

const nameOf = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// visible is a text for places that take only characters: labels and canvases.
const visible = (text) => text.replace(unseen, nameOf).replace(/\n/g, "␊").replace(/\t/g, " ");

// put appends a text to an element, and makes invisible characters visible.
function put(element, text) {
  if (!/[^\n\t -~]/.test(text)) { // most texts: looking for what does not show takes longer
    if (text) element.append(text);
    return element;
  }
  let at = 0;
  for (const found of text.matchAll(unseen)) {
    if (found.index > at) element.append(text.slice(at, found.index));
    const mark = document.createElement("span");
    mark.className = "control";
    mark.textContent = nameOf(found[0]);
    element.append(mark);
    at = found.index + found[0].length;
  }
  if (at < text.length) element.append(text.slice(at));
  return element;
}

const number = (n) => (n < 1000 ? String(n) : n.toLocaleString("en"));
const plural = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;

function bytes(n) {
  if (n < 1000) return n + " B";
  if (n < 999_500) return (n / 1e3).toFixed(n < 9950 ? 1 : 0) + " kB";
  return (n / 1e6).toFixed(1) + " MB";
}

// duration is a readable one of microseconds.
function duration(us) {
  if (us < 1000) return us + " µs";
  if (us < 999_500) return (us / 1e3).toFixed(us < 99_950 ? 1 : 0) + " ms";
  if (us < 59_995_000) return (us / 1e6).toFixed(2) + " s";
  const s = Math.round(us / 1e6); // before it is taken apart: there is no minute of 60 s
  return Math.floor(s / 60) + " min " + (s % 60) + " s";
}

const seconds = (us) => "+" + (us / 1e6).toFixed(3);

// pieceLength is where a long string continues on a new line, because browsers are slow with very
// long lines.
const pieceLength = 2000;

// plainLines are the lines of a text, in the form of those of pretty.
function plainLines(text) {
  const lines = [];
  for (const part of text.split("\n")) {
    for (let at = 0; at === 0 || at < part.length; at += pieceLength) lines.push([["", ""], [part.slice(at, at + pieceLength) || " ", ""]]);
  }
  return lines;
}

// pretty lays JSON out in lines, each a list of [text, class]. It leaves every token as it is
// written: numbers, escapes and names that appear twice. A text that is cut, or not JSON, is laid
// out as far as possible.
function pretty(text) {
  if (!/^\s*[[{]/.test(text)) return plainLines(text);
  const lines = [];
  let line = [], depth = 0, i = 0;
  const end = () => {
    if (line.length) lines.push(line);
    line = [];
  };
  const indent = () => line.length || line.push(["  ".repeat(Math.min(depth, 40)), ""]);
  const add = (token, kind) => {
    indent();
    for (let at = 0; at < token.length; at += pieceLength) {
      if (at > 0) end();
      line.push([token.slice(at, at + pieceLength), kind]);
    }
  };
  const skip = (from) => {
    while (from < text.length && " \t\r\n".includes(text[from])) from++;
    return from;
  };
  while ((i = skip(i)) < text.length) {
    const c = text[i];
    if (c === "{" || c === "[") {
      const next = skip(i + 1);
      if (text[next] === (c === "{" ? "}" : "]")) {
        add(c + text[next], "");
        i = next + 1;
        continue;
      }
      add(c, "");
      end();
      depth++;
      i++;
    } else if (c === "}" || c === "]") {
      end();
      depth = Math.max(depth - 1, 0);
      add(c, "");
      i++;
    } else if (c === ",") {
      add(c, "");
      end();
      i++;
    } else if (c === ":") {
      line.push([": ", ""]);
      i++;
    } else if (c === '"') {
      let to = i + 1;
      while (to < text.length && text[to] !== '"') to += text[to] === "\\" ? 2 : 1;
      to = Math.min(to + 1, text.length);
      add(text.slice(i, to), text[skip(to)] === ":" ? "key" : "string");
      i = to;
    } else {
      let to = i + 1;
      while (to < text.length && !' \t\r\n,:"[]{}'.includes(text[to])) to++;
      add(text.slice(i, to), "number");
      i = to;
    }
  }
  end();
  return lines;
}

// linesAtOnce bounds what a panel adds to the page at a time.
const linesAtOnce = 1000;

// lay shows lines in an element, and offers the rest of many.
function lay(element, lines, draw) {
  let at = 0;
  const more = () => {
    const to = Math.min(at + linesAtOnce, lines.length);
    for (; at < to; at++) element.append(draw(lines[at]) ?? "");
    if (at === lines.length) return;
    const rest = button(`Show more (${plural(lines.length - at, "line")} left)`, () => {
      rest.remove();
      more();
    });
    element.append(rest);
  };
  more();
}

function drawLine(line) {
  const whole = putLine(document.createDocumentFragment(), line);
  whole.append("\n");
  return whole;
}
