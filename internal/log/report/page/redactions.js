// What was replaced in a message, and in which fields.

const mostFields = 12; // of a message that are listed

const replaced = [
  ["credentials were removed", /\[redacted:(\w+)\]/],
  ["session ids are fingerprints", /\bsession-[0-9a-f]{12}\b/],
  ["home folders were renamed", /[\\/](?:home|Users)[\\/]user\b/],
];

// fieldsOf are the places in a message with replaced values, as JSON Pointers, by the kind of the
// replacement. It is undefined for a text that is not JSON, or is cut.
function fieldsOf(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  const found = replaced.map(() => []), open = [[message, "", 0]];
  while (open.length) {
    const [value, at, deep] = open.pop();
    if (typeof value === "string") {
      replaced.forEach(([, mark], n) => {
        const kind = mark.exec(value);
        if (kind) found[n].push(at + (kind[1] ? ` (${kind[1]})` : ""));
      });
    } else if (value && typeof value === "object" && deep < 60) {
      for (const name of Object.keys(value).reverse()) open.push([value[name], at + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1"), deep + 1]);
    }
  }
  return found;
}

// redaction says what was replaced in rows, and where.
function redaction(all) {
  const parts = [];
  const changed = all.filter((row) => row.redacted);
  const found = changed.map((row) => fieldsOf(row.text));
  replaced.forEach(([what], n) => {
    const fields = [...new Set(found.flatMap((one) => (one ? one[n] : [])))];
    if (fields.length) parts.push(`${what}: ${fields.slice(0, mostFields).join(", ")}${fields.length > mostFields ? ` and ${number(fields.length - mostFields)} more` : ""}`);
  });
  if (!parts.some((part) => part.startsWith(replaced[0][0])) && changed.some((row) => row.secrets)) parts.unshift(replaced[0][0]);
  if (changed.some((row) => row.sha256)) parts.push("its beginning was left out, because it may contain anything");
  if (parts.length || !changed.length) return parts.join("; ");
  return "session ids or home folders were replaced, and no credentials";
}
