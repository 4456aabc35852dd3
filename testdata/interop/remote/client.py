"""A remote client, with the Python SDK's transports, of a server whose agent does what agent.mjs does. Prints a line a
check; the exit code is 0 only if all went well. Usage: python client.py [--no-CHECK]... ws|http URL TOKEN"""
import asyncio
import logging
import os
import re
import sys
import time

import acp
import httpx
from acp.http import create_http_stream
from acp.schema import AllowedOutcome, RequestPermissionResponse
from acp.ws import create_websocket_stream

LIMIT = 60
NAMES = ("initialize new updates big ask hang plan load load-order end "
         "reload reload-order reload-prompt reload-end token complaints").split()
USAGE = f"usage: python client.py [--no-CHECK]... ws|http URL TOKEN\n--no-CHECK leaves out one of: {' '.join(NAMES)}"
OLD = ["old 0", "old 1"]
ENTRIES = [("Look", "high", "completed"), ("Leap", "high", "pending")]
complaints = []


class Complaints(logging.Handler):
    """The SDK drops what it cannot use, and says so only in its log."""

    def emit(self, record):
        complaints.append(f"{record.getMessage()}: {record.exc_info and record.exc_info[1]}")


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got!r:.300}, not {want!r:.300}")


def texts(updates):
    return [getattr(getattr(update, "content", None), "text", None) for update in updates]


class WebSocket:
    async def open(self, url, headers):
        return await create_websocket_stream(url, headers=headers)

    async def end(self, agent, transport):
        await agent.close()
        code = transport._ws.close_code  # the SDK does not say
        expect("the close code", code, 1000)
        return f"close code {code}"


class Http:
    async def open(self, url, headers):
        self.deleted = []
        # As the SDK's own, but for the hook: it does not say what the server answers to DELETE.
        self.client = httpx.AsyncClient(http2=True, timeout=httpx.Timeout(None), event_hooks={"response": [self.watch]})
        return create_http_stream(url, client=self.client, headers=headers)

    async def watch(self, response):
        if response.request.method == "DELETE":
            self.deleted.append(response.status_code)

    async def end(self, agent, transport):
        await agent.close()
        await self.client.aclose()
        expect("DELETE", self.deleted, [202])


class Conversation:
    """A connection and what has arrived on it. What comes late is not thrown away but in the way of the next turn."""

    def __init__(self, transport, url, token):
        self.updates = []
        self.transport = transport()
        self.url, self.headers = url, {"Authorization": f"Bearer {token}"}

    async def session_update(self, session_id, update, **_):
        self.updates.append((session_id, update))

    async def request_permission(self, options, session_id, tool_call, **_):
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=options[0].option_id))

    async def initialize(self):
        self.stream = await self.transport.open(self.url, self.headers)
        self.agent = acp.connect_to_agent(self, self.stream)
        about = await self.agent.initialize(protocol_version=1)
        expect("the version", about.protocol_version, 1)
        expect("loadSession", about.agent_capabilities.load_session, True)

    async def end(self):
        return await self.transport.end(self.agent, self.stream)

    async def prompt(self, session_id, text):
        if not session_id:
            raise AssertionError("there is no session")
        return (await self.agent.prompt(prompt=[acp.text_block(text)], session_id=session_id)).stop_reason

    async def load(self, session_id):
        if not session_id:
            raise AssertionError("there is no session")
        await self.agent.load_session(cwd=os.getcwd(), session_id=session_id, mcp_servers=[])

    async def arrived(self, count):
        while len(self.updates) < count:
            await asyncio.sleep(0.01)

    def take(self, session_id):
        updates, self.updates = self.updates, []
        expect("the updates' sessions", {of for of, _ in updates} - {session_id}, set())
        return [update for _, update in updates]

    async def turn(self, session_id, text):
        expect("the turn's end", await self.prompt(session_id, text), "end_turn")
        return self.take(session_id)


