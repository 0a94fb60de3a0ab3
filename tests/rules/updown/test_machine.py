"""The machine of Up-Down beside the diagram, the tables and the data structures of its spec."""

from itertools import product

import msgspec
import pytest
from msgspec.structs import replace

from tests.rules.updown.matches import (
    ANA,
    DIAGRAM,
    THREE,
    betted,
    dealt,
    event,
    finished,
    in_phase,
    last_step,
    play,
    refusal,
    refused,
    round_of,
    started,
    step,
    waiting,
    whose_turn,
)
from turnstile.games.updown.cards import Suit, card, hand
from turnstile.games.updown.hand import HandState
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import RoundState
from turnstile.games.updown.rules import updown
from turnstile.games.updown.sight import view
from turnstile.games.updown.state import Code, Phase, State, View
from turnstile.kernel import Acks, Hop, PlayerId, Refusal, Rejection, digest, encode

VALID = {phase: cause for phase, cause, _ in DIAGRAM if cause != "auto"}
EVENTS = {"START_GAME": "ana starts", "PLACE_BET": "ana bets 0", "PLAY_CARD": "ana AS"}
RESTING = [Phase.WAITING, Phase.BETTING, Phase.PLAYING_HAND, Phase.GAME_COMPLETE]


def one_card_round() -> State:
    """Bo leads a hand of one card in the first round."""
    return betted("7H", "0 0 0", ana="AS", bo="KS", cy="2D")


# The diagram


def test_the_machine_has_the_states_and_actions_of_the_spec() -> None:
    names = ["waiting", "dealing", "betting", "playing_hand", "hand_complete", "round_complete", "game_complete"]
    assert [phase.value for phase in Phase] == names
    assert updown.events == (StartGame, PlaceBet, PlayCard)
    assert (updown.start, updown.ends) == (Phase.WAITING, (Phase.GAME_COMPLETE,))


def test_every_edge_happens_in_a_match() -> None:
    match, seen = waiting(THREE, 2), set[tuple[str, str, str]]()
    while match.phase is not Phase.GAME_COMPLETE:
        taken = updown.step(match, whose_turn(match)[0])
        assert not isinstance(taken, Rejection)
        seen |= {(hop.source, hop.cause, hop.target) for hop in taken.trace}
        match = taken.state
    assert seen == DIAGRAM - {("playing_hand", "auto", "playing_hand")}


@pytest.mark.parametrize(("phase", "name"), [pair for pair in product(Phase, EVENTS) if VALID.get(pair[0]) != pair[1]])
def test_what_is_not_valid_in_a_state_is_refused_as_wrong_phase(phase: Phase, name: str) -> None:
    match = in_phase(phase) if phase in RESTING else replace(started(), phase=phase)
    hint = f"possible now: {VALID[phase]}" if phase in VALID else "nothing is possible any more"
    answer = updown.apply(match, event(EVENTS[name]))
    assert answer == Rejection(Refusal.WRONG_PHASE, f"{name} is not possible in {phase}; {hint}.")


# The transitions, one by one


def test_start_game_leads_through_dealing_to_betting() -> None:
    taken = step(waiting(), "ana starts")
    assert taken.trace == (Hop("waiting", "dealing", "START_GAME", ""), Hop("dealing", "betting", "auto", ""))


def test_a_bet_that_is_not_the_last_stays_in_betting() -> None:
    assert step(started(), "ana bets 0").trace == (Hop("betting", "betting", "PLACE_BET", "more bets"),)


def test_the_last_bet_leads_to_playing_hand_and_starts_the_first_hand() -> None:
    match = play(dealt("7H", ana="AS", bo="KS", cy="2D"), "ana bets 0", "bo bets 0")
    assert round_of(match).current_hand is None
    taken = step(match, "cy bets 0")
    assert taken.trace == (Hop("betting", "playing_hand", "PLACE_BET", "last bet"),)
    assert round_of(taken.state).current_hand == HandState(1, (), None, 0, (PlayerId("bo"), PlayerId("cy"), ANA))


