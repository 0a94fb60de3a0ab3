"""What an agent says of itself: in lines, in objects, in figures, and never more than it may."""

import io
import json

import pytest

from tests.agents.wire.wired import CALL, CHOSEN, INVITATION, JOINED, OVER
from turnstile.agents.process.journal import Journal, event_of, loggable_fields, printable, short, transition_of
from turnstile.agents.process.meter import CallOutcome, Meter
from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Hop
from turnstile.kernel.values import Message
from turnstile.league.player.machine import player
from turnstile.league.protocol.messages import LeagueRegisterResponse
from turnstile.league.protocol.words import Registration
from turnstile.league.referee.machine import referee

AT = 1_737_280_860_000  # 2025-01-19 10:01:00


def lines(as_json: bool = False) -> tuple[Journal, io.StringIO]:
    out = io.StringIO()
    return Journal("REF01", out, lambda: AT, as_json=as_json), out


@pytest.mark.parametrize("as_json", [False, True])
def test_a_full_disk_costs_lines_and_nothing_else(as_json: bool) -> None:
    full = open("/dev/full", "w")  # noqa: SIM115  # closing it complains once more
    journal = Journal("REF01", full, lambda: AT, as_json=as_json)
    journal.note("one")
    journal.note("two")
    assert journal.lines_lost == 2
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_its_lines_are_those_of_the_specification() -> None:
    journal, out = lines()
    journal.transition("R1M1", Hop("IDLE", "WAITING_FOR_PLAYERS", "match_assigned", ""))
    journal.sent("R1M1", INVITATION, "player:P01")
    journal.received("R1M1", JOINED, "player:P01")
    journal.sent("R1M1", JOINED, "referee:REF01")
    journal.transition(
        "R1M1", Hop("WAITING_FOR_PLAYERS", "COLLECTING_CHOICES", "GAME_JOIN_ACK", "both_players_arrived")
    )
    journal.critical("The strategy was late.", "R1M1")
    journal.warning("Round 3 has no match for this player.")
    journal.refused("R1M1", "GAME_OVER", "referee:REF02", "WrongReferee")
    journal.decision("R1M1", "odd")
    assert out.getvalue().splitlines() == [
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] State transition: IDLE -> WAITING_FOR_PLAYERS (event: match_assigned)",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] Sent GAME_INVITATION to P01",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] Received GAME_JOIN_ACK from P01 (accept=true)",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] Sent GAME_JOIN_ACK to REF01 (accept=true)",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] State transition: WAITING_FOR_PLAYERS -> COLLECTING_CHOICES "
        "(event: both_players_arrived)",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] CRITICAL: The strategy was late.",
        "[2025-01-19T10:01:00Z] [REF01] WARNING: Round 3 has no match for this player.",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] WARNING: Turned down GAME_OVER from REF02 (WrongReferee)",
        "[2025-01-19T10:01:00Z] [REF01] [R1M1] Decision: odd",
    ]


EVENTS = {
    "match_assigned",
    "GAME_JOIN_ACK",
    "both_players_arrived",
    "timeout_player_A",
    "timeout_player_B",
    "CHOOSE_PARITY_RESPONSE",
    "number_drawn",
    "players_notified",
    "MATCH_RESULT_ACK",
    "cleanup_complete",
    "player_startup",
    "LEAGUE_REGISTER_RESPONSE",
    "timeout",
    "ROUND_ANNOUNCEMENT",
    "GAME_INVITATION",
    "ready_to_join",
    "CHOOSE_PARITY_CALL",
    "choice_made",
    "GAME_OVER",
    "LEAGUE_STANDINGS_UPDATE",
    "ROUND_COMPLETED",
    "LEAGUE_COMPLETED",
    "shutdown_initiated",
}
"""The events of the specification."""

OTHERS = {
    "GAME_ERROR",
    "GAME_MOVE_CALL",
    "GAME_MOVE_RESPONSE",
    "GAME_OVER_ACK",
    "LEAGUE_QUERY_RESPONSE",
    "delivery_failed",
    "match_withdrawn",
    "move_made",
    "timeout_league_manager",
    "timeout_notification",
}
"""Those it has no transition for; docs/departures.md tells of them."""


def test_every_transition_of_a_match_names_an_event_and_never_a_branch() -> None:
    hops = [hop for machine in (referee, player) for row in machine.rows for hop in row.hops.values()]
    events = {event_of(hop) for hop in hops}
    assert events - OTHERS <= EVENTS
    assert events >= EVENTS
    timeouts = [hop for hop in hops if "timeout" in hop.cause]
    assert all(event_of(hop) == hop.cause for hop in timeouts)


def test_where_an_event_leads_to_several_states_programs_are_told_why_to_this_one() -> None:
    out_of_time = Hop("WAITING_FOR_PLAYERS", "NOTIFYING_PLAYERS", "timeout_player_A", "exhausted")
    told = {"from": "WAITING_FOR_PLAYERS", "to": "NOTIFYING_PLAYERS", "event": "timeout_player_A"}
    assert transition_of(out_of_time) == {**told, "branch": "exhausted"}
    by_itself = Hop("COMPLETING_ROUND", "PAIRING_PLAYERS", "auto", "next round")
    assert transition_of(by_itself) == {"from": "COMPLETING_ROUND", "to": "PAIRING_PLAYERS", "event": "next_round"}
    for as_json, said in ((True, '"branch": "exhausted"'), (False, "(event: timeout_player_A)\n")):
        journal, out = lines(as_json)
        journal.transition("R1M1", out_of_time)
        assert said in out.getvalue()


