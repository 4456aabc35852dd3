// A client over stdio of an agent that does what agent.mjs does, like "acpshim connect URL". Prints a line a check;
// the exit code is 0 only if all went well. Usage: node stdio-client.mjs [--no-CHECK]... COMMAND [ARGUMENT]...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, options, runChecks } from "./checks.mjs";

const argv = process.argv.slice(2);
const skipped = options("node stdio-client.mjs [--no-CHECK]... COMMAND [ARGUMENT]...", argv, ([command]) => command);
const [command, ...args] = argv;
const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

await runChecks(skipped, () => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const exited = new Promise((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
    child.on("error", ({ message }) => resolve(message));
  });
  const output = Writable.toWeb(child.stdin);
  return {
    stream: ndJsonStream(output, Readable.toWeb(child.stdout)),
    async end() {
      await output.close();
      expect("the exit", await exited, { code: 0, signal: null });
      return "exit status 0";
    },
  };
});
