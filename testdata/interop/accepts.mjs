// Clients written with releases of the TypeScript SDK, each with its own validation of what it receives, behind
// acpshim from an agent that speaks every dialect. Each must get all of dialects.mjs in the spelling it knows, or
// as the legacy plan if it announces nothing. Prints a line a client; the exit code is 0 only without complaints.
// Usage: node accepts.mjs <acpshim> [options...] -- node dialects-agent.mjs
import { isDeepStrictEqual } from "node:util";
import { converse } from "./run-client.mjs";
import { steps } from "./dialects.mjs";
import { chunk, told, withoutID } from "./turn.mjs";

// What each release's schema has for plans. Before 2.0 one entrypoint knows all, whatever the client announces.
const releases = [
  { release: "0.23", entrypoint: "sdk-0.23", capability: "planCapabilities", key: "id" },
  { release: "0.24", entrypoint: "sdk-0.24", capability: "planCapabilities", key: "id" },
  { release: "1.1", entrypoint: "sdk-1.1", capability: "plan", key: "id" },
  { release: "1.4", entrypoint: "sdk-1.4", capability: "plan", key: "planId" },
  { release: "2.4", entrypoint: "@agentclientprotocol/sdk" },
  { release: "2.4/unstable", entrypoint: "@agentclientprotocol/sdk/unstable", capability: "plan", key: "planId" },
];

const command = process.argv.slice(2);

const legacyOf = ({ update: { _meta }, shown }) =>
  shown ? [{ sessionUpdate: "plan", entries: shown, ...(_meta && { _meta }) }] : [];

async function check({ release, entrypoint }, capability, key) {
  const old = !capability;
  const { updates, complaints, agentExit } = await converse(
    await import(entrypoint),
    old ? [...command, "flawed"] : command,
    old ? {} : { [capability]: {} },
  );
  const sends = steps(key).filter(({ isFlawed }) => old || !isFlawed);
  const meant = [
    ...sends.flatMap((step) => (old ? legacyOf(step) : [step.update])),
    chunk(String(sends.length)),
    ...sends.flatMap((step) => (old && step.told ? [told(step.told)] : [])),
    { sessionUpdate: "<prompt answered>" },
  ];
  const got = updates.map(withoutID);
  for (let i = 0; i < Math.max(meant.length, got.length); i++) {
    if (isDeepStrictEqual(got[i], meant[i])) continue;
    complaints.push(`update ${i + 1} is ${JSON.stringify(got[i])}, not ${JSON.stringify(meant[i])}`);
    break;
  }
  if (agentExit.code !== 0) complaints.push(`exit ${JSON.stringify(agentExit)}`);

  const plans = updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("plan"));
  const messages = got.filter(({ messageId }) => messageId);
  const sent = updates.find(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")?.content.text;
  const list = plans.findLast(({ sessionUpdate }) => sessionUpdate === "plan")?.entries ?? [];
  const line = [
    complaints.length === 0 ? "ok  " : "FAIL",
    release.padEnd(12),
    (old ? "old" : `${capability}, ${key}`).padEnd(20),
    `sent ${sent}, received ${plans.length}, told ${messages.length}, plan:`,
    list.map(({ status, content }) => `[${status}] ${content}`).join(", "),
  ];
  process.stdout.write(line.join(" ") + "\n");
  for (const complaint of complaints) process.stdout.write(`     ${complaint.slice(0, 500)}\n`);
  return complaints.length === 0;
}

let passed = 0;
let failed = 0;
for (const release of releases) {
  const roles = [[]];
  if (release.capability) roles.push([release.capability, release.key]);
  for (const role of roles) (await check(release, ...role)) ? passed++ : failed++;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
