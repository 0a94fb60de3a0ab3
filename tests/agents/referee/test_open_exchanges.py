"""Posts and the exchanges of a match: an open exchange keeps posts waiting, its end decides about them."""

from tests.league.referee import refereed
from tests.league.referee.refereed import A, B, assigned, collecting
from turnstile.agents.referee.posts import Posts, Standing
from turnstile.agents.wire.lenient import read_message
from turnstile.league.protocol.messages import ChooseParityResponse, GameJoinAck
from turnstile.league.referee.posts import PlayerCall, awaited_call
from turnstile.league.referee.state import State


def test_an_exchange_of_an_earlier_call_that_is_still_open_keeps_posts_waiting() -> None:
    posts, state = Posts(), collecting()
    first = call(state)
    posts.call_begins(first)
    later = refereed.play(state, "A is silent").state
    posts.call_begins(call(later))
    posts.call_ends(later, call(later), Standing.RECEIPT)
    assert posts.standing_of(later, A) is Standing.OPEN
    posts.call_ends(later, first, Standing.CLOSED)
    assert posts.standing_of(later, A) is Standing.RECEIPT


def test_an_exchange_that_ends_when_its_question_is_past_changes_nothing() -> None:
    posts, early, state = Posts(), assigned(), collecting()
    for each in (call(early), call(state)):
        posts.call_begins(each)
    posts.call_ends(state, call(state), Standing.RECEIPT)
    posts.call_ends(state, call(early), Standing.CLOSED)
    assert posts.standing_of(state, A) is Standing.RECEIPT
    assert posts.standing_of(state, B) is Standing.OPEN, "its call is just being made"


def test_of_a_player_one_post_waits() -> None:
    posts, state = Posts(), collecting()
    for parity in ("even", "odd", "even"):
        posts.hold(ChooseParityResponse(match_id=refereed.MATCH, player_id=A, parity_choice=parity))
    assert posts.release(state, A) is None
    posts.call_begins(call(state))
    posts.call_ends(state, call(state), Standing.RECEIPT)
    held = posts.release(state, A)
    assert isinstance(held, ChooseParityResponse)
    assert held.parity_choice == "even"
    assert posts.release(state, A) is None


def call(state: State) -> PlayerCall:
    found = awaited_call(state, A)
    assert found is not None
    return found


def test_an_answer_names_its_player_by_its_id_or_its_sender() -> None:
    for fields, named in (
        ({"player_id": "P01", "sender": "player:P02"}, "P01"),
        ({"sender": "players:P02"}, "P02"),
        ({"sender": "my-agent"}, "my-agent"),
    ):
        found = read_message(GameJoinAck, {"match_id": "R1M1", "accept": True, **fields})
        assert isinstance(found, GameJoinAck)
        assert found.player_id == named
