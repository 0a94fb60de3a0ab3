"""66 in the terminal: whole matches are told with the players' names, and every choice has one."""

import re
from random import Random

import pytest

from tests.cli.conftest import Turnstile
from tests.rules.sixtysix.matches import ALICE, BOB, CAROL, PLAYERS, RESTING, act, in_phase, play, step, turn
from turnstile.cli.terminals.sixtysix import terminal
from turnstile.games.sixtysix.messages import NextTurn
from turnstile.games.sixtysix.rules import game, sixtysix
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import State
from turnstile.kernel import Message, PlayerId, Seed, Step
from turnstile.testing.strategies import RandomMatch

SEATED = terminal(PLAYERS)


def answers(seed: int) -> str:
    rng = Random(seed)
    return "".join(f"{rng.choice((1, 1, 2, 3, 4, 5, 6))}\n" for _ in range(2_000))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_whole_match_is_told_in_sentences_with_names(turnstile: Turnstile, players: int) -> None:
    ran = turnstile("play", "66", "--seed", "4", "--players", players, given=answers(players))
    assert ran.status == 0, ran.err
    said = re.sub(r"\s+", " ", ran.out)
    assert "You look at your first two cards: a" in said
    assert "It is your turn." in said
    assert re.search(r"bot( \d)? takes a card from the deck for its (first|second|third|fourth) card, an? \d+\.", said)
    assert re.search(r"The match is over after \d+ rounds\. you \+\d+ = \d+; bot", said)
    assert "The seed was 4;" in said


def told(match: State, text: str, player: PlayerId) -> list[str]:
    said = [SEATED.tell(message, player) for message in step(match, text).told(player)]
    return [sentence for sentence in said if sentence]


def test_what_players_do_is_told_to_each_in_its_own_words() -> None:
    match = turn(alice="8 8 9 1", bob="5 8 3 10", draws="11")
    assert told(match, "alice show 0 1", BOB) == ["alice shows its first and second cards: each is an 8."]
    assert told(match, "alice show 0 1", ALICE) == ["You show your first and second cards, and they are identical!"]
    assert told(match, "alice show 1 2", CAROL) == [
        "alice shows its second and third cards, but they differ: an 8 and a 9."
    ]
    assert told(match, "alice take", ALICE) == ["You take a card from the deck: an 11."]
    exchange = act(match, "alice take", "alice discard")
    assert told(exchange, "alice exchange 0 1.2", BOB) == ["alice exchanges its first card for your third card."]
    assert told(exchange, "alice exchange 0 1.2", CAROL) == ["alice exchanges its first card for bob's third card."]
    assert told(exchange, "alice exchange 0 1.2", ALICE) == ["You exchange your first card for bob's third card."]


@pytest.mark.parametrize("draw", ["7", "9", "12"])
def test_powers_are_told_to_everybody(draw: str) -> None:
    match = play(turn(draws=draw), "alice take")
    assert told(match, "alice discard", BOB) == [f"alice takes a card from the deck and discards it: a {draw}."]
    assert told(match, "alice discard", ALICE)[0].startswith(f"You discard the {draw}: ")


def test_the_end_names_the_winners() -> None:
    match = turn(BOB, alice="12 4 9 1", bob="5 8 3 6", carol="11 2 2 6", pile="12", totals=(60, 0, 11))
    match = play(act(match, "bob stop", "carol show 0 1"), "alice show 0 1")
    assert told(match, "acks", ALICE) == [
        "The match is over after 3 rounds. you +26 = 86; bob +32 = 32; carol +21 = 32. Bob and carol win."
    ]
    assert told(match, "acks", CAROL)[0].endswith("Bob and you win.")


@pytest.mark.parametrize("match", [in_phase(phase) for phase in RESTING], ids=[phase.value for phase in RESTING])
def test_every_choice_has_a_name_of_its_own_and_every_phase_can_be_shown(match: State) -> None:
    player = match.players[match.turn]
    names = [SEATED.name(action) for action in actions(match, player)]
    assert len(set(names)) == len(names)
    assert SEATED.show(view(match, player), player)


def test_every_message_but_the_next_turn_has_a_sentence() -> None:
    told_to: set[type[Message]] = set()
    for number in range(40):
        match = RandomMatch(game, PLAYERS, Seed(str(number)), 1_000, Random(number), {})
        for state, happened in zip(match.states, match.events, strict=False):
            taken = sixtysix.step(state, happened)
            assert isinstance(taken, Step)
            for player, message in [item for batch in taken.batches for item in batch.items()]:
                told_to.add(type(message))
                assert bool(SEATED.tell(message, player)) == (type(message) is not NextTurn)
    assert told_to == set(sixtysix.messages)
