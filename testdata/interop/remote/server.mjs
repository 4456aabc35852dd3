// Serves agent.mjs over WebSocket and streamable HTTP with the server of the TypeScript SDK, to those who send the
// token if one is given. The first line on stdout is the URL. Ends on SIGTERM. Usage: node server.mjs ws|http [TOKEN]
import { createServer } from "node:http";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { WebSocketServer } from "ws";
import { createAgent } from "./agent.mjs";

const [scheme, token] = process.argv.slice(2);
if (!["ws", "http"].includes(scheme)) {
  process.stderr.write("usage: node server.mjs ws|http [TOKEN]\n");
  process.exit(2);
}
setTimeout(() => {
  process.stderr.write("server.mjs: still running after 10 minutes\n");
  process.exit(1);
}, 600_000).unref();

const server = new AcpServer({ createAgent });
const answer = createNodeHttpHandler(server);
const upgrade = createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true }));

function refusal({ url, headers }) {
  if (url !== "/acp") return 404;
  return token && headers.authorization !== `Bearer ${token}` ? 401 : 0;
}

const listener = createServer((req, res) => {
  const status = refusal(req);
  if (status) res.writeHead(status).end();
  else answer(req, res);
});
listener.on("upgrade", (req, socket, head) => {
  const status = refusal(req);
  if (status) socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  else upgrade(req, socket, head);
});
listener.listen(0, "127.0.0.1", () => console.log(`${scheme}://127.0.0.1:${listener.address().port}/acp`));

process.on("SIGTERM", async () => {
  await server.close();
  process.exit(0);
});
