// Clients written with releases of the TypeScript SDK, each with its own validation of what it receives, and the agent
// of "acpshim demo agent", which sends what clients and agents disagree on. By itself every release refuses some of it;
// behind acpshim none does. Prints a line a client; the exit code is 0 only if it went so.
// Usage: node strict.mjs <acpshim>
import { converse } from "./run-client.mjs";

const [acpshim] = process.argv.slice(2);
const agent = [acpshim, "demo", "agent"];
const known = ["agent_message_chunk", "plan", "tool_call", "tool_call_update"];
let failed = 0;

for (const release of ["sdk-0.23", "sdk-0.24", "sdk-1.1", "sdk-1.4", "@agentclientprotocol/sdk"]) {
  const acp = await import(release);
  const alone = await converse(acp, agent, {});
  const { updates, complaints } = await converse(acp, [acpshim, "--log-level", "off", "--set", "gate.notices=drop", "--", ...agent], {});
  const kinds = new Set(updates.map(({ sessionUpdate }) => sessionUpdate));
  for (const kind of known) if (!kinds.has(kind)) complaints.push(`no ${kind} arrived`);
  if (updates.at(-1)?.sessionUpdate !== "<prompt answered>") complaints.push("the prompt was not answered");
  if (alone.complaints.length === 0) complaints.push("without acpshim nothing is refused: this checks nothing");
  if (complaints.length > 0) failed++;
  process.stdout.write(
    `${complaints.length === 0 ? "ok  " : "FAIL"} ${release.padEnd(26)} refused alone: ${alone.complaints.length}, ` +
      `behind acpshim: ${complaints.length}, updates: ${updates.length}\n`,
  );
  for (const complaint of complaints) process.stdout.write(`     ${complaint.slice(0, 400)}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
