"""What every directory does with players: register, look up, tokens, codes, delete."""

import asyncio

import pytest

from tests.store.people import ANA, BO, CY, NOW, hashed, match, rating, registered, use_code
from tests.store.places import SHARED, Place, at_a_place, on_a_store
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import (
    MOST_CODES,
    MOST_ON_A_PAGE,
    MOST_TOKENS,
    Booked,
    DirectoryStore,
    PlayerAtTable,
    RegisteredPlayer,
)
from turnstile.store.protocol import StoreFault, Unstorable
from turnstile.store.storable import LONGEST_NAME

LATER = Instant(2_000)
T, U = LogId("t"), LogId("u")
INVALID_IDS = ["", "a\0b", "\ud800", "x" * 65, "two\nlines"]
INVALID_NAMES = ["", "a\0b", "\ud800", "x" * (LONGEST_NAME + 1)]


@on_a_store
async def test_a_registered_player_is_found_by_id_and_by_token(store: DirectoryStore) -> None:
    directory = store.directory
    assert await directory.add_player(ANA, "Ána 🂡", hashed("one"), NOW)
    ana = RegisteredPlayer(ANA, "Ána 🂡", NOW)
    assert await directory.player(ANA) == ana
    assert await directory.player_by_token(hashed("one")) == ana
    assert await directory.player(BO) is None
    assert await directory.player_by_token(hashed("two")) is None
    assert await directory.player_by_token(b"one") is None


@on_a_store
async def test_an_id_and_a_token_are_taken_once_and_names_may_be_equal(store: DirectoryStore) -> None:
    directory = store.directory
    assert await directory.add_player(ANA, "Ana", hashed("one"), NOW)
    assert not await directory.add_player(ANA, "Another", hashed("two"), NOW)
    assert not await directory.add_player(BO, "Bo", hashed("one"), NOW)
    assert await directory.player_by_token(hashed("two")) is None
    assert await directory.player(BO) is None
    assert await directory.add_player(BO, "Ana", hashed("two"), NOW)


@on_a_store
async def test_several_players_are_found_at_once(store: DirectoryStore) -> None:
    await registered(store.directory, ANA, BO)
    found = await store.directory.players([BO, CY, ANA, BO, PlayerId("\ud800")])
    assert {player.id: player.name for player in found.values()} == {ANA: "Ana", BO: "Bo"}
    assert await store.directory.players([]) == {}
    with pytest.raises(Unstorable):
        await store.directory.players([ANA] * (MOST_ON_A_PAGE + 1))


