"""Who the person at this computer is on each server: a file of tokens that only this user can read."""

import json
import os
from pathlib import Path

import click

FILE = "servers.json"
ONLY_USER = 0o600


def token_file() -> Path:
    """`XDG_CONFIG_HOME` or the usual place of the system says where."""
    return Path(click.get_app_dir("turnstile")) / FILE


def read_token(server: str) -> str | None:
    return _read().get(server)


def keep_token(server: str, token: str) -> None:
    """Keep a token. The file is written anew and put in place at once, with its permissions."""
    path = token_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".new")
    beside.unlink(missing_ok=True)
    written = json.dumps({**_read(), server: token}, indent=1)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ONLY_USER), "w") as file:
        file.write(written)
    beside.replace(path)


def _read() -> dict[str, str]:
    try:
        found = json.loads(token_file().read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(server): str(token) for server, token in found.items()} if isinstance(found, dict) else {}
