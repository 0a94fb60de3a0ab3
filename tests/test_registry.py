"""Games, and what belongs to them, are found by name through entry points; what is not installed is not found."""

from dataclasses import replace

from tests.bots.toys import cups
from turnstile import registry
from turnstile.games import ecard
from turnstile.games.ecard.messages import TieBreak
from turnstile.kernel import Machine, PlayerId, Rejection, Seed, Study, encode
from turnstile.studies.ecard import study


def test_the_games_in_the_box_are_found_by_name() -> None:
    assert "e-card" in registry.names()
    assert registry.find_game("e-card") is ecard.game


def test_names_are_in_alphabetical_order() -> None:
    assert list(registry.names()) == sorted(registry.names())


def test_a_game_that_is_not_installed_is_not_found() -> None:
    assert registry.find_game("chess") is None
    assert registry.find(registry.STUDIES, "chess") is None
    assert registry.find("turnstile.nothing", "e-card") is None


def test_every_game_is_listed_under_its_own_name() -> None:
    for name in registry.names():
        game = registry.find_game(name)
        assert game is not None
        assert game.name == name


def test_a_game_is_found_with_its_study() -> None:
    assert registry.study_of(ecard.game) is study
    assert registry.find(registry.STUDIES, "e-card") is study


def test_where_nobody_has_studied_a_game_nothing_is_known_of_it() -> None:
    unheard = Machine(
        "unheard-of",
        ecard.Phase,
        start=ecard.Phase.LOBBY,
        ends=(),
        state=ecard.State,
        messages=TieBreak,
        codes=ecard.Code,
    )
    unknown = registry.study_of(replace(ecard.game, machine=unheard))
    assert isinstance(unknown, Study)
    assert unknown.imagine is None


def test_a_game_that_is_lent_is_found_like_an_installed_one_and_only_so_long() -> None:
    with registry.lent(cups):
        assert registry.find_game("cups") is cups
        assert "cups" in registry.names()
        inspectable = registry.find_inspectable("cups")
        assert inspectable is not None
        assert inspectable.machine is cups.machine
    assert registry.find_game("cups") is None
    assert "cups" not in registry.names()


def test_a_game_may_be_lent_in_place_of_another_and_gives_way_again() -> None:
    other = replace(ecard.game, title="Another E-Card")
    with registry.lent(other):
        assert registry.find_game("e-card") is other
        with registry.lent(ecard.game):
            assert registry.find_game("e-card") is ecard.game
        assert registry.find_game("e-card") is other
    assert registry.find_game("e-card") is ecard.game


def test_every_game_has_a_stand_and_so_have_the_machines_that_are_no_games() -> None:
    assert registry.machine_names() == (*registry.names(), "manager", "player", "referee", "table")
    for name in registry.machine_names():
        inspectable = registry.find_inspectable(name)
        assert inspectable is not None
        assert inspectable.machine.name == name
        assert all(world.machine is inspectable.machine for world in inspectable.worlds())


def test_the_stand_of_a_game_opens_and_reads_matches_of_that_game() -> None:
    inspectable = registry.find_inspectable("e-card")
    assert inspectable is not None
    players = (PlayerId("ana"), PlayerId("bo"))
    lobby = inspectable.new(players, b"{}", Seed("7"))
    assert lobby == ecard.new(players, ecard.Options(), Seed("7"))
    assert inspectable.read(encode(lobby)) == lobby
    assert isinstance(inspectable.new(players, b'{"wings":2}', None), Rejection)
    assert isinstance(inspectable.read(b"{}"), Rejection)
