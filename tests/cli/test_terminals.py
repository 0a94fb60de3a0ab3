"""What a newcomer sees in the terminal: rules, choices and their meanings, forced moves, and who has won."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console
from rich.markdown import Markdown

from tests.bots.toys import cups, sticks
from tests.cli.conftest import Turnstile
from turnstile.cli.games import bounds, rules_of
from turnstile.cli.main import turnstile as command
from turnstile.cli.terminals import Terminal, sentence_of, terminal_of
from turnstile.cli.terminals.choices import choices_of, explanation, listing, reminder, span
from turnstile.cli.terminals.plain import lines_of, plain_name, plain_show, plain_tell, text_of, words
from turnstile.games import ecard, evenodd, updown
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.moves import StopRound, TakeCardFromDeck
from turnstile.games.updown.moves import PlaceBet, PlayCard
from turnstile.kernel import AnyGame, ByPlayer, Move, Outcome, PlayerId, Seed, Step
from turnstile.registry import find_game, lent, names
from turnstile.testing.strategies import RandomMatch

PAGES = Path(__file__).parent.parent.parent / "docs" / "games"
SCREEN = 24  # lines of 80 columns
GAMES = (ecard.game, evenodd.game, sixtysix.game, updown.game)
ANA, BO, CY = PlayerId("ana"), PlayerId("bo"), PlayerId("cy")


def printed(thing: Any) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as said:
        console.print(thing, markup=False)
    return said.get()


def matches(game: AnyGame, count: int = 6) -> list[RandomMatch]:
    """Random matches with as few players as there can be, and with one more where that can be."""
    return [
        RandomMatch(
            game, (ANA, BO, CY)[: min(game.seats[-1], 2 + number % 2)], Seed(str(number)), 2_000, Random(number), {}
        )
        for number in range(count)
    ]


# rules


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_rules_fit_into_a_screen(game: AnyGame) -> None:
    assert len(printed(Markdown(game.rules)).splitlines()) <= SCREEN - 4


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_page_of_a_game_has_the_same_rules_word_for_word(game: AnyGame) -> None:
    assert f"## The rules\n\n{game.rules}" in (PAGES / f"{game.name}.md").read_text("utf-8")


def test_a_game_without_rules_of_its_own_is_explained_by_the_docstring_of_its_module() -> None:
    assert rules_of(sticks).startswith("Three small games for bots to be tried in")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9, "default": 3}, "1 to 9; 3 when left out."),
        ({"type": "integer", "minimum": 1, "default": 3}, "at least 1; 3 when left out."),
        ({"type": "number", "maximum": 2.5}, "at most 2.5; required."),
        ({"type": "boolean", "default": False, "description": "Slow."}, "true or false; false when left out. Slow."),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "a whole number or null; null when left out.",
        ),
        ({"enum": ["a"], "default": "a"}, 'a value; "a" when left out.'),
    ],
)
def test_the_bounds_of_an_option_are_told_in_words(option: dict[str, Any], said: str) -> None:
    assert bounds(option) == said


# choices


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_choice_is_listed_once_has_a_key_of_its_own_and_a_meaning(game: AnyGame) -> None:
    for match in matches(game):
        players = game.players(match.states[0])
        terminal = terminal_of(game, players)
        for state in match.states:
            for player in players:
                actions = game.actions(state, player)
                choices = choices_of(terminal, actions)
                assert sorted(map(str, choices.values())) == sorted(map(str, actions))
                assert all(terminal.meaning(action) for action in actions)
                if len(actions) > 1:
                    listed = printed(listing(terminal, choices))
                    keys = re.findall(r"(?:^ {,2}| {2,})(\d+)(?= )", listed, re.MULTILINE)
                    assert keys == list(choices)
                    assert all(line == line.rstrip() or len(line) <= 80 for line in listed.splitlines())


def test_choices_with_one_heading_stand_together_below_it() -> None:
    game = sixtysix.game
    match = next(state for state in matches(game)[0].states if len(game.actions(state, ANA)) > 10)
    listed = printed(
        listing(terminal_of(game, (ANA, BO)), choices_of(terminal_of(game, (ANA, BO)), game.actions(match, ANA)))
    )
    assert listed.index("  1  take a card from the deck") < listed.index("take the discarded card for your\n")
    assert re.search(r"take the discarded card for your\n +\d  first card +\d  second card", listed)
    assert re.search(r"show as identical your\n +\d  first and second +\d  first and third", listed)
    assert len(listed.splitlines()) < 12


def test_a_question_mark_tells_the_rules_and_what_each_choice_means() -> None:
    terminal = terminal_of(ecard.game, (ANA, BO))
    actions = (ecard.Pick(ANA, ecard.Card.SLAVE), ecard.Pick(ANA, ecard.Card.CITIZEN))
    said = printed(explanation(rules_of(ecard.game), terminal, choices_of(terminal, actions)))
    assert "The Emperor beats a Citizen" in said
    assert "  1  the Slave: beats the Emperor, loses to a Citizen" in said
    assert "  2  a Citizen: beats the Slave" in said
    assert len(said.splitlines()) <= SCREEN


def test_choices_with_one_meaning_are_explained_together() -> None:
    terminal: Terminal[Any] = Terminal(plain_show, plain_tell, plain_name, meaning=lambda action: "all the same")
    actions = [PlaceBet(ANA, bet) for bet in range(3)]
    assert "  1 to 3  all the same" in printed(explanation("", terminal, choices_of(terminal, actions)))


def test_the_author_of_a_game_explains_its_moves_in_their_docstrings() -> None:
    class Told(Move, frozen=True):
        """Say it
        aloud."""

    class Untold(Move, frozen=True):
        pass

    terminal: Terminal[Any] = Terminal(plain_show, plain_tell, plain_name)
    said = printed(explanation("", terminal, choices_of(terminal, [Told(ANA), Untold(ANA)])))
    assert "  1  Say it aloud.\n" in re.sub(r" +\n", "\n", said)
    assert "  2  Untold\n" in re.sub(r" +\n", "\n", said)


@pytest.mark.parametrize(
    ("keys", "said"), [("3", "3"), ("345", "3 to 5"), ("359", "3, 5, 9"), ("ab", "a, b"), ("34a", "3, 4, a")]
)
def test_keys_in_a_row_are_told_by_the_first_and_the_last(keys: str, said: str) -> None:
    assert span(list(keys)) == said


@pytest.mark.parametrize(
    ("keys", "said"),
    [("123", "a number from 1 to 3"), ("02", "0 or 2"), ("013", "0, 1 or 3"), ("1", "1")],
)
def test_what_may_be_typed_is_said(keys: str, said: str) -> None:
    choices = {key: PlaceBet(ANA, 0) for key in keys}
    assert reminder(choices) == f"Type {said}, ? for the rules, or q to leave."


# in a real terminal


def typed(*words: str, keys: str) -> str:
    """What stands in a terminal of 24 lines after a person has typed these keys, each with return."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    line = [sys.executable, "-m", "turnstile", *words]
    with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as playing:
        os.close(theirs)
        os.write(ours, "".join(f"{key}\n" for key in keys).encode())
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:  # the other end is closed
            pass
        assert playing.wait() == 0
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r", "")


