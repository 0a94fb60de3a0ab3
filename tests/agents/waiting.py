"""A strategy that waits until a file named after its round is there, so that a test can stop a league in a round."""

import os
import sys
import time
from pathlib import Path
from typing import Any


def choose(question: dict[str, Any]) -> str:
    gate = Path(os.environ["GATES"]) / str(question["round_id"])
    while not gate.exists():
        time.sleep(0.01)
    return "odd" if question["player_id"] in ("P01", "P03") else "even"


def at_once(question: dict[str, Any]) -> str:
    return "odd"


def never(question: dict[str, Any]) -> str:
    while True:
        time.sleep(1)


def crash(question: dict[str, Any]) -> str:
    os.abort()


def rubbish(question: dict[str, Any]) -> str:
    return "seven"


def chatter(question: dict[str, Any]) -> str:
    print("even? odd?")
    return "ODD "


def rambling(question: dict[str, Any]) -> str:
    print("even? odd?")
    raise ValueError("\x1b[31mred")


def known(question: dict[str, Any]) -> str:
    assert set(question) >= {"match_id", "round_id", "player_id", "opponent_id", "history", "standings"}
    return "odd"


def last_move(question: dict[str, Any]) -> Any:
    return question["move"]["request"]["valid_options"][-1]


def nothing(question: dict[str, Any]) -> None:
    pass


def other_key(question: dict[str, Any]) -> dict[str, str]:
    return {"parity": "odd"}


async def coroutine(question: dict[str, Any]) -> str:
    return "odd"


def no_json(question: dict[str, Any]) -> object:
    return object()


def leaves(question: dict[str, Any]) -> str:
    sys.exit(0)


def raises(question: dict[str, Any]) -> str:
    return str(question["no such thing"])
