// Body of old-client.mjs and plan-client.mjs, which differ only in the SDK entrypoint, the capabilities
// and their own checks. Prints one JSON report on stdout; the exit code is 0 only without complaints.
import { spawn } from "node:child_process";
import { Readable } from "node:stream";

export async function runClient(acp, clientCapabilities, check = () => []) {
  const [command, ...args] = process.argv.slice(2);
  if (!command) {
    process.stderr.write("usage: node <client>.mjs <agent command> [args...]\n");
    process.exit(2);
  }
  const updates = [];
  const complaints = [];
  const report = (agentExit) => JSON.stringify({ updates, complaints, agentExit }) + "\n";

  // The SDK drops a notification that it cannot use and says so only here.
  console.error = (...words) =>
    complaints.push(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));

  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.on("error", (error) => complaints.push(`agent: ${error.message}`));
  child.stdin.on("error", (error) => complaints.push(`agent stdin: ${error.message}`));
  // "close" and not "exit": only then has everything the agent wrote been read, late updates too.
  const exited = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));

  const watchdog = setTimeout(() => {
    complaints.push("no end within 30 s");
    child.kill("SIGKILL");
    process.stdout.write(report(null), () => process.exit(1));
  }, 30_000);

  // Some refusals never reach console.error: the SDK answers them (id null for a line that is no message,
  // the request's id for unusable params). It hands over one message per write, so each can be looked at.
  const output = new WritableStream({
    write(bytes) {
      const line = new TextDecoder().decode(bytes).trim();
      if ("error" in JSON.parse(line)) complaints.push(`answered with an error: ${line}`);
      return new Promise((resolve, reject) => child.stdin.write(bytes, (error) => (error ? reject(error) : resolve())));
    },
  });

  const { agent } = acp
    .client({ name: "interop-client" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      updates.push({ sessionUpdate: "<permission request>" });
      return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
    })
    // Not connectWith(): it destroys the agent's stdout as soon as the callback is done.
    .connect(acp.ndJsonStream(output, Readable.toWeb(child.stdout)));

  try {
    const { protocolVersion } = await agent.request(acp.methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities,
      clientInfo: { name: "interop-client", version: "1.0.0" },
    });
    // The SDK does not look at the answer.
    if (protocolVersion !== 1) complaints.push(`protocol version ${protocolVersion}`);
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
    await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
    updates.push({ sessionUpdate: "<prompt answered>" });
  } catch (error) {
    complaints.push(`request failed: ${error.message} ${JSON.stringify(error.data ?? null)}`);
  }

  child.stdin.end();
  const agentExit = await exited;
  clearTimeout(watchdog);
  complaints.push(...check(updates));
  process.exitCode = complaints.length === 0 ? 0 : 1;
  process.stdout.write(report(agentExit));
}
