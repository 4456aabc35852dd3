// The page's address has the number of the selected message: "#17".

const address = {
  waiting: 0,

  begin() {
    addEventListener("hashchange", () => this.follow());
    if (!this.follow()) {
      open("story");
      select(shown.length ? shown[0] : -1);
      clearTimeout(this.waiting);
      sheet.show();
    }
  },

  // follow selects the message in the address, or without a number the story.
  follow() {
    const named = /#(\d{1,15})$/.exec(document.URL);
    const i = named ? rows.findIndex((row) => row.seq === Number(named[1])) : -1;
    if (!named && document.URL.split("#")[1] === undefined && openName !== "story") open("story");
    if (i < 0) return false;
    look(i);
    sheet.show();
    return true;
  },

  // tell writes the number of the selected message after a while without another selection, because
  // browsers refuse addresses that change often.
  tell() {
    clearTimeout(this.waiting);
    if (!rows[selected]) return;
    this.waiting = setTimeout(() => history.replaceState(null, "", "#" + rows[selected].seq), 250);
  },
};

// link goes to a message.
const link = (i) => make("a", { href: "#" + rows[i].seq, class: "seq" }, "#" + rows[i].seq);
