// On a narrow screen the details are a sheet over the list.

const sheet = {
  narrow: matchMedia("(max-width: 760px)"),
  shown: false,

  begin() {
    byID("close").addEventListener("click", () => this.hide());
    this.narrow.addEventListener("change", () => this.set(this.shown));
    this.set(false);
  },

  // set shows or hides the sheet. What it covers is inert.
  set(shown) {
    this.shown = shown;
    const over = shown && this.narrow.matches, details = byID("details");
    details.classList.toggle("sheet", shown);
    for (const id of ["head", "search", "time", "messages", "notice"]) byID(id).inert = over;
    if (over) details.setAttribute("role", "dialog"), details.setAttribute("aria-modal", "true");
    else details.removeAttribute("role"), details.removeAttribute("aria-modal");
  },

  // show opens the sheet on a narrow screen.
  show() {
    if (!this.narrow.matches || this.shown) return;
    this.set(true);
    openTab().focus({ preventScroll: true });
  },

  // hide closes the sheet, and says whether it was open.
  hide() {
    const was = this.shown && this.narrow.matches;
    this.set(false);
    if (was) byID("list").focus();
    return was;
  },
};
