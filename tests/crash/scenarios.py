"""What is being done when the process dies: steps, one after the other, each of which may be done again.

A scenario is a function that gives its steps; a step gets the store and gives back what it was answered. To try more,
add a function to `SCENARIOS`. What a step writes must not depend on anything but the store and the steps before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from msgspec.structs import replace

from tests.store.making import FINISHED, LONG, ROW, chain, commit_of, following, header, state
from tests.store.people import ANA, BO, NOW, hashed, invitation, match, rating
from turnstile.kernel.values import Instant, LogId
from turnstile.store.directory import DirectoryStore
from turnstile.store.log import Entry

Step = Callable[[DirectoryStore], Awaitable[object]]

A, B, C = LogId("a"), LogId("b"), LogId("c")
DUE = replace(ROW, due=Instant(2_000))


def one_life() -> list[Step]:
    """A table from its creation to its end, and two others beside it."""
    made = [header(), following(header(), "alice 1", event=b"m" * 3_000)]
    made.append(following(made[-1], "bob 1"))
    made.append(following(made[-1]))
    made.append(following(made[-1], "alice 2"))
    return [
        _create(A, made[0]),
        _beat,
        _commit(A, made[1]),
        _acknowledge(A, alice=1),
        _commit(A, made[2], is_due=True),
        _claim,
        _commit(A, made[3], snapshot=state(3) * 1_000),
        _create(B, made[0]),
        _put_aside(B),
        _acknowledge(A, alice=3, bob=2),
        _beat,  # too late: an outage
        _create(C, made[0]),
        _commit(A, made[4], is_last=True, snapshot=state(4)),
        _prune(B),
        _prune(A),
        _rebuild(C),
    ]


def many_tables() -> list[Step]:
    """Commits of many tables that share their transactions."""
    tables = {LogId(f"table {number}"): chain(4) for number in range(12)}
    creations = [_create(table, made[0]) for table, made in tables.items()]
    rounds = [
        [_commit(table, made[position], is_last=position == 4) for table, made in tables.items()]
        for position in range(1, 5)
    ]
    return [_together(creations), *(_together(commits) for commits in rounds), *map(_prune, tables)]


def people() -> list[Step]:
    """Players register, sit down, come and go; their match is booked, and one of them is deleted."""
    made = chain(3)
    seated = [replace(ROW, players=players) for players in ((ANA,), (ANA, BO))]
    over = replace(seated[1], phase="over", is_open=False)
    return [
        lambda store: store.directory.add_player(ANA, "Ana", hashed("ana"), NOW),
        lambda store: store.directory.add_player(BO, "Bo", hashed("bo"), NOW),
        lambda store: store.directory.add_code(hashed("code"), BO, Instant(LONG)),
        lambda store: store.directory.add_token(BO, hashed("phone"), NOW),
        lambda store: store.directory.add_invitation(invitation("a")),
        lambda store: store.create(A, made[0], seated[0]),
        lambda store: store.commit(replace(commit_of(A, made[1], seated[1]), seats=(ANA, BO))),
        lambda store: store.directory.replace_tokens(ANA, hashed("new"), NOW),
        lambda store: store.directory.use_code(hashed("code"), hashed("tablet"), NOW),
        lambda store: store.commit(replace(commit_of(A, made[2], over))),
        lambda store: store.directory.book(match("a"), [rating(ANA), rating(BO)]),
        lambda store: store.directory.book(match("b"), [rating(ANA, 2), rating(BO, 2)]),
        lambda store: store.directory.delete_player(ANA),
        _prune(A),
    ]


SCENARIOS: Mapping[str, Callable[[], list[Step]]] = {
    "one-life": one_life,
    "many-tables": many_tables,
    "people": people,
}


def _together(steps: list[Step]) -> Step:
    async def step(store: DirectoryStore) -> object:
        return await asyncio.gather(*(one(store) for one in steps))

    return step


def _create(table: LogId, first: Entry) -> Step:
    return lambda store: store.create(table, first, ROW)


def _commit(
    table: LogId, made: Entry, *, is_due: bool = False, is_last: bool = False, snapshot: bytes | None = None
) -> Step:
    row = FINISHED if is_last else DUE if is_due else ROW
    commit = replace(commit_of(table, made, row), snapshot=snapshot)
    return lambda store: store.commit(commit)


def _acknowledge(table: LogId, **cursors: int) -> Step:
    return lambda store: store.acknowledge(table, cursors)


def _put_aside(table: LogId) -> Step:
    return lambda store: store.put_aside(table, "entry 1 is missing")


def _prune(table: LogId) -> Step:
    return lambda store: store.prune(table)


def _rebuild(table: LogId) -> Step:
    return lambda store: store.rebuild([(table, replace(ROW, phase="anew"))])


async def _beat(store: DirectoryStore) -> object:
    return await store.beat()


async def _claim(store: DirectoryStore) -> object:
    return await store.claim(Instant(LONG), LONG, 10)
