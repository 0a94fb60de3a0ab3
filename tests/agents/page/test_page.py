"""The page and the report of a league: what they show, and that names and reports cannot add anything else."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from msgspec.structs import replace

from tests.agents.page.boards import HOSTILE, NAMES, board, ecard_board, with_first_draw
from tests.league.manager.managed import League
from turnstile.agents.page.projection import health_of, scoreboard_of
from turnstile.agents.page.render import render_page, render_report, report_style
from turnstile.agents.page.routes import PAGE_POLICY
from turnstile.agents.page.scoreboard import Progress, Result, Round, Scoreboard, Verdict, points_by_round, verdict
from turnstile.agents.process.contacts import Contact
from turnstile.kernel.chance import Commitment, Seed, commit
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.protocol.management import StartLeague
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.words import Address, LeagueId, MatchId, Status
from turnstile.net.policy import one_style_only


def page(shown: Scoreboard, round_id: int | None = None) -> str:
    return without_gaps(render_page(shown, round_id))


def report(shown: Scoreboard) -> str:
    return without_gaps(render_report(shown))


def without_gaps(source: str) -> str:
    """The same page without the white space between its elements."""
    return re.sub(r">\s+<", "><", source)


class Reader(HTMLParser):
    """Reads a page as a browser does: its elements and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.words = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "


def test_the_page_shows_table_round_and_agents() -> None:
    words = Reader(page(board(3))).words
    assert "round 4 of 5 · 9 of 15 matches · running" in words
    assert all(name in words for name in NAMES)
    assert "Round 4: 0 of 3 finished" in words
    assert "being played" in words
    assert "given up" in words


def test_an_earlier_round_is_shown_when_it_is_asked_for() -> None:
    words = Reader(page(board(3), 1)).words
    assert "Round 1: 3 of 3 finished" in words
    assert "fair" in words


def test_a_round_that_does_not_exist_is_no_error() -> None:
    assert "Round 1" in Reader(page(board(3), 999)).words


def test_a_league_without_players_has_a_page() -> None:
    empty = Scoreboard(league_id=LeagueId("new"), progress=Progress.PENDING, places=(), rounds=())
    assert "Nobody has registered yet." in Reader(page(empty)).words
    assert "waiting for the start" in Reader(report(empty)).words


def test_a_league_that_waits_says_for_what() -> None:
    for progress in (Progress.PENDING, Progress.RUNNING):
        waiting = replace(board(3), progress=progress, waits_for="1 more player and a referee")
        for source in (page(waiting), report(waiting)):
            assert "The league waits for  1 more player and a referee ." in Reader(source).words
    assert "waits for" not in Reader(page(board(3))).words


@pytest.mark.parametrize(
    ("second", "third", "said"),
    [
        ((4, 1), (1, 0), "Champion: A with 7 points."),
        ((7, 1), (1, 0), "Champion: A with 7 points. 1 other has as many points, and fewer wins."),
        ((7, 2), (7, 1), "Champions: A and B with 7 points each. 1 other has as many points, and fewer wins."),
        ((7, 2), (7, 2), "Champions: A, B and C with 7 points each."),
    ],
)
def test_several_champions_are_shown_as_such_on_the_page_and_in_the_report(
    second: tuple[int, int], third: tuple[int, int], said: str
) -> None:
    over = level(board(5), (7, 2), second, third)
    for source in (page(over), report(over)):
        assert said in " ".join(Reader(source).words.split()).replace(" ,", ",")


@pytest.mark.parametrize(
    ("second", "third", "ranks"),
    [((4, 1), (1, 0), "1 2 3"), ((7, 2), (7, 1), "1 1 3"), ((7, 1), (7, 1), "1 2 2"), ((7, 2), (7, 2), "1 1 1")],
)
def test_equal_points_and_wins_share_a_place_on_the_page_and_in_the_report(
    second: tuple[int, int], third: tuple[int, int], ranks: str
) -> None:
    over = level(board(5), (7, 2), second, third)
    for source in (page(over), report(over)):
        rows = source.partition('id="standings"')[2].partition("</table>")[0].split("<tr>")[2:]
        assert " ".join(re.findall(r'<tr><td class="number">(\d+)</td>', "<tr>" + "<tr>".join(rows))) == ranks
    assert [place.rank for place in over.places] == [1, 2, 3], "for programs each has a rank of its own"


