"""The answer to a call as a stream of events, while the call is at work."""

import asyncio
import json
from typing import Any

from tests.agents.loops import pass_time, run, until
from turnstile.kernel.values import LogId
from turnstile.server.callable.functions import Called
from turnstile.server.callable.wire import COMMENT_SECONDS, EventResponse
from turnstile.server.errors import Code, Problem
from turnstile.server.operations.counts import Counts


class Sent:
    """What a response has sent."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    async def __call__(self, message: Any) -> None:
        self.messages.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


async def nothing() -> Any:
    raise AssertionError("it need not listen")


async def work_on(future: "asyncio.Future[Called]") -> Called:
    return await future


def test_comments_keep_a_long_call_open() -> None:
    async def main() -> None:
        future, sent = asyncio.get_running_loop().create_future(), Sent()
        answering = asyncio.create_task(EventResponse(work_on(future), Counts())({}, nothing, sent))
        await until(lambda: len(sent.messages) == 1)
        for number in range(1, 4):
            pass_time(COMMENT_SECONDS)
            await until(lambda number=number: sent.body == b":\n\n" * number)  # type: ignore[misc]
        future.set_result(Called(LogId("r"), 7))
        await answering
        assert sent.body == b":\n\n" * 3 + b'data: {"result":{"roomId":"r","seq":7}}\n\n'
        assert sent.messages[0]["status"] == 200

    run(main())


def test_a_failure_is_an_event_and_is_counted() -> None:
    async def main() -> None:
        for fault, code, status in (
            (Problem(Code.TOO_FAST, "Wait."), Code.TOO_FAST, "RESOURCE_EXHAUSTED"),
            (RuntimeError("a bug"), Code.INTERNAL, "INTERNAL"),
        ):
            future, sent, counts = asyncio.get_running_loop().create_future(), Sent(), Counts()
            future.set_exception(fault)
            await EventResponse(work_on(future), counts)({}, nothing, sent)
            assert json.loads(sent.body.removeprefix(b"data: "))["error"]["status"] == status
            assert counts.errors == {code: 1}
            assert b"a bug" not in sent.body

    run(main())
