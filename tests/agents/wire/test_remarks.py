"""What is odd about the messages of others stands in the log of the agent that reads them, once, and is no trouble."""

from pathlib import Path

from tests.agents.agents_in_process import run
from tests.agents.foreign import foreign_league, joins
from tests.agents.wire.wired import post
from turnstile.agents.wire.remarks import MOST_REMARKS, Remarks, remark, remark_context


def test_what_others_leave_out_is_a_line_in_the_log_of_a_referee_and_no_trouble(tmp_path: Path) -> None:
    async def play() -> str:
        async with foreign_league(tmp_path) as league:
            await league.enter("P01", lambda fields: {**joins(fields), "player_id": "P09"})
            await league.enter("P02")
            for match in ("R1M1", "R1M2"):
                await league.hand_out(match)
                await league.reports.get()
            await league.post("NONSENSE")
            await post(league.referee.port, {"jsonrpc": "2.0", "id": 7, "method": "x"}, Origin="http://elsewhere")
            return league.here.journal.getvalue()

    journal = run(play())
    for noted in (
        "RUN_MATCH from league_manager without timestamp, conversation_id",
        "GAME_JOIN_ACK from player:P01 with another player_id: 'P09'",
        "CHOOSE_PARITY_RESPONSE from player:P01 with another player_id: 'P09'",
        "GAME_JOIN_ACK from player:P02 without player_id",
        "A request from league_manager is answered with Method not found: 'nonsense'",
        "A request from 127.0.0.1 is refused: 403 Pages of another origin are refused",
    ):
        assert journal.count(f"[REF01] Noted: {noted}\n") == 1, noted


def test_a_remark_is_made_once_and_goes_to_whom_it_concerns() -> None:
    first: list[str] = []
    second: list[str] = []
    one, other = Remarks(first.append), Remarks(second.append)
    remark("nobody listens")
    with remark_context(one):
        remark("odd", "as here")
        with remark_context(other):
            remark("odd")
        remark("odd", "as there")
    assert (first, second) == (["odd: as here"], ["odd"])


def test_remarks_are_bounded_in_length_and_in_number() -> None:
    made: list[str] = []
    remarks = Remarks(made.append)
    for number in range(MOST_REMARKS + 100):
        remarks.make(f"{number} {'x' * 1000}")
    assert len(made) == MOST_REMARKS
    assert max(map(len, made)) == 200