def level(over: Scoreboard, *points_and_wins: tuple[int, int]) -> Scoreboard:
    """The league of the first three players, with these points and wins."""
    named = zip(over.places, "ABC", points_and_wins, strict=False)
    places = (replace(place, display_name=name, points=points, wins=wins) for place, name, (points, wins) in named)
    return replace(over, places=tuple(places), rounds=())


def test_one_point_is_no_points() -> None:
    over = board(5)
    winner = replace(over.places[0], points=1)
    assert " with 1 point." in Reader(page(replace(over, places=(winner,), rounds=()))).words


def test_A13_a_name_is_text_and_nothing_else() -> None:
    hostile = board(3, (HOSTILE, *NAMES[1:]))
    assert Reader(page(hostile)).elements.count("script") == 1  # the page's own
    assert re.findall("<script[^>]*>[^<]*", page(hostile)) == re.findall("<script src=[^>]* defer>", page(hostile))
    assert "script" not in Reader(report(hostile)).elements
    for source in (page(hostile), report(hostile)):
        for place in re.finditer("\u202e", source):  # turns the text around: only ever within its own element
            assert source.rfind("<bdi>", 0, place.start()) > source.rfind("</bdi>", 0, place.start())


def test_the_choices_of_a_match_under_way_are_not_shown() -> None:
    before, after = board(3), board(4)
    assert all(match.result is None for match in before.rounds[3].matches)
    assert not re.search(r"\(P0\d (even|odd)", page(before))
    assert re.search(r"\(P0\d (even|odd)", page(after, 4))


def drawn() -> Result:
    """A result with a draw."""
    found = next(match.result for match in board(5).matches if match.result and match.result.drawn_number)
    assert found is not None
    return found


def bent(result: Result) -> Result:
    assert result.drawn_number is not None
    return replace(result, drawn_number=result.drawn_number % 10 + 1)


def test_A20_a_draw_is_fair_when_its_seed_was_promised_and_gives_the_number() -> None:
    honest = drawn()
    assert verdict("even_odd", honest) is Verdict.FAIR
    assert verdict("even_odd", bent(honest)) is Verdict.UNFAIR
    assert verdict("even_odd", replace(honest, commitment=commit(Seed("another")))) is Verdict.UNFAIR
    assert verdict("even_odd", replace(honest, commitment=None)) is Verdict.UNWITNESSED
    assert verdict("even_odd", replace(bent(honest), commitment=None)) is Verdict.UNFAIR


def test_A20_a_result_without_a_draw_is_not_proven_and_a_technical_loss_is_neither() -> None:
    honest = drawn()
    for withheld in (replace(honest, seed=None), replace(honest, drawn_number=None), replace(honest, seed=Seed(""))):
        assert verdict("even_odd", withheld) is Verdict.UNPROVEN
        assert verdict("even_odd", replace(withheld, status=Status.TECHNICAL_LOSS)) is Verdict.NO_DRAW


def test_A20_the_seed_of_another_game_is_fair_when_it_was_promised() -> None:
    honest = replace(drawn(), drawn_number=None)
    assert verdict("e-card", honest) is Verdict.FAIR
    assert verdict("e-card", replace(honest, commitment=commit(Seed("another")))) is Verdict.UNFAIR
    assert verdict("e-card", replace(honest, commitment=None)) is Verdict.UNWITNESSED
    assert verdict("e-card", replace(honest, seed=None)) is Verdict.UNPROVEN
    assert verdict("e-card", replace(honest, status=Status.TECHNICAL_LOSS)) is Verdict.NO_DRAW


