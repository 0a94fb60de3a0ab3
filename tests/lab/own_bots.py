"""Bots of users, for the tests: functions in this file, and programs that are written into a folder."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from turnstile.kernel import Move

HERE = f"{__file__}"


def by_chance(view: Any, actions: Sequence[Move], rng: Random) -> Move:
    print("a function says something")
    os.write(1, b"so does compiled code\n")
    return rng.choice(actions)


def first(view: Any, actions: Sequence[Move]) -> int:
    return 0


def broken(view: Any, actions: Sequence[Move]) -> Move:
    hand: dict[str, Move] = {}
    return hand["ace"]


def silent(view: Any, actions: Sequence[Move]) -> None:
    return None


def leaving(view: Any, actions: Sequence[Move]) -> None:
    sys.exit(3)


def illegal(view: Any, actions: Sequence[Move]) -> int:
    return len(actions)


async def later(view: Any, actions: Sequence[Move]) -> Move:
    return actions[0]


def unfit(view: Any) -> None:
    return None


def dies_once(view: Any, actions: Sequence[Move], rng: Random) -> Move:
    """Like `by_chance`, but kills its process at some decision, if no process has been killed so far."""
    mark = Path(os.environ["DIES_ONCE"])
    is_fatal = rng.random() < 0.02
    if is_fatal and not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.choice(actions)


hands: dict[str, Any] = {}
"""The first hand that each player of Up-Down has seen."""


def looking(view: Any, actions: Sequence[Move], rng: Random) -> Move:
    me = actions[0].player
    hands.setdefault(me, next(player.hand for player in view.players if player.id == me))
    return rng.choice(actions)


looking_too = looking


def star(view: Any, actions: Sequence[Move], rng: Random) -> Move:
    """Rich has a picture of this name."""
    return rng.choice(actions)


PROGRAM = """
import json, os, sys, time
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    {body}
"""


def write_program(folder: Path, body: str) -> str:
    """The name of a bot: a program whose `body` handles each question, `asked`, with its `number`."""
    path = folder / "program.py"
    path.write_text(PROGRAM.format(body=body))
    return f"cmd:{sys.executable} {path}"
