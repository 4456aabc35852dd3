// A model on the loopback that speaks Anthropic's messages API and OpenAI's responses API as far as their agents need it:
// a request is answered with the content that `reply` returns for it, blocks of the messages API, as a stream of events
// or, if none is wanted, as one message.
import { createServer } from "node:http";
import { pause } from "./lines.mjs";

// Resolves to the url of a model, and what closes it.
export async function model(reply) {
  const server = createServer(async (req, res) => {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const { pathname } = new URL(req.url, "http://localhost");
    const isResponses = pathname === "/v1/responses";
    if (req.method !== "POST" || !(isResponses || pathname.startsWith("/v1/messages"))) return respond(res, 404, problem(`no ${pathname}`));
    const request = JSON.parse(Buffer.concat(chunks));
    if (isResponses) return streamResponse(res, reply(request));
    if (pathname.endsWith("/count_tokens")) return respond(res, 200, { input_tokens: 1 });
    const content = reply(request);
    if (request.stream) stream(res, request, content);
    else respond(res, 200, { ...head(request), content, stop_reason: stopReason(content) });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.close(), server.closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

// The blocks of a type ("text", "tool_result") that a request has behind the last message of the model.
export const blocksOf = ({ messages }, type) =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
    .flatMap(({ content }) => (typeof content === "string" ? { type: "text", text: content } : content))
    .filter((block) => block.type === type);

// The text of such a block.
export const textOf = ({ text, content }) => text ?? [content].flat().map((part) => part.text ?? part).join("\n");

const problem = (message) => ({ type: "error", error: { type: "not_found_error", message } });
const stopReason = (content) => (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");
const respond = (res, status, body) => res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

let messages = 0;
const head = ({ model }) => ({
  id: `msg_${++messages}`,
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

function stream(res, request, content) {
  res.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, members) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);
  send("message_start", { message: head(request) });
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send("content_block_start", { index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason: stopReason(content), stop_sequence: null }, usage: { output_tokens: 1 } });
  send("message_stop");
  res.end();
}

// The same in the responses API, which its agents want as a stream. A text comes line by line. Its `pause` is the time
// between two lines, in milliseconds.
async function streamResponse(res, content) {
  res.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, members) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);
  const response = { id: `resp_${++messages}` };
  send("response.created", { response });
  for (const block of content) {
    const item = outputItem(block);
    send("response.output_item.added", { item: { ...item, ...(item.content && { content: [] }) } });
    for (const delta of linesOf(block.text)) {
      send("response.output_text.delta", { item_id: item.id, delta });
      if (block.pause) await pause(block.pause);
    }
    send("response.output_item.done", { item });
  }
  const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
  send("response.completed", { response: { ...response, usage } });
  res.end();
}

const linesOf = (text = "") => text.split(/(?<=\n)/);

const outputItem = ({ type, id, name, input, text }) =>
  type === "tool_use"
    ? { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) }
    : { type: "message", id: `msg_${++messages}`, role: "assistant", content: [{ type: "output_text", text }] };