@pytest.mark.parametrize(
    ("changed", "sentence", "mark"),
    [
        ({}, "13 seeds checked: 13 fair, as their referees were bound to them.", "matches its commitment: fair"),
        (
            {"commitment": commit(Seed("another"))},
            "13 seeds checked: 1 NOT fair; 12 fair, as their referees were bound to them.",
            "does NOT match its commitment",
        ),
        (
            {"commitment": None},
            "13 seeds checked: 12 fair, as their referees were bound to them; 1 that nobody was bound to before.",
            "not witnessed",
        ),
        (
            {"seed": None},
            "12 seeds checked: 12 fair, as their referees were bound to them. "
            "1 result came without a seed that could be checked.",
            "not shown",
        ),
    ],
)
def test_A20_page_and_report_of_another_game_check_its_seeds(changed: dict[str, Any], sentence: str, mark: str) -> None:
    told = with_first_draw(ecard_board(), **changed)
    assert sentence in Reader(report(told)).words
    words = Reader(page(told, 1)).words
    assert mark in words
    assert "Check the seeds of this round" in words
    assert "drawn_number" not in words


def test_the_result_of_another_game_has_its_scores_and_the_winner_s_first() -> None:
    over = ecard_board()
    rows = re.findall(r"<tr><td><a .*?</tr>", report(over))
    winners = {match.match_id: match.result.winner for match in over.matches if match.result and match.result.scores}
    for match, row in zip(over.matches, rows, strict=True):
        if match.match_id not in winners:
            assert "technical loss" in row
        elif (winner := winners[match.match_id]) is None:
            assert "draw 5 : 5" in row
        else:
            assert f"{over.names[winner]}</bdi> wins 7 : 4<" in row


def test_scores_that_a_referee_tells_of_others_are_not_shown() -> None:
    strange = with_first_draw(ecard_board(), scores=ByPlayer({PlayerId("P77"): 12}))
    assert "12" not in re.findall(r"<tr><td><a .*?</tr>", report(strange))[0]


@pytest.mark.parametrize(
    ("changed", "sentence", "mark"),
    [
        ({}, "13 draws checked: 13 fair, as their referees were bound to draw them.", "fair"),
        (
            {"drawn_number": 0},
            "13 draws checked: 1 NOT fair; 12 fair, as their referees were bound to draw them.",
            "NOT FAIR",
        ),
        (
            {"commitment": None},
            "13 draws checked: 12 fair, as their referees were bound to draw them; "
            "1 as the seeds give them, which nobody was bound to before.",
            "not witnessed",
        ),
        (
            {"seed": None},
            "12 draws checked: 12 fair, as their referees were bound to draw them. "
            "1 result came without a draw that could be checked.",
            "not proven",
        ),
        (
            {"seed": None, "drawn_number": None},
            "12 draws checked: 12 fair, as their referees were bound to draw them. "
            "1 result came without a draw that could be checked.",
            "not proven",
        ),
    ],
)
def test_A20_page_and_report_count_each_kind_of_draw_as_what_it_is(
    changed: dict[str, Any], sentence: str, mark: str
) -> None:
    told = with_first_draw(board(5), **changed)
    assert sentence in Reader(report(told)).words
    assert mark in Reader(page(told, 1)).words
    is_green = 'class="verdict fair">13 draws' in report(told)
    assert is_green == (not changed)


def test_A20_where_nothing_was_drawn_nothing_is_claimed() -> None:
    assert "No draw could be checked." in Reader(report(board(0))).words


def test_the_lines_of_the_picture_end_at_the_points_of_the_table() -> None:
    over = board(5)
    assert {player: line[-1] for player, line in points_by_round(over).items()} == {
        place.player_id: place.points for place in over.places
    }
    assert Reader(report(over)).elements.count("polyline") == len(NAMES)


def test_nothing_but_the_page_s_own_style_and_script_has_any_effect() -> None:
    for rules in (PAGE_POLICY, one_style_only(report_style())):
        assert "unsafe" not in rules
        assert "default-src 'none'" in rules
    assert not re.search(" style=| on[a-z]+=|<style|<script>", page(board(3)))  # they would be without effect
    assert not re.search(" style=| on[a-z]+=|<link|<script", report(board(5)))


