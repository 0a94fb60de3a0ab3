"""The registration of a referee: one test, one sentence."""

from msgspec.structs import replace

from turnstile.kernel import Rejection, Send, Step
from turnstile.kernel.chance import Seed
from turnstile.kernel.check import Verdict, check_table
from turnstile.kernel.effects import Arm, Disarm
from turnstile.league.protocol.management import RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueCompleted
from turnstile.league.protocol.values import Champion, RefereeMeta
from turnstile.league.protocol.words import LEAGUE_MANAGER, Awaited, DeliveryFailed, LeagueId, RefereeId, Registration
from turnstile.league.referee.registrar import (
    Code,
    Phase,
    RefereeStartup,
    RegistrationExpired,
    State,
    new,
    registrar,
    resumed,
    wanted,
)
from turnstile.league.registering import DUPLICATE_NAME, NOT_REGISTERED

META = RefereeMeta(
    display_name="Whistle", version="1", game_types=("even_odd",), contact_endpoint="http://localhost:8001/mcp"
)
ACCEPTED = RefereeRegisterResponse(
    status=Registration.ACCEPTED,
    referee_id=RefereeId("REF01"),
    auth_token="t",  # noqa: S106
    league_id=LeagueId("league"),
)
TAKEN = RefereeRegisterResponse(status=Registration.REJECTED, reason=DUPLICATE_NAME)


def step(state: State, event: object) -> Step[State]:
    made = registrar.step(state, event)  # type: ignore[arg-type]
    assert isinstance(made, Step), made
    return made


def refusal(state: State, event: object) -> str:
    made = registrar.step(state, event)  # type: ignore[arg-type]
    assert isinstance(made, Rejection), made
    return made.code


def registering() -> State:
    return step(new(META, Seed("7")), RefereeStartup()).state


def completed(league: str) -> LeagueCompleted:
    champion = Champion(player_id="P01", display_name="A", points=3)  # type: ignore[arg-type]
    return LeagueCompleted(
        league_id=LeagueId(league), total_rounds=1, total_matches=1, champion=champion, final_standings=()
    )


def expired(attempt: int) -> RegistrationExpired:
    return RegistrationExpired(match_id=None, waiting_for=Awaited.REFEREE_REGISTER_RESPONSE, retry_count=attempt)


def lost(attempt: int) -> DeliveryFailed:
    awaited = Awaited.REFEREE_REGISTER_RESPONSE
    return DeliveryFailed(to=LEAGUE_MANAGER, match_id=None, waiting_for=awaited, retry_count=attempt)


def test_its_table_is_in_order() -> None:
    assert {finding.verdict for finding in check_table(registrar)} == {Verdict.PROVED}


def test_a_referee_asks_for_a_place_and_waits_ten_seconds() -> None:
    made = step(new(META, Seed("7")), RefereeStartup())
    assert made.effects == (
        Send(LEAGUE_MANAGER, RefereeRegisterRequest(referee_meta=META), on_failure=lost(0)),
        Arm("register", 10.0, expired(0)),
    )


def test_a_referee_that_is_accepted_has_an_id_a_token_and_a_league() -> None:
    made = step(registering(), ACCEPTED)
    assert (made.state.phase, made.state.referee_id, made.state.auth_token, made.state.league_id) == (
        Phase.REGISTERED,
        "REF01",
        "t",
        "league",
    )
    assert made.effects == (Disarm("register"),)
    assert made.state.manager_proof is None


def test_A6_a_referee_keeps_what_its_manager_will_show() -> None:
    assert step(registering(), replace(ACCEPTED, manager_proof="proof")).state.manager_proof == "proof"


def test_an_acceptance_without_an_id_is_none() -> None:
    assert refusal(registering(), replace(ACCEPTED, referee_id=None)) == Code.IGNORED


