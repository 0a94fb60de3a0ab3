"""`turnstile report`: from each kind of file to a page, pictures and numbers, or a sentence that says why not."""

import json
import os
import re
from pathlib import Path
from threading import Thread

import pytest
from matplotlib.image import imread

from tests.agents.agents_in_process import in_process_agents
from tests.agents.loops import run
from tests.cli.conftest import Turnstile
from tests.reports.tournaments import write_tournament

HEADER = '{"kind":"%s","version":%d,"game":"e-card","gameVersion":1,"options":{},"bots":[],"players":2,"seed":"7"}\n'
MATCH = '{"seats":["a","b"],"winners":[0],"scores":[3,1],"moves":4}\n'


def test_a_simulation_becomes_a_page_pictures_and_numbers(turnstile: Turnstile, tmp_path: Path) -> None:
    results = tmp_path / "matches.jsonl"
    words = ("simulate", "e-card", "-n", 60, "--bots", "equilibrium,random", "--seed", 7, "--processes", 1)
    told = json.loads(turnstile(*words, "--json", "--out", results).out)
    ran = turnstile("report", results, "--png", tmp_path / "plots")
    assert (ran.status, ran.err) == (0, f"The report: {tmp_path}/matches.html\n6 plots: {tmp_path}/plots\n")
    page = (tmp_path / "matches.html").read_text()
    assert "<h1>E-Card: 60 simulated matches</h1>" in page
    assert "the emperor wins a round" in page
    assert not re.search(r"(src|href)=|url\(|@import", page)
    pictures = sorted((tmp_path / "plots").iterdir())
    named = ["cross-table", "lengths", "ratings", "roles", "scores", "win-rates"]
    assert [path.stem for path in pictures] == named
    assert all(path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000 for path in pictures)
    numbers = json.loads(turnstile("report", results, "--json").out)
    assert {each["name"]: each["alone"] for each in numbers["standings"]} == told["wins"]
    assert list(numbers["facts"])[:3] == ["the slave wins a round", "the emperor wins a round", "... on side 1"]


def test_decisions_give_the_same_numbers_as_results(turnstile: Turnstile, tmp_path: Path) -> None:
    numbers = []
    for name in ("matches.jsonl", "matches.parquet"):
        words = ("simulate", "66", "-n", 6, "--bots", "attentive,random", "--seed", 7, "--processes", 1)
        turnstile(*words, "--out", tmp_path / name)
        numbers.append(json.loads(turnstile("report", tmp_path / name, "--json").out))
    assert numbers[0].pop("facts")
    assert not numbers[1].pop("facts")
    assert numbers[0] == numbers[1]
    assert list(tmp_path.glob("*.html")) == []


def test_a_tournament_becomes_a_page(turnstile: Turnstile, tmp_path: Path) -> None:
    played = write_tournament(tmp_path / "t.jsonl", "even-odd", ("reader", "contrary", "random"), deals=2)
    with played.open("a") as file:
        file.write('{"deal":2,"seating":0,"seats":["rea')  # it goes on
    ran = turnstile("report", played, "--out", tmp_path / "new" / "page.html")
    assert ran.status == 0
    page = (tmp_path / "new" / "page.html").read_text()
    assert "<h1>Even/Odd: a tournament of 3</h1>" in page
    assert "2, each played in several seatings" in page
    assert all(title in page for title in ("Who beats whom", "Does the seat matter?", "Ratings"))


