// JSON as a tree that can be folded. Every token stays as it was written.

const deepest = 40; // levels that can be folded: what is deeper is only text
const foldedFrom = 40; // a part of so many lines, inside another, is folded at first

const opens = (line) => line.at(-1)[1] === "" && /^[[{]$/.test(line.at(-1)[0]);
const closes = (line) => line.length > 1 && line[1][1] === "" && /^[\]}]$/.test(line[1][0]);

// lengths are the numbers of lines of the parts, by the line that a part begins with.
function lengths(lines) {
  const open = [], found = new Map();
  lines.forEach((line, i) => {
    if (closes(line)) {
      const from = open.pop();
      if (from !== undefined) found.set(from, i - from - 1);
    }
    if (opens(line)) open.push(i);
  });
  return found;
}

// hasMark says whether a part has a mark of the filter.
function hasMark(lines, from, length) {
  if (!sought) return false;
  for (let i = from; i <= from + length; i++) if (placesOf(lines[i].map((part) => part[0]).join(""), 1).length) return true;
  return false;
}

// drawTree draws the lines of pretty.
function drawTree(code, lines) {
  const size = lengths(lines), within = [code];
  let at = -1, deep = 0;
  lay(code, lines, (line) => {
    at++;
    if (closes(line)) {
      deep--;
      if (deep < deepest && within.length > 1) within.pop();
    }
    const drawn = drawLine(line), into = within.at(-1);
    if (opens(line) && deep++ < deepest) {
      const length = size.get(at);
      const part = make("details", { class: "part" }, make("summary", { "data-lines": length === undefined ? "" : plural(length, "line") }, drawn));
      part.open = deep <= 3 || length === undefined || length < foldedFrom || hasMark(lines, at, length);
      into.append(part);
      within.push(part);
      return null;
    }
    if (into === code) return drawn;
    into.append(drawn);
    return null;
  });
}

// drawJSON draws the JSON of a row.
function drawJSON(row) {
  const code = make("pre", { class: "code tree" });
  drawTree(code, pretty(row.text));
  if (row.cut) code.append(make("span", { class: "fold" }, `⋯ ${plural(row.cut, "byte")} more`));
  return code;
}

// partButtons fold and unfold all parts of a tree.
function partButtons(code) {
  const all = [...code.querySelectorAll("details")];
  if (all.length < 4) return [];
  const set = (open) => () => all.forEach((part, i) => (part.open = open || i === 0));
  return [button("Unfold all", set(true)), button("Fold all", set(false))];
}