def test_a_card_that_is_not_the_last_stays_in_playing_hand() -> None:
    assert step(one_card_round(), "bo KS").trace == (Hop("playing_hand", "playing_hand", "PLAY_CARD", "more cards"),)


def test_the_last_card_of_a_hand_leads_through_hand_complete_to_the_next_hand() -> None:
    match = play(betted("7H", "0 0", ana="AS 2D", bo="KS 3D"), "bo KS")
    assert [(hop.target, hop.label) for hop in step(match, "ana AS").trace] == [
        ("hand_complete", "last card"),
        ("playing_hand", "more hands"),
    ]


def test_the_last_card_of_a_round_leads_through_round_complete_and_dealing_to_betting() -> None:
    taken = step(play(one_card_round(), "bo KS", "cy 2D"), "ana AS")
    assert [(hop.target, hop.label) for hop in taken.trace] == [
        ("hand_complete", "last card"),
        ("round_complete", "round done"),
        ("dealing", "more rounds"),
        ("betting", ""),
    ]


def test_the_last_card_of_the_match_leads_to_game_complete() -> None:
    taken = last_step()
    assert [hop.target for hop in taken.trace] == ["hand_complete", "round_complete", "game_complete"]


# The data structures


def test_the_state_has_the_fields_of_game_state_and_the_seed() -> None:
    written = msgspec.json.decode(encode(one_card_round()))
    fields = ["status", "players", "playerOrder", "currentRound", "roundSequence", "completedRounds", "seed"]
    assert list(written) == fields
    assert list(written["currentRound"]) == [
        *("roundNumber", "cardsPerPlayer", "mesa", "startingPlayerId", "bettingOrder", "currentBettingIndex"),
        *("currentHand", "completedHands"),
    ]
    assert list(written["currentRound"]["currentHand"]) == [
        *("handNumber", "cardsPlayed", "pinta", "currentPlayerIndex", "handOrder")
    ]


def test_a_state_in_the_middle_of_a_hand_looks_like_this_on_the_wire() -> None:
    match = play(betted("7H", "1 0", ana="2D AS", bo="KS 10C"), "bo KS")
    first_round = match.completed_rounds[0]
    assert msgspec.json.decode(encode(match)) == {
        "status": "playing_hand",
        "players": [
            {
                "id": "ana",
                "hand": [{"suit": "diamonds", "rank": "2"}, {"suit": "spades", "rank": "A"}],
                "bet": 1,
                "handsWon": 0,
                "score": first_round.results[0].score,
            },
            {
                "id": "bo",
                "hand": [{"suit": "clubs", "rank": "10"}],
                "bet": 0,
                "handsWon": 0,
                "score": first_round.results[1].score,
            },
        ],
        "playerOrder": ["bo", "ana"],
        "currentRound": {
            "roundNumber": 2,
            "cardsPerPlayer": 2,
            "mesa": {"suit": "hearts", "rank": "7"},
            "startingPlayerId": "ana",
            "bettingOrder": ["ana", "bo"],
            "currentBettingIndex": 2,
            "currentHand": {
                "handNumber": 1,
                "cardsPlayed": [{"playerId": "bo", "card": {"suit": "spades", "rank": "K"}}],
                "pinta": "spades",
                "currentPlayerIndex": 1,
                "handOrder": ["bo", "ana"],
            },
            "completedHands": [],
        },
        "roundSequence": [1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1],
        "completedRounds": [msgspec.json.decode(encode(first_round))],
        "seed": match.seed,
    }


