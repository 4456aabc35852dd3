// A remote client, with the TypeScript SDK's transports, of a server whose agent does what agent.mjs does. Prints a
// line a check; the exit code is 0 only if all went well. Usage: node client.mjs [--no-CHECK]... ws|http URL TOKEN
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";
import { expect, options, runChecks, within } from "./checks.mjs";

const argv = process.argv.slice(2);
const usage = "node client.mjs [--no-CHECK]... ws|http URL TOKEN";
const transports = { ws, http };
const skipped = options(usage, argv, (argv) => argv.length === 3 && argv[0] in transports);
const [scheme, url, token] = argv;
const open = transports[scheme];

function ws(token) {
  let closed;
  class Socket extends WebSocket {
    constructor(...args) {
      super(...args);
      closed = new Promise((resolve) => this.on("close", resolve));
    }
  }
  return {
    stream: createWebSocketStream(url, { WebSocket: Socket, headers: { Authorization: `Bearer ${token}` } }),
    async end(connection) {
      connection.close();
      const code = await closed;
      expect("the close code", [1000, 1005].includes(code) ? "normal" : code, "normal");
      return `close code ${code}`;
    },
  };
}

function http(token) {
  let deleted;
  const ended = new Promise((resolve) => (deleted = resolve));
  return {
    stream: createHttpStream(url, {
      headers: { Authorization: `Bearer ${token}` },
      async fetch(target, init) {
        const response = await fetch(target, init);
        if (init.method === "DELETE") deleted(response.status);
        return response;
      },
    }),
    async end(connection) {
      connection.close();
      expect("DELETE", await within(ended, 5_000), 202);
    },
  };
}

await runChecks(skipped, () => open(token), () => open(`${token}x`));