def test_the_report_needs_no_other_file() -> None:
    source = render_report(board(5))
    assert f"<style>{report_style()}</style>" in source
    assert "</" not in report_style()
    assert not re.search(r"(src|href)=\"(?!#)|url\(|@import", source)


def test_an_agent_was_last_heard_of_on_a_day_and_at_a_time() -> None:
    assert '<time datetime="2026-11-15T09:10:02Z">2026-11-15 09:10:02 UTC</time>' in page(board(3))
    heard = health_of(Address("player:P01"), "Ana", Contact(1_794_733_802_999, 1), is_up=True, load=0)
    assert (heard.last_heard, heard.condition) == ("2026-11-15T09:10:02Z", "has not answered 1 time")
    silent = health_of(Address("player:P01"), "Ana", Contact(None, 2), is_up=True, load=0)
    assert (silent.last_heard, silent.condition) == (None, "has not answered 2 times")


def test_the_numbers_of_the_rounds_say_what_they_are() -> None:
    source = page(board(3))
    assert '<nav aria-label="Rounds"><span>Rounds</span><a href="?round=1" aria-label="Round 1">1</a>' in source


# boards of leagues that are played


def test_before_the_league_begins_it_has_no_rounds() -> None:
    league = League().enters("Ana").enters("Bo").enters("Cy")
    waiting = scoreboard_of(league.state, range(1, 4), {})
    assert (waiting.progress, waiting.rounds, waiting.current_round) == (Progress.PENDING, (), 0)
    for source in (page(waiting), page(waiting, 1), report(waiting)):
        words = Reader(source).words
        assert "3 players · even_odd · waiting for the start" in words
        assert "The league waits for  a referee ." in words
        assert "Ana" in words
        assert not re.search(r"Round \d|to be played|sits out", words)
    begun = scoreboard_of(league.referees("Ron").takes(StartLeague()).state, range(1, 4), {})
    assert [each.round_id for each in begun.rounds] == [1, 2, 3]


def test_rounds_that_are_kept_are_as_they_would_be_shown_anew() -> None:
    entrants = [Entrant(f"Player {number}", lambda question: "even") for number in range(5)]
    league = LocalLeague(entrants, Seed("a league"))
    reports: dict[MatchId, MatchResultReport] = {}
    commitments: dict[MatchId, Commitment] = {}
    over: dict[int, Round] = {}
    for played in league.run():
        for result, commitment in zip(played.results, played.commitments, strict=True):
            reports[result.match_id] = result
            assert commitment is not None
            commitments[result.match_id] = commitment
        state = league.manager.state
        anew = scoreboard_of(state, range(1, 6), reports, commitments=commitments)
        assert scoreboard_of(state, range(1, 6), reports, commitments=commitments, over=over) == anew
        assert [over[number] for number in sorted(over)] == list(anew.rounds[: played.round_id])
    assert len(over) == 5


@pytest.mark.parametrize("game_type", ["even-odd", "e-card", "66", "up-down"])
def test_A20_the_seeds_and_scores_of_a_league_of_another_game_are_on_its_board(game_type: str) -> None:
    entrants = [Entrant(f"Player {number}", lambda question: None) for number in range(3)]
    league = LocalLeague(entrants, Seed("a league"), game_type=game_type)
    told = [
        (result, word) for each in league.run() for result, word in zip(each.results, each.commitments, strict=True)
    ]
    reports = {result.match_id: result for result, _ in told}
    commitments = {result.match_id: word for result, word in told if word is not None}
    over = scoreboard_of(league.manager.state, range(1, 4), reports, commitments=commitments)
    results = [match.result for match in over.matches if match.result]
    assert [verdict(game_type, result) for result in results] == [Verdict.FAIR] * 3
    assert all(match.result and match.result.scores.keys() == set(match.players) for match in over.matches)
    assert "3 seeds checked: 3 fair" in Reader(report(over)).words
