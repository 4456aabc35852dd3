"""A client written with the Python SDK, behind acpshim from peers-agent.mjs. It sets mode and model in the form that
the agent does not have, has one turn with a permission and cancels one with its permission open. All that comes has
to pass the SDK's own validation. Usage: python peers-client.py <acpshim> -- node peers-agent.mjs"""
import asyncio
import logging
import sys

import acp
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

complaints, updates = [], []


class Complaints(logging.Handler):
    """The SDK drops what it cannot use, and says so only in its log."""

    def emit(self, record):
        complaints.append(f"{record.getMessage()}: {record.exc_info and record.exc_info[1]}")


class Client:
    def __init__(self):
        self.asked = asyncio.Event()
        self.answers = True

    def on_connect(self, agent):
        pass

    async def session_update(self, session_id, update, **_):
        updates.append(update)

    async def request_permission(self, options, session_id, tool_call, **_):
        self.asked.set()
        if not self.answers:
            await asyncio.sleep(0.3)  # the turn is cancelled meanwhile
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=options[0].option_id))


def expect(what, got, want):
    if got != want:
        complaints.append(f"{what} is {got!r}, not {want!r}")


async def converse(client, agent):
    about = await agent.initialize(protocol_version=1)
    expect("the way to log in", [m.name for m in about.auth_methods], ["key"])
    session = await agent.new_session(cwd="/", mcp_servers=[])
    mode = next(o for o in session.config_options if o.category == "mode")
    expect("the options", [o.id for o in session.config_options], ["llm", "mode"])
    expect("the models", getattr(session, "models", None) is not None, hasattr(session, "models"))
    response = await agent.set_config_option(config_id=mode.id, session_id=session.session_id, value="code")
    expect("the mode", [o.current_value for o in response.config_options], ["small", "code"])
    # This SDK has no session/set_model any more. An old client's request is the same bytes.
    expect("session/set_model", await agent._conn.send_request("session/set_model", {"sessionId": session.session_id, "modelId": "large"}), {})
    go = [acp.text_block("go")]
    done = await agent.prompt(prompt=go, session_id=session.session_id)
    expect("the turn's end", done.stop_reason, "end_turn")
    client.answers = False
    client.asked.clear()
    prompt = asyncio.create_task(agent.prompt(prompt=go, session_id=session.session_id))
    await client.asked.wait()
    await agent.cancel(session_id=session.session_id)
    expect("the cancelled turn's end", (await prompt).stop_reason, "cancelled")
    await asyncio.sleep(0.5)


async def main(command):
    logging.getLogger().addHandler(Complaints())
    client = Client()
    async with acp.spawn_agent_process(client, *command) as (agent, process):
        await asyncio.wait_for(converse(client, agent), 30)
        process.stdin.close()
        expect("the exit", await asyncio.wait_for(process.wait(), 10), 0)
    kinds = [u.session_update for u in updates]
    expect("announced", kinds.count("tool_call"), 4)
    diffs = [c for u in updates if u.session_update.startswith("tool_call") for c in u.content or [] if c.type == "diff"]
    expect("the diffs", [(d.old_text, d.new_text) for d in diffs], [("a", "b")] * 2)
    texts = [u.content.text for u in updates if u.session_update == "agent_message_chunk"]
    expect("what the agent said", texts, ["mode code, model large, selected", "mode code, model large, cancelled"])
    print(f"Python SDK: {len(updates)} updates, {len(complaints)} complaints")


try:
    asyncio.run(main(sys.argv[1:]))
except Exception as error:
    complaints.append(repr(error))
for complaint in complaints:
    print(complaint[:1000], file=sys.stderr)
sys.exit(1 if complaints else 0)
