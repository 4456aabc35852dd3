// An agent which sends one scripted turn of plan updates, but only to a client that advertised `plan`.
// stdout belongs to the protocol, so anything said goes to stderr.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { chunk, docPlans, legacyPlan, permission, removals, stepsPlan } from "./turn.mjs";

// unref: the watchdog must not keep an agent alive whose client has closed stdin.
setTimeout(() => {
  process.stderr.write("unstable-agent: still running after 30 s\n");
  process.exit(1);
}, 30_000).unref();

const sessionId = "session-1";
let clientHasPlans = false;

acp
  .agent({ name: "unstable-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    const plan = params.clientCapabilities?.plan;
    clientHasPlans = typeof plan === "object" && plan !== null;
    return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "unstable-agent", version: "1.0.0" } };
  })
  .onRequest(acp.methods.agent.session.new, () => ({ sessionId }))
  .onRequest(acp.methods.agent.session.prompt, async ({ client }) => {
    const send = (update) => client.notify(acp.methods.client.session.update, { sessionId, update });

    if (!clientHasPlans) {
      process.stderr.write("unstable-agent: the client did not advertise clientCapabilities.plan\n");
      await send(chunk("no plan capability"));
      return { stopReason: "end_turn" };
    }
    for (const update of [stepsPlan, ...docPlans, legacyPlan]) await send(update);
    const { outcome } = await client.request(acp.methods.client.session.requestPermission, { sessionId, ...permission });
    if (outcome.optionId !== permission.options[0].optionId) {
      throw acp.RequestError.internalError({ outcome }, "the permission was not granted");
    }
    for (const update of [...removals, chunk("done")]) await send(update);
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
