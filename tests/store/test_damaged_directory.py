"""S6: damage in the directory concerns its own row; everybody else is found, and the tables go on."""

import asyncio
from pathlib import Path

import pytest

from tests.store.making import ROW, commit_of, following, header, stored
from tests.store.people import ANA, BO, CY, NOW, hashed, invitation, match, rating, registered, tables_on, use_code
from tests.store.places import SqlitePlace
from tests.store.test_damaged_rows import Kept, _damage_page, kept_by_a_database, spoil
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.columns import DAMAGED_ROW
from turnstile.store.directory import DirectoryStore
from turnstile.store.protocol import StoreFault

T, U = LogId("t"), LogId("u")


async def spoiled(place: Kept, change: str) -> DirectoryStore:
    """A store of two tables, two players and two matches, after the change."""
    store = await place.open()
    await registered(store.directory, ANA, BO)
    await store.directory.add_code(hashed("code"), ANA, Instant(2_000))
    for number, table in enumerate(("t", "u")):
        await store.directory.add_invitation(invitation(table))
        await stored(store, LogId(table), 1)
        await store.directory.book(
            match(table, ANA, BO, finished=number), [rating(ANA, number + 1), rating(BO, number + 1)]
        )
    await store.close()
    await spoil(place, change)
    return await place.open()


@kept_by_a_database
def test_S6_a_player_whose_name_cannot_be_read_can_still_log_in_and_choose_another(place: Kept) -> None:
    async def test() -> None:
        store = await spoiled(place, "UPDATE players SET name = {ff} WHERE id = 'ana'")
        found = await store.directory.player_by_token(hashed("ana"))
        assert found is not None
        assert (found.id, found.name) == (ANA, "?")
        assert {player.name for player in (await store.directory.players([ANA, BO])).values()} == {"?", "Bo"}
        assert await store.directory.rename(ANA, "Ana")
        assert (await store.directory.players([ANA]))[ANA].name == "Ana"
        await store.close()

    asyncio.run(test())


@kept_by_a_database
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE players SET id = {ff} WHERE id = 'ana'",
        "UPDATE tokens SET player = {ff} WHERE player = 'ana'",
        "UPDATE codes SET player = {ff} WHERE player = 'ana'",
        "UPDATE seats SET player = {ff} WHERE player = 'alice'",
        "UPDATE seats SET table_id = {ff} WHERE player = 'alice' AND table_id = 't'",
        "UPDATE listings SET table_id = {ff} WHERE table_id = 't'",
        "UPDATE listings SET game = {ff} WHERE table_id = 't'",
        "UPDATE invitations SET admin = {ff} WHERE table_id = 't'",
        "UPDATE results SET game = {ff} WHERE table_id = 't'",
        "UPDATE results SET table_id = {ff} WHERE table_id = 't'",
        "UPDATE result_players SET kind = {ff} WHERE table_id = 't' AND player = 'ana'",
        "UPDATE result_players SET table_id = {ff} WHERE table_id = 't' AND player = 'ana'",
        "UPDATE ratings SET player = {ff} WHERE player = 'ana'",
        "UPDATE ratings SET pool = {ff} WHERE player = 'ana'",
    ],
)
def test_S6_a_text_that_cannot_be_read_is_damage_of_its_row(place: Kept, change: str) -> None:
    async def test() -> None:
        store = await spoiled(place, change)
        directory = store.directory
        for player in (ANA, BO):
            await directory.player_by_token(hashed(player))
            await directory.ratings_of(player)
        await use_code(directory, "code")
        assert (await directory.players([ANA, BO]))[BO].name == "Bo"
        assert tables_on(await directory.tables_of(PlayerId("bob"), limit=2)) == [U, T]
        assert U in tables_on(await directory.tables_of(PlayerId("alice"), limit=2)) or "player" in change
        assert U in tables_on(await directory.listed(limit=2))
        assert await directory.invitation(U) == invitation("u")
        await directory.invitation(T)
        assert match("u", ANA, BO, finished=1) in (await directory.results_of(BO, limit=2)).items
        assert BO in [leader.player for leader in (await directory.leaders("doors", "all", limit=2)).items]
        assert BO in await directory.ratings([ANA, BO], "doors", "all")
        assert await directory.add_player(CY, "Cy", hashed("cy"), NOW)
        await store.close()

    asyncio.run(test())


@kept_by_a_database
def test_S6_a_damaged_row_is_shown_as_such_and_the_others_stay_on_the_page(place: Kept) -> None:
    async def test() -> None:
        store = await spoiled(place, "UPDATE tables SET players = '[' WHERE id = 't'")
        page = await store.directory.tables_of(PlayerId("bob"))
        assert {table: row.note for table, row in page.items} == {T: DAMAGED_ROW, U: ""}
        await store.close()

    asyncio.run(test())


@pytest.mark.parametrize("name", ["players", "tokens", "seats_by_player", "result_players", "ratings_by_ordinal"])
def test_S6_a_damaged_page_of_the_directory_fails_those_who_need_it_and_no_table(tmp_path: Path, name: str) -> None:
    async def test() -> None:
        place = SqlitePlace(tmp_path)
        store = await place.open()
        players = [PlayerId(f"player {number:03}") for number in range(300)]
        await registered(store.directory, *players)
        made = await stored(store, T, 1)
        for number, player in enumerate(players):
            table = f"table {number:03}"
            await store.create(LogId(table), header(), ROW)
            await store.directory.book(match(table, player, ANA), [rating(player)])
        await store.close()
        assert _damage_page(place.path, name, 0) > 1
        store = await place.open()
        directory = store.directory
        failed = 0
        for player in players:
            for asked in (
                directory.player(player),
                directory.player_by_token(hashed(player)),
                directory.tables_of(PlayerId("alice")),
                directory.results_of(player),
                directory.leaders("doors", "all", limit=500),
            ):
                try:
                    await asked
                except StoreFault:
                    failed += 1
        assert 0 < failed < 5 * len(players)
        assert len(await store.entries(T, -1)) == 2
        assert await store.commit(commit_of(T, following(made[-1])))
        await store.close()

    asyncio.run(test())
