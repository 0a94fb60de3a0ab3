"""What docs/records.md says about dealing is enough to deal every recorded match again, without Turnstile.

The program on the page runs word for word, in a Python that cannot import Turnstile. What it deals is held against the
states that the records replay to.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.test_records import FILES, loaded, replayed
from turnstile.kernel.record import save

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "records.md").read_text("utf-8")
(PROGRAM,) = re.findall(r"```python redeal\.py\n(.*?)```", PAGE, re.DOTALL)

Deals = list[dict[str, Any]]


def run(file: Path) -> subprocess.CompletedProcess[str]:
    """`-I -S`: no path of ours and no installed package, so nothing but what comes with Python."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def dealt_again(file: Path) -> Deals:
    done = run(file)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


# What was dealt, from the states of a replay


def e_card_deals(states: Sequence[Any]) -> Iterator[dict[str, Any]]:
    yield {"emperor": next(state.roles.emperor_player for state in states if state.roles)}


def even_odd_deals(states: Sequence[Any]) -> Iterator[dict[str, Any]]:
    yield from ({"number": result.drawn_number} for result in states[-1].results)


def up_down_deals(states: Sequence[Any]) -> Iterator[dict[str, Any]]:
    yield {"PG1": next(state.player_order[0] for state in states if state.player_order)}
    number = 0
    for state in states:
        if state.current_round and state.current_round.round_number > number:
            number = state.current_round.round_number
            hands = {player.id: {*map(card_name, player.hand)} for player in state.players}
            yield {"round": number, "hands": hands, "mesa": card_name(state.current_round.mesa)}


def card_name(card: Any) -> str:
    return f"{card.rank} of {card.suit}"


def sixty_six_deals(states: Sequence[Any]) -> Iterator[dict[str, Any]]:
    rounds = [state for state in states if state.phase == "ROUND_STARTING"]
    yield {"starter": rounds[0].players[rounds[0].starter]}
    for number, state in enumerate(rounds, start=1):
        hands = {player: [card.value for card in held] for player, held in zip(state.players, state.hands, strict=True)}
        yield {"round": number, "hands": hands, "faceUp": state.discarded[0], "deck": [*state.deck[::-1]]}


DEALS: dict[str, Callable[[Sequence[Any]], Iterator[dict[str, Any]]]] = {
    "e-card": e_card_deals,
    "even-odd": even_odd_deals,
    "up-down": up_down_deals,
    "66": sixty_six_deals,
}


def comparable(deals: Deals) -> Deals:
    """Hands of Up-Down are shown sorted, so only what is in them counts."""
    return [
        {**deal, "hands": {player: {*held} for player, held in deal["hands"].items()}} if "mesa" in deal else deal
        for deal in deals
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_program_on_the_page_deals_the_recorded_match_again(file: Path) -> None:
    record = loaded(file)
    wanted = list(DEALS[record.header.game](replayed(record).states))
    again = comparable(dealt_again(file))
    assert wanted
    assert again[: len(wanted)] == wanted
    if record.end.outcome is not None:
        assert len(again) == len(wanted)


def test_the_records_have_deals_of_several_rounds_and_seeds_with_words() -> None:
    counts = {file.stem: len(dealt_again(file)) for file in FILES}
    assert {loaded(file).header.game for file in FILES if counts[file.stem] > 4} == {"66", "up-down", "even-odd"}
    assert {loaded(file).header.game for file in FILES if loaded(file).entropy} >= {"66", "e-card", "even-odd"}


def test_the_program_notices_a_seed_that_was_not_committed_to(tmp_path: Path) -> None:
    header, *rest = save(loaded(FILES[0])).splitlines(keepends=True)
    other = json.loads(header) | {"commitment": "0" * 64}
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(json.dumps(other).encode() + b"\n" + b"".join(rest))
    done = run(forged)
    assert (done.returncode, done.stderr) == (1, "This is not the seed that was committed to.\n")


def test_the_page_names_every_draw_of_the_games_and_no_other() -> None:
    drawn = {
        label
        for file in (ROOT / "src" / "turnstile" / "games").rglob("*.py")
        for label in re.findall(r'(?:draw|shuffle)\([\w.]+, "([^"]+)"', file.read_text("utf-8"))
    }
    rows = re.findall(r"^\| (?:E-Card|Even/Odd|Up-Down|66) \| [^|]+ \| `([^`]+)` \|", PAGE, re.MULTILINE)
    assert {*rows} == drawn
