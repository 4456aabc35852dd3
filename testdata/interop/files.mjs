// A client without files in front of an agent that reads and writes by it: acpshim does that, with services.fs.
// Usage: node files.mjs <acpshim> --set services.fs=missing -- node files-agent.mjs
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import { runClient } from "./run-client.mjs";

const command = process.argv;
for (let i = 2; i < command.length; i++) if (command[i].endsWith(".mjs")) command[i] = join(process.cwd(), command[i]);
const base = mkdtempSync(join(tmpdir(), "acpshim-files-"));
const cwd = mkdtempSync(join(base, "project-"));
process.chdir(cwd);

const steps = [
  '{"readTextFile":true,"writeTextFile":true}',
  '"written"',
  '"one\\ntwo\\nthrée\\n"',
  '"two\\n"',
  /^-32002 .*no such file/,
  /^-32602 .*outside the session's folders/,
  /^-32602 .*want a path without \.\./,
];

await runClient(acp, { fs: { readTextFile: false, writeTextFile: false }, terminal: false }, (updates) => {
  const said = updates.find(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")?.content.text.split("\n") ?? [];
  const complaints = steps
    .map((step, i) => (typeof step === "string" ? said[i] === step : step.test(said[i])) || `step ${i} is ${said[i]}, not ${step}`)
    .filter((result) => result !== true);
  if (said.length !== steps.length) complaints.push(`${said.length} steps, not ${steps.length}`);
  if (readFileSync(join(cwd, "new", "a.txt"), "utf8") !== "one\ntwo\nthrée\n") complaints.push("the file is not as it was written");
  if (existsSync(join(dirname(cwd), "outside.txt"))) complaints.push("a file was written outside");
  return complaints;
});
process.chdir("/");
rmSync(base, { recursive: true });
