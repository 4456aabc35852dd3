"""Serves an agent that does what agent.mjs does over WebSocket and streamable HTTP, with the Python SDK, to those who
send the token if one is given. The first line on stdout is the URL. Ends on SIGTERM.
Usage: python server.py ws|http [TOKEN]"""
import asyncio
import signal
import socket
import sys
import uuid

import uvicorn
from acp import RequestError, update_agent_message_text
from acp.http.asgi import create_asgi_app
from acp.schema import (
    AgentCapabilities, AgentPlanContentUpdate, Implementation, InitializeResponse, LoadSessionResponse,
    NewSessionResponse, PermissionOption, PlanEntry, PlanUpdateItems, PromptResponse, ToolCallUpdate,
)


class Agent:
    """One instance serves one connection."""

    def __init__(self, client):
        self.client = client
        self.cancels = {}

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        return InitializeResponse(
            protocol_version=1,
            agent_info=Implementation(name="remote-agent", version="1.0.0"),
            agent_capabilities=AgentCapabilities(load_session=True),
        )

    async def new_session(self, cwd, mcp_servers=None, **_):
        return NewSessionResponse(session_id=uuid.uuid4().hex)

    async def load_session(self, cwd, session_id, mcp_servers=None, **_):
        for text in ["old 0", "old 1"]:
            await self.say(session_id, text)
        return LoadSessionResponse()

    async def cancel(self, session_id, **_):
        if session_id in self.cancels:
            self.cancels[session_id].set()

    async def prompt(self, session_id, prompt, **_):
        name, _, n = prompt[0].text.partition(" ")
        turn = getattr(self, f"turn_{name}", None)
        if turn is None:
            raise RequestError.invalid_params({"prompt": prompt[0].text})
        return PromptResponse(stop_reason=await turn(session_id, int(n or 0)) or "end_turn")

    async def say(self, session_id, text):
        await self.client.session_update(session_id, update_agent_message_text(text))

    async def turn_updates(self, session_id, n):
        for i in range(n):
            await self.say(session_id, str(i))

    async def turn_big(self, session_id, n):
        await self.say(session_id, "x" * n)

    async def turn_plan(self, session_id, _):
        entries = [
            PlanEntry(content="Look", priority="high", status="completed"),
            PlanEntry(content="Leap", priority="high", status="pending"),
        ]
        plan = PlanUpdateItems(type="items", plan_id="p1", entries=entries)
        await self.client.session_update(session_id, AgentPlanContentUpdate(session_update="plan_update", plan=plan))

    async def turn_ask(self, session_id, _):
        options = [
            PermissionOption(option_id="leap", name="Leap", kind="allow_once"),
            PermissionOption(option_id="stay", name="Stay", kind="reject_once"),
        ]
        call = ToolCallUpdate(tool_call_id="t1", title="Leap")
        answer = await self.client.request_permission(session_id, call, options)
        await self.say(session_id, getattr(answer.outcome, "option_id", answer.outcome.outcome))

    async def turn_hang(self, session_id, _):
        cancel = self.cancels[session_id] = asyncio.Event()
        await self.say(session_id, "waiting")
        await cancel.wait()
        return "cancelled"


def guarded(app, token):
    """404 but for /acp, and 401 without the token."""

    async def guard(scope, receive, send):
        if scope["type"] == "lifespan":
            return await app(scope, receive, send)
        authorization = dict(scope["headers"]).get(b"authorization")
        if scope["path"] != "/acp":
            status = 404
        elif token and authorization != f"Bearer {token}".encode():
            status = 401
        else:
            return await app(scope, receive, send)
        kind = "websocket.http" if scope["type"] == "websocket" else "http"
        await send({"type": f"{kind}.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": f"{kind}.response.body", "body": b""})

    return guard


if sys.argv[1:2] not in (["ws"], ["http"]):
    sys.exit("usage: python server.py ws|http [TOKEN]")
signal.alarm(600)
listener = socket.create_server(("127.0.0.1", 0))
print(f"{sys.argv[1]}://127.0.0.1:{listener.getsockname()[1]}/acp", flush=True)
app = guarded(create_asgi_app(Agent), "".join(sys.argv[2:3]))
uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run(sockets=[listener])
