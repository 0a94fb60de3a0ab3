"""`turnstile tournament`: a file that can be continued, and standings that say what is certain."""

import json
import re
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Turnstile
from turnstile.cli.lab.playing import contest_player_count
from turnstile.games import ecard

PLAN = ("tournament", "e-card", "--bots", "equilibrium,random", "--matches", 6, "--seed", "7", "--processes", 1)
HEADER = {
    "kind": "tournament",
    "version": 1,
    "game": "e-card",
    "gameVersion": 1,
    "options": {},
    "bots": ["equilibrium", "random"],
    "players": 2,
    "seed": "7",
    "deals": 3,
}


def test_the_file_has_a_header_and_a_line_for_each_match(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert turnstile(*PLAN, "--out", path).status == 0
    header, *matches = (json.loads(line) for line in path.read_text().splitlines())
    assert header == HEADER
    assert list(header) == list(HEADER)
    assert [(match["deal"], match["seating"]) for match in matches] == [
        (deal, way) for deal in range(3) for way in (0, 1)
    ]
    for match in matches:
        assert set(match) == {"deal", "seating", "seats", "winners", "scores", "moves", "facts"}
        assert match["seats"] == [["equilibrium", "random"], ["random", "equilibrium"]][match["seating"]]
        best = max(match["scores"])
        assert match["winners"] == [seat for seat, score in enumerate(match["scores"]) if score == best]
        assert match["moves"] >= 12


def test_a_tournament_that_was_cut_anywhere_ends_with_the_same_bytes(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    told = turnstile(*PLAN, "--out", path, "--json").out
    whole = path.read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (0, ends[0] // 2, ends[0] + 1, ends[2] - 5, ends[4] + 1, len(whole) - 1, len(whole)):
        path.write_bytes(whole[:cut])
        ran = turnstile(*PLAN, "--out", path, "--resume", "--json")
        assert (ran.status, ran.out) == (0, told)
        assert path.read_bytes() == whole


def test_ctrl_c_leaves_a_file_that_the_same_command_continues(turnstile: Turnstile, tmp_path: Path) -> None:
    """Without a seed, too: it is in the file."""
    path = tmp_path / "results.jsonl"
    words = ["tournament", "e-card", "--bots", "equilibrium,random", "--matches", "100000", "--out", str(path)]
    running = subprocess.Popen(
        [sys.executable, "-m", "turnstile", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not path.exists() or path.read_bytes().count(b"\n") < 100:
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "E-Card: " in out
    assert re.search(r"Stopped after \S+ of 100,000 matches. The file has them: the same command with --resume", err)
    assert "Traceback" not in err
    lines = path.read_bytes().splitlines(keepends=True)
    shorter = lines[0].replace(b'"deals":50000', b'"deals":%d' % (len(lines) // 2))
    path.write_bytes(b"".join([shorter, *lines[1:]]))
    words[5] = str(len(lines) // 2 * 2)
    assert turnstile(*words, "--resume", "--processes", 1).status == 0
    assert len(path.read_bytes().splitlines()) == len(lines) // 2 * 2 + 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ((), "exists. Continue it with --resume, or choose another file."),
        (("--resume", "--seed", "8"), 'belongs to another tournament (seed: "7" in the file, "8" here).'),
        (("--resume", "--matches", 8), "belongs to another tournament (deals: 3 in the file, 4 here)."),
        (("--resume", "--bots", "random,equilibrium"), '(bots: ["equilibrium","random"] in the file, ["random",'),
    ],
)
def test_a_file_of_another_tournament_is_refused(
    turnstile: Turnstile, tmp_path: Path, more: tuple[object, ...], why: str
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(HEADER) + "\n")
    before = path.read_bytes()
    ran = turnstile(*PLAN, "--out", path, *more)
    assert ran.status == 2
    assert why in ran.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{}", "is damaged: line 2: Object missing required field `seats`."),
        (
            '{"deal":1,"seating":0,"seats":["equilibrium","random"],"winners":[0],"scores":[1,0],"moves":3}',
            "is damaged: line 2 is not the match that belongs there.",
        ),
        (
            '{"deal":0,"seating":0,"seats":["equilibrium","random"],"winners":[2],"scores":[1,0],"moves":3}',
            "is damaged: line 2 is not the match that belongs there.",
        ),
        (
            '{"deal":0,"seating":0,"seats":["equilibrium","random"],"winners":[0],"scores":[],"moves":3}',
            "is damaged: line 2 is not the match that belongs there.",
        ),
    ],
)
def test_a_damaged_file_is_refused(turnstile: Turnstile, tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f"{json.dumps(HEADER)}\n{line}\n")
    ran = turnstile(*PLAN, "--out", path, "--resume")
    assert ran.status == 2
    assert why in ran.err
    for other in ("a diary", json.dumps({**HEADER, "kind": "simulation"})):
        path.write_text(f"{other}\n")
        assert "is not the file of a tournament." in turnstile(*PLAN, "--out", path, "--resume").err


@pytest.mark.parametrize(
    ("bots", "more", "why"),
    [
        ("random", (), "Name at least two bots, separated by commas."),
        ("random,random", (), "random is named twice: the bots must be different."),
        ("random,serch", (), "There is no e-card bot 'serch'."),
        ("random,search:fast", (), "The bot search has no setting 'fast'."),
        ("random,search", ("--resume",), "--resume needs --out"),
        ("random,search", ("--players", 3), "E-Card: This game takes 2 players, not 3."),
    ],
)
def test_what_cannot_be_played_is_refused(turnstile: Turnstile, bots: str, more: tuple[object, ...], why: str) -> None:
    ran = turnstile("tournament", "e-card", "--bots", bots, *more)
    assert ran.status == 2
    assert why in ran.err


def test_a_single_deal_is_called_one(turnstile: Turnstile) -> None:
    ran = turnstile("tournament", "e-card", "--bots", "equilibrium,random", "--matches", 2, "--processes", 1)
    assert "1 deal x 2 seatings = 2 matches" in ran.out


def test_people_get_tables_and_plain_sentences(turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("tournament", "66", "--bots", "attentive,random", "--matches", 40, "--seed", "7", "--processes", 1)
    monkeypatch.setenv("COLUMNS", "120")
    ran = turnstile(*words)
    assert "66: 20 deals x 2 seatings = 40 matches, seed 7" in ran.out
    for title in ("How often a row wins against a column", "What the seats are worth", "all bots"):
        assert title in ran.out
    assert re.search(
        r"attentive is stronger than random: it wins against it in \d+\.\d% of 40 matches \(.+\), p ", ran.out
    )
    assert "matches/s" in ran.err


def test_more_players_and_the_shape_for_programs_is_in_the_help(turnstile: Turnstile) -> None:
    words = (
        "tournament",
        "up-down",
        "--players",
        3,
        "--bots",
        "counter,random",
        "-n",
        6,
        "--options",
        '{"maxRoundSize":2}',
    )
    result = json.loads(turnstile(*words, "--processes", 1, "--json").out)
    assert (result["players"], result["deals"], result["matches"], result["isComplete"]) == (3, 2, 12, True)
    assert {bot["bot"] for bot in result["bots"]} == {"counter", "random"}
    told = turnstile("tournament", "--help").out
    fields = {*result, *result["bots"][0], *result["pairs"][0], *result["seats"][0]}
    assert [field for field in fields if not re.search(rf"\b{field}\b", told)] == []


def test_a_full_disk_is_a_sentence_that_names_the_file_and_it_can_be_continued(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    words = (
        "tournament",
        "e-card",
        "--bots",
        "equilibrium,random",
        "--matches",
        "40",
        "--seed",
        "7",
        "--processes",
        "1",
    )
    whole, path = tmp_path / "whole.jsonl", tmp_path / "full.jsonl"
    turnstile(*words, "--out", whole)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))  # noqa: E731
    command = [sys.executable, "-m", "turnstile", *words, "--out", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert (ran.returncode, ran.stderr.splitlines()[-1]) == (2, f"turnstile: {path}: File too large.")
    assert turnstile(*words, "--out", path, "--resume").status == 0
    assert path.read_bytes() == whole.read_bytes()


def test_no_name_is_cut_off_in_a_narrow_window(turnstile: Turnstile) -> None:
    """`search:…` could be any of them."""
    bots = "search:1,search:2,search:3,equilibrium,random"
    for command in ("tournament", "arena"):
        ran = turnstile(command, "e-card", "--bots", bots, "--matches", 2, "--seed", 7, "--processes", 1)
        assert (ran.status, "…" in ran.out) == (0, False)
        assert max(map(len, ran.out.splitlines()[:10])) <= 80


def test_a_cross_table_of_many_bots_fits_into_a_narrow_window(
    turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its columns have the places of the bots. Intervals are shown where there is room for them."""
    words = ("tournament", "even-odd", "--bots", "reader,contrary,always-even,alternating,random", "-n", 4, "--seed", 7)
    rows = {}
    for columns in (80, 140):
        monkeypatch.setenv("COLUMNS", str(columns))
        said = turnstile(*words, "--processes", 1).out
        cross_table = said.partition("How often a row")[2].partition("What the seats")[0]
        rows[columns] = [line for line in cross_table.splitlines() if "%" in line]
        assert re.search(r"┃ +┃ bot +┃ 1 +┃ 2 +┃ 3 +┃ 4 +┃ 5 +┃", cross_table)
        assert "│ always-even │" in cross_table
    assert (len(rows[80]), len(rows[140])) == (5, 10)
    assert "% to " in rows[140][1]


def test_a_contest_of_a_game_that_can_be_played_alone_has_two_players() -> None:
    alone_or_not = replace(ecard.game, seats=range(1, 5))
    assert contest_player_count(alone_or_not, None) == 2
    assert contest_player_count(alone_or_not, 3) == 3
    with pytest.raises(click.UsageError, match="This game takes 1 players, not 2"):
        contest_player_count(replace(ecard.game, seats=range(1, 2)), None)