def test_a_manager_that_does_not_answer_is_asked_again_three_times() -> None:
    state = registering()
    for attempt in range(3):
        made = step(state, expired(attempt))
        assert [type(effect) for effect in made.effects] == [Send, Arm]
        state = made.state
    given_up = step(state, expired(3)).state
    assert (given_up.phase, given_up.failure) == (Phase.UNREGISTERED, NOT_REGISTERED)


def test_a_manager_that_cannot_be_reached_is_tried_again_after_pauses_that_double() -> None:
    state, pauses = registering(), []
    for _ in range(3):
        after = step(state, lost(state.attempt))
        pauses += [effect.seconds for effect in after.effects if isinstance(effect, Arm)]
        assert refusal(after.state, lost(after.state.attempt)) == Code.STALE_TIMER
        state = step(after.state, expired(after.state.attempt)).state
    assert pauses == [1.0, 2.0, 4.0]
    assert step(state, lost(state.attempt)).state.failure == NOT_REGISTERED


def test_what_is_late_is_known_as_such() -> None:
    assert refusal(registering(), expired(3)) == Code.STALE_TIMER
    assert refusal(registering(), lost(2)) == Code.STALE_TIMER
    assert refusal(new(META, Seed("7")), expired(0)) == Code.STALE_TIMER
    assert refusal(new(META, Seed("7")), ACCEPTED) == Code.IGNORED


def test_a_referee_whose_name_is_taken_tries_three_others() -> None:
    state, names = registering(), set()
    for tried in range(1, 4):
        rejected = step(state, TAKEN).state
        assert (rejected.phase, wanted(rejected)) == (Phase.UNREGISTERED, None)
        state = step(rejected, expired(4 * tried)).state
        names.add(state.meta.display_name)
    assert len(names) == 3
    assert all(name.startswith("Whistle-") for name in names)
    assert step(state, TAKEN).state.failure == "Registration was rejected: Duplicate name"


def test_a_referee_refused_for_its_name_and_started_again_asks_for_its_own_name_first() -> None:
    state, tried = registering(), []
    for number in range(1, 4):
        state = step(step(state, TAKEN).state, expired(4 * number)).state
        tried.append(state.meta.display_name)
    state = step(step(state, TAKEN).state, RefereeStartup()).state
    assert state.meta.display_name == "Whistle"
    for number in range(1, 4):
        state = step(step(state, TAKEN).state, expired(4 * number)).state
        assert state.meta.display_name not in tried, "and for new suffixes after"
        tried.append(state.meta.display_name)


def test_a_referee_whose_last_request_was_never_answered_asks_for_the_same_name_again() -> None:
    state = step(step(registering(), TAKEN).state, expired(4)).state
    name = state.meta.display_name
    for number in range(4, 8):
        state = step(state, expired(number)).state
    assert state.failure == NOT_REGISTERED
    assert step(state, RefereeStartup()).state.meta.display_name == name


def test_a_referee_that_is_rejected_for_any_other_reason_gives_up_and_begins_anew_when_started_again() -> None:
    rejected = RefereeRegisterResponse(status=Registration.REJECTED, reason="League full")
    state = step(registering(), rejected).state
    assert state.failure == "Registration was rejected: League full"
    assert wanted(state) == RefereeStartup()
    assert step(state, RefereeStartup()).state.failure is None


def test_after_a_restart_a_request_that_awaits_its_answer_is_made_again() -> None:
    state = registering()
    request = RefereeRegisterRequest(referee_meta=META)
    assert resumed(state) == [Send(LEAGUE_MANAGER, request, on_failure=lost(0))]
    assert resumed(step(state, lost(state.attempt)).state) == []
    assert resumed(step(state, ACCEPTED).state) == []
    assert wanted(state) is None


def test_the_end_of_its_own_league_is_the_end() -> None:
    registered = step(registering(), ACCEPTED).state
    assert refusal(registered, completed("another")) == Code.IGNORED
    assert step(registered, completed("league")).state.phase is Phase.LEAGUE_COMPLETE
