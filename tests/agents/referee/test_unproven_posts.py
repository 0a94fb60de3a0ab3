"""Who may speak for a seat of a match: a test for each row of the table in docs/league-wire.md.

P01 is the seat that a post speaks for. Posts come from this machine and show no conversation id, unless a test says
otherwise.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import run
from tests.agents.foreign import ForeignLeague, foreign_league, joins
from tests.agents.loops import until
from tests.agents.wire.zoo import Body
from turnstile.agents.referee import process as referee_module
from turnstile.agents.referee.posts import Standing
from turnstile.league.protocol.words import MAX_RETRIES
from turnstile.league.referee.calls import PLAYER_TIMERS
from turnstile.league.referee.state import Seat, State

RECEIPTS: dict[str, Any] = {
    "RECEIVED": {"status": "RECEIVED"},
    "pending": {"status": "pending"},
    "ok": {"status": "ok"},
    "accepted for later": {"status": "accepted"},
    "empty": {},
}


class Thinking:
    """A player that joins at once. To CHOOSE_PARITY_CALL it says `said`, in whichever form it comes, when it is let."""

    def __init__(self, said: Body) -> None:
        self.said = said
        self.let = asyncio.Event()

    async def __call__(self, fields: Body) -> Body:
        if fields.get("message_type") in ("GAME_INVITATION", "GAME_OVER", "GAME_ERROR"):
            return joins(fields)
        await self.let.wait()
        return self.said


@asynccontextmanager
async def called(
    data: Path, said: Body, other: Body | None = None, **referee: Any
) -> AsyncIterator[tuple[ForeignLeague, Thinking, Thinking]]:
    """A match in which both players have been called to choose, and say these things when they are let."""
    proper = {"parity_choice": "odd"}
    async with foreign_league(data, **referee) as league:
        players = Thinking(said), Thinking(proper if other is None else other)
        for name, player in zip(("P01", "P02"), players, strict=True):
            await league.enter(name, player)
        await league.hand_out()
        await until(lambda: all(league.heard(name, "CHOOSE_PARITY_CALL") for name in ("P01", "P02")))
        yield league, *players
        for player in players:
            player.let.set()


def state_of(league: ForeignLeague) -> State:
    (work,) = league.referee.host._matches._all.values()
    state: State = work.state
    return state


def seat_of(league: ForeignLeague, player: str = "P01") -> Seat:
    return next(seat for seat in state_of(league).seats if seat.player_id == player)


def standing_of(league: ForeignLeague, player: str) -> Standing:
    (work,) = league.referee.host._matches._all.values()
    standing: Standing = work.posts.standing_of(work.state, player)
    return standing


async def given(league: ForeignLeague, player: Thinking, name: str = "P01") -> None:
    """The player gives its receipt, and the referee has it."""
    player.let.set()
    await until(lambda: standing_of(league, name) is Standing.RECEIPT)


async def chosen(league: ForeignLeague, choice: str, player: str = "P01", **more: Any) -> Any:
    """The reason or the status with which a posted choice is answered, or the code of the error."""
    fields = {"match_id": "R1M1", "player_id": player, "parity_choice": choice, **more}
    said = (await league.post("CHOOSE_PARITY_RESPONSE", f"player:{player}", **fields)).json
    if "error" in said:
        return said["error"]["code"]
    return "waits" if "receipt" in said["result"].get("reason", "") else said["result"]["status"]


async def choices(league: ForeignLeague) -> Any:
    """What was chosen in the end."""
    return (await league.reports.get())["result"]["details"]["choices"]


# the exchange is open


def test_four_bad_posts_cost_a_player_that_is_thinking_in_its_exchange_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"parity_choice": "even"}) as (league, thinking, other):
            for _ in range(MAX_RETRIES + 1):
                assert await chosen(league, "seven") == 4004
            assert seat_of(league) == Seat(player_id="P01")  # type: ignore[arg-type]
            assert not league.heard("P01", "GAME_ERROR")
            for player in (thinking, other):
                player.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


def test_a_post_never_speaks_for_a_player_that_answers_in_its_exchange(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"parity_choice": "even"}) as (league, thinking, other):
            assert await chosen(league, "odd") == "waits"
            assert seat_of(league).is_awaited
            thinking.let.set()
            await until(lambda: seat_of(league).has_answered)
            assert await chosen(league, "odd") == "IGNORED"
            await until(lambda: "Turned down CHOOSE_PARITY_RESPONSE from P01" in league.here.journal.getvalue())
            other.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}
            assert not league.heard("P01", "GAME_ERROR")

    run(play())


def test_nobody_declines_for_a_player_whose_exchange_is_open(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            let = asyncio.Event()

            async def slow(fields: Body) -> Body:
                await let.wait()
                return joins(fields)

            await league.enter("P01", slow)
            await league.enter("P02")
            await league.hand_out()
            await until(lambda: bool(league.heard("P01", "GAME_INVITATION")))
            declined = {"match_id": "R1M1", "player_id": "P01", "accept": False}
            posted = await league.post("GAME_JOIN_ACK", "player:P01", **declined)
            assert "receipt" in posted.json["result"]["reason"]
            let.set()
            assert await choices(league) == {"P01": "odd", "P02": "odd"}

    run(play())


@pytest.mark.parametrize("receipt", RECEIPTS.values(), ids=list(RECEIPTS))
def test_a_post_that_comes_before_the_receipt_counts_when_the_receipt_comes(tmp_path: Path, receipt: Body) -> None:
    async def play() -> None:
        async with called(tmp_path, receipt) as (league, thinking, other):
            other.let.set()
            assert await chosen(league, "odd") == "waits"
            assert await chosen(league, "even") == "waits"
            assert await chosen(league, "seven") == 4004
            thinking.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}, "the latest that can be taken"

    run(play())


@pytest.mark.parametrize(
    "said", [{"status": "IGNORED"}, {"status": "starting"}, {"isError": True}], ids=["ignored", "another word", "error"]
)
def test_an_answer_that_promises_nothing_is_not_a_receipt(tmp_path: Path, said: Body) -> None:
    async def play() -> None:
        async with called(tmp_path, said) as (league, thinking, _):
            assert await chosen(league, "odd") == "waits"
            thinking.let.set()
            await until(lambda: standing_of(league, "P01") is Standing.CLOSED)
            assert await chosen(league, "odd") == 4002
            assert seat_of(league).is_awaited

    run(play())


# a receipt was given


@pytest.mark.parametrize("receipt", RECEIPTS.values(), ids=list(RECEIPTS))
def test_a_post_after_the_receipt_counts_and_the_first_alone(tmp_path: Path, receipt: Body) -> None:
    async def play() -> None:
        async with called(tmp_path, receipt) as (league, thinking, other):
            await given(league, thinking)
            assert await chosen(league, "even") == "ok"
            assert await chosen(league, "odd") == "IGNORED"
            other.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}
            assert not league.heard("P01", "GAME_ERROR")

    run(play())


def test_a_bad_post_after_the_receipt_costs_no_retry_and_leads_to_no_GAME_ERROR(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, other):
            await given(league, thinking)
            for _ in range(MAX_RETRIES + 1):
                assert await chosen(league, "seven") == 4004
            assert (seat_of(league).retry_count, seat_of(league).is_awaited) == (0, True)
            assert not league.heard("P01", "GAME_ERROR")
            assert await chosen(league, "even") == "ok"
            other.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


def test_a_receipt_is_for_one_call_and_the_repeated_call_is_answered_anew(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, other):
            other.let.set()
            await given(league, thinking)
            thinking.let.clear()
            await league.referee.run_out(PLAYER_TIMERS[0])
            await until(lambda: len(league.heard("P01", "CHOOSE_PARITY_CALL")) == 2)
            assert await chosen(league, "even") == "waits"
            assert seat_of(league).is_awaited
            thinking.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


def test_a_receipt_for_the_invitation_lets_nobody_choose(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            let = asyncio.Event()

            async def posts_its_join(fields: Body) -> Body:
                if fields["message_type"] == "GAME_INVITATION":
                    ids = {"match_id": "R1M1", "player_id": "P01"}
                    await league.post("GAME_JOIN_ACK", "player:P01", accept=True, **ids)
                    return {"status": "RECEIVED"}
                await let.wait()
                return joins(fields)

            await league.enter("P01", posts_its_join)
            await league.enter("P02")
            await league.hand_out()
            await until(lambda: bool(league.heard("P01", "CHOOSE_PARITY_CALL")))
            assert await chosen(league, "even") == "waits"
            let.set()
            assert await choices(league) == {"P01": "odd", "P02": "odd"}

    run(play())


# ids of the sender's own making


@pytest.mark.parametrize("name", ["P99", "my-own-name"])
def test_an_id_of_the_senders_own_making_stands_for_the_one_seat_that_owes_an_answer_after_its_receipt(
    tmp_path: Path, name: str
) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, other):
            assert await chosen(league, "even", name) == 4002, "nobody has given a receipt"
            await given(league, thinking)
            assert await chosen(league, "seven", name) == 4004
            assert await chosen(league, "even", name) == "ok"
            assert await chosen(league, "even", name) == 4002, "nobody owes an answer after a receipt any more"
            other.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}
            assert f"{name} is taken for P01" in league.here.journal.getvalue()

    run(play())


def test_a_sender_of_its_own_making_without_an_id_is_understood_likewise(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, other):
            await given(league, thinking)
            posted = await league.post("CHOOSE_PARITY_RESPONSE", "my-agent", match_id="R1M1", parity_choice="even")
            assert posted.json["result"]["status"] == "ok"
            other.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


def test_an_id_of_the_senders_own_making_stands_for_nobody_when_both_owe_an_answer(tmp_path: Path) -> None:
    async def play() -> None:
        receipt = {"status": "RECEIVED"}
        async with called(tmp_path, receipt, receipt) as (league, thinking, other):
            await given(league, thinking)
            await given(league, other, "P02")
            assert await chosen(league, "even", "P99") == 4002
            assert await chosen(league, "odd", "P02") == "ok"
            assert await chosen(league, "even", "P99") == "ok"
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


# the proof


@pytest.mark.parametrize("trusts", [None, False])
@pytest.mark.parametrize("named", ["P01", "P99"])
def test_whoever_shows_the_conversation_of_a_seat_speaks_for_it(
    tmp_path: Path, trusts: bool | None, named: str
) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "starting"}, trusts_posts=trusts) as (league, thinking, other):
            shown = league.heard("P01", "CHOOSE_PARITY_CALL")[0]["conversation_id"]
            assert await chosen(league, "seven", named, conversation_id=shown) == 4004
            assert seat_of(league).retry_count == 1, "it is the player's own mistake"
            assert await chosen(league, "even", named, conversation_id=shown) == "ok"
            for player in (thinking, other):
                player.let.set()
            assert await choices(league) == {"P01": "even", "P02": "odd"}

    run(play())


def test_the_conversation_of_the_opponent_proves_nothing_though_a_receipt_was_given(tmp_path: Path) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, _):
            await given(league, thinking)
            shown = league.heard("P02", "CHOOSE_PARITY_CALL")[0]["conversation_id"]
            assert await chosen(league, "even", conversation_id=shown) == 4002
            assert seat_of(league).is_awaited

    run(play())


# other machines


def test_a_stranger_on_another_machine_speaks_for_nobody_though_a_receipt_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}) as (league, thinking, _):
            await given(league, thinking)
            monkeypatch.setattr(referee_module, "is_from_this_machine", lambda incoming: False)
            for name in ("P01", "P99"):
                assert await chosen(league, "even", name) == 4002
            shown = league.heard("P01", "CHOOSE_PARITY_CALL")[0]["conversation_id"]
            assert await chosen(league, "even", conversation_id=shown) == "ok"

    run(play())


def test_a_referee_that_does_not_trust_posts_takes_none_without_proof_though_a_receipt_was_given(
    tmp_path: Path,
) -> None:
    async def play() -> None:
        async with called(tmp_path, {"status": "RECEIVED"}, trusts_posts=False) as (league, thinking, _):
            await given(league, thinking)
            assert await chosen(league, "even") == 4002
            assert seat_of(league).is_awaited

    run(play())
