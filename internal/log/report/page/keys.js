// Keys that work wherever the focus is. Keys of one character can be switched off, because voice
// input or a hand on the keyboard may press them by mistake.

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

  // remembered is the choice in an earlier report. A browser may not store anything for files.
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
      // The choice holds for this page only.
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

  // act does what a key of one character is for, and says whether there is such a key.
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
