"""`check`, `diagram` and `step` serve a machine that is no game just as well."""

import json

from tests.cli.conftest import Turnstile

JOIN = {"type": "Join", "player": "bo", "id": "1", "at": 0}
OPEN = {"players": ["ana"], "options": {"game": "e-card"}, "event": JOIN}


def test_step_opens_a_table_of_the_game_that_its_options_name_and_goes_on_from_any_state(turnstile: Turnstile) -> None:
    first = json.loads(turnstile("step", "table", given=json.dumps(OPEN)).out)
    assert [seat["player"] for seat in first["state"]["seats"]] == ["ana", "bo"]
    start = {"type": "Start", "player": "ana", "id": "2", "at": 5, "seed": "7"}
    second = json.loads(turnstile("step", "table", given=json.dumps({"state": first["state"], "event": start})).out)
    assert second["state"]["phase"] == "Starting"
    assert [effect["player"] for effect in second["effects"]] == ["ana", "bo", None]
    acks = {"type": "Acknowledge", "at": 6, "cursors": {"ana": 1, "bo": 1}}
    third = json.loads(turnstile("step", "table", given=json.dumps({"state": second["state"], "event": acks})).out)
    assert third["state"]["match"]["phase"] == "RoundSetup"


def test_step_refuses_what_no_table_can_be_opened_for_or_be_in(turnstile: Turnstile) -> None:
    lines = [{**OPEN, "options": {}}, {**OPEN, "options": {"game": "chess"}}, {"state": {}, "event": JOIN}]
    said = turnstile("step", "table", given="\n".join(map(json.dumps, lines))).out.splitlines()
    assert [json.loads(line)["error"]["code"] for line in said] == ["InvalidOptions", "UnknownGame", "InvalidState"]


def test_step_does_not_start_a_table_of_up_down_for_one_player(turnstile: Turnstile) -> None:
    start = {"type": "Start", "player": "ana", "id": "1", "at": 0, "seed": "q"}
    line = {"players": ["ana"], "options": {"game": "up-down"}, "event": start}
    said = json.loads(turnstile("step", "table", given=json.dumps(line)).out)
    assert said == {"error": {"code": "InvalidPlayers", "message": "This game takes 2 to 10 players, not 1."}}


def test_step_opens_no_table_with_options_that_nobody_could_play_with(turnstile: Turnstile) -> None:
    line = {**OPEN, "options": {"game": "up-down", "gameOptions": {"maxRoundSize": -3}}}
    said = json.loads(turnstile("step", "table", given=json.dumps(line)).out)
    assert said["error"]["code"] == "InvalidOptions"
    assert "maxRoundSize" in said["error"]["message"]


def test_diagram_draws_the_table(turnstile: Turnstile) -> None:
    assert "Playing --> Settling: Act" in turnstile("diagram", "table").out


def test_check_reports_on_every_world_of_a_machine(turnstile: Turnstile) -> None:
    ran = turnstile("check", "table", "--most-states", 200, "--json")
    assert ran.status == 0
    reports = [json.loads(line) for line in ran.out.splitlines()]
    assert {report["machine"] for report in reports} == {"table"}
    assert len({report["setting"] for report in reports}) == len(reports) == 16


def test_players_and_options_are_for_games_alone(turnstile: Turnstile) -> None:
    for given in (("--players", 2), ("--options", '{"game":"66"}')):
        ran = turnstile("check", "table", *given)
        assert ran.status == 2
        assert "Table is not a game: leave out --players and --options" in ran.err


def test_a_machine_that_is_not_installed_is_not_guessed_at(turnstile: Turnstile) -> None:
    ran = turnstile("diagram", "tabel")
    assert ran.status == 2
    assert "There is no machine 'tabel'" in ran.err
    assert "Did you mean table?" in ran.err


def test_the_shell_completes_the_names_of_machines_where_they_are_wanted(turnstile: Turnstile) -> None:
    from turnstile.cli.main import turnstile as command

    for name, wanted in (("check", True), ("diagram", True), ("step", True), ("play", False), ("simulate", False)):
        (argument, *_) = [one for one in command.commands[name].params if one.param_type_name == "argument"]
        completed = argument.shell_complete(command.make_context("turnstile", [], resilient_parsing=True), "ta")
        assert bool(completed) is wanted, name
