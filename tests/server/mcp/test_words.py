"""Names of actions, and values in words."""

from random import Random
from typing import Any

import pytest

from turnstile.kernel import Rejection
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import PlayerId, decode, encode
from turnstile.registry import find_game, names
from turnstile.server.mcp.actions import action_forms, find_action, name_actions, short_name
from turnstile.server.mcp.updates import SeatUpdate, read_update
from turnstile.server.mcp.words import in_words, message_in_words


@pytest.mark.parametrize("game_name", names())
def test_every_action_has_a_name_of_its_own_that_leads_back_to_it(game_name: str) -> None:
    game, chance = find_game(game_name), Random(3)
    assert game is not None
    players = [PlayerId(f"p-{seat}") for seat in range(game.seats[0])]
    state, heads = (
        game.new(players, game.options(), Seed("names")),
        {form.partition(":")[0] for form in action_forms(game)},
    )
    assert not isinstance(state, Rejection)
    while offered := game.offered(state):
        for player in players:
            actions = [decode(encode(move), dict[str, Any]) for move in game.actions(state, player)]
            named = name_actions(actions)
            assert len(named) == len(actions)
            for name, action in named.items():
                assert find_action(named, name) is action
                assert name.partition(":")[0] in heads
                assert " " not in name
        step = game.machine.step(state, chance.choice(offered))
        assert not isinstance(step, Rejection)
        state = step.state


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ({"type": "Pick", "player": "p", "card": "E"}, "pick:E"),
        ({"type": "PLAY_CARD", "player": "p", "card": {"suit": "hearts", "rank": "7"}}, "play-card:hearts.7"),
        ({"type": "ShowCards", "cardIndexes": [0, 2]}, "show-cards:0,2"),
        ({"type": "Pass"}, "pass"),
        ({"type": "Say", "words": "a:b c"}, 'say:"a:b c"'),
        ({"type": "Move", "path": [[0, 1], [2, 3]], "isLast": True, "promote": None}, "move:(0,1),(2,3):true:null"),
        ({"type": "Give", "cards": [], "to": {"seat": 1, "pile": {}}}, "give:[]:1.({})"),
    ],
)
def test_names_come_from_the_type_and_the_fields(action: dict[str, Any], name: str) -> None:
    assert list(name_actions([action])) == [name]


def test_actions_with_equal_names_get_all_their_fields() -> None:
    one, two = {"type": "Go", "to": {"x": "a"}}, {"type": "Go", "to": {"y": "a"}}
    assert list(name_actions([one, two])) == ['go:{"to":{"x":"a"}}', 'go:{"to":{"y":"a"}}']


def test_names_that_differ_in_capitals_alone_are_not_mixed_up() -> None:
    named = name_actions([{"type": "Say", "word": "A"}, {"type": "Say", "word": "a"}])
    assert find_action(named, "say:A") == {"type": "Say", "word": "A"}
    assert find_action(named, "SAY:A") is None


def test_short_names() -> None:
    assert [short_name(name) for name in ("PlayCard", "PLAY_CARD", "playCard2", "x")] == [
        "play-card",
        "play-card",
        "play-card2",
        "x",
    ]


def test_values_in_words() -> None:
    called = {"p-1": "you", "p-2": '"Bo"'}
    value = {
        "handSizes": {"p-1": 3, "p-2": 2},
        "isOver": False,
        "best": None,
        "hand": [{"suit": "hearts", "rank": "7"}],
    }
    assert in_words(value, called) == 'hand sizes (you 3, "Bo" 2), is over no, best null, hand (hearts.7)'
    assert in_words({"cards": {"p-1": "C", "p-2": "S"}}, called) == 'cards (you C, "Bo" S)'
    assert in_words([], called) == "none"
    assert in_words("a b", called) == '"a b"'
    assert in_words("f" * 64, called) == '"ffffffffffff..."'
    assert in_words([{"n": number} for number in range(500)], called) == "500 in all, the last (n 499)"
    assert message_in_words({"type": "TrickWon", "winner": "p-2"}, called) == 'trick won: winner "Bo"'
    assert message_in_words({"type": "YourTurn"}, called) == "your turn"


@pytest.mark.parametrize(
    "body",
    [
        b'{"seq": 3, "messages": [{"type": "YourTurn"}], "view": {"n": 1}, "actions": []}',
        b'{"seq": 3, "message": {"type": "YourTurn"}, "view": {"n": 1}, "actions": []}',
    ],
)
def test_an_update_may_have_one_message_or_several(body: bytes) -> None:
    assert read_update(body) == SeatUpdate(3, ({"type": "YourTurn"},), {"n": 1}, ())


def test_an_update_without_a_message_has_none() -> None:
    for nothing in (b'"message": null', b'"messages": []'):
        assert read_update(b'{"seq": 3, %b, "view": null, "actions": []}' % nothing).messages == ()
