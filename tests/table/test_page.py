"""docs/table.md says what the table does."""

import re
import subprocess
import sys
from pathlib import Path

from tests.table.tables import ANA, BO, started
from turnstile.kernel.values import wire_name
from turnstile.table.machine import table
from turnstile.table.values import Code

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
    shown = re.findall(r"^\| (\d) \| `(\w+)` \|$", PAGE, re.MULTILINE)
    for player in (ANA, BO):
        assert [(str(seq), name) for seq, name in enumerate(started().stream(player), start=1)] == shown


def test_the_command_on_the_page_works() -> None:
    (line,) = re.findall(r"^echo '(.+)' \| turnstile step table$", PAGE, re.MULTILINE)
    command = [sys.executable, "-m", "turnstile", "step", "table"]
    ran = subprocess.run(command, input=line, capture_output=True, text=True, check=True)
    assert '"player":"bo"' in ran.stdout
