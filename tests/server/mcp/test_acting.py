"""Acting: what may be repeated, what is refused, and when a seat resigns."""

from msgspec.structs import replace

from tests.agents.loops import run
from tests.server.mcp.models import model, text_of
from tests.server.servers import SETTINGS, site
from turnstile.server.mcp.seat import MOST_ILLEGAL


def test_the_same_act_is_done_once_and_answered_again() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as guest:
            seen = await guest.sit_down_with_bots("e-card")
            act = {"table": seen["table"], "seq": seen["seq"], "action": seen["actions"][0]}
            after = await guest.do("act", **act)
            again = await guest.do("act", **act)
            assert again["since"] == after["since"] == seen["seq"]
            assert again["happened"][: len(after["happened"])] == after["happened"]
            assert again["view"]["revealed"] == after["view"]["revealed"]
            assert again["actions"] == after["actions"]

    run(main())


def test_a_name_may_have_other_spaces_and_capitals() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as guest:
            seen = await guest.sit_down_with_bots("e-card")
            await guest.do("act", table=seen["table"], seq=seen["seq"], action=" Pick: c ")

    run(main())


def test_an_illegal_act_is_told_what_is_legal_and_too_many_resign() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as guest:
            seen = await guest.sit_down_with_bots("e-card")
            table, seq = seen["table"], seen["seq"]
            for count in range(1, MOST_ILLEGAL):
                refused = await guest.refused("act", table=table, seq=seq, action="pick:ACE")
                assert refused["code"] == "NotAMove"
                assert refused["illegalActs"] == count
                assert refused["situation"]["actions"] == seen["actions"]
            await guest.do("act", table=table, seq=seq, action=seen["actions"][0])
            for _ in range(MOST_ILLEGAL - 1):
                refused = await guest.refused("act", table=table, seq=seq, action="pick:ACE")
                assert not refused["hasResigned"]
            refused = await guest.refused("act", table=table, seq=999, action="pick:C")
            assert refused["hasResigned"]
            assert refused["code"] == "FutureVersion"
            end = refused["situation"]
            assert (end["phase"], end["result"]["how"]) == ("Finished", "resigned")
            late = await guest.refused("act", table=table, seq=seq, action=seen["actions"][1])
            assert late["illegalActs"] == 0

    run(main())


def test_before_the_match_resign_closes_the_own_table_and_leaves_another() -> None:
    """Also a table that a spectator may not see."""

    async def main() -> None:
        async with site(replace(SETTINGS, most_open_tables=1)) as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token) as opener, model(here.url, bo.token) as guest:
                made = await opener.do("make_table", game="e-card", inviteOnly=True)
                table = made["table"]
                await guest.do("join_table", table=table, invite=made["invite"])
                left = await guest.do("resign", table=table)
                assert left == {"table": table, "seq": 0, "yourTurn": False, "next": "You have left the table."}
                refused = await opener.refused("make_table", game="e-card")
                assert (refused["code"], refused["advice"]) == (
                    "TooManyTables",
                    "my_tables lists them; resign from one.",
                )
                for _ in range(2):
                    closed = await opener.do("resign", table=table)
                    assert (closed["phase"], closed["next"]) == ("Closed", "The table is closed.")
                await opener.do("make_table", game="e-card")

    run(main())


def test_an_old_decision_is_refused_and_shown_what_has_changed() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as guest:
            seen = await guest.sit_down_with_bots("e-card")
            table, seq = seen["table"], seen["seq"]
            await guest.do("act", table=table, seq=seq, action="pick:C")
            other = next(name for name in seen["actions"] if name != "pick:C")
            refused = await guest.refused("act", table=table, seq=seq, action=other)
            assert refused["code"] == "StaleVersion"
            assert refused["situation"]["yourTurn"]

    run(main())


def test_legal_actions_can_be_switched_off() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token, query="?actions=off") as guest:
            seen = await guest.sit_down_with_bots("e-card")
            assert seen["yourTurn"]
            assert "actions" not in seen
            refused = await guest.call("act", table=seen["table"], seq=seen["seq"], action="pick:ACE")
            assert "actions" not in refused.structured_content["situation"]
            assert "pick:C" not in text_of(refused)
            assert not (await guest.call("act", table=seen["table"], seq=seen["seq"], action="pick:C")).is_error

    run(main())
