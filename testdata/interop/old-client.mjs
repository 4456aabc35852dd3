// An ACP client as most are today: the SDK's stable v1 entrypoint, which knows no plan capability and
// rejects `plan_update` and `plan_removed`. It must receive the turn of unstable-agent.mjs as acpshim
// translates it. Usage: node old-client.mjs <acpshim> -- node unstable-agent.mjs
import { isDeepStrictEqual } from "node:util";
import * as acp from "@agentclientprotocol/sdk";
import { runClient } from "./run-client.mjs";
import { oldTurn, withoutID } from "./turn.mjs";

await runClient(acp, { fs: { readTextFile: false, writeTextFile: false }, terminal: false }, (updates) =>
  isDeepStrictEqual(updates.map(withoutID), oldTurn) ? [] : ["the updates differ from what is expected, see turn.mjs"],
);
