#!/usr/bin/env node
// Runs the acpshim of this platform's package in place of this process where Node can do that, else
// below it: with the same standard streams, the signals passed on, and the same end.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");

const platform = `@acpshim/${process.platform}-${process.arch}`;

function fail(status, text) {
  process.stderr.write(`acpshim: error: ${text}\n`);
  process.exit(status);
}

function find() {
  try {
    return require.resolve(`${platform}/bin/acpshim${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    fail(125, `the package ${platform} is not installed\n` +
      "acpshim is there for Linux, macOS and Windows on x64 and arm64; " +
      'npm leaves its binary out with "--omit=optional" and "--no-optional"');
  }
}

function run(program, args) {
  // A terminal and Windows' console tell the child themselves; twice would be one too many.
  const told = (signal) =>
    process.platform === "win32" || (isatty(0) && (signal === "SIGINT" || signal === "SIGQUIT"));
  // They are listened to before the child is there: one that came in between would leave it alone.
  const passed = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"];
  for (const signal of passed) {
    process.on(signal, () => {
      if (!told(signal)) child.kill(signal);
    });
  }
  const child = spawn(program, args, { stdio: "inherit", windowsHide: true });
  child.on("error", (error) => fail(126, `${program}: ${error.message}`));
  child.on("exit", (status, signal) => {
    if (!signal) process.exit(status);
    for (const name of passed) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100); // a signal that did not end us
  });
}

const program = find();
const args = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  process.execve(program, ["acpshim", ...args]); // does not return
}
run(program, args);
