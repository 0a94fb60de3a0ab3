"""Node and packages from npm, for tests: the system's node, and packages in a folder of the virtual environment."""

import fcntl
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(sys.prefix) / "npm"


class NoNode(Exception):
    """There is no node, no npm, or no such package."""


def node() -> str:
    """Where node is. Raises `NoNode`."""
    found = shutil.which("node")
    if found is None:
        raise NoNode("No node was found: install the package nodejs, version 20 or newer.")
    return found


def npm_modules(package: str, version: str) -> Path:
    """The folder `node_modules` with a package, installed if it is not there yet. Raises `NoNode`."""
    folder = FOLDER / f"{package}-{version}"
    if not folder.exists():
        FOLDER.mkdir(exist_ok=True)
        with _alone(package):
            if not folder.exists():
                _make(package, version, folder)
    return folder / "node_modules"


@contextmanager
def _alone(package: str) -> Iterator[None]:
    """Keep other processes from installing the same package: it takes long, and once is enough."""
    with (FOLDER / f"{package}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(package: str, version: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=FOLDER) as temporary:
        made = Path(temporary) / package
        _install(f"{package}@{version}", made)
        made.rename(folder)  # in one step: a folder of this name is complete


def _install(package: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoNode("No npm was found: install the package npm.")
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts")
    command = [npm, "install", "--prefix", str(folder), *quiet, package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own words
    if done.returncode:
        raise NoNode(f"npm could not install {package}: {done.stderr.strip()}")
