"""A directory does what plain dictionaries do, whatever is asked of it, in whatever order."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as some
from msgspec.structs import replace

from tests.store.making import ROW, commit_of, following, header
from tests.store.people import hashed, invitation, match, rating, use_code
from tests.store.places import PLACES
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import Booked, DirectoryStore

PLAYERS = [PlayerId(name) for name in ("ana", "bo", "cy")]
TABLES = [LogId(name) for name in ("t", "u", "v")]
SECRETS = ["one", "two", "three"]


@dataclass
class Table:
    seats: frozenset[PlayerId]
    opened: int
    is_open: bool = True
    is_booked: bool = False


@dataclass
class Model:
    """All that a directory should know."""

    names: dict[PlayerId, str | None] = field(default_factory=dict)
    tokens: dict[str, PlayerId] = field(default_factory=dict)
    codes: dict[str, tuple[PlayerId, int]] = field(default_factory=dict)
    admins: dict[LogId, PlayerId] = field(default_factory=dict)
    tables: dict[LogId, Table] = field(default_factory=dict)
    results: dict[LogId, frozenset[PlayerId]] = field(default_factory=dict)
    matches: dict[PlayerId, int] = field(default_factory=dict)
    clock: int = 0

    def is_there(self, player: PlayerId) -> bool:
        return self.names.get(player) is not None

    def forget(self, player: PlayerId) -> None:
        self.tokens = {token: owner for token, owner in self.tokens.items() if owner != player}
        self.codes = {code: kept for code, kept in self.codes.items() if kept[0] != player}


Doing = Callable[[DirectoryStore, Model], Awaitable[None]]

players, tables, secrets = some.sampled_from(PLAYERS), some.sampled_from(TABLES), some.sampled_from(SECRETS)
seats = some.frozensets(players)


@some.composite
def registering(draw: some.DrawFn) -> Doing:
    player, token, name = draw(players), draw(secrets), draw(some.sampled_from(["Ana", "Bo"]))

    async def do(store: DirectoryStore, model: Model) -> None:
        is_new = player not in model.names and token not in model.tokens
        assert await store.directory.add_player(player, name, hashed(token), Instant(1)) is is_new
        if is_new:
            model.names[player], model.tokens[token] = name, player

    return do


@some.composite
def renaming(draw: some.DrawFn) -> Doing:
    player, name = (
        draw(players),
        draw(some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)),
    )

    async def do(store: DirectoryStore, model: Model) -> None:
        assert await store.directory.rename(player, name) is model.is_there(player)
        if model.is_there(player):
            model.names[player] = name

    return do


@some.composite
def adding_a_token(draw: some.DrawFn) -> Doing:
    player, token, is_alone = draw(players), draw(secrets), draw(some.booleans())

    async def do(store: DirectoryStore, model: Model) -> None:
        owner = model.tokens.get(token)
        if is_alone:
            is_done = model.is_there(player) and owner in (None, player)
            assert await store.directory.replace_tokens(player, hashed(token), Instant(1)) is is_done
            if is_done:
                model.forget(player)
        else:
            is_done = model.is_there(player) and owner is None
            assert await store.directory.add_token(player, hashed(token), Instant(1)) is is_done
        if is_done:
            model.tokens[token] = player

    return do


@some.composite
def deleting(draw: some.DrawFn) -> Doing:
    player = draw(players)

    async def do(store: DirectoryStore, model: Model) -> None:
        assert await store.directory.delete_player(player) is model.is_there(player)
        if model.is_there(player):
            model.names[player] = None
            model.forget(player)
            model.matches.pop(player, None)

    return do


@some.composite
def adding_a_code(draw: some.DrawFn) -> Doing:
    player, code, expires = draw(players), draw(secrets), draw(some.integers(0, 9))

    async def do(store: DirectoryStore, model: Model) -> None:
        is_new = model.is_there(player) and code not in model.codes
        assert await store.directory.add_code(hashed(code), player, Instant(expires)) is is_new
        if is_new:
            model.codes[code] = (player, expires)

    return do


@some.composite
def using_a_code(draw: some.DrawFn) -> Doing:
    code, token, now = draw(secrets), draw(secrets), draw(some.integers(0, 9))

    async def do(store: DirectoryStore, model: Model) -> None:
        player, expires = model.codes.get(code, (None, 0))
        wanted = player if now < expires and token not in model.tokens else None
        assert await use_code(store.directory, code, token, Instant(now)) == wanted
        if wanted is not None:
            del model.codes[code]
            model.tokens[token] = wanted

    return do


@some.composite
def sweeping(draw: some.DrawFn) -> Doing:
    now = draw(some.integers(0, 9))

    async def do(store: DirectoryStore, model: Model) -> None:
        left = {code: kept for code, kept in model.codes.items() if kept[1] > now}
        assert await store.directory.sweep_codes(Instant(now)) == len(model.codes) - len(left)
        model.codes = left

    return do


@some.composite
def inviting(draw: some.DrawFn) -> Doing:
    table, admin = draw(tables), draw(players)

    async def do(store: DirectoryStore, model: Model) -> None:
        assert await store.directory.add_invitation(invitation(table, admin)) is (table not in model.admins)
        model.admins.setdefault(table, admin)

    return do


@some.composite
def opening(draw: some.DrawFn) -> Doing:
    table, seated = draw(tables), draw(seats)

    async def do(store: DirectoryStore, model: Model) -> None:
        model.clock += 1
        row = replace(ROW, players=tuple(seated), opened=Instant(model.clock))
        assert await store.create(table, header(), row) is (table not in model.tables)
        model.tables.setdefault(table, Table(seated, model.clock))

    return do


@some.composite
def going_on(draw: some.DrawFn) -> Doing:
    """Players come and go, the table is closed, or it is only a move."""
    table, seated, is_open = draw(tables), draw(some.none() | seats), draw(some.booleans())

    async def do(store: DirectoryStore, model: Model) -> None:
        kept = model.tables.get(table)
        if kept is None:
            return
        last = (await store.entries(table, -1))[-1]
        kept.is_open = kept.is_open and is_open
        kept.seats = kept.seats if seated is None else seated
        row = replace(ROW, players=tuple(kept.seats), opened=Instant(kept.opened), is_open=kept.is_open)
        given = None if seated is None else tuple(seated)
        assert await store.commit(replace(commit_of(table, following(last), row), seats=given))

    return do


@some.composite
def pruning(draw: some.DrawFn) -> Doing:
    table = draw(tables)

    async def do(store: DirectoryStore, model: Model) -> None:
        kept = model.tables.get(table)
        is_done = kept is not None and not kept.is_open
        assert await store.prune(table) is is_done
        if is_done:
            del model.tables[table]
            model.admins.pop(table, None)

    return do


@some.composite
def booking(draw: some.DrawFn) -> Doing:
    table, seated, is_stale = draw(tables), draw(seats.filter(bool)), draw(some.booleans())

    async def do(store: DirectoryStore, model: Model) -> None:
        late = 1 if is_stale else 0
        there = [player for player in seated if model.names.get(player, "") is not None]
        ratings = [rating(player, model.matches.get(player, 0) + 1 + late) for player in seated]
        booked = await store.directory.book(match(table, *sorted(seated), finished=len(model.results)), ratings)
        if table in model.results:
            assert booked is Booked.ALREADY
        elif is_stale and there:
            assert booked is Booked.STALE
            return
        else:
            assert booked is Booked.NOW
            model.results[table] = seated
            model.matches |= {player: model.matches.get(player, 0) + 1 for player in there}
        if table in model.tables:
            model.tables[table].is_booked = True

    return do


DOINGS = some.lists(
    registering() | renaming() | adding_a_token() | deleting() | adding_a_code() | using_a_code() | sweeping()
    | inviting() | opening() | going_on() | pruning() | booking(),
    min_size=20,
    max_size=60,
)  # fmt: skip


async def compare(store: DirectoryStore, model: Model) -> None:
    """The directory knows what the model knows."""
    directory = store.directory
    assert {player.id: player.name for player in (await directory.players(PLAYERS)).values()} == model.names
    for secret in SECRETS:
        found = await directory.player_by_token(hashed(secret))
        assert (found.id if found else None) == model.tokens.get(secret)
    for player in PLAYERS:
        for is_open in (True, False, None):
            those = [
                (-table.opened, name)
                for name, table in model.tables.items()
                if player in table.seats and is_open in (None, table.is_open)
            ]
            page = await directory.tables_of(player, is_open=is_open)
            assert [name for name, _ in page.items] == [name for _, name in sorted(those)]
        opened = [table for table, admin in model.admins.items() if admin == player and table in model.tables]
        assert await directory.count_open(player) == sum(model.tables[table].is_open for table in opened)
        results = [table for table, seated in model.results.items() if player in seated]
        assert [each.table for each in (await directory.results_of(player)).items] == results[::-1]
        assert [each.matches for each in await directory.ratings_of(player)] == [
            model.matches[player] for _ in range(player in model.matches)
        ]
    listed = sorted((-table.opened, name) for name, table in model.tables.items() if table.is_open)
    assert [name for name, _ in (await directory.listed()).items] == [name for _, name in listed]
    unbooked = [name for name, table in model.tables.items() if not table.is_open and not table.is_booked]
    assert await directory.unbooked() == sorted(unbooked)
    leaders = await directory.leaders("doors", "all")
    assert {each.player for each in leaders.items} == set(model.matches)


async def _follow(place: str, folder: str, doings: list[Doing]) -> None:
    store, model = await PLACES[place](Path(folder)).open(), Model()
    try:
        for player, token in zip(PLAYERS[:2], SECRETS, strict=False):  # most doings need a player
            assert await store.directory.add_player(player, "Ana", hashed(token), Instant(1))
            model.names[player], model.tokens[token] = "Ana", player
        for do in doings:
            await do(store, model)
        await compare(store, model)
    finally:
        await store.close()


@settings(deadline=None, max_examples=150)
@given(doings=DOINGS)
def test_a_directory_in_memory_does_what_dictionaries_do(doings: list[Doing]) -> None:
    asyncio.run(_follow("memory", ".", doings))


@settings(deadline=None, max_examples=40)
@given(doings=DOINGS)
def test_a_directory_in_a_file_does_what_dictionaries_do(doings: list[Doing]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_follow("sqlite", folder, doings))
