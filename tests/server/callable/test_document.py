"""The document of a game: the fields of the specification, as one caller may see them."""

import asyncio
import json
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import msgspec
import pytest

from tests.agents.loops import run, until
from tests.rules.updown.matches import ANA, BO, CY, THREE
from tests.server.callable.calls import Caller, callers, choice, play
from tests.server.callable.queries import (
    Document,
    can_play_card,
    get_mesa,
    get_my_hand,
    get_pinta,
    is_my_turn,
)
from tests.server.servers import site
from turnstile.games.updown import State, actions, game, outcome, updown, view
from turnstile.games.updown.cards import DECK
from turnstile.games.updown.moves import PlayCard
from turnstile.games.updown.state import Options
from turnstile.kernel import PlayerId, Seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import encode
from turnstile.server.callable.document import document_of, waiting_document

ROOT_FIELDS = ["status", "players", "playerOrder", "currentRound", "roundSequence", "completedRounds"]
ROUND_FIELDS = [
    "roundNumber",
    "cardsPerPlayer",
    "mesa",
    "startingPlayerId",
    "bettingOrder",
    "currentBettingIndex",
    "currentHand",
    "completedHands",
]
HAND_FIELDS = ["handNumber", "cardsPlayed", "pinta", "currentPlayerIndex", "handOrder"]


def document(state: State, player: PlayerId | None) -> Document:
    found: Document = msgspec.json.decode(encode(document_of(view(state, player), is_over=False)))
    return found


def states() -> list[State]:
    """Every state in which a match rests, played at random."""
    chance, found = Random(66), list[State]()
    for number in range(5):
        match = game.new(THREE, Options(max_round_size=4), Seed(f"documents {number}"))
        assert not isinstance(match, Rejection)
        found.append(match)
        while outcome(match) is None:
            moves = [move for player in THREE for move in actions(match, player)]
            match = updown.apply(match, chance.choice(moves))
            assert not isinstance(match, Rejection)
            found.append(match)
    return found


STATES = states()


def test_the_document_has_the_fields_of_the_specification() -> None:
    rounds = hands = 0
    for state in STATES:
        found = document(state, ANA)
        assert list(found) == ROOT_FIELDS
        if (current := found["currentRound"]) is not None:
            rounds += 1
            assert list(current) == ROUND_FIELDS
            if current["currentHand"] is not None:
                hands += 1
                assert list(current["currentHand"]) == HAND_FIELDS
    assert rounds > hands > 0


def test_the_document_has_the_hand_of_its_caller_and_no_other() -> None:
    for state in STATES:
        for caller in (*THREE, None):
            for held, shown in zip(state.players, document(state, caller)["players"], strict=True):
                assert shown["handSize"] == len(held.hand)
                cards = msgspec.json.decode(encode(held.hand)) if held.id == caller else []
                assert shown["hand"] == cards


def test_the_queries_of_the_specification_say_what_the_rules_say() -> None:
    for state in STATES:
        for player in THREE:
            found, offered = document(state, player), actions(state, player)
            assert is_my_turn(found, player) is (bool(offered) and found["status"] != "waiting")
            if state.phase == "playing_hand" and offered:
                legal = [card for card in DECK if can_play_card(found, player, json.loads(encode(card)))]
                assert set(legal) == {move.card for move in offered if isinstance(move, PlayCard)}


def test_mesa_and_pinta_are_those_of_the_round_and_the_hand() -> None:
    for state in STATES:
        found, current = document(state, BO), state.current_round
        mesa = None if current is None else json.loads(encode(current.mesa))
        hand = None if current is None else current.current_hand
        assert get_mesa(found) == mesa
        assert get_pinta(found) == (None if hand is None else hand.pinta)


def test_before_the_match_the_document_has_its_players_and_waits() -> None:
    found = msgspec.json.decode(encode(waiting_document((CY, ANA))))
    assert list(found) == ROOT_FIELDS
    assert (found["status"], found["currentRound"]) == ("waiting", None)
    assert [each["id"] for each in found["players"]] == [CY, ANA]
    assert get_my_hand(found, ANA) == []
    assert not is_my_turn(found, ANA)


def test_a_match_that_was_ended_at_the_table_is_complete() -> None:
    ended = document_of(view(STATES[3], ANA), is_over=True)
    assert ended.status == "game_complete"


# over HTTP


async def events(caller: Caller, room: str) -> AsyncIterator[tuple[int, Document]]:
    """The documents of a subscription, each with its number."""
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {caller.guest.token}"}
    site = caller.guest.site
    async with site.client.get(f"{site.url}/callable/games/{room}", headers=headers) as response:
        assert (response.status, response.content_type) == (200, "text/event-stream")
        number = 0
        async for line in response.content:
            if line.startswith(b"id: "):
                number = int(line[4:])
            elif line.startswith(b"data: "):
                yield number, json.loads(line[6:])


