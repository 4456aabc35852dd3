// Patterns, as package glob has them: ? * [a-z] [^a-z] {a,b*} and \ before what is meant.

const mostWays = 64; // through all braces

// glob returns a function that says whether a text matches as a whole. Of what is wrong
// in the pattern fail is told, which throws.
function glob(pattern, fail) {
  const wrong = (want) => fail(`glob ${JSON.stringify(pattern)}: ${want}`);
  const runes = Array.from(pattern);
  let i = 0;
  const rune = () => {
    if (runes[i] === "\\") i++;
    if (i >= runes.length) wrong("want a rune after \\");
    return runes[i++].codePointAt(0);
  };
  const span = () => {
    const low = rune();
    if (runes[i] !== "-") return [low, low];
    if (i + 1 >= runes.length || runes[i + 1] === "]" || runes[i + 1] === "-") wrong("want a rune on both sides of -, or \\- for one that is meant");
    i++;
    const high = rune();
    if (high < low) wrong(`want the range ${String.fromCodePoint(low)}-${String.fromCodePoint(high)} the other way round`);
    return [low, high];
  };
  const set = () => {
    const not = runes[++i] === "^", spans = [];
    if (not) i++;
    for (;;) {
      if (i >= runes.length) wrong("want a ] for each [, or \\[ for a bracket");
      if (runes[i] === "]" && spans.length) break;
      if (runes[i] === "]" || runes[i] === "-") wrong("want runes or ranges between [ and ], and \\ before a ] or - that is meant");
      spans.push(span());
    }
    i++;
    return (c) => spans.some(([low, high]) => low <= c && c <= high) !== not;
  };
  // sequence reads elements up to one of the ends: null is a run, others say whether a rune fits.
  const sequence = (ends) => {
    const elements = [];
    while (i < runes.length && !ends.includes(runes[i])) {
      if (runes[i] === "*") elements.push((i++, null));
      else if (runes[i] === "?") elements.push((i++, () => true));
      else if (runes[i] === "[") elements.push(set());
      else {
        const one = rune();
        elements.push((c) => c === one);
      }
    }
    return elements;
  };
  const choices = () => {
    const all = [];
    do {
      i++; // the { or a comma
      all.push(sequence("{,}"));
      if (i >= runes.length) wrong("want a } for each {, or \\{ for a brace");
      if (runes[i] === "{") wrong("want no braces inside others, or \\{ for a brace");
    } while (runes[i] === ",");
    i++;
    if (all.length === 1 && all[0].length === 0) wrong("want patterns between { and }, as in {a,b}, or \\{ for a brace");
    return all;
  };
  let ways = [sequence("{}")];
  while (i < runes.length) {
    if (runes[i] === "}") wrong("want a { for each }, or \\} for a brace");
    const all = choices();
    if (ways.length * all.length > mostWays) wrong(`want at most ${mostWays} ways through all braces: {a,b}{c,d} has four`);
    const rest = sequence("{}");
    ways = ways.flatMap((way) => all.map((choice) => [...way, ...choice, ...rest]));
  }
  return (text) => {
    const codes = Array.from(text, (c) => c.codePointAt(0));
    return ways.some((elements) => matchGlob(elements, codes));
  };
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
