// The texts that the filter searches for are marked.

let sought = null; // a RegExp; null if the filter seeks no text

// seek begins to mark the texts of a filter. JSON is shown with a space after a name.
function seek(texts) {
  const all = texts.map((text) => text.found.source.replaceAll('":', '": ?')).sort((a, b) => b.length - a.length);
  sought = all.length ? new RegExp(all.join("|"), "giu") : null;
}

const mostMarks = 100; // of a line: more are slow to draw, and tell nobody more

// placesOf are where a text has what is searched for: a list of [begin, end].
function placesOf(text, most = mostMarks) {
  const places = [];
  if (!sought) return places;
  for (const match of text.matchAll(sought)) {
    if (places.length === most) break;
    places.push([match.index, match.index + match[0].length]);
  }
  return places;
}

// putMarked appends parts of a line, each a [text, class], with the places in the line
// marked. A place may span several parts.
function putMarked(element, parts, places) {
  let at = 0, n = 0;
  for (const [text, kind] of parts) {
    const into = kind ? make("span", { class: kind }) : element;
    let from = 0;
    while (n < places.length && places[n][0] < at + text.length) {
      const begin = Math.max(places[n][0] - at, from), end = Math.min(places[n][1] - at, text.length);
      put(into, text.slice(from, begin));
      if (end > begin) into.append(make("mark", {}, text.slice(begin, end)));
      from = Math.max(end, from);
      if (places[n][1] > at + text.length) break;
      n++;
    }
    put(into, text.slice(from));
    if (kind) element.append(into);
    at += text.length;
  }
  return element;
}

const putLine = (element, line) => putMarked(element, line, sought ? placesOf(line.map((part) => part[0]).join("")) : []);

// marked is a text with its marks.
const marked = (text, most) => putMarked(document.createDocumentFragment(), [[text, ""]], placesOf(text, most));

// showMark scrolls a panel to the first mark in it.
function showMark(panel) {
  const first = panel.querySelector("mark");
  if (!first) return;
  const below = first.getBoundingClientRect().bottom - panel.getBoundingClientRect().bottom;
  if (below > 0) panel.scrollTop += below + panel.clientHeight / 2;
}
