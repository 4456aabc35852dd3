// What a client sees of an agent that does what agent.mjs does: the checks of stdio-client.mjs and client.mjs.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as acp from "@agentclientprotocol/sdk/unstable";

const { agent: does, client: asks } = acp.methods;
const limit = 60_000;
const names = "initialize new updates big ask hang plan load load-order end " +
  "reload reload-order reload-prompt reload-end token complaints";
const old = ["old 0", "old 1"];
const entries = [
  { content: "Look", priority: "high", status: "completed" },
  { content: "Leap", priority: "high", status: "pending" },
];

const short = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 300);
const texts = (updates) => updates.map(({ content }) => content?.text);

export function expect(what, got, want) {
  if (!isDeepStrictEqual(got, want)) throw new Error(`${what}: ${short(got)}, not ${short(want)}`);
}

// The options at the beginning of the arguments, and the rest. "--no-load" leaves out "load" and "load-order".
export function options(usage, argv, valid) {
  const skipped = [];
  while (argv[0]?.startsWith("--no-")) skipped.push(argv.shift().slice("--no-".length));
  if (!valid(argv) || skipped.some((name) => !names.split(" ").includes(name))) {
    process.stderr.write(`usage: ${usage}\n--no-CHECK leaves out one of: ${names}\n`);
    process.exit(2);
  }
  return skipped;
}

export async function within(promise, ms = limit) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(reject, ms, new Error(`nothing after ${ms / 1000} s`))));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// A connection and what has arrived on it. Nothing is thrown away: what comes late is in the way of the next turn.
class Conversation {
  updates = [];
  #arrived = () => {};

  constructor({ stream, end }) {
    this.end = () => end(this.connection);
    this.connection = acp
      .client({ name: "remote-client" })
      .onNotification(asks.session.update, ({ params: { sessionId, update } }) => {
        this.updates.push({ sessionId, ...update });
        this.#arrived();
      })
      .onRequest(asks.session.requestPermission, ({ params: { options } }) => ({
        outcome: { outcome: "selected", optionId: options[0].optionId },
      }))
      .connect(stream);
  }

  request = (method, params) => this.connection.agent.request(method, params);

  initialize() {
    return this.request(does.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: "remote-client", version: "1.0.0" },
    });
  }

  async prompt(sessionId, text) {
    if (!sessionId) throw new Error("there is no session");
    return this.request(does.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  async load(sessionId) {
    if (!sessionId) throw new Error("there is no session");
    return this.request(does.session.load, { sessionId, cwd: process.cwd(), mcpServers: [] });
  }

  async arrived(count) {
    while (this.updates.length < count) await new Promise((resolve) => (this.#arrived = resolve));
  }

  take(sessionId) {
    const updates = this.updates.splice(0);
    for (const update of updates) expect("an update's session", update.sessionId, sessionId);
    return updates;
  }

  async turn(sessionId, text) {
    const { stopReason } = await this.prompt(sessionId, text);
    expect("the turn's end", stopReason, "end_turn");
    return this.take(sessionId);
  }
}

// open() gives a connection's { stream, end }, where end() ends it and says how it ended; strange() gives one with a
// wrong token. Prints a line a check; the exit code is 0 only if all went well.
export async function runChecks(skipped, open, strange) {
  let failed = 0;
  const complaints = [];
  // The SDK drops a notification that it cannot use and says so only here.
  console.error = (...words) =>
    complaints.push(words.map((word) => (typeof word === "string" ? word : short(word))).join(" "));

  async function check(name, body) {
    if (skipped.some((skip) => name === skip || name.startsWith(`${skip}-`))) {
      process.stdout.write(`skip ${name}\n`);
      return;
    }
    const start = performance.now();
    try {
      const said = await within(body());
      process.stdout.write(`ok   ${name} (${Math.round(performance.now() - start)} ms)${said ? `: ${said}` : ""}\n`);
    } catch (error) {
      failed++;
      const { message, code, data, cause } = error;
      process.stdout.write(`FAIL ${name}: ${message} ${short({ code, data, cause: cause?.message })}\n`);
    }
  }

  async function initialize(conversation) {
    const { protocolVersion, agentCapabilities } = await conversation.initialize();
    expect("the version", protocolVersion, 1);
    expect("loadSession", agentCapabilities.loadSession, true);
  }

  async function loads(name, conversation, prepare = () => {}) {
    let before;
    await check(name, async () => {
      await prepare();
      await conversation.load(sessionId);
      before = texts(conversation.updates);
      await conversation.arrived(old.length);
      await sleep(200); // in which nothing else should come
      expect("the old updates", texts(conversation.take(sessionId)), old);
    });
    await check(`${name}-order`, async () => expect("before the result came", before, old));
  }

  let sessionId;
  const first = new Conversation(await open());
  await check("initialize", () => initialize(first));
  await check("new", async () => {
    ({ sessionId } = await first.request(does.session.new, { cwd: process.cwd(), mcpServers: [] }));
    expect("the session's id", typeof sessionId === "string" && sessionId !== "", true);
  });
  await check("updates", async () => {
    const got = texts(await first.turn(sessionId, "updates 20000"));
    const wrong = got.findIndex((text, i) => text !== String(i));
    expect("the first update out of order", wrong < 0 ? [] : [wrong, got[wrong]], []);
    expect("updates", got.length, 20_000);
  });
  await check("big", async () => {
    const got = texts(await first.turn(sessionId, "big 20000000"));
    expect("lengths", got.map((text) => text?.length), [20_000_000]);
    expect("only x", /^x*$/.test(got[0]), true);
  });
  await check("ask", async () => expect("the answer", texts(await first.turn(sessionId, "ask")), ["leap"]));
  await check("hang", async () => {
    let ended = false;
    const turn = first.prompt(sessionId, "hang").finally(() => (ended = true));
    await Promise.race([first.arrived(1), turn]);
    expect("what the agent said", texts(first.take(sessionId)), ["waiting"]);
    await sleep(100);
    expect("ended without a cancel", ended, false);
    await first.connection.agent.notify(does.session.cancel, { sessionId });
    expect("the turn's end", (await turn).stopReason, "cancelled");
  });
  await check("plan", async () => {
    const got = await first.turn(sessionId, "plan");
    expect("updates", got.length, 1);
    const [{ sessionUpdate, plan, entries: legacy }] = got;
    expect(sessionUpdate, sessionUpdate === "plan" ? legacy : plan?.type === "items" && plan.entries, entries);
    return sessionUpdate;
  });
  await loads("load", first);
  await check("end", first.end);

  // A session that the connection does not know yet.
  const second = new Conversation(await open());
  await loads("reload", second, () => initialize(second));
  await check("reload-prompt", async () => {
    expect("updates", texts(await second.turn(sessionId, "updates 3")), ["0", "1", "2"]);
  });
  await check("reload-end", second.end);

  if (strange) {
    await check("token", async () => {
      const initialized = new Conversation(await strange()).initialize();
      const refused = await initialized.then(() => "initialized", ({ message }) => message);
      expect("a wrong token's answer", /\b401\b/.test(refused) ? "401" : refused, "401");
    });
  }
  await check("complaints", async () => expect("complaints of the SDK", complaints, []));
  process.stdout.write("", () => process.exit(failed === 0 ? 0 : 1));
}
