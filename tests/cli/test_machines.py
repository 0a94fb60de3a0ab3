"""`games`, `diagram` and `check`: what is installed, what it looks like, what is proved about it."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Turnstile
from turnstile.registry import names


def test_games_lists_what_is_installed(turnstile: Turnstile) -> None:
    assert "E-Card" in turnstile("games").out
    described = json.loads(turnstile("games", "--json").out)
    ecard = next(game for game in described if game["name"] == "e-card")
    assert [bot["name"] for bot in ecard["bots"]] == ["equilibrium", "search", "random"]
    assert ecard["events"] == ["Start", "BeginPicking", "Pick", "Reset"]


def test_games_for_programs_has_objects_and_numbers(turnstile: Turnstile) -> None:
    described = json.loads(turnstile("games", "--json").out)
    for game in described:
        assert set(game) == {"name", "title", "version", "players", "bots", "options", "events", "rules"}
        assert type(game["version"]) is int
        assert type(game["players"]["fewest"]) is type(game["players"]["most"]) is int
        assert all(set(bot) == {"name", "about"} and bot["about"] for bot in game["bots"])
    by_name = {game["name"]: game for game in described}
    assert by_name["up-down"]["players"] == {"fewest": 2, "most": 10}
    assert by_name["even-odd"]["options"]["draws"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}


@pytest.mark.parametrize("name", names())
def test_the_shape_for_programs_is_in_the_help(turnstile: Turnstile, name: str) -> None:
    (described,) = json.loads(turnstile("games", name, "--json").out)
    told = turnstile("games", "--help").out
    assert all(re.search(rf"^ +(\w+, )*{field}\b", told, re.MULTILINE) for field in described)


@pytest.mark.parametrize("name", names())
def test_games_tells_the_rules_the_options_with_their_bounds_and_the_bots(turnstile: Turnstile, name: str) -> None:
    (described,) = json.loads(turnstile("games", name, "--json").out)
    told = " ".join(turnstile("games", name).out.split())
    plain = re.sub(r"[*`]", "", described["rules"])
    for sentence in re.split(r"[.:]\s+(?:- )?", plain.strip()):
        assert " ".join(sentence.split()) in told
    assert all(f"{bot['name']} {bot['about']}" in told for bot in described["bots"])
    assert ("Options: none" in told) is (described["options"] == {})
    for option, schema in described["options"].items():
        kind = schema.get("anyOf", [schema])[0]
        bounds = f"{kind['minimum']} to {kind['maximum']}" if "minimum" in kind else "a whole number"
        assert f"{option} {bounds}" in told


def test_games_prints_the_schema_of_events_and_messages(turnstile: Turnstile) -> None:
    schema = json.loads(turnstile("games", "e-card", "--schema").out)
    assert set(schema) == {"events", "messages", "state", "view", "options"}
    assert schema["events"]["$defs"]["Pick"]["properties"]["card"] == {"$ref": "#/$defs/Card"}
    assert schema["messages"]["$defs"]["PairRevealed"]["required"] == ["type", "pair", "score"]


def test_diagram_draws_mermaid_unless_told_otherwise(turnstile: Turnstile, tmp_path: Path) -> None:
    assert turnstile("diagram", "e-card").out.startswith("stateDiagram-v2\n")
    picture = tmp_path / "e-card.svg"
    assert turnstile("diagram", "e-card", "-o", picture).status == 0
    assert "<svg" in picture.read_text()
    assert "digraph" in turnstile("diagram", "e-card", "--format", "dot").out


def test_check_says_what_it_proved_and_what_it_only_sampled(turnstile: Turnstile) -> None:
    ran = turnstile("check", "e-card")
    assert ran.status == 0
    assert "e-card, 2 players, 8 seeds: 4,112 states seen" in ran.out
    assert "proved   every state can still reach one of 312 ends" in ran.out
    assert "sampled  states that differ only in what is past go on alike" in ran.out


def test_check_samples_what_it_may_not_walk(turnstile: Turnstile) -> None:
    report = json.loads(turnstile("check", "e-card", "--most-states", 100, "--json").out)
    verdicts = {finding["verdict"] for finding in report["findings"]}
    assert verdicts == {"proved", "sampled"}
    assert any("random matches reached an end" in finding["sentence"] for finding in report["findings"])
