"""How a player registers: transitions 1 and 2 of its specification."""

from msgspec.structs import replace

from tests.league.player.played import (
    ME,
    announcement,
    play,
    refusal,
    refused,
    registering,
    sent,
    starting,
    taken,
    timers,
)
from turnstile.kernel import Seed, Send, Step
from turnstile.league.player.machine import new, player
from turnstile.league.player.state import Code, Options, Phase
from turnstile.league.protocol.messages import (
    LeagueRegisterRequest,
    LeagueRegisterResponse,
)
from turnstile.league.protocol.words import LeagueId, Registration

REQUEST = ["LEAGUE_REGISTER_REQUEST to league_manager"]
MANAGER_UNREACHED = "manager is unreached"
MANAGER_SILENT = "manager is silent"


# 1


def test_transition_1_the_player_asks_for_a_place_and_waits_10_seconds() -> None:
    step = play(starting(), "starts")
    assert step.state.phase is Phase.REGISTERING
    assert (sent(step), timers(step)) == (REQUEST, ["register 10 s"])
    (request, _) = step.effects
    assert isinstance(request, Send)
    assert isinstance(request.message, LeagueRegisterRequest)
    assert request.message.player_meta.display_name == "Juniper"


def test_transition_1_a_manager_that_cannot_be_reached_is_tried_again_after_1_2_and_4_seconds() -> None:
    state = registering()
    for pause in ("register 1 s", "register 2 s", "register 4 s"):
        failed = play(state, MANAGER_UNREACHED)
        assert timers(failed) == [pause]
        assert refusal(failed.state, MANAGER_UNREACHED) == Code.STALE_TIMER
        step = play(failed.state, MANAGER_SILENT)
        assert sent(step) == REQUEST
        state = step.state
    state = play(state, MANAGER_UNREACHED).state
    assert (state.phase, state.failure) == (Phase.UNREGISTERED, "Failed to register with League Manager")
    again = play(state, "starts").state
    assert (again.phase, again.failure, again.retry_count) == (Phase.REGISTERING, None, 0)


# 2


def test_transition_2a_accepted_the_player_keeps_its_id_its_token_and_its_league() -> None:
    step = play(registering(), "accepted")
    state = step.state
    assert state.phase is Phase.REGISTERED
    assert (state.player_id, state.auth_token, state.league_id) == (ME, "tok-p05", "league_2025_even_odd")
    assert timers(step) == ["no register"]
    assert state.manager_proof is None


def test_A6_a_player_keeps_what_its_manager_will_show() -> None:
    accepted = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME, manager_proof="proof")
    step = player.step(registering(), accepted)
    assert isinstance(step, Step)
    assert step.state.manager_proof == "proof"


def test_A9_a_player_shows_the_secret_that_it_was_given() -> None:
    given = str(Seed("from outside"))
    assert new(Options(registration_secret=given), Seed("2")).meta.registration_secret == given
    assert not new(Options(), Seed("2")).meta.registration_secret


def test_transition_2a_a_manager_that_names_no_league_means_whichever_it_speaks_of() -> None:
    accepted = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME)
    known = taken(registering(), accepted).state
    for league in (LeagueId("one"), LeagueId("another")):
        assert taken(known, announcement(1, league)).state.phase is Phase.WAITING_FOR_ROUND
    assert refused(registering(), replace(accepted, player_id=None)) == Code.IGNORED


def test_transition_2b_a_name_that_is_taken_is_tried_again_with_three_suffixes() -> None:
    state, names = registering(), {"Juniper"}
    for count in range(1, 4):
        step = play(state, "rejected: Duplicate name")
        assert step.state.phase is Phase.UNREGISTERED
        assert timers(step) == ["register 1 s"]
        step = play(step.state, MANAGER_SILENT)
        assert (step.state.phase, sent(step)) == (Phase.REGISTERING, REQUEST)
        state = step.state
        names.add(state.meta.display_name)
        assert len(names) == count + 1
    assert all(name.startswith("Juniper") for name in names)
    state = play(state, "rejected: Duplicate name").state
    assert state.failure == "Registration was rejected: Duplicate name"
    assert refusal(state, MANAGER_SILENT) == Code.STALE_TIMER
    assert play(state, "starts").state.names_tried == 0


def test_transition_2b_a_player_refused_for_its_name_and_started_again_asks_for_its_own_name_first() -> None:
    state, tried = registering(), []
    for _ in range(3):
        state = play(state, "rejected: Duplicate name", MANAGER_SILENT).state
        tried.append(state.meta.display_name)
    again = play(state, "rejected: Duplicate name", "starts")
    (request, _) = again.effects
    assert isinstance(request, Send)
    assert isinstance(request.message, LeagueRegisterRequest)
    assert request.message.player_meta.display_name == "Juniper"
    state = again.state
    for _ in range(3):
        state = play(state, "rejected: Duplicate name", MANAGER_SILENT).state
        assert state.meta.display_name.startswith("Juniper-")
        assert state.meta.display_name not in tried, "and for new suffixes after"
        tried.append(state.meta.display_name)


def test_transition_2b_a_player_whose_last_request_was_never_answered_asks_for_the_same_name_again() -> None:
    state = play(registering(), "rejected: Duplicate name", MANAGER_SILENT).state
    name = state.meta.display_name
    for _ in range(4):
        state = play(state, MANAGER_SILENT).state
    assert state.failure == "Failed to register with League Manager"
    assert play(state, "starts").state.meta.display_name == name, "the manager may have accepted it"


def test_transition_2b_a_new_name_may_be_asked_for_at_once_by_starting() -> None:
    state = play(registering(), "rejected: Duplicate name", "starts").state
    assert (state.phase, state.names_tried) == (Phase.REGISTERING, 1)


def test_transition_2b_a_full_league_is_the_end() -> None:
    step = play(registering(), "rejected: League full")
    assert (step.state.phase, step.state.failure) == (
        Phase.UNREGISTERED,
        "Registration was rejected: League full",
    )
    assert timers(step) == ["no register"]


def test_transition_2c_without_an_answer_the_request_is_repeated_three_times_and_then_given_up() -> None:
    state = registering()
    for _ in range(3):
        step = play(state, MANAGER_SILENT)
        assert (sent(step), timers(step)) == (REQUEST, ["register 10 s"])
        state = step.state
    state = play(state, MANAGER_SILENT).state
    assert (state.phase, state.failure) == (Phase.UNREGISTERED, "Failed to register with League Manager")
