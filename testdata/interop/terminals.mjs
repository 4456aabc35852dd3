// A client without terminals, in front of an agent that needs them, alone and behind acpshim with services.terminal:
// the agent's commands run, the client sees what they print in the tool call, and nothing of them is left at the end.
// Usage: node terminals.mjs <acpshim>
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileURLToPath } from "node:url";
import { initialize, pause, start } from "./lines.mjs";

const acpshim = process.argv[2];
const agent = ["node", join(dirname(fileURLToPath(import.meta.url)), "terminals-agent.mjs")];
const say = (text) => process.stdout.write(`  ${text}\n`);
const complain = (text) => {
  process.exitCode = 1;
  say(`FAIL ${text}`);
};
const same = (what, got, want) =>
  isDeepStrictEqual(got, want) ? say(what) : complain(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);

// What the updates of tool calls show.
const texts = (updates) => updates.filter((u) => u.toolCallId && u.content).map((u) => u.content[0].content?.text ?? "");

// Has a prompt answered in a folder of its own, and returns the updates, and the id of the process that was left.
async function turn(prefix) {
  const cwd = mkdtempSync(join(tmpdir(), "acpshim-terminals-"));
  const peer = start([...prefix, ...agent], { stderr: "inherit" });
  await peer.call("initialize", initialize);
  const { result } = await peer.call("session/new", { cwd, mcpServers: [] });
  const answered = peer.call("session/prompt", { sessionId: result.sessionId, prompt: [] });
  for (let i = 0; i < 500 && prefix.length && !texts(peer.updates).some((text) => text.includes("building it\n```")); i++) await pause(20);
  writeFileSync(join(cwd, "seen"), "");
  const { error } = await answered;
  if (error) complain(`the prompt is refused: ${JSON.stringify(error)}`);
  const file = join(cwd, "left.pid");
  for (let i = 0; i < 500 && prefix.length && !existsSync(file); i++) await pause(20);
  const left = existsSync(file) && Number(readFileSync(file, "utf8"));
  const { code, signal } = await peer.stop();
  if (code !== 0) complain(`it ended with ${code ?? signal}`);
  rmSync(cwd, { recursive: true, force: true });
  const said = peer.updates.filter((u) => u.sessionUpdate === "agent_message_chunk").map((u) => JSON.parse(u.content.text));
  return { said, calls: peer.updates.filter((u) => u.toolCallId), left };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

same("alone: the agent can run nothing", (await turn([])).said, ["the client has no terminals"]);

const { said, calls, left } = await turn([acpshim, "--log-level", "warn", "--set", "services.terminal=true", "--"]);
const status = (exitCode, signal = null) => ({ exitCode, signal });
same("behind acpshim: both waits, output, exit, kill, and what cannot be run", said, [
  [status(3), status(3)],
  { output: "building it\nbuilt\n", truncated: false, exitStatus: status(3) },
  { code: -32602 },
  { output: "9\n0\nend\n", truncated: true, exitStatus: status(0) },
  status(null, "SIGTERM"),
  { output: "serving\n", truncated: false, exitStatus: status(null, "SIGTERM") },
  { code: -32603, message: 'command "no-such-program": executable file not found in $PATH' },
  { code: -32603, message: 'cwd "here": want an absolute path' },
]);

const head = "```console\n$ sh -c 'echo \"building $WHAT\"; until [ -e seen ]; do sleep 0.05; done; echo built; exit 3'\n";
const shown = texts(calls);
same("the client sees what is printed while it runs", shown.includes(head + "building it\n```"), true);
same("and at last all of it, and how it ended", shown.at(-1), head + "building it\nbuilt\n```\n\nExit status 3");
same("no terminal is left in what the client gets", JSON.stringify(calls).includes('"type":"terminal"'), false);
same("what the agent left running ended with the run", [left > 0, isAlive(left)], [true, false]);
