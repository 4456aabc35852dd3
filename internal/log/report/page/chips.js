// The chips: filters to press, in addition to the text. If several are pressed, one has to match.

const chips = {
  holds: {
    Failed: (row) => Boolean(row.wrong),
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
