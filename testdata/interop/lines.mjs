// A peer in plain JSON lines, without an SDK: requests go out as they are written, and what comes is kept as it is.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

// Starts a command. `call` resolves to a response, whether result or error; `updates` are the session updates so far,
// `messages` all messages. `answer` returns what answers a request of the command; without it requests are refused.
export function start([command, ...args], { env = process.env, cwd, stderr = "ignore", answer } = {}) {
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", stderr], detached: true });
  const waiting = new Map();
  const messages = [];
  const updates = [];
  let ended = false;
  const end = (why) => {
    ended = true;
    for (const [id, resolve] of waiting) resolve({ id, error: { code: 0, message: why } });
    waiting.clear();
  };
  child.on("error", (error) => end(error.message));
  child.stdin.on("error", () => {});
  const exited = new Promise((resolve) => child.on("close", (code, signal) => (end("the agent ended"), resolve({ code, signal }))));
  const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  createInterface({ input: child.stdout }).on("line", (line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // some agents print warnings
    }
    messages.push(message);
    if (message.method === "session/update") updates.push(message.params.update);
    else if (message.method && "id" in message)
      send({ id: message.id, ...(answer?.(message) ?? { error: { code: -32601, message: "Method not found" } }) });
    else if (!message.method) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let id = 0;
  const call = (method, params, seconds = 30) =>
    new Promise((resolve) => {
      const own = id++;
      if (ended) return resolve({ id: own, error: { code: 0, message: "the agent ended" } });
      waiting.set(own, resolve);
      setTimeout(() => waiting.delete(own) && resolve({ id: own, error: { code: 0, message: "no response" } }), seconds * 1000).unref();
      send({ id: own, method, params });
    });
  const notify = (method, params) => send({ method, params });
  // Ends it, with all that it started.
  const stop = async () => {
    child.stdin.end();
    const timer = setTimeout(() => kill("SIGKILL"), 3000);
    const how = await exited;
    clearTimeout(timer);
    kill("SIGKILL");
    return how;
  };
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {} // it has ended
  };
  return { call, notify, messages, updates, stop, pid: child.pid };
}

// Makes a temporary folder for an agent that finds nothing there but these files. Each has a text, or a value for JSON.
export function homeWith(files = {}) {
  const home = mkdtempSync(join(tmpdir(), "acpshim-home-"));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(home, dirname(file)), { recursive: true });
    writeFileSync(join(home, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  return home;
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const initialize = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "old-client", version: "1.0.0" },
};