@pytest.mark.parametrize("name", names())
def test_in_a_terminal_a_question_mark_shows_the_rules_and_q_leaves(name: str) -> None:
    game = find_game(name)
    assert game is not None
    shown = typed("play", name, keys="?q")
    first = re.sub(r"[*`]", "", game.rules).split(".")[0]
    assert first in " ".join(shown.split())
    assert "Your choices now" in shown
    assert "You leave the table." in shown


# forced moves, and choices that are missing


def test_a_move_that_is_the_only_one_is_made_at_once_and_said(turnstile: Turnstile) -> None:
    ran = turnstile("play", "66", "--seed", "4", given="q\n")
    assert "Your only choice: start the match.\nThe cards are dealt." in ran.out
    assert ran.out.count("> ") == 1


def test_in_up_down_the_number_typed_is_the_bet(turnstile: Turnstile) -> None:
    words = ("play", "up-down", "--seed", "4", "--players", "3")
    for bet in (0, 1):
        assert f"You bet {bet}." in turnstile(*words, given=f"{bet}\nq\n").out


def test_a_bet_that_is_missing_is_explained_and_so_is_typing_it(turnstile: Turnstile) -> None:
    """With this seed the last of the bets is ours in the fourth round."""
    why = "You cannot bet 2: you bet last, and the bets must not add up to 4 hands."
    ran = turnstile("play", "up-down", "--seed", "4", "--players", "3", given="0\n1\n1\n1\n2\nq\n")
    assert f"  0     1     3     4  \n{why}\n" in ran.out
    assert f"Type 0, 1, 3 or 4, ? for the rules, or q to leave. {why}" in " ".join(ran.out.split())


def test_what_is_missing_in_up_down_is_explained_whenever_it_is_missing_and_only_then() -> None:
    game = updown.game
    kinds = set()
    for match in matches(game, 8):
        players = game.players(match.states[0])
        terminal = terminal_of(game, players)
        for state in match.states:
            for player in players:
                actions = game.actions(state, player)
                said = terminal.missing(game.view(state, player), player, actions)
                cards = next(each.hand for each in state.players if each.id == player)
                if actions and isinstance(actions[0], PlaceBet):
                    bets = {action.bet for action in actions if isinstance(action, PlaceBet)}
                    gone = [str(bet) for bet in range(state.current_round.cards_per_player + 1) if bet not in bets]
                    assert re.findall(r"You cannot bet (\d+)", said) == gone
                elif actions and isinstance(actions[0], PlayCard):
                    assert ("must follow the pinta" in said) is (len(actions) < len(cards))
                else:
                    assert said == ""
                kinds.add((type(actions[0]).__name__ if actions else "", bool(said)))
    assert kinds >= {("PlaceBet", True), ("PlaceBet", False), ("PlayCard", True), ("PlayCard", False)}


