"""The file that a simulation writes: the same for the same seed, complete, readable, and free of hidden information."""

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Turnstile
from tests.lab import own_bots
from turnstile.games.sixtysix import game
from turnstile.kernel import PlayerId, Rejection
from turnstile.kernel.values import encode
from turnstile.lab import Plan
from turnstile.lab.simulation import play_one

SMALL = ("--seed", "7", "--processes", 1)


def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_processes(
    turnstile: Turnstile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnstile.lab.output.BYTES_IN_ROW_GROUP", 100_000)  # several row groups
    one, two = (tmp_path / f"{processes}.parquet" for processes in (1, 2))
    for processes, out in enumerate((one, two), start=1):
        ran = turnstile("simulate", "e-card", "-n", 30, "--seed", 7, "--processes", processes, "--out", out)
        assert (ran.status, ran.err.splitlines()[-1]) == (0, f"Wrote 30 matches to {out}.")
    assert one.read_bytes() == two.read_bytes()
    assert pq.read_metadata(one).num_row_groups > 2
    assert pq.read_table(one)["match"].unique().to_pylist() == list(range(1, 31))
    assert sorted(tmp_path.iterdir()) == [one, two]


def test_a_row_is_a_decision_as_its_seat_met_it(turnstile: Turnstile, tmp_path: Path) -> None:
    out = tmp_path / "matches.parquet"
    turnstile("simulate", "66", "-n", 2, "--bots", "attentive,random", *SMALL, "--out", out)
    rows = pq.read_table(out).to_pylist()
    plan = Plan("66", ("attentive", "random"), b"{}", "7")  # type: ignore[arg-type]
    played = [play_one(plan, index) for index in range(2)]
    assert len(rows) == sum(match.moves for match in played)
    for match in played:
        state: Any = game.new(match.players, match.options, match.seed)
        of_match = iter(row for row in rows if row["match"] == match.number)
        for step, event in enumerate(match.events):
            if (player := getattr(event, "player", None)) is not None:
                row, seat = next(of_match), match.players.index(player)
                assert (row["step"], row["seat"], row["player"], row["bot"]) == (step, seat, player, plan.bots[seat])
                assert row["observation"].encode() == encode(game.view(state, PlayerId(player)))
                legal = json.loads(row["actions"])
                assert legal == json.loads(encode(game.actions(state, PlayerId(player))))
                assert legal[row["choice_index"]] == json.loads(row["choice"]) == json.loads(encode(event))
                won = player in match.outcome.winners
                assert (row["won"], row["share"]) == (won, 1 / len(match.outcome.winners) if won else 0)
                assert (row["score"], row["moves"]) == (match.outcome.scores[player], match.moves)
            state = game.machine.apply(state, event)
            assert not isinstance(state, Rejection)


def test_hidden_information_is_there_only_if_asked_for_and_the_file_says_so(
    turnstile: Turnstile, tmp_path: Path
) -> None:
    plain, god = tmp_path / "plain.parquet", tmp_path / "god.parquet"
    words = ("simulate", "e-card", "-n", 1, "--bots", "random", *SMALL, "--options", "{}")
    assert turnstile(*words, "--out", plain).status == turnstile(*words, "--god", "--out", god).status == 0
    abouts = [json.loads(pq.read_metadata(path).metadata[b"turnstile"]) for path in (plain, god)]
    assert [about["hiddenInformation"] for about in abouts] == [False, True]
    kept = pq.read_table(god)
    assert pq.read_table(plain).equals(kept.drop_columns("state"))
    assert "seed" in json.loads(kept["state"][0].as_py())
    assert all("seed" not in json.loads(text) for text in kept["observation"].to_pylist())
    assert abouts[0]["bots"] == ["random", "random"]
    assert (abouts[0]["kind"], abouts[0]["seed"], abouts[0]["options"]) == ("simulation", "7", {})
    descriptions = {field.name: field.metadata[b"description"].decode() for field in pq.read_schema(god)}
    assert descriptions == abouts[1]["columns"]


def test_pandas_reads_it(turnstile: Turnstile, tmp_path: Path) -> None:
    out = tmp_path / "matches.parquet"
    turnstile("simulate", "even-odd", "-n", 5, *SMALL, "--out", out)
    rows = pandas.read_parquet(out)
    assert list(rows.columns) == pq.read_schema(out).names
    assert rows.groupby("match")["moves"].first().sum() == len(rows)
    assert set(rows["player"]) == {"reader 1", "reader 2"}


def test_polars_reads_it(turnstile: Turnstile, tmp_path: Path) -> None:
    out = tmp_path / "matches.parquet"
    turnstile("simulate", "even-odd", "-n", 5, *SMALL, "--out", out)
    rows = polars.scan_parquet(out).select("match", "player", "choice", "won").collect()
    assert rows.height == pq.read_metadata(out).num_rows
    assert set(rows["player"]) == {"reader 1", "reader 2"}
    assert rows["won"].dtype == polars.Boolean


def test_results_are_lines_of_json(turnstile: Turnstile, tmp_path: Path) -> None:
    out = tmp_path / "new" / "matches.jsonl"
    ran = turnstile("simulate", "e-card", "-n", 20, "--bots", "equilibrium,random", *SMALL, "--json", "--out", out)
    header, *matches = map(json.loads, out.read_text().splitlines())
    assert header == {
        "kind": "simulation",
        "version": 1,
        "game": "e-card",
        "gameVersion": 1,
        "options": {},
        "bots": ["equilibrium", "random"],
        "players": 2,
        "seed": "7",
        "matches": 20,
    }
    told = json.loads(ran.out)
    assert [match["match"] for match in matches] == list(range(1, 21))
    assert {tuple(match["seats"]) for match in matches} == {("equilibrium 1", "random 2")}
    assert sum(match["winners"] == [0] for match in matches) == told["wins"]["equilibrium 1"]["times"]
    assert sum(match["scores"][1] for match in matches) == 20 * told["meanPoints"]["random 2"]
    assert max(match["moves"] for match in matches) == told["moves"]["longest"]
    tie_breaks = [match["facts"]["the match goes to a tie break"] for match in matches]
    assert sum(times for times, _ in tie_breaks) == told["facts"]["the match goes to a tie break"]["times"]


@pytest.mark.parametrize("name", ["matches.parquet", "matches.jsonl"])
def test_ctrl_c_leaves_a_complete_file_with_the_matches_so_far(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    command = [sys.executable, "-m", "turnstile", "simulate", "even-odd", "-n", "10000000", "--json", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not any(path.stat().st_size > 300 for path in tmp_path.iterdir()):
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        told, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Stopped after" in err
    assert [path.name for path in tmp_path.iterdir()] == [name]
    count = json.loads(told)["matches"]
    if name.endswith(".jsonl"):
        assert out.read_text().count("\n") == count + 1
    else:
        found = pq.read_table(out, columns=["match"])["match"].unique().to_pylist()
        assert found == list(range(1, count + 1))


@pytest.mark.parametrize("name", ["matches.parquet", "matches.jsonl"])
def test_a_full_disk_is_a_sentence_and_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))  # noqa: E731
    command = [sys.executable, "-m", "turnstile", "simulate", "e-card", "-n", "400", "--out", str(out)]
    ran = subprocess.run([*command, "--processes", "1"], capture_output=True, text=True, preexec_fn=limit, check=False)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == f"turnstile: {out}: File too large."
    assert "Traceback" not in ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["matches.parquet", "matches.jsonl"])
def test_a_bot_that_fails_is_a_sentence_and_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    command = [sys.executable, "-m", "turnstile", "simulate", "e-card", "-n", "4", "--processes", "1"]
    bots = ("--bots", f"{own_bots.HERE}:silent,random")
    ran = subprocess.run([*command, *bots, "--out", str(out)], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].endswith("has chosen None instead of an action: is a return missing?")
    assert "Traceback" not in ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--out", "matches.csv"), "must end with .parquet, for decisions, or with .jsonl, for results"),
        (("--god",), "needs --out NAME.parquet"),
        (("--god", "--out", "matches.jsonl"), "needs --out NAME.parquet"),
    ],
)
def test_an_impossible_file_is_refused_before_anything_is_played(
    words: tuple[str, ...], sentence: str, turnstile: Turnstile
) -> None:
    ran = turnstile("simulate", "e-card", "-n", 10_000_000, *words)
    assert ran.status == 2
    assert sentence in ran.err


def test_without_pyarrow_it_says_what_to_install(turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnstile.cli.lab.simulate.find_spec", lambda name: None)
    ran = turnstile("simulate", "e-card", "--out", "matches.parquet")
    assert ran.status == 2
    assert "pip install 'turnstile[data]'" in ran.err