@on_a_store
async def test_a_player_is_renamed(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    assert await directory.rename(ANA, "Bo")
    assert (await directory.players([ANA, BO]))[ANA].name == "Bo"
    assert not await directory.rename(CY, "Cy")
    assert await directory.player(CY) is None


# tokens


@on_a_store
async def test_every_device_has_a_token_and_all_of_them_are_valid(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    assert await directory.add_token(ANA, hashed("phone"), LATER)
    assert not await directory.add_token(ANA, hashed("phone"), LATER)
    assert not await directory.add_token(BO, hashed("phone"), LATER)
    assert not await directory.add_token(CY, hashed("other"), LATER)
    for token, player in (("ana", ANA), ("phone", ANA), ("bo", BO)):
        found = await directory.player_by_token(hashed(token))
        assert found is not None
        assert found.id == player
    assert await directory.player_by_token(hashed("other")) is None


@on_a_store
async def test_many_tokens_are_checked_at_once(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    tokens = [hashed("ana"), hashed("bo"), hashed("other"), b"no hash"]
    assert await directory.valid_tokens(tokens) == {hashed("ana"), hashed("bo")}
    assert await directory.replace_tokens(ANA, hashed("new"), LATER)
    assert await directory.valid_tokens(tokens) == {hashed("bo")}
    assert await directory.valid_tokens([]) == set()
    others = [hashed(f"other {number}") for number in range(2_000)]
    for place in (0, 99, 100, 2_000):
        assert await directory.valid_tokens([*others[:place], hashed("bo"), *others[place:]]) == {hashed("bo")}
    assert await directory.valid_tokens(others) == set()


@on_a_store
async def test_a_player_has_so_many_tokens_and_a_further_one_voids_the_oldest(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    for number in range(MOST_TOKENS):
        assert await directory.add_token(ANA, hashed(f"device {number}"), Instant(LATER + number))
    assert await directory.player_by_token(hashed("ana")) is None
    assert await directory.player_by_token(hashed("device 0")) is not None
    assert await directory.player_by_token(hashed("bo")) is not None
    assert await directory.add_code(hashed("code"), ANA, Instant(3_000))
    assert await use_code(directory, "code", "tablet", Instant(2_999)) == ANA
    devices = [hashed(f"device {number}") for number in range(MOST_TOKENS)]
    assert await directory.valid_tokens([*devices, hashed("tablet")]) == {*devices[1:], hashed("tablet")}


@on_a_store
async def test_logging_out_everywhere_voids_all_tokens_and_codes_but_the_new_token(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    await directory.add_token(ANA, hashed("phone"), NOW)
    await directory.add_code(hashed("code"), ANA, LATER)
    assert await directory.replace_tokens(ANA, hashed("new"), LATER)
    assert await directory.player_by_token(hashed("ana")) is None
    assert await directory.player_by_token(hashed("phone")) is None
    assert await use_code(directory, "code") is None
    assert await directory.player_by_token(hashed("new")) is not None
    assert await directory.player_by_token(hashed("bo")) is not None


@on_a_store
async def test_a_log_out_with_the_token_of_another_changes_nothing(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    assert not await directory.replace_tokens(ANA, hashed("bo"), LATER)
    assert not await directory.replace_tokens(CY, hashed("cy"), LATER)
    for token, player in (("ana", ANA), ("bo", BO)):
        found = await directory.player_by_token(hashed(token))
        assert found is not None
        assert found.id == player
    assert await directory.replace_tokens(ANA, hashed("ana"), LATER)  # its own token stays valid
    assert await directory.player_by_token(hashed("ana")) is not None


# deleting


@on_a_store
async def test_a_deleted_player_has_no_name_no_token_no_code_and_no_rating(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    await directory.add_token(ANA, hashed("phone"), NOW)
    await directory.add_code(hashed("code"), ANA, LATER)
    assert await directory.book(match("t"), [rating(ANA), rating(BO)]) is Booked.NOW
    assert await directory.delete_player(ANA)
    assert await directory.player(ANA) == RegisteredPlayer(ANA, None, NOW)
    for token in ("ana", "phone"):
        assert await directory.player_by_token(hashed(token)) is None
    assert await use_code(directory, "code") is None
    assert await directory.ratings_of(ANA) == ()
    assert [leader.player for leader in (await directory.leaders("doors", "all")).items] == [BO]


@on_a_store
async def test_the_finished_matches_of_a_deleted_player_stay(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    await directory.book(match("t"))
    await directory.delete_player(ANA)
    for player in (ANA, BO):
        assert (await directory.results_of(player)).items == (match("t"),)


@on_a_store
async def test_nothing_brings_a_deleted_player_back(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA)
    assert await directory.delete_player(ANA)
    assert not await directory.delete_player(ANA)
    assert not await directory.delete_player(CY)
    assert not await directory.rename(ANA, "Ana")
    assert not await directory.add_token(ANA, hashed("phone"), NOW)
    assert not await directory.replace_tokens(ANA, hashed("phone"), NOW)
    assert not await directory.add_code(hashed("code"), ANA, LATER)
    assert not await directory.add_player(ANA, "Ana", hashed("ana"), NOW)
    assert await directory.player(ANA) == RegisteredPlayer(ANA, None, NOW)
    assert await directory.player_by_token(hashed("phone")) is None
    assert await directory.book(match("t"), [rating(ANA), rating(BO)]) is Booked.NOW
    assert await directory.ratings_of(ANA) == ()
    assert await directory.ratings_of(BO) == (rating(BO),)


# one-time codes


@on_a_store
async def test_a_code_is_used_once_and_not_after_it_expires(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    assert await directory.add_code(hashed("one"), ANA, LATER)
    assert await directory.add_code(hashed("two"), BO, LATER)
    assert not await directory.add_code(hashed("two"), ANA, LATER)
    assert not await directory.add_code(hashed("three"), CY, LATER)
    assert await use_code(directory, "one", "phone", Instant(LATER - 1)) == ANA
    assert await use_code(directory, "one") is None
    assert await use_code(directory, "two", now=LATER) is None
    assert await use_code(directory, "three") is None
    assert await directory.use_code(b"one", hashed("tablet"), NOW) is None
    assert await directory.player_by_token(hashed("tablet")) is None


@on_a_store
async def test_a_code_and_its_token_change_together_or_not_at_all(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA, BO)
    assert await directory.add_code(hashed("code"), ANA, LATER)
    assert await use_code(directory, "code", "bo") is None, "this token is taken"
    assert await directory.player_by_token(hashed("bo")) == RegisteredPlayer(BO, "Bo", NOW)
    ana = RegisteredPlayer(ANA, "Ana", NOW)
    assert await directory.use_code(hashed("code"), hashed("phone"), NOW) == ana
    assert await directory.player_by_token(hashed("phone")) == ana


@on_a_store
async def test_of_many_who_use_a_code_at_once_one_gets_the_player(store: DirectoryStore) -> None:
    await registered(store.directory, ANA)
    await store.directory.add_code(hashed("code"), ANA, LATER)
    given = await asyncio.gather(*(use_code(store.directory, "code", f"device {number}") for number in range(20)))
    assert (given.count(ANA), given.count(None)) == (1, 19)


@pytest.mark.parametrize("place", SHARED, indirect=True)
@at_a_place
async def test_K6_a_code_is_used_once_by_all_processes(place: Place) -> None:
    stores = [await place.open() for _ in range(3)]
    await registered(stores[0].directory, ANA)
    for number in range(10):
        code, tokens = f"code {number}", [f"device {number} {other}" for other in range(9)]
        assert await stores[0].directory.add_code(hashed(code), ANA, LATER)
        uses = (use_code(stores[other % 3].directory, code, token) for other, token in enumerate(tokens))
        assert (await asyncio.gather(*uses)).count(ANA) == 1
        assert len(await stores[0].directory.valid_tokens(list(map(hashed, tokens)))) == 1
    for store in stores:
        await store.close()


@on_a_store
async def test_expired_codes_are_swept_a_few_at_a_time(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA)
    for number in range(5):
        await directory.add_code(hashed(f"{number}"), ANA, Instant(LATER + number))
    assert await directory.sweep_codes(NOW) == 0
    assert await directory.sweep_codes(Instant(LATER + 2), limit=2) == 2
    assert await directory.sweep_codes(Instant(LATER + 2), limit=2) == 1
    assert await directory.sweep_codes(Instant(LATER + 2), limit=-1) == 0
    assert await use_code(directory, "2") is None
    assert await use_code(directory, "3") == ANA


@on_a_store
async def test_a_player_has_so_many_codes_and_a_further_one_voids_the_first_to_expire(store: DirectoryStore) -> None:
    directory = store.directory
    await registered(directory, ANA)
    for number in range(MOST_CODES + 1):
        assert await directory.add_code(hashed(f"{number}"), ANA, Instant(LATER + number))
    assert await use_code(directory, "0") is None
    assert await use_code(directory, "1") == ANA


# what cannot be stored


@pytest.mark.parametrize("player", INVALID_IDS)
def test_an_invalid_id_is_not_registered_and_finds_nothing(place: Place, player: str) -> None:
    async def test(store: DirectoryStore) -> None:
        directory, none = store.directory, PlayerId(player)
        with pytest.raises(Unstorable):
            await directory.add_player(none, "Ana", hashed("one"), NOW)
        assert await directory.player(none) is None
        assert not await directory.rename(none, "Ana")
        assert not await directory.add_token(none, hashed("one"), NOW)
        assert not await directory.replace_tokens(none, hashed("one"), NOW)
        assert not await directory.add_code(hashed("one"), none, LATER)
        assert not await directory.delete_player(none)
        assert await directory.add_player(ANA, "Ana", hashed("one"), NOW)

    on_a_store(test)(place)


@pytest.mark.parametrize("name", INVALID_NAMES)
def test_an_invalid_name_is_refused(place: Place, name: str) -> None:
    async def test(store: DirectoryStore) -> None:
        with pytest.raises(Unstorable):
            await store.directory.add_player(ANA, name, hashed("one"), NOW)
        await registered(store.directory, ANA)
        with pytest.raises(Unstorable):
            await store.directory.rename(ANA, name)
        found = await store.directory.player(ANA)
        assert found is not None
        assert found.name == "Ana"

    on_a_store(test)(place)


@on_a_store
async def test_only_hashes_are_stored(store: DirectoryStore) -> None:
    """A token in the clear has another length, so it cannot be stored by mistake."""
    directory, clear = store.directory, b"q" * 43
    await registered(directory, ANA)
    for refused in (
        directory.add_player(BO, "Bo", clear, NOW),
        directory.add_token(ANA, clear, NOW),
        directory.replace_tokens(ANA, clear, NOW),
        directory.use_code(hashed("code"), clear, NOW),
        directory.add_code(clear, ANA, LATER),
        directory.add_code(hashed("code"), ANA, Instant(2**63)),
        directory.add_player(BO, "Bo", hashed("bo"), Instant(-1)),
    ):
        with pytest.raises(Unstorable):
            await refused


# the end


@at_a_place
async def test_what_is_stored_of_people_is_there_when_the_place_is_opened_again(place: Place) -> None:
    store = await place.open()
    await registered(store.directory, ANA, BO)
    await store.directory.add_code(hashed("code"), ANA, LATER)
    await store.directory.book(match("t"), [rating(ANA), rating(BO)])
    await store.close()
    with pytest.raises(StoreFault):
        await store.directory.player(ANA)
    with pytest.raises(StoreFault):
        await store.directory.rename(ANA, "Anna")
    store = await place.open()
    assert set(await store.directory.players([ANA, BO, CY])) == {ANA, BO}
    assert await store.directory.player_by_token(hashed("ana")) is not None
    assert await use_code(store.directory, "code") == ANA
    assert (await store.directory.results_of(BO)).items == (match("t"),)
    assert await store.directory.ratings_of(BO) == (rating(BO),)
    await store.close()


# presence


@pytest.mark.parametrize("place", SHARED, indirect=True)
@on_a_store
async def test_a_process_tells_the_others_who_is_connected_to_it(store: DirectoryStore) -> None:
    directory, tables = store.directory, [T, U]
    await directory.share_presence("one", {PlayerAtTable(T, ANA), PlayerAtTable(U, ANA)}, LATER)
    await directory.share_presence("two", {PlayerAtTable(T, ANA), PlayerAtTable(T, BO)}, LATER)
    assert await directory.present_elsewhere("one", tables, NOW) == {PlayerAtTable(T, ANA), PlayerAtTable(T, BO)}
    assert await directory.present_elsewhere("two", tables, NOW) == {PlayerAtTable(T, ANA), PlayerAtTable(U, ANA)}
    assert await directory.present_elsewhere("two", [U], NOW) == {PlayerAtTable(U, ANA)}
    assert await directory.present_elsewhere("two", [], NOW) == set()
    assert await directory.present_elsewhere("two", tables, LATER) == set(), "a process that died is not believed"
    await directory.share_presence("one", {PlayerAtTable(U, BO)}, LATER)
    assert await directory.present_elsewhere("two", tables, NOW) == {PlayerAtTable(U, BO)}
    await directory.share_presence("one", {PlayerAtTable(U, BO)}, Instant(LATER + 60_001))
    assert await directory.present_elsewhere("two", tables, LATER) == {PlayerAtTable(U, BO)}


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@on_a_store
async def test_a_store_of_one_process_tells_nothing_of_presence(store: DirectoryStore) -> None:
    await store.directory.share_presence("one", {PlayerAtTable(T, ANA)}, LATER)
    assert await store.directory.present_elsewhere("two", [T], NOW) == set()
