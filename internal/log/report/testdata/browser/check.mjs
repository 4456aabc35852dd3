// Opens reports in Chromium and looks at what they do.
// usage: node check.mjs CHROMIUM FOLDER-OF-REPORTS COUNTS-AS-JSON [FOLDER-FOR-PICTURES]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder, counts, pictures] = process.argv.slice(2);
const wanted = (process.env.ACPSHIM_CHECKS || "").split(/[ ,]+/).filter(Boolean);
const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// open opens a report, and fails at its close for whatever it should not do.
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const url = pathToFileURL(join(folder, name + ".html")).href, wrong = [];
  await context.route("**/*", (route) => {
    if (route.request().url().split("#")[0] === url) return route.continue();
    wrong.push("request: " + route.request().url().slice(0, 200));
    return route.abort();
  });
  const page = await context.newPage();
  page.on("console", (m) => wrong.push(`console ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => wrong.push("error: " + e.stack));
  page.on("dialog", (d) => (wrong.push("dialog: " + d.message()), d.dismiss()));
  page.on("popup", (p) => wrong.push("window: " + p.url()));
  page.on("framenavigated", (f) => f.url().split("#")[0] !== url && wrong.push("navigation: " + f.url()));
  await page.goto(url);
  await page.locator(".row").first().waitFor({ timeout: 10_000 }).catch((e) => assert.fail(`${e.message}\n${wrong.join("\n")}`));
  const close = async () => {
    assert.equal(await page.evaluate(() => window.broken), undefined, "a script of the record ran");
    assert.deepEqual(wrong, []);
    await context.close();
  };
  return { page, close };
}

const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, name + ".png") });
// entriesOf are the entries of both sides of the plan, with their boxes as in Markdown.
const entriesOf = (page) => page.locator(".side").evaluateAll((all) => all.map((side) => [...side.querySelectorAll("li")].map((li) => {
  const box = { pending: "[ ]", in_progress: "[~]", completed: "[x]" }[li.querySelector(".box").getAttribute("aria-label")];
  return (box ?? "[?]") + li.textContent;
})));
const rowOf = (page, seq) => page.locator(".row", { has: page.locator(".no", { hasText: new RegExp(`^#${seq}$`) }) });
const count = (page) => page.locator("#count").textContent();
async function filter(page, text) {
  await page.fill("#filter", text);
  await page.press("#filter", "Enter");
}

// Every filter means what it should; a wrong one says where.
async function filters() {
  const { page, close } = await open("conversation");
  assert.match(await page.locator("#notice").textContent(), /^The record is not whole: 12 lines are missing \(3\.4 kB\)/);
  for (const [text, want] of Object.entries(JSON.parse(counts))) {
    await filter(page, text);
    assert.equal(await page.locator("#problem").textContent(), "", text);
    assert.equal((await count(page)).split(" ")[0], String(want), text);
  }
  const before = await count(page);
  for (const [text, problem] of [
    ["dri:agent", 'unknown term "dri", did you mean "dir"?\n  dri:agent\n  ^'],
    ["kind:response dir:me", 'dir: want agent or client, not "me"\n  kind:response dir:me\n                    ^'],
    ['"open', 'want a " at the end of the text\n  "open\n  ^'],
    ["since:soon", "since: want a time since the run began, such as 10s or 1m30s, or a time of day, such as 14:30:05\n  since:soon\n        ^"],
    ["method:[a", 'method: glob "[a": want a ] for each [, or \\[ for a bracket\n  method:[a\n         ^'],
    ["-", "want a term after -\n  -\n  ^"],
  ]) {
    await filter(page, text);
    assert.equal(await page.locator("#problem").textContent(), problem);
    assert.equal(await count(page), before, "a wrong filter changes nothing");
  }
  await close();
}

// The plan on both sides, what was changed, and the requests that belong together.
async function plans() {
  const { page, close } = await open("conversation");
  const sides = () => entriesOf(page);
  await page.click("#tab-plan");
  const last = await page.evaluate(() => rows[baseOf(record.plans.at(-1).row)].seq);
  assert.match(await page.locator("#plan h2").textContent(), new RegExp(`at #${last} `), "it does not open at the last plan");
  await page.locator("#list").focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator("#plan").textContent(), /No plan\..*No plan\./);
  const open3 = ["[~]Read the lexer high", "[ ]Write a failing test for nested comments", "[ ]Change the comment state to a depth"];
  await page.getByRole("button", { name: "Later plan message" }).click();
  assert.deepEqual(await sides(), [open3, open3]);
  assert.match(await page.locator(".side").first().textContent(), /The agent sent.*Plan main \(entries\)/);
  assert.match(await page.locator(".side").last().textContent(), /The client got.*The plan \(entries\)/);
  await page.getByRole("button", { name: "Later plan message" }).click();
  const now = ["[x]Read the lexer high changed", "[~]Write a failing test for nested comments changed", "[ ]Change the comment state to a depth"];
  assert.deepEqual(await sides(), [now, now]);
  await page.click("#tab-change");
  assert.match(await page.locator("#change h2").textContent(), /What became of #\d+/);
  assert.match(await page.locator("#change del").first().textContent(), /- +"sessionUpdate": "plan_update"/);
  assert.match(await page.locator("#change ins").first().textContent(), /\+ +"sessionUpdate": "plan"/);
  await filter(page, 'rule:"no usage noise"');
  assert.match(await page.locator("#change").textContent(), /By: no usage noise.*acpshim sent nothing instead/);
  await filter(page, "method:session/prompt kind:request");
  await page.click("#tab-message");
  await page.getByRole("button", { name: /Its response #/ }).click();
  assert.match(await page.locator("#message h2").textContent(), /agent → client response to session\/prompt/);
  assert.match(await page.locator("#message pre").textContent(), /^\{\n  "jsonrpc": "2.0",\n  "id": 2,\n  "result": \{\n    "stopReason": "end_turn"\n  \}\n\}\n$/);
  await page.click("#clear");
  await page.click("#tab-latency");
  const cells = await page.locator("#latency tbody tr").evaluateAll((all) => all.map((tr) => [...tr.children].map((c) => c.textContent).join("|")));
  assert.deepEqual(cells[1], "session/request_permission|400 ms|400 ms|400 ms|1|0|agent");
  assert.equal(cells.length, 5);
  assert.equal(await page.locator("svg.plot").count(), 5);
  await close();
}

// Each session has its plans, which begin anew when it is loaded.
async function sessions() {
  const { page, close } = await open("sessions");
  const panel = page.locator("#plan"), heading = () => page.locator("#plan h2").textContent();
  const steps = (session, ...all) => all.map((text) => `[ ]${text} of ${session}`);
  const at = async (seq) => {
    await page.evaluate((seq) => select(rows.findIndex((row) => row.seq === seq)), seq);
    return entriesOf(page);
  };
  await page.click("#tab-plan");
  const one = steps("one", "first", "second"), two = steps("two", "first");
  for (const [seq, session, seen, sent] of [
    [1, 1, [], []],
    [5, 1, one, one],
    [6, 1, one, one],
    [4, 2, [], []],
    [8, 2, two, two],
    [9, 1, [], []], // the session is loaded
    [10, 2, ["[ ]first of two", "[ ]second of two changed"], ["[ ]first of two", "[ ]second of two changed"]],
    [12, 1, steps("one", "first"), steps("one", "first")], // nothing is new in it: it is the first one again
    [14, 1, steps("one", "first"), steps("one", "first")],
    [15, 1, steps("one", "first"), steps("one", "first")], // this fails
    [18, 1, steps("one", "first"), steps("one", "first")], // nothing is replayed
    [19, 1, [], []],
    [5, 1, one, one], // the past stays as it was
    [21, 1, [], []],
  ]) {
    assert.deepEqual(await at(seq), [seen, sent], `at #${seq}`);
    assert.match(await heading(), new RegExp(`^Session ${session}, at #${seq} `));
  }
  assert.match(await panel.textContent(), /#21 names no session\..*was loaded at #19\./);
  await at(12);
  await picture(page, "sessions-1280");
  await at(5);
  assert.doesNotMatch(await panel.textContent(), /loaded|names no/);
  const later = page.getByRole("button", { name: "Later plan message" });
  await later.focus();
  await page.keyboard.press("Enter");
  assert.match(await heading(), /^Session 1, at #12 /, "the button keeps the focus, and the session");
  await page.getByRole("button", { name: "Plan of session 2" }).click();
  assert.match(await heading(), /^Session 2, at #10 /);
  assert.equal(await later.isDisabled(), true);
  await page.keyboard.press("[");
  assert.match(await heading(), /^Session 2, at #7 /);
  await close();
}

// The pieces of a message are one row, which what is sought in all of them finds.
async function folds() {
  const { page, close } = await open("conversation");
  await page.setViewportSize({ width: 1280, height: 1100 }); // with room for all pieces
  const said = "I will look at the parser first and then write a test that shows the fault before I change it ";
  const fold = page.locator("#fold"), row = page.locator(".row", { hasText: "agent_message_chunk" });
  const heading = () => page.locator("#message h2").textContent();
  const both = async (text, folded, unfolded) => {
    await filter(page, text);
    assert.equal(await count(page), folded, text);
    await fold.press("Enter");
    assert.equal(await fold.getAttribute("aria-pressed"), "false");
    assert.equal(await count(page), unfolded, text);
    await fold.press("Space");
    assert.equal(await fold.getAttribute("aria-pressed"), "true");
    assert.equal(await count(page), folded, text);
  };
  await both("", "46 entries in 21 rows", "46 entries");
  assert.equal(await row.count(), 1);
  assert.match(await row.textContent(), new RegExp(`^#7\\+1\\.143agentagent_message_chunk${said}20 pieces$`));
  await row.click();
  assert.equal(await heading(), "#7 to #26 agent → client session/update agent_message_chunk");
  assert.match(await page.locator("#message dl").textContent(), /Pieces20 in 588 ms/);
  assert.equal(await page.locator("#message pre").textContent(), said + "\n");

  await page.keyboard.press("f");
  assert.equal(await row.count(), 20);
  assert.equal(await page.locator('.row[aria-selected="true"] .no').textContent(), "#7");
  assert.match(await heading(), /^#7 agent/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("f");
  assert.equal(await row.getAttribute("aria-selected"), "true", "a piece is selected with its message");
  assert.match(await heading(), /^#7 to #26 /);
  assert.match(await page.locator("#timeline").getAttribute("aria-valuetext"), /^20 pieces from number 7, 1\.164 seconds, from agent, session\/update agent_message_chunk$/);
  await page.keyboard.press("ArrowDown");
  assert.match(await heading(), /^#27 /);
  await page.keyboard.press("ArrowUp");

  await page.focus("#list");
  await page.keyboard.press("Space"); // this message alone
  assert.equal(await count(page), "46 entries in 40 rows");
  assert.equal(await fold.getAttribute("aria-pressed"), "true");
  await page.getByRole("button", { name: "Fold its 20 pieces" }).click();
  assert.equal(await count(page), "46 entries in 21 rows");
  assert.equal(await page.evaluate(() => document.activeElement.id), "list");
  await page.getByRole("button", { name: "Unfold its 20 pieces" }).click();
  assert.equal(await row.count(), 20);
  await page.keyboard.press("Space");

  await both("fault", "20 of 46 entries in 1 row", "1 of 46 entries");
  await both('"LOOK at the parser"', "20 of 46 entries in 1 row", "4 of 46 entries");
  await both("update:*chunk -fault", "0 of 46 entries", "19 of 46 entries");
  await both("update:*chunk until:1.2s", "3 of 46 entries in 1 row", "3 of 46 entries");
  assert.match(await page.locator("#message dl").textContent(), /Pieces3 of 20, which match the filter, in 51\.0 ms/);
  assert.equal(await page.locator("#message pre").textContent(), "I will look \n");
  await page.evaluate(() => setFolding(false));
  for (const [text, want] of Object.entries(JSON.parse(counts))) {
    await filter(page, text);
    assert.equal((await count(page)).split(" ")[0], String(want), text);
  }
  await close();
}

// What is sought is marked in the rows and in the details.
async function marks() {
  const { page, close } = await open("conversation");
  await page.click("#tab-message");
  const marked = (where) => page.locator(where + " mark").allTextContents();
  const only = (text, all) => assert.ok(all.length > 0 && all.every((m) => m === text), `${text}: ${all}`);
  for (const text of ["update:plan*", "-failing", "method:session/*"]) {
    await filter(page, text);
    assert.deepEqual(await marked("body"), [], text);
  }
  await filter(page, "FAILING");
  for (const row of await page.locator(".row").all()) assert.ok((await row.locator("mark").count()) > 0, await row.textContent());
  only("failing", await marked("#list"));
  only("failing", await marked("#message"));
  await page.click("#tab-plan");
  only("failing", await marked("#plan"));
  await page.click("#tab-change");
  await filter(page, "plan_update");
  only("plan_update", await marked("#change del"));
  only("plan_update", await marked("#list"));
  await page.click("#tab-message");

  await filter(page, "parser.go read");
  assert.deepEqual(await marked("#list"), []);
  await filter(page, "parser.go edit");
  assert.deepEqual((await marked(".row:nth-child(2)")).sort(), ["Edit", "parser.go"]);
  await filter(page, '"\\"id\\":2,"'); // over several parts of a line, and a space that is only shown
  assert.equal((await marked("#message")).join(""), '"id": 2,');
  await filter(page, "3f1c9a52");
  assert.match(await page.locator(".row").nth(1).textContent(), /session\/prompt⋯sessionId":"3f1c9a52/, "the place that was found is shown");

  await filter(page, '"shows the fault"');
  assert.match(await page.locator(".row .preview").textContent(), /^⋯a test that shows the fault before I change it $/);
  only("shows the fault", await marked(".row"));
  only("shows the fault", await marked("#message pre"));
  await page.keyboard.press("f");
  assert.deepEqual(await marked("#list"), ["shows ", "the ", "fault"]);
  await page.keyboard.press("f");
  await page.click("#clear");
  assert.deepEqual(await marked("body"), []);
  await close();
}

// The page opens with what happened, whose numbers lead to the messages; turns are bands.
async function story() {
  const { page, close } = await open("changes");
  assert.equal(await page.locator("#tab-story").getAttribute("aria-selected"), "true");
  const panel = page.locator("#story"), headings = () => panel.locator("h3").allTextContents();
  assert.deepEqual((await headings()).slice(0, 4), ["What went wrong", "Against the schema", "Turns", "Plans"]);
  assert.match(await panel.textContent(), /protocol 1 · .* · 1 session · 1 turn · .*ended with status 0/);
  const told = (heading) => panel.locator("h3", { hasText: heading }).locator("+ ul").locator("li");
  assert.deepEqual(await told("What went wrong").allTextContents(), [
    '#13the client refused permission for "Remove it" (#10) with "No", by its user or its settings',
    "#15the agent used fs.readTextFile, which the client did not announce",
    "#16acpshim responded to fs/read_text_file (#15) with an error: -32000: not this file",
    '#21the agent reported that the tool call "Remove it" failed',
    "#23the agent refused the prompt #6",
  ]);
  assert.match(await told("Turns").textContent(), /^#6Mend it refusal · 170 ms/);
  assert.match((await told("What acpshim changed").allTextContents()).join("\n"), /^plan, policy all: 2 messages, #7 ?#10/m);
  for (const word of ["from the client", "failed, or missing", "turn"]) assert.match(await panel.locator(".legend").textContent(), new RegExp(word));
  assert.equal(await page.locator("#key .legend").isVisible(), true);
  await panel.getByRole("link", { name: "#16" }).first().click();
  assert.match(await page.locator("#message h2").textContent(), /^#16 acpshim → agent error to fs\/read_text_file made by deny$/);
  assert.equal(await page.locator('.row[aria-selected="true"] .no').textContent(), "#16");
  await page.goBack();
  await page.locator("#tab-story[aria-selected=true]").waitFor();
  assert.match(await rowOf(page, 6).textContent(), /Turn 1session\/prompt Mend it170 ms141 B$|Turn 1session\/promptMend it170 ms141 B$/);
  for (const [seq, turn] of [[5, null], [6, "odd"], [23, "odd"], [24, null]]) assert.equal((await rowOf(page, seq).getAttribute("class")).split(" ")[1] ?? null, turn, `#${seq}`);
  const band = await page.evaluate(() => {
    timeline.paint();
    return timeline.hits.some(([x0, x1, y0, , i]) => y0 === 0 && x1 - x0 > 100 && rows[i].seq === 6);
  });
  assert.ok(band, "the turn has no band");
  await close();
}

// A message and what became of it are one row, which unfolds; badges say what became of it.
async function became() {
  const { page, close } = await open("changes");
  const row = async (seq) => {
    const cells = await rowOf(page, seq).locator("> span").allTextContents();
    return `${cells[2]}: ${(await rowOf(page, seq).locator(".badge").allTextContents()).join(", ")}`;
  };
  assert.equal((await page.locator("#columns span").allTextContents()).slice(-2).join(), "took,size");
  for (const [seq, want] of [[1, "client: changed by plan"], [3, "agent: "], [7, "agent: changed by plan"], [9, "acpshim: inserted by plan"], [10, "agent: "], [11, "acpshim: inserted by plan"],
    [14, "agent: dropped by less noise"], [15, "agent: response by deny"], [16, "acpshim: made by deny"], [17, "acpshim: inserted by plan"]]) assert.equal(await row(seq), want, `#${seq}`);
  for (const seq of [2, 8, 12, 19, 21]) assert.equal(await rowOf(page, seq).count(), 0, `#${seq} has a row`);
  assert.match(await rowOf(page, 18).textContent(), /tool_call\[failed\] Remove it4 updates$/);
  assert.equal(await rowOf(page, 7).getAttribute("aria-expanded"), "false");
  await rowOf(page, 7).locator(".turner").click();
  assert.deepEqual([await row(7), await row(8)], ["agent: sent", "acpshim: delivered"]);
  assert.equal(await rowOf(page, 7).getAttribute("aria-expanded"), "true");
  assert.equal(await rowOf(page, 8).getAttribute("aria-level"), "2");
  await rowOf(page, 18).click();
  assert.equal(await page.locator("#message .steps a").count(), 4);
  await page.focus("#list");
  await page.keyboard.press("Space");
  assert.equal(await rowOf(page, 21).count(), 1);

  // A tree that folds, and does not change a character.
  await rowOf(page, 22).click();
  const code = page.locator("#message pre"), long = code.locator("details", { hasText: "availableCommands" }).last();
  const list = code.locator("details:not([open])");
  assert.equal(await list.count(), 1, "the long list is folded");
  assert.match(await list.locator("> summary").textContent(), /"availableCommands": \[/);
  assert.equal(await long.isVisible(), true);
  const [shown, said] = await page.evaluate(() => [JSON.parse(document.querySelector("#message pre").textContent), JSON.parse(rows[selected].text)]);
  assert.deepEqual(shown, said);
  await page.getByRole("button", { name: "Unfold all" }).click();
  assert.equal(await list.count(), 0);
  await filter(page, '"description"');
  assert.ok(await page.locator("#message mark").first().isVisible(), "what is sought is folded away");
  await page.click("#clear");

  // Chips.
  const numbers = async () => (await page.locator(".row .no").allTextContents()).join(" ");
  const chip = (name) => page.locator("#chips").getByRole("button", { name });
  await chip("Failed").click();
  assert.equal(await chip("Failed").getAttribute("aria-pressed"), "true");
  assert.equal(await numbers(), "#13 #15 #16 #21 #23");
  await chip("stderr").click();
  assert.equal(await numbers(), "#13 #15 #16 #21 #23 #24");
  await chip("Failed").click();
  await chip("stderr").click();
  await chip("Plans").click();
  assert.equal(await numbers(), "#7 #8 #11 #17");
  await chip("Plans").click();
  await chip("Changed").click();
  assert.equal(await numbers(), "#1 #7 #8 #9 #11 #14 #15 #16 #17", "#10 passed as it was");
  await page.click("#clear");
  await picture(page, "changes-1280");

  // The address.
  await rowOf(page, 14).click();
  await page.waitForFunction(() => document.URL.endsWith("#14"));
  await page.evaluate(() => setFilter("dir:client"));
  await page.goto((await page.evaluate(() => document.URL)).replace("#14", "#17"));
  await page.waitForFunction(() => rows[selected].seq === 17);
  await page.reload();
  await page.locator(".row").first().waitFor();
  assert.match(await page.locator("#message h2").textContent(), /^#17 /);
  await close();
}

// A plan that was shown as a message reached the client; lines of stderr are one row; the title and
// the story say the verdict.
async function waited() {
  const { page, close } = await open("waited");
  assert.equal(await page.title(), "pen 2 with tinker 1: the client ended the run while it waited for the agent: #6 session/prompt, 25.990 s");
  assert.match(await page.locator("#story").textContent(), /26\.00 s.*the client ended the run while it waited for the agent: #6 session\/prompt, 25\.990 s #6/);
  assert.match(await rowOf(page, 3).textContent(), /stderrstderrone\s*two\s*three3 lines$/);
  assert.equal(await rowOf(page, 4).count(), 0);
  await page.click("#tab-plan");
  assert.match(await page.locator("#plan h2").textContent(), /at #8 /);
  assert.match(await page.locator(".side").last().textContent(), /The client got.*Plan p \(as a message\).*Fix it/s);
  await page.evaluate(() => select(rows.findIndex((row) => row.seq === 7)));
  assert.match(await page.locator(".why").textContent(), /#7reached the client with #8\./);
  const failed = page.locator("#chips").getByRole("button", { name: "Failed" });
  assert.match(await failed.textContent(), /Failed 1/);
  const red = (seq, part) => rowOf(page, seq).locator(part).evaluate((e) => getComputedStyle(e).color === getComputedStyle(byID("problem")).color);
  assert.deepEqual([await red(6, ".what"), await red(6, ".preview"), await red(1, ".what")], [true, true, false]);
  const bars = await page.evaluate(() => {
    timeline.paint();
    return timeline.hits.filter(([, , , , i]) => rows[i].seq === 6).map(([x0, x1]) => [Math.round(x0 - timeline.x(4e3)), Math.round(x1 - timeline.x(26e6))]);
  });
  assert.deepEqual(bars, [[0, 0], [0, 0]], "the band of the turn and the bar of its prompt last until the end");
  await picture(page, "waited-1280");
  await close();
}

// What was sent, what was got, why, and all states in time.
async function states() {
  const { page, close } = await open("changes");
  await page.click("#tab-plan");
  await page.locator("#list").focus();
  await page.keyboard.press("Home");
  assert.match(await page.locator(".states").textContent(), /Before the first of 3 states/);
  const strip = page.locator(".states input"), heading = () => page.locator("#plan h2").textContent();
  await strip.focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await heading(), /at #11 /);
  assert.equal(await page.evaluate(() => document.activeElement.type), "range", "the strip stays in the page");
  assert.match(await strip.getAttribute("aria-valuetext"), /^State 2 of 3, #11 at/);
  await page.keyboard.press("Home");
  assert.match(await heading(), /at #7 /);
  assert.equal(await page.locator(".strip rect").count(), 3);
  assert.deepEqual(await page.locator(".side h3").allTextContents(), ["The agent sent", "The client got"]);
  assert.match(await page.locator(".why").textContent(), /^#7became #8by plan\.Why: plan: policy all$/);
  const text = page.locator(".document");
  assert.equal(await text.getByRole("heading").textContent(), "Mend <b>it</b>");
  assert.equal(await text.locator("b").count(), 0, "text became markup");
  assert.deepEqual(await text.locator(".box").evaluateAll((all) => all.map((box) => box.getAttribute("aria-label"))), ["completed", "pending"]);
  assert.deepEqual(await text.locator(".item, blockquote, pre, .mono, .strong, hr").evaluateAll((all) => all.map((e) => e.localName + ":" + e.textContent)),
    ["span:comments", "span:strings", "p:Reproduce", "p:Patch", "p:•inside", "blockquote:as said", "pre:x := 1", "hr:"]);
  const box = await page.locator(".entries .box").first().boundingBox();
  assert.ok(box.width >= 12 && box.height >= 12, "a box is drawn");
  await page.click('#plan a:text-is("#8")');
  await page.locator("#plan h2", { hasText: "at #8 " }).waitFor(); // The page follows the address a moment later.
  await close();
}

// Filters keep the place; what was inserted is compared with nothing; what was taken out is told.
async function places() {
  const { page, close } = await open("large");
  const place = () => page.evaluate(() => {
    const chosen = document.querySelector('.row[aria-selected="true"]'), box = byID("list").getBoundingClientRect();
    return chosen && chosen.getBoundingClientRect().top - box.top;
  });
  const seen = () => page.locator(".row .no").allTextContents();
  await page.evaluate(() => look(rows.findIndex((row, i) => i > 25_000 && row.method === "session/prompt")));
  const before = await place(), seq = await page.evaluate(() => rows[selected].seq);
  await page.evaluate(() => setFilter("method:session/prompt"));
  assert.ok(Math.abs((await place()) - before) < 30, "the selected row moved");
  await page.evaluate(() => setFilter("update:plan*"));
  assert.equal(await place(), null);
  const near = await page.evaluate(() => rows[shown[nearestPlace(selected)]].seq);
  assert.ok(Math.abs(near - seq) < 40 && (await seen()).includes("#" + near), `#${near} is nearest to #${seq}, and not in sight`);
  await page.evaluate(() => setFilter(""));
  assert.equal(await page.evaluate(() => rows[selected].seq), seq);
  assert.ok((await place()) >= 0, "the selected row is out of sight");
  await close();

  const { page: other, close: end } = await open("changes");
  const go = (seq, tab) => other.evaluate(([seq, tab]) => (openTabOf(tab), select(rows.findIndex((row) => row.seq === seq))), [seq, tab]);
  await other.evaluate(() => (window.openTabOf = open));
  await go(11, "change");
  assert.equal(await other.locator("#change del").count(), 0, "it is compared with its neighbour");
  assert.match(await other.locator("#change").textContent(), /#11 was made by acpshim.*acpshim added it next to #10\./);
  await go(10, "change");
  assert.match(await other.locator("#change").textContent(), /What became of #10.*acpshim forwarded it unchanged, byte for byte\..*Added next to it: #11/);
  assert.equal(await other.locator("#change ins, #change del").count(), 0);
  const redacted = () => other.locator("#message dt", { hasText: "Redacted" }).locator("+ dd").textContent();
  await go(4, "message");
  assert.equal(await redacted(), "credentials were removed: /params/mcpServers/0/env/0/value (env); home folders were renamed: /params/cwd");
  await go(5, "message");
  assert.equal(await redacted(), "session ids are fingerprints: /result/sessionId");
  await end();
}

// On a telephone: a sheet, and room for the list. Keys of one character can be switched off.
async function telephone() {
  const { page, close } = await open("conversation", { viewport: { width: 390, height: 844 }, hasTouch: true });
  const details = page.locator("#details"), focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await details.getAttribute("role"), "dialog");
  assert.equal(await page.locator("#story").isVisible(), true);
  await page.tap("#close");
  assert.equal(await details.isVisible(), false);
  assert.equal(await focused(), "list");
  const bottom = await page.evaluate(() => byID("search").getBoundingClientRect().bottom);
  assert.ok(bottom <= 844 / 5, `header and filter take ${bottom} px`);
  await picture(page, "telephone-390");
  await rowOf(page, 27).tap();
  assert.match(await page.locator("#message h2").textContent(), /^#27 /);
  const sheet = await details.boundingBox();
  assert.ok(sheet.width === 390 && sheet.height > 600, "the sheet is small");
  assert.equal(await page.evaluate(() => byID("messages").inert), true);
  await picture(page, "telephone-390-sheet");
  await page.keyboard.press("Escape");
  assert.equal(await details.isVisible(), false);
  assert.equal(await focused(), "list");

  await page.setViewportSize({ width: 1280, height: 800 });
  assert.equal(await details.getAttribute("role"), null);
  await page.keyboard.press("4");
  assert.equal(await page.locator("#plan").isVisible(), true);
  await page.click("#keys");
  assert.equal(await page.locator("#keys").getAttribute("aria-pressed"), "false");
  await page.focus("#list");
  const chosen = await page.locator('.row[aria-selected="true"] .no').textContent();
  for (const key of ["1", "f", "/", "]", "j"]) await page.keyboard.press(key);
  assert.equal(await page.locator("#plan").isVisible(), true);
  assert.equal(await page.locator("#fold").getAttribute("aria-pressed"), "true");
  assert.equal(await focused(), "list");
  assert.equal(await page.locator('.row[aria-selected="true"] .no').textContent(), chosen);
  await page.reload();
  await page.locator(".row").first().waitFor();
  assert.equal(await page.locator("#keys").textContent(), "Keys: off", "it is remembered");
  await close();
}

async function keyboard() {
  const { page, close } = await open("conversation");
  const focused = () => page.evaluate(() => document.activeElement.id);
  const chosen = () => page.locator('.row[aria-selected="true"] .no').textContent();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the messages");
  await page.keyboard.press("/");
  assert.equal(await focused(), "filter");
  await page.keyboard.type("dir:client");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "list");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(), "#6");
  assert.equal(await page.locator("#list").getAttribute("aria-activedescendant"), await page.locator('.row[aria-selected="true"]').getAttribute("id"));
  await page.keyboard.press("End");
  const last = await chosen();
  await page.keyboard.press("Home");
  assert.equal(await chosen(), "#1");
  await page.keyboard.press("ArrowRight"); // the response, which the filter hides
  assert.match(await page.locator("#message h2").textContent(), /^#2 /);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await chosen(), "#1");
  assert.notEqual(last, "#1");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "message");
  await page.keyboard.press("4");
  assert.equal(await page.locator("#tab-plan").getAttribute("aria-selected"), "true");
  await page.keyboard.press("]");
  assert.match(await page.locator("#plan h2").textContent(), /Session 1, at #28/);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#filter").inputValue(), "");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "list");
  await page.focus("#timeline");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#timeline").getAttribute("aria-valuetext"), /^number 2, 0\.044 seconds, from agent, response to initialize, after 41/);
  await page.focus("#tab-message");
  await page.focus("#tab-plan");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "tab-latency");
  await page.click("#theme");
  await page.click("#theme");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await close();
}

// A hostile record is looked at in every panel, row by row.
async function hostile() {
  const { page, close } = await open("hostile");
  const kinds = await page.evaluate(() => {
    const names = new Set();
    const look = (i, these = ["message", "change", "plan"]) => {
      for (const tab of these) {
        open(tab);
        select(i);
      }
      for (const element of document.querySelectorAll("*")) {
        names.add(element.localName);
        for (const a of element.attributes) if (a.name.startsWith("on") || a.name === "src" || a.name === "srcdoc") names.add(a.name);
      }
    };
    rows.forEach((_, i) => look(i));
    look(0, tabs);
    setFolding(false);
    for (const { pieces } of streams.values()) look(pieces[0]);
    setFolding(true);
    setFilter("script");
    rows.forEach((_, i) => look(i));
    setFilter("");
    return [...names].sort();
  });
  assert.deepEqual(kinds.filter((name) => ["img", "iframe", "object", "embed", "base", "on", "onerror", "onload", "src", "srcdoc", "b"].includes(name)), []);
  assert.equal(await page.locator("script").count(), 2);
  for (const text of ["<img", "constructor", "method:__proto__", "session:1", 'rule:"</script>*"', "\u202e"]) {
    await filter(page, text);
    assert.equal(await page.locator("#problem").textContent(), "");
    assert.notEqual((await count(page)).split(" ")[0], "0", text);
    if (!text.includes(":")) assert.equal((await page.locator("#list mark").first().textContent()), text === "\u202e" ? "U+202E" : text);
  }
  await page.fill("#filter", "");
  await filter(page, "");
  await page.evaluate(() => select(8 * 10));
  assert.ok((await page.locator(".control").count()) > 0, "control characters are visible");
  await page.evaluate(() => (open("message"), select(1)));
  await picture(page, "hostile-1280");
  await page.evaluate(() => (open("plan"), select(3)));
  await picture(page, "hostile-plan-1280");
  await close();
}

// 50,000 messages: few elements, and no gap. How long the page's thread worked is printed, not
// judged: it says as much about what else the machine does.
async function large() {
  const { page, close } = await open("large");
  const thread = await page.context().newCDPSession(page);
  await thread.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await thread.send("Performance.enable");
  let last = 0;
  const work = async () => {
    const { metrics } = await thread.send("Performance.getMetrics");
    const now = metrics.find((m) => m.name === "TaskDuration").value * 1000, since = now - last;
    last = now;
    return since;
  };
  await work();
  await page.reload();
  await page.locator(".row").first().waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  const opened = await work();
  const [total, lines] = (await count(page)).replace(/,/g, "").match(/\d+/g).map(Number);
  assert.ok(total > 50_000 && lines < total - 20_000, `${total} messages in ${lines} rows`);
  const acts = [];
  for (const [name, act] of Object.entries({
    text: () => setFilter("nested -dir:client"), pieces: () => setFilter('"look at the parser"'), all: () => setFilter(""),
    unfold: () => setFolding(false), fold: () => setFolding(true), paint: () => timeline.paint(),
  })) {
    await page.evaluate(act);
    const took = await work();
    acts.push(`${name} ${took.toFixed(0)} ms`);
  }
  console.log(`${total} messages in ${lines} rows: opened in ${opened.toFixed(0)} ms, ${acts.join(", ")}`);
  for (const folded of [true, false]) {
    await page.evaluate((folded) => setFolding(folded), folded);
    await work();
    const seen = await scroll(page);
    const frame = (await work()) / seen.frames;
    console.log(`${folded ? "folded" : "unfolded"}: ${frame.toFixed(1)} ms a frame, ${seen.most} elements`);
    assert.equal(seen.gaps, 0, "frames with a gap");
    assert.ok(seen.rows > 10 && seen.rows < 100, `${seen.rows} rows in the page`);
    assert.ok(seen.most < 2000, `${seen.most} elements`);
  }
  await filter(page, "");
  await page.keyboard.press("End");
  assert.match(await page.locator('.row[aria-selected="true"]').textContent(), /gap/);
  assert.equal(await page.locator('.row[aria-selected="true"]').getAttribute("aria-posinset"), String(total));
  await page.evaluate(() => (open("latency"), select(25_000)));
  await picture(page, "large-latency-1280");
  await close();
}

// scroll goes through the list by the wheel and by leaps, and counts the frames in which a part
// of it has no row.
async function scroll(page) {
  await page.evaluate(() => {
    const box = byID("list"), seen = (window.seen = { frames: 0, gaps: 0, most: 0, rows: 0, on: true });
    const look = () => {
      const { left, top, bottom } = box.getBoundingClientRect();
      for (let y = top + 2; y < bottom; y += 14) if (!document.elementFromPoint(left + 200, y).closest(".row")) seen.gaps++;
      seen.frames++;
      seen.most = Math.max(seen.most, document.getElementsByTagName("*").length);
      seen.rows = document.querySelectorAll(".row").length;
      if (seen.on) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.hover("#list");
  for (let i = 0; i < 20; i++) await page.mouse.wheel(0, i % 2 ? 900 : 3000);
  return page.evaluate(async () => {
    const box = byID("list");
    for (let i = 0; i < 60; i++) {
      box.scrollTop = ((i * 37) % 60) / 60 * box.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
    window.seen.on = false;
    return window.seen;
  });
}

// Accessibility rules in both themes and widths, and pictures. The checker is a script
// that the page's policy rightly refuses, so it is set aside for it.
async function accessible() {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      const narrow = width < 500;
      const { page, close } = await open("conversation", { viewport: { width, height: narrow ? 844 : 900 }, colorScheme, bypassCSP: true });
      await page.evaluate(axe);
      for (const [name, tab, row, text] of [
        ["story", "story", 0, ""], ["message", "message", 40, ""], ["change", "change", 32, ""], ["plan", "plan", 32, ""], ["latency", "latency", 32, ""], ["run", "run", 32, ""],
        ["fold", "message", 6, '"the parser"'], ["marks", "message", 31, "failing"], ["marked-plan", "plan", 32, "failing"], ["marked-change", "change", 32, "plan"], ["list", "message", 32, ""],
      ]) {
        await page.evaluate(([name, tab, row, text]) => {
          setFilter(text);
          open(tab);
          select(row);
          if (name === "list") sheet.hide();
        }, [name, tab, row, text]);
        await picture(page, `${name}-${width}-${colorScheme}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} wide`);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120) + n.failureSummary)}`), [], `${name} ${width} ${colorScheme}`);
      }
      await close();
    }
  }
}

try {
  for (const check of [filters, story, became, waited, states, plans, sessions, places, folds, marks, keyboard, telephone, hostile, large, accessible]) {
    if (wanted.length && !wanted.includes(check.name)) continue;
    const begun = Date.now();
    await check();
    console.log(`${check.name}: ${Date.now() - begun} ms`);
  }
} finally {
  await browser.close();
}