def test_completed_hands_and_rounds_are_kept_as_history() -> None:
    match = play(one_card_round(), "bo KS", "cy 2D", "ana AS")
    assert msgspec.json.decode(encode(match.completed_rounds)) == [
        {
            "roundNumber": 1,
            "cardsPerPlayer": 1,
            "mesa": {"suit": "hearts", "rank": "7"},
            "startingPlayerId": "ana",
            "results": [
                {"playerId": "ana", "bet": 0, "handsWon": 1, "points": 0, "score": 0},
                {"playerId": "bo", "bet": 0, "handsWon": 0, "points": 10, "score": 10},
                {"playerId": "cy", "bet": 0, "handsWon": 0, "points": 10, "score": 10},
            ],
            "completedHands": [
                {
                    "handNumber": 1,
                    "cardsPlayed": [
                        {"playerId": "bo", "card": {"suit": "spades", "rank": "K"}},
                        {"playerId": "cy", "card": {"suit": "diamonds", "rank": "2"}},
                        {"playerId": "ana", "card": {"suit": "spades", "rank": "A"}},
                    ],
                    "pinta": "spades",
                    "winnerId": "ana",
                }
            ],
        }
    ]


def test_before_the_start_nothing_is_drawn_and_nothing_dealt() -> None:
    match = waiting()
    assert (match.player_order, match.current_round, match.completed_rounds) == ((), None, ())


def test_after_a_round_bets_and_hands_are_gone_and_scores_stay() -> None:
    match = finished()
    assert [(player.hand, player.bet, player.hands_won) for player in match.players] == [((), None, 0)] * 3
    assert match.completed_rounds[-1].results[0].score == match.players[0].score


# Common queries, answered from a view as the spec answers them from the state


def is_my_turn(seen: View, me: PlayerId) -> bool:
    current = seen.current_round
    if seen.phase == "betting" and current:
        return current.betting_order[current.current_betting_index] == me
    if seen.phase == "playing_hand" and current and current.current_hand:
        return current.current_hand.hand_order[current.current_hand.current_player_index] == me
    return False


def test_common_queries_can_be_answered_from_a_view() -> None:
    match = play(betted("7H", "1 0", ana="2D AS", bo="KS 10C"), "bo KS")
    seen = view(match, ANA)
    assert [is_my_turn(view(match, player), player) for player in (ANA, PlayerId("bo"))] == [True, False]
    assert is_my_turn(view(started(), ANA), ANA)
    assert not is_my_turn(view(waiting(), ANA), ANA)
    assert next(player.hand for player in seen.players if player.id == ANA) == hand("2D AS")
    assert isinstance(seen.current_round, RoundState)
    assert seen.current_round.mesa == card("7H")
    assert seen.current_round.current_hand is not None
    assert seen.current_round.current_hand.pinta is Suit.SPADES


# Errors


def test_the_errors_of_the_spec_have_its_texts() -> None:
    betting = dealt("7H", ana="AS", bo="KS", cy="2D")
    playing = play(betted("7H", "0 0", ana="2D AS", bo="KS 10C"), "bo KS")
    assert [
        refused(waiting(), "bo starts"),
        refused(betting, "bo bets 0"),
        refused(play(betting, "ana bets 0", "bo bets 1"), "cy bets 0"),
        refused(playing, "bo 10C"),
        refused(playing, "ana KS"),
        refused(playing, "ana 2D"),
    ] == [
        Rejection("OnlyAdminCanStart", "Only admin can start game"),
        Rejection("NotYourTurnToBet", "Not your turn to bet"),
        Rejection("LastBetMakesSum", "Last player cannot make sum equal to round size"),
        Rejection("NotYourTurn", "Not your turn"),
        Rejection("CardNotInHand", "Card not in hand"),
        Rejection("MustFollowPinta", "Must follow pinta suit"),
    ]


def test_the_other_errors_say_what_to_do_too() -> None:
    assert [
        refused(waiting((ANA,)), "ana starts"),
        refused(dealt("7H", ana="AS 2S", bo="KS 3S"), "ana bets 3"),
        refused(started(), "zoe bets 0"),
    ] == [
        Rejection("TooFewPlayers", "At least two players are needed to start the game"),
        Rejection("BetOutOfRange", "Bet must be from 0 to 2"),
        Rejection("UnknownPlayer", "zoe has no seat in this match"),
    ]


