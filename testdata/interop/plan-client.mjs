// A client that advertises plans and must receive the turn of unstable-agent.mjs unchanged.
// Usage: node plan-client.mjs <agent command> [args...]
import { isDeepStrictEqual } from "node:util";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { runClient } from "./run-client.mjs";
import { wholeTurn } from "./turn.mjs";

await runClient(acp, { plan: {} }, (updates) =>
  isDeepStrictEqual(updates, wholeTurn) ? [] : ["the updates differ from what the agent sends, see turn.mjs"],
);