def test_up_down_shows_the_pinta_and_the_leader() -> None:
    game, said = updown.game, ""
    for match in matches(game, 4):
        terminal = terminal_of(game, game.players(match.states[0]))
        said += "".join(printed(terminal.show(game.view(state, ANA), ANA)) for state in match.states)
    for sentence in (
        r"You lead the first hand\.",
        r"bo leads the first hand\.",
        r"You lead hand 1: the first card sets the pinta\.",
        r"bo leads hand 2: the first card sets the pinta\.",
        r"The pinta is (clubs ♣|hearts ♥|spades ♠|diamonds ♦); (bo|you) led it\.",
    ):
        assert re.search(sentence, said)


def test_66_says_why_the_round_cannot_be_stopped_once_more() -> None:
    game = sixtysix.game
    for match in matches(game):
        players = game.players(match.states[0])
        missing = terminal_of(game, players).missing
        for state in match.states:
            player = state.players[state.turn]
            actions = game.actions(state, player)
            can_take = any(isinstance(action, TakeCardFromDeck) for action in actions)
            can_stop = any(isinstance(action, StopRound) for action in actions)
            assert bool(missing(game.view(state, player), player, actions)) is (can_take and not can_stop)


# who has won, and games without a terminal of their own


@pytest.mark.parametrize(
    ("winners", "player", "said"),
    [
        ((ANA,), ANA, "You win: you 3, bo 1."),
        ((BO,), ANA, "bo wins: you 3, bo 1."),
        ((BO,), None, "bo wins: ana 3, bo 1."),
        ((ANA, BO), ANA, "You and bo win: you 3, bo 1."),
        ((ANA, BO), BO, "ana and you win: ana 3, you 1."),
        ((), ANA, "Nobody wins: you 3, bo 1."),
    ],
)
def test_who_has_won_is_said(winners: tuple[PlayerId, ...], player: PlayerId | None, said: str) -> None:
    assert sentence_of(Outcome(winners, ByPlayer({ANA: 3, BO: 1})), player) == said


def test_a_game_without_scores_has_winners_all_the_same() -> None:
    assert sentence_of(Outcome((ANA,), ByPlayer()), BO) == "ana wins."


@pytest.mark.parametrize(("game", "answers"), [(sticks, "1\n" * 9), (cups, "1\n"), (cups, "2\n1\n")])
def test_a_game_without_a_terminal_is_shown_as_text_and_says_who_has_won(game: AnyGame, answers: str) -> None:
    with lent(game):
        ran = CliRunner().invoke(command, ["play", game.name, "--bot", "random", "--seed", "3"], input=answers)
    assert ran.exit_code == 0, ran.output
    assert "Phase: First\nPlayers: you, bot\n" in ran.output
    assert re.search(r"^(?:> )?(You win|bot wins|You and bot win)(: you \d+, bot \d+)?\.", ran.output, re.MULTILINE)
    assert not re.search(r'[{}\[\]"]', ran.output)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_any_view_message_and_move_can_be_shown_as_text(game: AnyGame) -> None:
    for match in matches(game, 2):
        for state, event in zip(match.states, match.events, strict=False):
            step = game.machine.step(state, event)
            assert isinstance(step, Step)
            said = [plain_tell(message, ANA) for batch in step.batches for message in batch.values()]
            said += [plain_name(event)] if isinstance(event, Move) else []
            said += lines_of(game.view(state, ANA))
            assert not re.search(r"[{}\[\]\"]|None|True|False|<", "\n".join(said)), said
        end = game.view(match.states[-1], ANA)
        assert printed(plain_show(end, ANA)).split() == "\n".join(lines_of(end)).split()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        ((), "-"),
        ((1, None), "1, -"),
        (ByPlayer({ANA: 1, BO: None}), "ana 1, bo -"),
        (ecard.Card.SLAVE, "S"),
        (PlaceBet(ANA, 2), "(player ana, bet 2)"),
    ],
)
def test_values_as_text(value: object, said: str) -> None:
    assert text_of(value) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [("rounds_left", "Rounds left"), ("CardPlayed", "Card played"), ("E", "E"), ("PLACE_BET", "Place bet")],
)
def test_the_words_of_a_name_in_code(name: str, said: str) -> None:
    assert words(name) == said


@pytest.mark.parametrize("game", names())
def test_a_name_is_never_read_as_markup(turnstile: Turnstile, game: str) -> None:
    ran = turnstile("play", game, "--seed", "3", "--bot", "random", "--name", "[/x]", given="1\n0\n" * 2_000)
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.name))
def test_the_name_of_another_player_is_never_read_as_markup(game: AnyGame) -> None:
    other, chance, console = PlayerId("[/x]"), Random(3), Console(width=80)
    seated, state = terminal_of(game, (ANA, other)), game.new((ANA, other), game.options(), Seed("3"))
    with console.capture() as said:
        while offered := game.offered(state):
            console.print(seated.show(game.view(state, ANA), ANA))
            step = game.machine.step(state, chance.choice(offered))
            assert isinstance(step, Step)
            state = step.state
    assert "[/x]" in said.get()