def test_programs_are_given_objects() -> None:
    journal, out = lines(as_json=True)
    journal.transition(None, Hop("IDLE", "WAITING_FOR_PLAYERS", "match_assigned", ""))
    journal.failed("R1M1", INVITATION, "player:P01", "refused")
    journal.refused("R1M1", "GAME_OVER", "referee:REF02", "WrongReferee")
    journal.answered("R1M1", OVER, "player:P01", "error -32601", "Method\nnot found")
    journal.note("something")
    journal.critical("something else")
    journal.remark("something odd")
    journal.warning("something unexpected")
    journal.decision("R1M1", "odd")
    first, *others = [json.loads(line) for line in out.getvalue().splitlines()]
    assert first == {
        "at": "2025-01-19T10:01:00.000Z",
        "agent": "REF01",
        "match": None,
        "level": "info",
        "kind": "transition",
        "from": "IDLE",
        "to": "WAITING_FOR_PLAYERS",
        "event": "match_assigned",
    }
    assert [line["kind"] for line in others] == [
        *("failed", "refused", "answered", "note", "critical", "remark"),
        *("warning", "decision"),
    ]
    answered = {"message_type": "GAME_OVER", "from": "P01", "came": "error -32601", "detail": "Method not found"}
    assert others[2].items() >= answered.items()
    levels = ["info", "warning", "info", "info", "critical", "info", "warning", "info"]
    assert [line["level"] for line in others] == levels
    assert journal.trouble == "something"


def test_A20_a_line_shows_what_is_named_and_nothing_else() -> None:
    seed = Seed("a secret seed")
    told = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=None, auth_token="tok-p01-0123", reason=None)  # noqa: S106
    messages: list[Message] = [CALL, CHOSEN, OVER, told]
    for as_json in (False, True):
        journal, out = lines(as_json)
        for message in messages:
            journal.sent("R1M1", message, "player:P01")
            journal.received("R1M1", message, "player:P01")
        for secret in ("odd", "tok-p01", seed):
            assert secret not in out.getvalue()
    assert loggable_fields(CHOSEN) == {}


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\x1b[31mb", "a\x00b", "a\u202eb", "x" * 10_000])
def test_what_others_wrote_stays_on_its_line(text: str) -> None:
    for as_json in (False, True):
        journal, out = lines(as_json)
        journal.note(text, match=text)
        journal.sent(text, INVITATION, f"player:{text}")
        journal.agent = text
        journal.failed(text, INVITATION, text, text)
        assert len(out.getvalue().splitlines()) == 3
        assert len(out.getvalue()) < 3_000
        assert not {"\x1b", "\x00", "\r", "\u202e"} & {*out.getvalue()}


def test_an_address_is_shown_by_its_id() -> None:
    assert [short("player:P01"), short("league_manager")] == ["P01", "league_manager"]
    assert printable("  two   words ") == "two words"


# figures


def test_time_is_counted_for_each_state_the_present_one_included() -> None:
    time = 1_000
    meter = Meter(lambda: time)
    meter.enter("one", "referee", "IDLE")
    time = 3_000
    meter.count_transition("referee", Hop("IDLE", "WAITING_FOR_PLAYERS", "match_assigned", ""))
    meter.enter("one", "referee", "WAITING_FOR_PLAYERS")
    time = 3_500
    assert meter.summary()["seconds_in_state"] == {"referee": {"IDLE": 2.0, "WAITING_FOR_PLAYERS": 0.5}}
    assert meter.summary()["states"] == {"referee": {"WAITING_FOR_PLAYERS": 1}}
    meter.leave("one")
    meter.leave("another")
    time = 9_000
    assert meter.summary()["seconds_in_state"]["referee"]["WAITING_FOR_PLAYERS"] == 0.5
    assert meter.summary()["states"] == {}


def test_figures_are_written_as_prometheus_reads_them() -> None:
    meter = Meter(lambda: 0)
    meter.count_call("GAME_INVITATION", CallOutcome.UNREACHED)
    meter.count_call("GAME_INVITATION", CallOutcome.UNREACHED)
    meter.count_exchange("RUN_MATCH", "RUN_MATCH_ACK")
    meter.enter("one", "player", "REGISTERED")
    written = meter.prometheus()
    assert written.endswith("\n")
    for line in (
        "# TYPE turnstile_league_calls_total counter",
        'turnstile_league_calls_total{message_type="GAME_INVITATION",outcome="unreached"} 2',
        'turnstile_league_exchanges_total{message_type="RUN_MATCH",outcome="RUN_MATCH_ACK"} 1',
        'turnstile_league_machines{machine="player",state="REGISTERED"} 1',
        "turnstile_league_file_failures_total 0",
    ):
        assert line in written.splitlines()
