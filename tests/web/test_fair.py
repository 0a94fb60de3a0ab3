"""The fairness check of the page, under node: every golden record is fair for every seat, and a forged one is not."""

import json
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from tests.test_records import FILES, loaded, replayed
from tests.test_redeal import dealt_again
from tools.node import node
from turnstile.kernel.effects import Tell
from turnstile.kernel.values import PlayerId

SCRIPTS = Path(__file__).parent / "js"

Message = dict[str, Any]


def run_script(name: str, given: object) -> Any:
    """What a script writes about what it is given."""
    command = [node(), str(SCRIPTS / name)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def told(file: Path, player: str) -> tuple[Message, ...]:
    """What a seat is told during a recorded match, with the messages of the table around those of the game."""
    record = loaded(file)
    effects = [effect for step in replayed(record).steps for effect in step.effects]
    batches = [batch for effect in effects if isinstance(effect, Tell) for batch in effect.batches]
    words = {entry.player: entry.words for entry in record.entropy}
    return (
        {"type": "MatchStarting", "commitment": record.header.commitment, "players": list(record.header.players)},
        *(json.loads(msgspec.json.encode(batch[PlayerId(player)])) for batch in batches if player in batch),
        {"type": "MatchEnded", "seed": record.end.seed, "words": words},
    )


def asked(file: Path, player: str, **changes: object) -> dict[str, object]:
    return {"text": file.read_text("utf-8"), "told": told(file, player), "seat": player, **changes}


def wrong(found: Mapping[str, Any]) -> list[str]:
    """The names of the checks that have failed."""
    return [check["name"] for check in found["checks"] if not check["isRight"]]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_match_is_fair_for_every_seat_and_is_dealt_again(file: Path) -> None:
    players = loaded(file).header.players
    for found in run_script("check_fairness.js", [asked(file, player) for player in players]):
        assert found["isFair"], found["checks"]
        assert [check["name"] for check in found["checks"]] == ["record", "seed", "deal"]
        assert found["deals"] == dealt_again(file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_check_compares_what_the_seat_saw(file: Path) -> None:
    (found,) = run_script("check_fairness.js", [asked(file, loaded(file).header.players[0])])
    assert "that you saw" in found["checks"][-1]["text"]


def file_of(name: str) -> Path:
    return next(file for file in FILES if file.stem == name)


def relinked(lines: Iterable[Message]) -> str:
    """These lines as a record whose hashes are right."""
    text, before = "", ""
    for line in lines:
        body = json.dumps(
            {key: value for key, value in line.items() if key != "hash"}, ensure_ascii=False, separators=(",", ":")
        )
        before = sha256((before + body).encode()).hexdigest()
        text += f'{body[:-1]},"hash":"{before}"}}\n'
    return text


def lines_of(file: Path) -> list[Message]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_forged_chain_is_a_chain() -> None:
    for file in FILES:
        assert relinked(lines_of(file)) == file.read_text("utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_changed_letter_anywhere_is_noticed(file: Path) -> None:
    chance, text = Random(7), file.read_text("utf-8")
    forged: list[dict[str, object]] = []
    for _ in range(40):
        at = chance.randrange(len(text))
        other = chance.choice([letter for letter in "0aZ\n" if letter != text[at]])
        forged.append({"text": text[:at] + other + text[at + 1 :], "told": [], "seat": None})
    cut: list[dict[str, object]] = [
        {"text": text[: text.rfind("\n", 0, -1) + 1], "told": [], "seat": None},
        {"text": "", "told": [], "seat": None},
    ]
    for found in run_script("check_fairness.js", [*forged, *cut]):
        assert (found["isFair"], wrong(found)) == (False, ["record"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_another_seed_is_noticed_even_if_every_hash_is_right(file: Path) -> None:
    header, *rest, end = lines_of(file)
    seed = "another seed"
    other_seed = relinked([header, *rest, end | {"seed": seed}])
    commitment = sha256(seed.encode()).hexdigest()
    other_commitment = relinked([header | {"commitment": commitment}, *rest, end | {"seed": seed}])
    player = header["players"][0]
    found = run_script("check_fairness.js", [asked(file, player, text=text) for text in (other_seed, other_commitment)])
    assert all("seed" in wrong(each) for each in found)
    (alone,) = run_script("check_fairness.js", [{"text": other_seed, "told": [], "seat": None}])
    assert "seed" in wrong(alone)


@pytest.mark.parametrize("name", ["66-v1-entropy", "e-card-v1-entropy", "even-odd-v1-series"])
def test_other_words_of_a_player_are_noticed(name: str) -> None:
    file = file_of(name)
    lines = [line | {"words": "other words"} if line["line"] == "entropy" else line for line in lines_of(file)]
    (found,) = run_script("check_fairness.js", [asked(file, lines[0]["players"][0], text=relinked(lines))])
    assert "seed" in wrong(found)


OTHER_DEALS: dict[str, list[tuple[str, Message]]] = {
    "e-card-v1-plain-win": [("MatchStarted", {"roles": {"emperorPlayer": "nobody", "slavePlayer": "ana"}})],
    "even-odd-v1-series": [("NumberDrawn", {"result": {"drawnNumber": 11}})],
    "up-down-v1-two-players": [
        ("GameStarted", {"playerOrder": ["nobody"]}),
        ("RoundDealt", {"mesa": {"suit": "hearts", "rank": "1"}}),
        ("RoundDealt", {"hand": []}),
        ("CardPlayed", {"card": {"suit": "hearts", "rank": "1"}}),
    ],
    "66-v1-every-move": [
        ("NextTurn", {"playerIndex": 9}),
        ("GameState", {"discardedValue": 99}),
        ("FirstTwoCards", {"value1": 99}),
        ("TookDeckCard", {"value": 99}),
    ],
}


@pytest.mark.parametrize("name", OTHER_DEALS)
def test_a_deal_that_the_seed_does_not_demand_is_noticed(name: str) -> None:
    file = file_of(name)
    player = loaded(file).header.players[-1]
    cases = []
    for kind, change in OTHER_DEALS[name]:
        messages = list(told(file, player))
        at = next(at for at, message in enumerate(messages) if message["type"] == kind)
        messages[at] = messages[at] | change
        cases.append(asked(file, player, told=messages))
    for found in run_script("check_fairness.js", cases):
        assert wrong(found) == ["deal"], found["checks"]
        assert "you saw" in found["checks"][-1]["text"]


def test_a_game_that_the_page_does_not_know_is_checked_as_far_as_possible() -> None:
    header, *rest = lines_of(FILES[0])
    text = relinked([header | {"game": "chess"}, *rest])
    (found,) = run_script("check_fairness.js", [{"text": text, "told": [], "seat": None}])
    assert found["isFair"]
    assert "turnstile verify" in found["checks"][-1]["text"]


def test_players_with_words_are_sorted_by_code_points() -> None:
    """UTF-16, in which JavaScript compares, has another order."""
    file = file_of("even-odd-v1-series")
    header, *rest, end = [line for line in lines_of(file) if line["line"] != "entropy"]
    players = ["\U0001f600", "\uff5e"]
    words = [{"line": "entropy", "player": player, "words": f"by {player}"} for player in players]
    start = next(line for line in rest if line["event"]["type"] == "Start")
    mixed = json.dumps(
        [end["seed"], sorted([each["player"], each["words"]] for each in words)],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    start["event"]["seed"] = sha256(mixed.encode()).hexdigest()
    text = relinked([header | {"players": players}, *words, *rest, end])
    (found,) = run_script("check_fairness.js", [{"text": text, "told": [], "seat": None}])
    assert found["isFair"], found["checks"]


def test_the_hashes_are_those_of_the_standards() -> None:
    chance = Random(7)
    sizes = [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000]
    pairs = [(chance.randbytes(size), chance.randbytes(key)) for size in sizes for key in (0, 1, 32, 64)]
    found = run_script("hashes.js", [{"message": message.hex(), "key": key.hex()} for message, key in pairs])
    wanted = [[blake2b(message, key=key).hexdigest(), *[sha256(message).hexdigest()] * 2] for message, key in pairs]
    assert found == wanted