class Checks:
    def __init__(self, skipped):
        self.skipped = skipped
        self.failed = 0

    async def check(self, name, body):
        if any(name == skip or name.startswith(f"{skip}-") for skip in self.skipped):
            print(f"skip {name}", flush=True)
            return
        start = time.monotonic()
        try:
            said = await asyncio.wait_for(body(), LIMIT)
            print(f"ok   {name} ({(time.monotonic() - start) * 1000:.0f} ms){f': {said}' if said else ''}", flush=True)
        except Exception as error:
            self.failed += 1
            late = isinstance(error, asyncio.TimeoutError)
            reason = f"nothing after {LIMIT} s" if late else " ".join(repr(error).split())
            print(f"FAIL {name}: {reason:.600}", flush=True)

    async def loads(self, name, conversation, initialize=False):
        before = None

        async def load():
            nonlocal before
            if initialize:
                await conversation.initialize()
            await conversation.load(self.session)
            before = texts([update for _, update in conversation.updates])
            await conversation.arrived(len(OLD))
            await asyncio.sleep(0.2)  # in which nothing else should come
            expect("the old updates", texts(conversation.take(self.session)), OLD)

        async def order():
            expect("before the result came", before, OLD)

        await self.check(name, load)
        await self.check(f"{name}-order", order)

    async def run(self, transport, url, token):
        first, second = Conversation(transport, url, token), Conversation(transport, url, token)
        self.session = None

        async def new():
            self.session = (await first.agent.new_session(cwd=os.getcwd(), mcp_servers=[])).session_id
            expect("the session's id", bool(self.session), True)

        async def updates():
            got = texts(await first.turn(self.session, "updates 20000"))
            expect("the first update out of order", [(i, t) for i, t in enumerate(got) if t != str(i)][:1], [])
            expect("updates", len(got), 20_000)

        async def big():
            got = texts(await first.turn(self.session, "big 20000000"))
            expect("lengths", [len(text) for text in got], [20_000_000])
            expect("only x", got[0].strip("x"), "")

        async def ask():
            expect("the answer", texts(await first.turn(self.session, "ask")), ["leap"])

        async def hang():
            turn = asyncio.create_task(first.prompt(self.session, "hang"))
            waiting = asyncio.create_task(first.arrived(1))
            await asyncio.wait({turn, waiting}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if turn.done():
                turn.result()
            expect("what the agent said", texts(first.take(self.session)), ["waiting"])
            await asyncio.sleep(0.1)
            expect("ended without a cancel", turn.done(), False)
            await first.agent.cancel(session_id=self.session)
            expect("the turn's end", await turn, "cancelled")

        async def plan():
            [update] = await first.turn(self.session, "plan")
            plan = update if update.session_update == "plan" else update.plan
            expect("the entries", [(e.content, e.priority, e.status) for e in plan.entries], ENTRIES)
            return update.session_update

        async def reload_prompt():
            expect("updates", texts(await second.turn(self.session, "updates 3")), ["0", "1", "2"])

        async def wrong_token():
            try:
                await Conversation(transport, url, f"{token}x").initialize()
            except Exception as error:
                expect("a wrong token's answer", (re.findall(r"\b401\b", str(error)) or [error])[0], "401")
            else:
                raise AssertionError("a wrong token's answer: initialized")

        async def complained():
            expect("complaints of the SDK", complaints, [])

        bodies = first.initialize, new, updates, big, ask, hang, plan
        for name, body in zip(NAMES, bodies):
            await self.check(name, body)
        await self.loads("load", first)
        await self.check("end", first.end)
        await self.loads("reload", second, initialize=True)  # a session that the connection does not know yet
        await self.check("reload-prompt", reload_prompt)
        await self.check("reload-end", second.end)
        await self.check("token", wrong_token)
        await self.check("complaints", complained)
        return self.failed


def main(argv):
    skipped = []
    while argv and argv[0].startswith("--no-"):
        skipped.append(argv.pop(0).removeprefix("--no-"))
    if len(argv) != 3 or argv[0] not in ("ws", "http") or not set(skipped) <= set(NAMES):
        sys.exit(USAGE)
    scheme, url, token = argv
    if scheme == "ws" and "big" not in skipped:
        print("big: the SDK's WebSocket client takes messages of 1 MiB at most")
        skipped.append("big")
    logging.getLogger().addHandler(Complaints())
    # Not asyncio.run: it would wait for what a check has left behind.
    checks = Checks(skipped).run({"ws": WebSocket, "http": Http}[scheme], url, token)
    failed = asyncio.new_event_loop().run_until_complete(checks)
    sys.stdout.flush()
    os._exit(1 if failed else 0)


main(sys.argv[1:])