class Subscription:
    """A subscription that is read all the time."""

    def __init__(self, caller: Caller, room: str) -> None:
        self.seen: list[tuple[int, Document]] = []
        self.task = asyncio.create_task(self._read(caller, room))

    async def _read(self, caller: Caller, room: str) -> None:
        async for each in events(caller, room):
            self.seen.append(each)

    @property
    def newest(self) -> Any:
        return self.seen[-1][1] if self.seen else None

    async def until_is(self, wanted: Document) -> None:
        await until(lambda: self.newest == wanted)


def test_a_subscriber_sees_every_document_and_its_own_hand() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo", maxRoundSize=2)
            ana, bo = players
            subscriptions = [Subscription(caller, room) for caller in players]
            await until(lambda: all(each.seen for each in subscriptions))
            await ana.call("startGame", roomId=room)
            await play(room, players)
            for caller, subscription in zip(players, subscriptions, strict=True):
                await subscription.until_is(await caller.game(room))
                numbers = [number for number, _ in subscription.seen]
                assert numbers == sorted(numbers)
                statuses = [found["status"] for _, found in subscription.seen]
                assert statuses[0] == "waiting"
                assert {"betting", "playing_hand"} < set(statuses)
                for _, found in subscription.seen:
                    other = next(each for each in found["players"] if each["id"] != caller.player)
                    assert other["hand"] == []
            assert bo.player in str(subscriptions[0].newest)

    run(main())


def test_a_subscription_acknowledges_and_a_match_begins_at_once() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            subscriptions = [Subscription(caller, room) for caller in players]
            await until(lambda: all(each.seen for each in subscriptions))
            await players[0].guest.command(room, "start")
            await until(lambda: all(each.newest["status"] == "betting" for each in subscriptions))

    run(main())


def test_subscriptions_replace_no_other_connection_and_go_on_beside_them() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo", maxRoundSize=1)
            wire = await players[0].guest.hello(room)
            two = [Subscription(players[0], room) for _ in range(2)]
            await until(lambda: all(each.seen for each in two))
            again = await players[0].guest.hello(room)  # ends the first WebSocket, and no subscription
            assert await wire.closed() == 4009
            await players[0].guest.command(room, "start")
            assert (await again.until("update"))["seq"] == 1
            await players[1].game(room)
            await play(room, players)
            for each in two:
                await each.until_is(await players[0].game(room))

    run(main())


def test_a_subscriber_who_joins_sees_its_hand() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            late = Caller(await here.register("Cleo"))
            subscription = Subscription(late, room)
            await until(lambda: bool(subscription.seen))
            await late.guest.command(room, "join")
            await players[0].call("startGame", roomId=room)
            await until(lambda: len(get_my_hand(subscription.newest, late.player)) == 1)

    run(main())


def test_resigning_completes_the_document() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, bo) = await callers(here, "Ana", "Bo")
            await ana.call("startGame", roomId=room)
            subscription = Subscription(bo, room)
            await until(lambda: bool(subscription.seen))
            await ana.guest.command(room, "resign")
            await until(lambda: subscription.newest["status"] == "game_complete")
            status, name, _ = await bo.error("placeBet", bet=0, roomId=room)
            assert (status, name) == (400, "FAILED_PRECONDITION")

    run(main())


def test_a_spectator_reads_the_document_without_hands_unless_the_table_takes_none() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            await players[0].call("startGame", roomId=room)
            found = await here.ask("GET", f"/callable/games/{room}")
            assert [(each["hand"], each["handSize"]) for each in found["players"]] == [([], 1), ([], 1)]
            closed = await here.table(players[0].guest, game="up-down", settings={"spectators": False})
            assert await here.refusal("GET", f"/callable/games/{closed}") == (403, "NoSpectators")
            headers = {"Accept": "text/event-stream"}
            assert await here.refusal("GET", f"/callable/games/{closed}", headers=headers) == (403, "NoSpectators")

    run(main())


def test_a_subscription_ends_when_its_token_becomes_void() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, _) = await callers(here, "Ana", "Bo")
            subscription = Subscription(ana, room)
            await until(lambda: bool(subscription.seen))
            await ana.guest.ask("POST", "/api/me/logout-everywhere")
            await subscription.task
            assert len(subscription.seen) == 1  # every event is a document

    run(main())


@pytest.mark.parametrize("names", [("Ana", "Bo"), ("Ana", "Bo", "Cleo", "Dan")])
def test_the_queries_lead_through_a_match(names: tuple[str, ...]) -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, *names, maxRoundSize=3)
            await players[0].call("startGame", roomId=room)
            for found in await play(room, players):
                mine = [caller for caller in players if is_my_turn(found, caller.player)]
                assert len(mine) == 1
                assert choice(found, mine[0].player)

    run(main())
