"""Whole matches of other games than Even/Odd, through referee and players, beside the game played by itself."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from tests.league.matches import MATCH, PLAYERS, A, B, Chooser, Meeting, by_random, same_moves
from turnstile.agents.strategies.bots import Mover, find_mover
from turnstile.bots import bots_of
from turnstile.kernel import AnyGame, Event, Move, Outcome, PlayerId, Rejection, Seed, encode
from turnstile.kernel.record import refuse_deal, replay, write
from turnstile.league.player.state import AskedMove
from turnstile.league.protocol.messages import GameInvitation, GameOver, LeagueMessage, MatchResultReport
from turnstile.league.protocol.words import Status
from turnstile.league.referee.boards import replay_outcome
from turnstile.registry import find_game

GAMES = ("e-card", "66", "up-down", "even-odd")
LARGEST = 65_536  # bytes that an agent of the league reads at most
SETTINGS = settings(max_examples=40, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])


def found(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def moving(mover: Mover | None) -> Chooser:
    assert mover is not None
    return lambda asked: mover(asked, MATCH)


def meeting(game: str, seed: str, word: str = "random") -> Meeting:
    choosers = {player: moving(find_mover(word, Seed(f"{seed} {player}"))) for player in PLAYERS}
    return Meeting(game, Seed(seed), choosers)


def played_alone(game: AnyGame, seed: Seed, moves: Sequence[Raw]) -> tuple[Outcome | None, list[Event]]:
    """The game by itself: the dealer whenever it has something to do, otherwise the next of these moves."""
    state, events, left = game.new(PLAYERS, game.options(), seed), list[Event](), list(moves)
    while not isinstance(state, Rejection) and (left or game.dealer(state)) and game.outcome(state) is None:
        event = game.dealer(state) or game.machine.read_event(bytes(left.pop(0)))
        assert not isinstance(event, Rejection)
        events.append(event)
        state = game.machine.apply(state, event)
    assert not isinstance(state, Rejection), state
    assert left == []
    return game.outcome(state), events


@pytest.mark.parametrize("word", ["random", "bot"])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_match_between_two_bots_ends_as_the_game_does_for_the_same_seed_and_moves(
    name: str, word: str, seed: str
) -> None:
    game, match = found(name), meeting(name, seed, word)
    result = match.play()
    assert match.refused == []
    assert result.moves is not UNSET
    outcome, events = played_alone(game, Seed(seed), result.moves)
    assert outcome is not None
    assert result.scores == outcome.scores
    assert (result.status is Status.WIN) == (len(outcome.winners) == 1)
    assert result.winner_player_id == (outcome.winners[0] if len(outcome.winners) == 1 else None)
    assert (result.drawn_number, result.number_parity) == (None, None)
    assert result.choices == {A: None, B: None}
    record = write(game, PLAYERS, game.options(), Seed(seed), events)
    assert not isinstance(record, Rejection)
    again = replay(record, game)
    assert not isinstance(again, Rejection)
    assert refuse_deal(record, game, again) is None


@pytest.mark.parametrize("name", GAMES)
def test_everybody_is_told_the_same_result_and_the_manager_the_scores(name: str) -> None:
    match = meeting(name, "4")
    result = match.play()
    told = [send.message.game_result for send in match.said if isinstance(send.message, GameOver)]
    assert told == [result, result]
    (report,) = [send.message for send in match.said if isinstance(send.message, MatchResultReport)]
    assert (report.game_type, report.result.winner) == (name, result.winner_player_id)
    assert report.result.details.scores == result.scores
    assert sum(report.result.score.values()) in (2, 3)


@pytest.mark.parametrize("name", GAMES)
def test_players_find_that_the_match_was_fair_and_count_it(name: str) -> None:
    match = meeting(name, "5")
    result = match.play()
    for player, work in match.players.items():
        (kept,) = work.state.history
        assert (kept.game_type, kept.is_fair, kept.my_choice) == (name, True, None)
        assert (kept.result == "WIN") == (result.winner_player_id == player)


@pytest.mark.parametrize("name", GAMES)
def test_nobody_is_asked_where_there_is_nothing_to_decide_and_everybody_where_there_is(name: str) -> None:
    match = meeting(name, "6")
    result = match.play()
    calls = [call for player in PLAYERS for call in match.calls(player)]
    assert all(len(call.move_request.valid_options) > 1 for call in calls)
    assert result.moves is not UNSET
    answers = match.answers()
    assert len(answers) == len(calls)
    asked = {bytes(answer.move_data.choice) for answer in answers if answer.move_data}
    assert asked <= {bytes(move) for move in result.moves}
    assert len(result.moves) >= len(answers), "moves without an alternative are made by the referee"
    for player in PLAYERS:
        assert [call.move_number for call in match.calls(player)] == [*range(1, len(match.calls(player)) + 1)]


@pytest.mark.parametrize("name", GAMES)
def test_a_message_is_never_larger_than_an_agent_reads(name: str) -> None:
    for seed in range(10):
        match = meeting(name, f"size {seed}")
        match.play()
        assert max(len(encode(send.message)) for send in match.said) < LARGEST // 2


def test_a_player_is_shown_its_view_its_options_its_opponent_and_the_commitment() -> None:
    match = meeting("e-card", "7")
    match.play()
    first = match.calls(A)[0]
    assert (first.game_type, first.player_id, first.move_request.move_type) == ("e-card", A, "Pick")
    assert first.move_request.context.opponent_id == B
    assert b'"hand"' in bytes(first.move_request.context.view)
    assert all(b"Pick" in bytes(option) for option in first.move_request.valid_options)
    invited = [send.message.game_type for send in match.said if isinstance(send.message, GameInvitation)]
    assert invited == ["e-card", "e-card"]


# a bad network


def stuttering(rng: Random) -> Callable[[LeagueMessage], int]:
    return lambda message: rng.choice([1, 1, 1, 2])


def losing(rng: Random) -> Callable[[LeagueMessage], int]:
    """A network that loses now and then, but never so much that a player is given up: nothing twice in a row."""
    lost: dict[tuple[type[Any], Any], bool] = {}

    def times(message: LeagueMessage) -> int:
        what = type(message), getattr(message, "player_id", None)
        lost[what] = not lost.get(what) and rng.random() < 0.3
        return 0 if lost[what] else rng.choice([1, 2])

    return times


@SETTINGS
@given(st.sampled_from(GAMES), st.integers(0, 2**32), st.booleans())
def test_A5_whatever_is_repeated_lost_or_late_every_move_counts_once(name: str, number: int, loses: bool) -> None:
    rng = Random(f"network {number}")
    match = Meeting(
        name,
        Seed(str(number)),
        {player: by_random(rng) for player in PLAYERS},
        losing(rng) if loses else stuttering(rng),
        lambda waiting: rng.randrange(len(waiting)),
    )
    result = match.play()
    game = found(name)
    assert result.moves is not UNSET
    outcome, _ = played_alone(game, Seed(str(number)), result.moves)
    if result.status is not Status.TECHNICAL_LOSS:
        assert outcome is not None
        assert result.scores == outcome.scores
    asked: dict[tuple[PlayerId, int | None], set[bytes]] = {}
    for answer in match.answers():
        assert answer.move_data is not None
        asked.setdefault((answer.player_id, answer.move_number), set()).add(bytes(answer.move_data.choice))
    assert all(len(choices) == 1 for choices in asked.values()), "a question has one answer, however often it is asked"


def silent(asked: AskedMove) -> Raw | None:
    return None


@pytest.mark.parametrize("name", GAMES)
def test_a_strategy_that_never_answers_makes_the_first_move_in_time(name: str) -> None:
    match = Meeting(name, Seed("8"), {A: silent, B: by_random(Random(8))})
    result = match.play()
    assert result.status is not Status.TECHNICAL_LOSS
    assert match.refused == []
    mine = [answer for answer in match.answers() if answer.player_id == A]
    firsts = [call.move_request.valid_options[0] for call in match.calls(A)]
    assert [answer.move_data.choice for answer in mine if answer.move_data] == firsts


def test_two_players_who_would_go_on_for_ever_are_given_a_draw() -> None:
    """In 66 one may always take the discarded card: the deck then never ends, and so does no round."""

    def taking(asked: AskedMove) -> Raw:
        options = asked.request.valid_options
        return next((option for option in options if b"Discarded" in bytes(option)), options[0])

    match = Meeting("66", Seed("9"), {A: taking, B: taking})
    result = match.play()
    assert (result.status, result.winner_player_id, result.scores) == (Status.DRAW, None, UNSET)
    assert "not over after 500 moves" in result.reason
    assert max(len(match.calls(player)) for player in PLAYERS) == 500


# what was told


def test_moves_that_do_not_lead_to_the_result_are_not_fair() -> None:
    result = meeting("e-card", "10").play()
    assert isinstance(result.moves, tuple)
    outcome = replay_outcome("e-card", PLAYERS, Seed("10"), result.moves)
    assert outcome is not None
    assert outcome.scores == result.scores
    assert replay_outcome("e-card", PLAYERS, Seed("10"), result.moves[:-1]) is None
    assert replay_outcome("e-card", PLAYERS, Seed("10"), (*result.moves, result.moves[0])) is None
    assert replay_outcome("e-card", PLAYERS, Seed("10"), (Raw(b"7"),)) is None
    assert replay_outcome("e-card", PLAYERS, Seed(""), result.moves) is None
    assert replay_outcome("no such game", PLAYERS, Seed("10"), result.moves) is None


def test_the_moves_are_those_of_the_players() -> None:
    match = meeting("up-down", "11")
    result = match.play()
    assert isinstance(result.moves, tuple)
    game = found("up-down")
    _, events = played_alone(game, Seed("11"), result.moves)
    assert same_moves(result.moves, [event for event in events[1:] if isinstance(event, Move)])
    assert "counter" in bots_of(game)
