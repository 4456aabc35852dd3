// An agent whose turns do what the text of the prompt says: "updates N", "big N", "plan", "ask", "hang". Any session
// can be loaded, with two old updates. As a program it speaks over stdio. Usage: node agent.mjs
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";

const { agent: does, client: asks } = acp.methods;
const chunk = (text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const entry = (content, status) => ({ content, priority: "high", status });

const turns = {
  async updates({ say }, n) {
    for (let i = 0; i < n; i++) await say(chunk(String(i)));
  },
  big: ({ say }, n) => say(chunk("x".repeat(n))),
  plan: ({ say }) =>
    say({
      sessionUpdate: "plan_update",
      plan: { type: "items", planId: "p1", entries: [entry("Look", "completed"), entry("Leap", "pending")] },
    }),
  async ask({ say, ask }) {
    const { outcome } = await ask({
      toolCall: { toolCallId: "t1", title: "Leap" },
      options: [
        { optionId: "leap", name: "Leap", kind: "allow_once" },
        { optionId: "stay", name: "Stay", kind: "reject_once" },
      ],
    });
    await say(chunk(outcome.optionId ?? outcome.outcome));
  },
  async hang({ say, cancelled }) {
    await say(chunk("waiting"));
    await cancelled;
    return "cancelled";
  },
};

// One instance serves one connection.
export function createAgent() {
  const cancels = new Map();
  return acp
    .agent({ name: "remote-agent" })
    .onRequest(does.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: "remote-agent", version: "1.0.0" },
      agentCapabilities: { loadSession: true },
    }))
    .onRequest(does.session.new, () => ({ sessionId: randomUUID() }))
    .onRequest(does.session.load, async ({ params: { sessionId }, client }) => {
      for (const text of ["old 0", "old 1"]) {
        await client.notify(asks.session.update, { sessionId, update: chunk(text) });
      }
      return {};
    })
    .onNotification(does.session.cancel, ({ params }) => cancels.get(params.sessionId)?.())
    .onRequest(does.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
      const [name, n] = prompt[0].text.split(" ");
      if (!Object.hasOwn(turns, name)) throw acp.RequestError.invalidParams({ prompt }, "no such turn");
      const stopReason = await turns[name]({
        say: (update) => client.notify(asks.session.update, { sessionId, update }),
        ask: (params) => client.request(asks.session.requestPermission, { sessionId, ...params }),
        cancelled: new Promise((resolve) => cancels.set(sessionId, resolve)),
      }, Number(n));
      return { stopReason: stopReason ?? "end_turn" };
    });
}

if (process.argv[1].endsWith("agent.mjs")) {
  createAgent().connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}
