"""docs/table.md says what the table does."""

import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from tests.table.proofs.walks import find
from tests.table.sight.test_changes import streams_of
from tests.table.tables import ANA, BO, started, taken
from turnstile.kernel.values import encode, wire_name
from turnstile.registry import names
from turnstile.table.machine import table
from turnstile.table.messages import Told
from turnstile.table.values import Code
from turnstile.table.wire import write_change

PAGE = (Path(__file__).parent.parent.parent / "docs" / "table.md").read_text("utf-8")


def test_the_page_names_every_code() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE[PAGE.index("## Refusals") :]))
    assert set(Code) <= named


def test_the_page_names_every_event_and_message() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    known = [*map(wire_name, table.events), *map(wire_name, table.messages)]
    assert {*known} - named <= {"Leave", "Resign"}
    assert "resigns" in PAGE


def test_the_first_updates_of_e_card_are_those_on_the_page() -> None:
    rows = re.findall(r"^\| (\d) \| (.+) \|$", PAGE, re.MULTILINE)
    shown = [(int(seq), " ".join(re.findall(r"`(\w+)`", told)) or "-") for seq, told in rows]
    for player in (ANA, BO):
        assert list(enumerate(started().stream(player), start=1)) == shown


# changes


def changes() -> list[tuple[Any, Any, Any]]:
    """Views one after the other, and what has changed between them, in random matches of every game."""
    found = []
    for name in names():
        for updates in streams_of(find(name), 3).values():
            for before, told in pairwise(updates):
                body = json.decode(write_change(told, before.view))
                found.append((json.decode(encode(before.view)), body["changed"], json.decode(encode(told.view))))
    return [
        *found,
        (
            {"a": 1, "b": [1, 2]},
            {"in": {"a": {"gone": True}, "b": {"in": {"0": {"set": 3}}, "add": [4]}}},
            {"b": [3, 2, 4]},
        ),
    ]


def block(language: str) -> str:
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(code)


def test_the_client_in_Python_on_the_page_makes_every_view() -> None:
    scope: dict[str, Any] = {}
    exec(block("python"), scope)  # noqa: S102
    for before, change, after in changes():
        assert scope["apply_change"](before, change) == after


def test_the_change_on_the_page_is_sent_when_a_card_was_laid() -> None:
    (update,) = re.findall(r'^(\{"seq": 4.*)$', PAGE, re.MULTILINE)
    table = started()
    (told,) = [each for each in taken(table, "ana C").effects if isinstance(each, Told) and each.player == ANA]
    assert json.decode(write_change(told, find("e-card").view(table.match, ANA))) == json.decode(update)


def test_the_page_has_every_kind_of_change() -> None:
    rows = re.findall(r"^\| `(\{.*?\})` \| is", PAGE, re.MULTILINE)
    assert [re.findall(r"\w+", row)[:1] for row in rows] == [[], ["set"], ["in"], ["add"], ["gone"]]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no JavaScript here")
def test_the_client_in_JavaScript_on_the_page_makes_every_view() -> None:
    cases = changes()
    program = f"""{block("javascript")}
        const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(cases.map(([before, change, _]) => applyChange(before, change))));"""
    ran = subprocess.run(["node", "-e", program], input=encode(cases), capture_output=True, check=True)
    assert json.decode(ran.stdout) == [after for _, _, after in cases]


# the command


def test_the_command_on_the_page_works() -> None:
    (line,) = re.findall(r"^echo '(.+)' \| turnstile step table$", PAGE, re.MULTILINE)
    command = [sys.executable, "-m", "turnstile", "step", "table"]
    ran = subprocess.run(command, input=line, capture_output=True, text=True, check=True)
    assert '"player":"bo"' in ran.stdout
