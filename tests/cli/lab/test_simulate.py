"""Many matches at once: counted right, repeatable, and stopped cleanly."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Turnstile


def test_the_same_seed_gives_the_same_result_whatever_the_number_of_processes(turnstile: Turnstile) -> None:
    plan = ("simulate", "e-card", "--matches", 600, "--seed", "7", "--json", "--processes")
    one, two = turnstile(*plan, 1), turnstile(*plan, 2)
    assert one.status == two.status == 0
    assert one.out == two.out
    assert json.loads(one.out)["matches"] == 600


def test_another_seed_gives_another_result(turnstile: Turnstile) -> None:
    plan = ("simulate", "e-card", "-n", 50, "--processes", 1, "--json")
    one, two = (turnstile(*plan, "--seed", seed).out for seed in ("7", "8"))
    assert json.loads(one)["wins"] != json.loads(two)["wins"]


def test_the_equilibrium_gives_the_emperor_four_rounds_of_five(turnstile: Turnstile) -> None:
    ran = turnstile("simulate", "e-card", "--matches", 2_000, "--seed", "four of five", "--json")
    facts = json.loads(ran.out)["facts"]
    assert facts["the emperor wins a round"]["low"] < 0.8 < facts["the emperor wins a round"]["high"]
    assert facts["the emperor wins a round"]["rate"] + facts["the slave wins a round"]["rate"] == 1
    parts = facts["the emperor wins a round"]["parts"]
    assert sum(parts[f"on side {side}"]["chances"] for side in (1, 2, 3, 4)) == 12 * 2_000


def test_the_result_for_programs_has_nested_objects_and_numbers(turnstile: Turnstile) -> None:
    options = '{"maxRoundSize": 2}'
    words = ("simulate", "up-down", "-n", 4, "--bots", "counter,random", "--options", options, "--seed", "7", "--json")
    result = json.loads(turnstile(*words, "--processes", 1).out)
    assert (result["game"], result["seed"], result["matches"]) == ("up-down", "7", 4)
    assert (result["bots"], result["options"]) == (["counter", "random"], {"maxRoundSize": 2})
    assert set(result["wins"]) == set(result["meanPoints"]) == {"counter 1", "random 2"}
    rates = [result["shared"], *result["wins"].values(), *result["facts"].values()]
    parts = [part for fact in result["facts"].values() for part in fact.get("parts", {}).values()]
    assert parts
    for rate in (*rates, *parts):
        assert set(rate) - {"parts"} == {"times", "chances", "rate", "low", "high"}
        assert all(type(rate[name]) in (int, float) for name in ("times", "chances", "rate", "low", "high"))
    assert set(result["facts"]["a bet is made exactly"]["parts"]) == {"in rounds of 1", "in rounds of 2"}
    assert not any(fact.startswith("...") for fact in result["facts"])


def test_the_shape_for_programs_is_in_the_help(turnstile: Turnstile) -> None:
    result = json.loads(turnstile("simulate", "e-card", "-n", 1, "--json").out)
    told = turnstile("simulate", "--help").out
    assert all(re.search(rf"^ +(\w+, )*{field}\b", told, re.MULTILINE) for field in result)


def test_people_get_a_table_with_intervals(turnstile: Turnstile) -> None:
    words = ("--matches", 100, "--bots", "equilibrium,random", "--seed", "7", "--processes", 1)
    ran = turnstile("simulate", "e-card", *words)
    assert "E-Card: 100 matches, seed 7" in ran.out
    for row in ("equilibrium 1 wins the match", "random 2 wins the match", "... on side 4", "mean moves a match"):
        assert row in ran.out
    assert "95 % interval" in ran.out
    assert "matches/s" in ran.err


def test_a_bot_that_searches_is_found_by_name_in_every_process(turnstile: Turnstile) -> None:
    single = ("simulate", "even-odd", "--options", '{"draws": 1}', "--bots", "search,random", "--seed", "7", "--json")
    one, two = (turnstile(*single, "-n", 24, "--processes", processes).out for processes in (1, 2))
    assert one == two
    assert set(json.loads(one)["wins"]) == {"search 1", "random 2"}


def test_every_match_can_be_recorded(turnstile: Turnstile, tmp_path: Path) -> None:
    turnstile("simulate", "e-card", "--matches", 3, "--records", tmp_path / "deep" / "down")
    records = sorted((tmp_path / "deep" / "down").iterdir())
    assert [record.name for record in records] == [f"e-card-{number:06}.jsonl" for number in (1, 2, 3)]
    assert [turnstile("verify", record).status for record in records] == [0, 0, 0]


def test_ctrl_c_stops_it_cleanly_with_what_was_counted_so_far(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "turnstile", "simulate", "e-card", "--matches", "10000000", "--json"]
    running = subprocess.Popen(
        [*command, "--records", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while len(list(tmp_path.iterdir())) < 500:  # several chunks are done
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert json.loads(out)["matches"] > 0
    assert "Stopped after" in err
    assert "Traceback" not in err
