"""The checker of histories finds what it is there to find."""

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.agents.loops import run
from tests.server.servers import site
from tools.history import Contradiction, History, Sample, Sent, check
from tools.random_players import RandomPlayer
from turnstile.client import Client


def _lose_an_update(history: History) -> None:
    del history.turns[5], history.arrived[5]


def _repeat_an_update(history: History) -> None:
    history.turns.insert(5, history.turns[5])
    history.arrived.insert(5, history.arrived[5])


def _invent_an_update(history: History) -> None:
    history.turns.append(replace(history.turns[-1], seq=history.turns[-1].seq + 1))
    history.arrived.append(history.arrived[-1])


def _see_another_view(history: History) -> None:
    history.turns[5] = replace(history.turns[5], view={**history.turns[5].view, "score": {}})


def _hear_another_message(history: History) -> None:
    history.turns[5] = replace(history.turns[5], messages=[*history.turns[5].messages, {"type": "Invented"}])


def _hear_too_early(history: History) -> None:
    history.samples.append(Sample(seq=5, newest=2))


def _get_another_answer(history: History) -> None:
    accepted = next(sent for sent in history.sent if sent.seq is not None)
    accepted.seq = (accepted.seq or 0) + 1


def _get_an_answer_to_nothing(history: History) -> None:
    history.sent.append(Sent("never sent", 0.0, seq=3))


def _be_refused_what_took_effect(history: History) -> None:
    accepted = next(sent for sent in history.sent if sent.seq is not None)
    accepted.seq, accepted.code = None, "NotYourTurn"


@pytest.mark.parametrize(
    "tamper",
    [
        _lose_an_update,
        _repeat_an_update,
        _invent_an_update,
        _see_another_view,
        _hear_another_message,
        _hear_too_early,
        _get_another_answer,
        _get_an_answer_to_nothing,
        _be_refused_what_took_effect,
    ],
)
def test_a_history_that_is_not_what_happened_is_found(tamper: Callable[[History], None]) -> None:
    async def main() -> None:
        async with site() as here, Client(here.url) as client:
            ana, bo = await client.register("Ana"), await client.register("Bo")
            table = await ana.create_table("e-card")
            await bo.join(table)
            await ana.start(table)
            players = [RandomPlayer(each, table, each.name) for each in (ana, bo)]
            await asyncio.gather(*(player.play() for player in players))
            histories = [player.history for player in players]
            moves = await check(here.server.host.store, histories)
            assert moves.accepted == len(moves.to_mover)
            assert len(moves.to_others) > 0
            assert min(moves.to_mover + moves.to_others) > 0
            tamper(histories[0])
            with pytest.raises(Contradiction):
                await check(here.server.host.store, histories)

    run(main())
