// Clients written with releases of the TypeScript SDK, each with its own validation of what it receives, and two agents:
// that of "acpshim demo agent", which sends what clients and agents disagree on, and strict-agent.mjs, which breaks the
// protocol. By itself every release refuses some of it; behind acpshim none does. Prints a line for each client and
// agent; the exit code is 0 only if it went so.
// Usage: node strict.mjs <acpshim>
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { converse } from "./run-client.mjs";
import { texts } from "./strict-agent.mjs";

const [acpshim] = process.argv.slice(2);
const agents = {
  demo: { command: [acpshim, "demo", "agent"], check: kindsOf },
  strict: { command: ["node", fileURLToPath(new URL("strict-agent.mjs", import.meta.url))], check: shapesOf },
};
const known = ["agent_message_chunk", "plan", "tool_call", "tool_call_update"];
let failed = 0;

// What is missing of the demo's updates.
function kindsOf(updates) {
  const kinds = new Set(updates.map(({ sessionUpdate }) => sessionUpdate));
  return known.filter((kind) => !kinds.has(kind)).map((kind) => `no ${kind} arrived`);
}

// What is wrong with the updates of strict-agent.mjs.
function shapesOf(updates) {
  const textsOf = (kind) => updates.filter(({ sessionUpdate }) => sessionUpdate === kind).map(({ content }) => content.text);
  const calls = updates.filter(({ toolCallId }) => toolCallId);
  const wanted = {
    messages: [textsOf("agent_message_chunk"), texts],
    thoughts: [textsOf("agent_thought_chunk"), ["a thought"]],
    "messages of the user": [textsOf("user_message_chunk"), ["go"]],
    calls: [
      calls.map(({ sessionUpdate, toolCallId, title, status }) => [sessionUpdate, toolCallId, title ?? "", status ?? ""]),
      [
        ["tool_call", "twice", "Terminal", "pending"],
        ["tool_call_update", "twice", "git diff", ""],
        ["tool_call_update", "twice", "", "completed"],
        ["tool_call", "asked", "lookup", "completed"],
      ],
    ],
    "input of the call": [calls.at(-1)?.rawInput, { term: "lexer" }],
  };
  return Object.entries(wanted)
    .filter(([, [is, want]]) => !isDeepStrictEqual(is, want))
    .map(([what, [is, want]]) => `${what}: ${JSON.stringify(is)}, want ${JSON.stringify(want)}`);
}

for (const release of ["sdk-0.23", "sdk-0.24", "sdk-1.1", "sdk-1.4", "@agentclientprotocol/sdk"]) {
  const acp = await import(release);
  for (const [name, { command, check }] of Object.entries(agents)) {
    const alone = await converse(acp, command, {});
    const { updates, complaints } = await converse(acp, [acpshim, "--log-level", "off", "--set", "gate.notices=drop", "--", ...command], {});
    complaints.push(...check(updates));
    if (updates.at(-1)?.sessionUpdate !== "<prompt answered>") complaints.push("the prompt was not answered");
    if (alone.complaints.length === 0) complaints.push("without acpshim nothing is refused: this checks nothing");
    if (complaints.length > 0) failed++;
    process.stdout.write(
      `${complaints.length === 0 ? "ok  " : "FAIL"} ${release.padEnd(26)} ${name.padEnd(7)} refused alone: ${alone.complaints.length}, ` +
        `behind acpshim: ${complaints.length}, updates: ${updates.length}\n`,
    );
    for (const complaint of complaints) process.stdout.write(`     ${complaint.slice(0, 400)}\n`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
