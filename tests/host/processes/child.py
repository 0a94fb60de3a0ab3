"""A host in a process of its own, for tests that kill it: `python -m tests.host.processes.child STORE SOCKET`.

It speaks lines of JSON over a Unix socket. A request has a number, and so has its answer; an update comes by itself. On
SIGTERM it stops cleanly; nothing else stops it but a signal.
"""

import asyncio
import signal
import sys
from typing import Any, Union

import msgspec
from msgspec.structs import replace

from turnstile.host import Host, Line, Refused, Update
from turnstile.kernel.chance import new_seed
from turnstile.kernel.values import LogId, PlayerId, encode
from turnstile.store.opening import open_store
from turnstile.table.values import Act, AddBot, AddWords, Header, Join, Leave, Rematch, Resign, Start

COMMANDS = (Act, AddBot, AddWords, Join, Leave, Rematch, Resign, Start)


class Open(msgspec.Struct, tag_field="do", tag="open"):
    n: int
    header: Header


class Submit(msgspec.Struct, tag_field="do", tag="submit"):
    n: int
    table: LogId
    command: Union[COMMANDS]  # type: ignore[valid-type]


class Ack(msgspec.Struct, tag_field="do", tag="ack"):
    n: int
    table: LogId
    player: PlayerId
    seq: int


class Attach(msgspec.Struct, tag_field="do", tag="attach"):
    n: int
    table: LogId
    player: PlayerId
    after: int


Request = Open | Submit | Ack | Attach
REQUESTS: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)


async def serve(where: str, socket: str) -> None:
    store = await open_store(where)
    host, ready, stop = Host(store), asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with asyncio.TaskGroup() as group:
        group.create_task(host.run(ready, stop))
        await ready.wait()
        server = await asyncio.start_unix_server(lambda *streams: talk(host, *streams), socket, limit=1 << 20)
        print("ready", flush=True)
        await stop.wait()
        server.close()
    await store.close()


async def talk(host: Host, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection: every request is answered as soon as it can be, whatever else is going on."""
    lines: list[Line] = []
    try:
        async with asyncio.TaskGroup() as group:
            while line := await reader.readline():
                group.create_task(answer(host, REQUESTS.decode(line), writer, lines, group))
            for each in lines:
                host.detach(each)
    finally:
        writer.close()


async def answer(
    host: Host, request: Request, writer: asyncio.StreamWriter, lines: list[Line], group: asyncio.TaskGroup
) -> None:
    done: Any
    if isinstance(request, Open):
        done = await host.open(request.header)
    elif isinstance(request, Submit):
        command = request.command
        done = await host.submit(
            request.table, replace(command, seed=new_seed()) if type(command) is Start else command
        )
    elif isinstance(request, Ack):
        done = await host.acknowledge(request.table, request.player, request.seq)
    else:
        done = await host.attach(request.table, request.player, request.after)
    if isinstance(done, Line):
        lines.append(done)
        group.create_task(forward(done, writer))
        done = None
    tag = b"refused" if isinstance(done, Refused) else b"ok"
    writer.write(b'{"n":%d,"%s":%s}\n' % (request.n, tag, encode(done)))


async def forward(line: Line, writer: asyncio.StreamWriter) -> None:
    """A player's stream, until it ends; then there is nothing more to say, and the player may come again."""
    async for frame in line:
        tag = b"update" if isinstance(frame, Update) else b"status"
        about = encode(line.live.name), encode(line.player), tag, frame.body
        writer.write(b'{"table":%s,"player":%s,"%s":%s}\n' % about)
    writer.close()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
