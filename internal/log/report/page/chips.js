// The chips: filters to press, in addition to the text. If several are pressed, one has to match.

const chips = {
  holds: {
    Failed: (row) => Boolean(row.failed) || isRefusal(row) || isFailedCall(row) || isPending(row),
    Changed: (row) => Boolean(row.stage) && !row.same && !(row.stage === "in" && isPassed(row)),
    Plans: (row) => (row.update || "").startsWith("plan"),
    stderr: (row) => row.kind === "stderr",
  },
  pressed: new Set(),

  begin() {
    const box = byID("chips");
    for (const [name, holds] of Object.entries(this.holds)) {
      const count = rows.reduce((sum, row) => sum + holds(row), 0);
      const chip = button("", () => {
        if (!this.pressed.delete(name)) this.pressed.add(name);
        chip.setAttribute("aria-pressed", this.pressed.has(name));
        list.hold(arrange);
      }, count === 0);
      chip.setAttribute("aria-pressed", false);
      chip.append(name + " ", make("span", { class: "number" }, number(count)));
      box.append(chip);
    }
  },

  clear() {
    this.pressed.clear();
    for (const chip of byID("chips").children) chip.setAttribute("aria-pressed", false);
  },

  mean(row) {
    if (!this.pressed.size) return true;
    for (const name of this.pressed) if (this.holds[name](row)) return true;
    return false;
  },
};

// passed are the rows that were forwarded unchanged, next to a message of acpshim.
let passed = null;

function isPassed(row) {
  passed ??= new Set([...outs].filter(([, went]) => went.every((j) => rows[j].same)).map(([i]) => rows[i]));
  return passed.has(row);
}

// refusals are the responses that refuse something.
let refusals = null;

function isRefusal(row) {
  refusals ??= new Set(rows.filter(refuses));
  return refusals.has(row);
}

// isFailedCall says whether a row reports that a tool call failed, as its sender reported it.
function isFailedCall(row) {
  if (!(row.update || "").startsWith("tool_call") || row.of !== undefined || !/"status"\s*:\s*"failed"/.test(row.text)) return false;
  try {
    return JSON.parse(row.text).params.update.status === "failed";
  } catch {
    return true; // this file has not all of it
  }
}

// pending are the numbers of the requests without a response.
let pending = null;

function isPending(row) {
  pending ??= new Set(record.story.failed.filter((f) => !f.response).map((f) => f.seq));
  return pending.has(row.seq);
}

// refuses says whether a response refuses something: a permission that was not given, or a turn
// that the agent refused.
function refuses(row) {
  if (row.kind !== "response" || row.text.length > 4096) return false;
  if (row.method === "session/prompt") return /"stopReason"\s*:\s*"refusal"/.test(row.text);
  if (row.method !== "session/request_permission" || row.request === undefined) return false;
  const chosen = /"optionId"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(row.text);
  if (!chosen) return false; // cancelled
  try {
    const option = JSON.parse(rows[row.request].text).params.options.find((o) => o.optionId === JSON.parse(`"${chosen[1]}"`));
    return String(option.kind).startsWith("reject");
  } catch {
    return false; // this file has not all of it
  }
}
