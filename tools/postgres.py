"""A real PostgreSQL of one's own, for tests and benches: it ends with whoever started it, and leaves nothing behind."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class CannotStart(Exception):
    """There is no PostgreSQL to be had. The keeper's reasons are on stderr."""


class Server:
    """A server that may be killed and started again on the same data. `options` are settings of PostgreSQL."""

    def __init__(self, *options: str) -> None:
        self._keeper = subprocess.Popen(  # noqa: S603  # our own file, by our own interpreter
            [sys.executable, str(Path(__file__).with_name("postgres_keeper.py")), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for whoever started it; the keeper ends after them
        )
        self.dsn = f"postgresql://postgres@/postgres?host={self._heard()}"

    @property
    def pid(self) -> int:
        """The process that keeps the server, and that has started all its processes."""
        return self._keeper.pid

    def start(self) -> None:
        self._tell("start")

    def kill(self) -> None:
        """SIGKILL to the server; its sessions end by themselves when they notice."""
        self._tell("kill")

    def stop(self) -> None:
        """At once: every session is broken off, nothing is put in order."""
        self._tell("stop")

    def close(self) -> None:
        """The end of the server and its files."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait()
        assert self._keeper.stdout is not None
        self._keeper.stdout.close()

    def _tell(self, what: str) -> None:
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(f"{what}\n")
        self._keeper.stdin.flush()
        assert self._heard() == "done"

    def _heard(self) -> str:
        assert self._keeper.stdout is not None
        line = self._keeper.stdout.readline().strip()
        if not line:
            self.close()
            raise CannotStart("The keeper of PostgreSQL ended; its reasons are on stderr.")
        return line


@contextmanager
def running(*options: str) -> Iterator[Server]:
    """A server that runs until the end of this context."""
    server = Server(*options)
    try:
        server.start()
        yield server
    finally:
        server.close()
