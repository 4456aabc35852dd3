// A plan that is a document: its text with headings, lists and boxes. The characters of the
// record stay text. What is not recognized stays as it was written.

const itemLine = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX~-])\](?=\s|$)\s*)?(.*)$/;
const boxStates = { " ": "pending", x: "completed", X: "completed", "~": "in_progress", "-": "in_progress" };

// blocksOf are the blocks of a text: [kind, lines].
function blocksOf(text) {
  const blocks = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const kind = fence ? "code" : kindOfLine(line), mark = /^\s*(```|~~~)/.exec(line)?.[1] || "";
    if (fence && mark === fence) {
      fence = "";
    } else if (!fence && mark) {
      fence = mark;
      blocks.push(["code", []]);
    } else if (kind && kind === blocks.at(-1)?.[0] && (kind === "text" || kind === "quote" || kind === "code" || kind === "table")) {
      blocks.at(-1)[1].push(line);
    } else {
      blocks.push([kind, [line]]);
    }
  }
  return blocks.filter(([kind]) => kind);
}

function kindOfLine(line) {
  if (!line.trim()) return "";
  if (/^#{1,6}\s/.test(line)) return "heading";
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return "rule";
  if (itemLine.test(line)) return "item";
  if (/^\s*>/.test(line)) return "quote";
  return /^\s*\|/.test(line) ? "table" : "text";
}

// inline are the parts of a line: code and strong words without their signs.
function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*/g)) {
    parts.push([text.slice(at, found.index), ""], found[1] === undefined ? [found[2], "strong"] : [found[1], "mono"]);
    at = found.index + found[0].length;
  }
  return [...parts, [text.slice(at), ""]];
}

const putInline = (element, text) => putLine(element, inline(text));

function drawBlock([kind, lines]) {
  switch (kind) {
    case "heading": {
      const [, signs, text] = /^(#+)\s+(.*)$/.exec(lines[0]) || [null, "#", lines[0]];
      return putInline(make("p", { class: "title title-" + signs.length, role: "heading", "aria-level": String(Math.min(signs.length + 3, 6)) }), text);
    }
    case "rule": return make("hr");
    case "item": return drawItem(lines[0]);
    case "code":
    case "table": return putLine(make("pre", { class: "code" }), [[lines.join("\n"), ""]]);
    case "quote": return putInline(make("blockquote"), lines.map((line) => line.replace(/^\s*>\s?/, "")).join("\n"));
  }
  return putInline(make("p"), lines.join("\n"));
}

function drawItem(line) {
  const [, space, sign, state, text] = itemLine.exec(line), deep = Math.min(Math.floor(space.replaceAll("\t", "    ").length / 2), 8);
  const item = make("p", { class: "item" }, state === undefined ? make("span", {}, /\d/.test(sign) ? sign : "•") : drawBox(boxStates[state]));
  item.style.marginLeft = deep * 1.2 + "em";
  item.append(putInline(make("span", state?.toLowerCase() === "x" ? { class: "completed" } : {}), text));
  return item;
}

function drawDocument(text) {
  const all = make("div", { class: "document" });
  lay(all, blocksOf(text), drawBlock);
  return all;
}

// drawBox draws the state of an entry.
function drawBox(status) {
  const known = ["pending", "in_progress", "completed"].includes(status);
  return make("span", { class: "box " + (known ? status : "unknown"), role: "img", "aria-label": visible(status || "no status") });
}