def test_a_league_becomes_a_page_that_links_to_its_own_report(turnstile: Turnstile, tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            await here.manager(3)
            agents = [await here.referee(), *[await here.player(f"Player {number}") for number in range(3)]]
            for agent in agents:
                await agent.ended()

    run(play())
    (league,) = (tmp_path / "data" / "matches").iterdir()
    own = tmp_path / "data" / "reports" / f"{league.name}.html"
    own.parent.mkdir()
    own.write_text("the league's own report")
    numbers = json.loads(turnstile("report", tmp_path, "--json").out)
    assert (numbers["kind"], numbers["matches"]) == ("league", 3)
    assert set(numbers["names"]) == {"Player 0", "Player 1", "Player 2"}
    assert sum(each["played"] for each in numbers["standings"]) == 6
    ran = turnstile("report", league, "--out", tmp_path / "page.html")
    assert ran.status == 0
    assert own.as_uri() in (tmp_path / "page.html").read_text()
    (league / "R9M9.json").write_text("{")
    assert "R9M9.json cannot be read" in turnstile("report", tmp_path).err
    (tmp_path / "data" / "matches" / "another").mkdir()
    assert "Choose one of: " in turnstile("report", tmp_path).err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a file of results"),
        (b"\xff\xfe", "is not a file of results"),
        (HEADER % ("record", 1), "the kind 'record', version 1"),
        (HEADER % ("tournament", 2), "version 2"),
        (HEADER % ("tournament", 1), "has no finished match"),
        (HEADER % ("tournament", 1) + MATCH + "nonsense\n", "line 3 is not a match"),
        (HEADER % ("simulation", 1) + MATCH.replace("[0]", "[2]"), "line 2 is not a match"),
        (HEADER % ("simulation", 1) + MATCH.replace("[3,1]", "[3]"), "line 2 is not a match"),
        (HEADER % ("simulation", 1) + '{"seats":["a"],"winners":[0],"scores":[3]}\n', "line 2 is not a match"),
    ],
)
def test_a_file_without_results_is_refused_in_a_sentence(
    content: bytes | str, sentence: str, turnstile: Turnstile, tmp_path: Path
) -> None:
    path = tmp_path / "matches.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    ran = turnstile("report", path)
    assert ran.status == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [path]


def test_other_parquet_files_and_empty_folders_are_refused(turnstile: Turnstile, tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    assert "is not a complete Parquet file" in turnstile("report", tmp_path / "broken.parquet").err
    assert "has no matches of a league" in turnstile("report", tmp_path).err


def test_without_matplotlib_it_says_what_to_install(turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnstile.cli.lab.report.find_spec", lambda name: None)
    ran = turnstile("report", ".", "--png", "plots")
    assert ran.status == 2
    assert "pip install 'turnstile[plots]'" in ran.err


def test_a_pipe_is_read_to_its_end(turnstile: Turnstile, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    count = 2_000  # more than a buffer holds
    writer = Thread(target=pipe.write_text, args=(HEADER % ("tournament", 1) + count * MATCH,), daemon=True)
    writer.start()
    assert json.loads(turnstile("report", pipe, "--json").out)["matches"] == count
    writer.join(10)


def test_the_page_never_replaces_the_results(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "matches.html"
    path.write_text(HEADER % ("tournament", 1) + MATCH)
    for words in ([], ["--out", path]):
        ran = turnstile("report", path, *words)
        assert (ran.status, f"The page would replace {path}: choose another --out." in ran.err) == (2, True)
    assert path.read_text().endswith(MATCH)
    assert json.loads(turnstile("report", path, "--json").out)["matches"] == 1


def test_names_with_dollar_signs_are_no_formulas_in_pictures(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    path.write_text(HEADER % ("tournament", 1) + MATCH.replace('"a"', '"cmd:./bot $x_{ $y"'))
    ran = turnstile("report", path, "--png", tmp_path / "plots")
    assert (ran.status, "plots" in ran.err) == (0, True)


def test_long_names_end_within_the_pictures(turnstile: Turnstile, tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    first, second = f'"cmd:./bot --model {"x" * 40}"', f'"cmd:./bot {"several words " * 3}"'
    named = MATCH.replace('"a"', first).replace('"b"', second)
    path.write_text(HEADER % ("tournament", 1) + named + named.replace('"winners":[0]', '"winners":[1]'))
    turnstile("report", path, "--png", tmp_path / "plots")
    pictures = sorted((tmp_path / "plots").iterdir())
    assert "scores" in [picture.stem for picture in pictures]
    for picture in pictures:
        pixels = imread(picture)
        assert all((edge == 1).all() for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])), picture
