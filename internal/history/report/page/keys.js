// Keys that work wherever the focus is. Those of one character can be switched off: a voice that
// is taken for keys, or a hand on them, would do what nobody wants.

const keys = {
  on: true,

  begin() {
    this.on = this.remembered() !== "off";
    byID("keys").addEventListener("click", () => {
      this.on = !this.on;
      this.remember(this.on ? "on" : "off");
      this.tell();
    });
    this.tell();
    document.addEventListener("keydown", (e) => this.press(e));
  },

  tell() {
    byID("keys").setAttribute("aria-pressed", this.on);
    byID("keys").lastElementChild.textContent = this.on ? "on" : "off";
  },

  // remembered is what was chosen in an earlier report; a browser may keep nothing for files.
  remembered() {
    try {
      return localStorage.getItem("acpshim.keys");
    } catch {
      return null;
    }
  },

  remember(value) {
    try {
      localStorage.setItem("acpshim.keys", value);
    } catch {
      // It is as chosen in this page.
    }
  },

  press(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    const typing = e.target === byID("filter");
    if (e.key === "Escape") {
      if (typing && byID("filter").value) setFilter("");
      else if (!sheet.hide()) byID("list").focus();
    } else if (typing || !this.on || !this.act(e.key)) {
      return;
    }
    e.preventDefault();
  },

  // act does what a key of one character means, and says whether it means something.
  act(key) {
    if (key === "/") {
      sheet.hide();
      byID("filter").focus();
      byID("filter").select();
    } else if (key === "f") {
      setFolding(!folding);
    } else if (key === "[" || key === "]") {
      const i = nextPlan(selected, key === "]" ? 1 : -1);
      if (i >= 0) select(i);
    } else if (key >= "1" && key <= String(tabs.length)) {
      open(tabs[key - 1]);
      sheet.show();
    } else {
      return false;
    }
    return true;
  },
};