def test_there_are_these_eleven_errors() -> None:
    own = [
        "UnknownPlayer",
        "OnlyAdminCanStart",
        "TooFewPlayers",
        "NotYourTurnToBet",
        "BetOutOfRange",
        "LastBetMakesSum",
    ]
    own += ["NotYourTurn", "CardNotInHand", "MustFollowPinta"]
    assert [str(code) for code in updown.codes] == ["InvalidEvent", "WrongPhase", *own]


@pytest.mark.parametrize(
    ("match", "text"), [(waiting(), "zoe starts"), (started(), "zoe bets 9"), (one_card_round(), "zoe AS")]
)
def test_somebody_without_a_seat_is_an_unknown_player_before_anything_else_is_asked(match: State, text: str) -> None:
    assert refusal(match, text) == Code.UNKNOWN_PLAYER


def test_the_wrong_phase_comes_before_the_unknown_player() -> None:
    assert refusal(started(), "zoe AS") == Refusal.WRONG_PHASE


def test_the_turn_comes_before_the_bet_and_the_card() -> None:
    assert refusal(started(), "bo bets 9") == Code.NOT_YOUR_TURN_TO_BET
    assert refusal(one_card_round(), "cy AS") == Code.NOT_YOUR_TURN


def test_who_may_start_comes_before_how_many_there_are() -> None:
    assert refusal(waiting((ANA,)), "bo starts") == Code.UNKNOWN_PLAYER


def test_an_unknown_event_is_invalid_before_it_is_in_the_wrong_phase() -> None:
    for phase in RESTING:
        assert updown.apply(in_phase(phase), Acks()) == Rejection(Refusal.INVALID_EVENT, "up-down has no event Acks.")


MALFORMED = [
    ("{}", "type"),
    ('{"type": "DEAL"}', "$.type"),
    ('{"type": "StartGame", "player": "ana"}', "$.type"),
    ('{"type": "START_GAME"}', "player"),
    ('{"type": "START_GAME", "player": ""}', "$.player"),
    ('{"type": "PLACE_BET", "player": "ana"}', "bet"),
    ('{"type": "PLACE_BET", "player": "ana", "bet": "1"}', "$.bet"),
    ('{"type": "PLACE_BET", "player": "ana", "bet": 1.5}', "$.bet"),
    ('{"type": "PLACE_BET", "player": "ana", "bet": true}', "$.bet"),
    ('{"type": "PLACE_BET", "player": "ana", "bet": 1, "card": null}', "card"),
    ('{"type": "PLAY_CARD", "player": "ana", "card": "AS"}', "$.card"),
    ('{"type": "PLAY_CARD", "player": "ana", "card": {"suit": "spades"}}', "rank"),
    ('{"type": "PLAY_CARD", "player": "ana", "card": {"suit": "stars", "rank": "A"}}', "$.card.suit"),
    ('{"type": "PLAY_CARD", "player": "ana", "card": {"suit": "spades", "rank": "1"}}', "$.card.rank"),
]


@pytest.mark.parametrize(("written", "place"), MALFORMED)
def test_an_event_that_is_malformed_or_unknown_is_an_invalid_event(written: str, place: str) -> None:
    answer = updown.read_event(written)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_EVENT
    assert place in answer.sentence


@pytest.mark.parametrize("text", EVENTS.values())
def test_what_an_event_writes_it_reads(text: str) -> None:
    assert updown.read_event(encode(event(text))) == event(text)


def test_a_card_is_a_suit_and_a_rank_on_the_wire() -> None:
    assert msgspec.json.decode(encode(event("ana 10H"))) == {
        "type": "PLAY_CARD",
        "player": "ana",
        "card": {"suit": "hearts", "rank": "10"},
    }


@pytest.mark.parametrize("text", ["ana starts", "ana bets 0", "zoe AS", "cy 2D", "bo AS"])
def test_an_error_leaves_nothing_changed(text: str) -> None:
    match = one_card_round()
    before = digest(match)
    assert refusal(match, text)
    assert digest(match) == before
    assert play(match, "bo KS") == play(one_card_round(), "bo KS"), "the match goes on as if nothing was said"
