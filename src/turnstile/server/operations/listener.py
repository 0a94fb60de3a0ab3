"""For operators, on a listener of its own: is the server alive, is it ready, what has it done."""

import asyncio
from collections.abc import Awaitable, Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from turnstile.kernel.values import LogId
from turnstile.server.door import host_name, read_headers
from turnstile.server.server import Server
from turnstile.server.settings import LOCAL_HOSTS
from turnstile.store.protocol import StoreFault

STORE_SECONDS = 2.0
LOOK_EVERY = 0.1  # seconds
BLOCKED_AFTER = 0.1  # seconds


class Watchdog:
    """Notices when the event loop is blocked. While it is, no client is served."""

    def __init__(self) -> None:
        self.blocked = 0
        """How often the loop was late by more than `BLOCKED_AFTER`."""
        self.longest = 0.0
        """The longest delay, in seconds."""

    async def watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LOOK_EVERY
            await asyncio.sleep(LOOK_EVERY)
            late = loop.time() - due
            self.longest = max(self.longest, late)
            self.blocked += late > BLOCKED_AFTER


class ServerMetrics(Collector):
    """The counts of a server and of its host. All labels are from fixed sets."""

    def __init__(self, server: Server, watchdog: Watchdog) -> None:
        self._server = server
        self._watchdog = watchdog

    def collect(self) -> Iterable[Metric]:
        server, counts = self._server, self._server.counts
        yield _counters("turnstile_requests", "HTTP requests.", ("endpoint", "status"), counts.requests.items())
        yield _counters("turnstile_errors", "Refusals.", ("code",), counts.errors.items())
        yield _counters("turnstile_frames_received", "Frames received.", ("type",), counts.frames_in.items())
        yield _counters("turnstile_closed", "WebSockets closed.", ("code",), counts.closed.items())
        yield _counters("turnstile_host_events", "What the host has done.", ("event",), server.host.counts.items())
        yield CounterMetricFamily("turnstile_frames_sent", "Frames sent.", counts.frames_out)
        yield CounterMetricFamily("turnstile_booked", "Matches whose results were stored.", counts.booked)
        yield CounterMetricFamily("turnstile_opened", "WebSockets opened.", counts.opened)
        yield GaugeMetricFamily("turnstile_connections", "WebSockets and streams open.", len(server.sessions))
        yield GaugeMetricFamily("turnstile_readers", "Readers of tables.", len(server.readers))
        yield GaugeMetricFamily("turnstile_tables", "Tables in memory.", len(server.host.tables.live))
        yield CounterMetricFamily("turnstile_loop_blocked", "Late turns of the event loop.", self._watchdog.blocked)
        yield GaugeMetricFamily("turnstile_loop_longest_delay_seconds", "The latest turn.", self._watchdog.longest)


def _counters(name: str, doc: str, labels: tuple[str, ...], items: Iterable[tuple[object, int]]) -> Metric:
    family = CounterMetricFamily(name, doc, labels=labels)
    for key, count in items:
        values = key if isinstance(key, tuple) else (key,)
        family.add_metric([str(value) for value in values], count)
    return family


def operations_app(server: Server, watchdog: Watchdog) -> ASGIApp:
    """`/healthz`, `/readyz` and `/metrics`."""
    registry = CollectorRegistry()
    registry.register(ServerMetrics(server, watchdog))

    async def health(request: Request) -> Response:
        return _text(200, "ok")

    async def readiness(request: Request) -> Response:
        why = await unready(server)
        return _text(200, "ready") if why is None else _text(503, why)

    async def metrics(request: Request) -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    router = Router([Route("/healthz", health), Route("/readyz", readiness), Route("/metrics", metrics)])
    hosts = {*LOCAL_HOSTS, server.settings.operations_host}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        is_ours = host_name(read_headers(scope["headers"]).get(b"host", b"")) in hosts
        answer: ASGIApp = router if is_ours else _text(421, "This is not the address of the operations listener.")
        await answer(scope, receive, send)

    return app


async def unready(server: Server) -> str | None:
    """Why the server should get no new clients; `None` if it may."""
    if server.is_stopping or server.host.is_stopping:
        return "stopping"
    return await _fault("does not answer", server.host.store.row(LogId("-"))) or await _fault(
        "cannot be written", server.host.heartbeat.now()
    )


async def _fault(what: str, asking: Awaitable[object]) -> str | None:
    """What is wrong with the store, if it does not do this in time."""
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await asking
    except (StoreFault, TimeoutError) as fault:
        return f"the store {what}: {type(fault).__name__}"
    return None


def _text(status: int, text: str) -> Response:
    return Response(text + "\n", status, media_type="text/plain", headers={"Cache-Control": "no-store"})
