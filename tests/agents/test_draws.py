"""Draws over real sockets: an honest referee's are called fair, a crooked one's are not, and its players say so."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import until
from tests.agents.manager.test_process import meta, say
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body, living, result
from turnstile.agents.page.scoreboard import MatchEntry, Verdict, verdict
from turnstile.games.evenodd import drawn_number, judge, parity_of
from turnstile.kernel.chance import Seed, commit
from turnstile.league.protocol.words import Status

PROMISED = Seed("what was promised")


def found(manager: Running) -> list[tuple[MatchEntry, Verdict]]:
    board = manager.host.whole_board()
    return [(match, verdict(board.game_type, match.result)) for match in board.matches if match.result]


def test_A20_the_draws_of_a_league_of_ours_are_fair_and_still_so_after_a_restart_of_the_manager(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(3)
            for name in ("Ana", "Bo", "Cy"):
                await here.player(name)
            await here.referee()
            await until(lambda: manager.host.work.state.phase == "LEAGUE_COMPLETE")
            assert [each for _, each in found(manager)] == [Verdict.FAIR] * 3
            before = manager.host.whole_board()
            report = (await post(manager.port, None, "/report", "GET")).body.decode()
            assert "3 draws checked: 3 fair" in report
            await manager.drop()
            manager = await here.manager(port=manager.port)
            assert manager.host.whole_board().rounds == before.rounds
            assert "NOT fair" not in here.journal.getvalue()

    run(play())


class Crook:
    """A referee that draws from whichever seed it likes, when it knows the choices."""

    def __init__(self, manager: Running, told: Seed | None, shown: Seed, tells: dict[str, Any] | None = None) -> None:
        """`told`: what it commits to before the manager; without, it is a foreign one that knows no keys either.

        `shown`: from what it then draws. `tells`: what it reports of that, if not all.
        """
        self.manager = manager
        self.told = told
        self.shown = shown
        self.tells = tells
        self.jobs: list[asyncio.Task[None]] = []

    def hear(self, body: Body) -> Any:
        fields = body["params"]
        if fields["message_type"] == "ROUND_ANNOUNCEMENT" and not self.jobs:
            self.jobs.append(asyncio.create_task(self.play(fields)))
        return result(body, {"status": "ok"})

    async def register(self, url: str) -> None:
        entry = meta("Crook", url, **({"shows_keys": True} if self.told is not None else {}))
        answer = await say(self.manager, "REFEREE_REGISTER_REQUEST", referee_meta=entry)
        self.me, self.token = f"referee:{answer['referee_id']}", answer["auth_token"]

    async def play(self, announced: Body) -> None:
        (match,) = announced["matches"]
        ids = {"league_id": announced["league_id"], "round_id": 1, "match_id": match["match_id"]}
        a, b = match["player_A_id"], match["player_B_id"]
        if self.told is not None:
            params = {"match_id": match["match_id"], "commitment": commit(self.told)}
            await self.ask("LEAGUE_QUERY", league_id=ids["league_id"], query_type="GET_STANDINGS", query_params=params)
        choices = {}
        for player, opponent, role in ((a, b, "PLAYER_A"), (b, a, "PLAYER_B")):
            await self.call(match, player, "GAME_INVITATION", **ids, role_in_match=role, opponent_id=opponent)
        for player, opponent in ((a, b), (b, a)):
            context = {"opponent_id": opponent, "round_id": 1, "commitment": commit(PROMISED)}
            chosen = await self.call(match, player, "CHOOSE_PARITY_CALL", **ids, player_id=player, context=context)
            choices[player] = chosen["parity_choice"]
        number = drawn_number(self.shown, 0)
        seat = judge(choices[a], choices[b], number).winning_seat
        winner = None if seat is None else (a, b)[seat]
        told = {"status": "DRAW" if seat is None else "WIN", "drawn_number": number, "choices": choices}
        proof = {"seed": self.shown, "number_parity": parity_of(number), "reason": "-"}
        over = {**told, **proof, "winner_player_id": winner}
        for player in (a, b):
            await self.call(match, player, "GAME_OVER", **ids, game_result=over)
        details = {**told, "seed": self.shown} if self.tells is None else self.tells
        await self.ask(
            "MATCH_RESULT_REPORT", **ids, game_type="even_odd", result={"winner": winner, "details": details}
        )

    async def ask(self, message_type: str, **fields: Any) -> None:
        answer = await say(self.manager, message_type, self.me, auth_token=self.token, **fields)
        assert "code" not in answer, answer

    async def call(self, match: Body, player: str, message_type: str, **fields: Any) -> Body:
        seat = "A" if player == match["player_A_id"] else "B"
        envelope = {"protocol": "league.v2", "message_type": message_type, "sender": self.me, "game_type": "even_odd"}
        params = {**envelope, "auth_token": match.get(f"player_{seat}_key", self.token), **fields}
        body = {"jsonrpc": "2.0", "id": 1, "method": message_type.lower(), "params": params}
        port = int(match[f"player_{seat}_endpoint"].split(":")[2].partition("/")[0])
        answer: Body = (await post(port, body)).json["result"]
        return answer


@pytest.mark.parametrize(
    ("told", "shown", "details", "expected", "is_noticed"),
    [
        (PROMISED, PROMISED, None, Verdict.FAIR, False),
        (PROMISED, Seed("another"), None, Verdict.UNFAIR, True),
        (None, Seed("another"), None, Verdict.UNWITNESSED, True),
        (None, PROMISED, None, Verdict.UNWITNESSED, False),
        (PROMISED, PROMISED, {"status": Status.WIN}, Verdict.UNPROVEN, False),
    ],
)
def test_A20_a_draw_is_called_what_it_is_and_players_say_when_a_referee_breaks_its_word(
    tmp_path: Path, told: Seed | None, shown: Seed, details: Body | None, expected: Verdict, is_noticed: bool
) -> None:
    async def play(here: InProcessAgents) -> None:
        manager = await here.manager(2)
        players = [await here.player("Ana", "always:odd"), await here.player("Bo", "always:even")]
        crook = Crook(manager, told, shown, details)
        async with living(crook.hear) as referee:
            await crook.register(referee.url)
            await until(lambda: manager.host.work.state.phase == "LEAGUE_COMPLETE")
            await asyncio.gather(*crook.jobs)
        assert [each for _, each in found(manager)] == [expected]
        noticed = [player.host.agent.meter.unfair_draws for player in players]
        assert noticed == [int(is_noticed)] * 2
        assert here.journal.getvalue().count("The draw was NOT fair") == sum(noticed)
        assert f"turnstile_league_unfair_draws_total {noticed[0]}" in players[0].host.agent.meter.prometheus()
        page = (await post(manager.port, None, "/", "GET")).body.decode()
        assert (">fair<" in page) == (expected is Verdict.FAIR)
        await manager.drop()
        manager = await here.manager(port=manager.port)
        assert [each for _, each in found(manager)] == [expected]

    async def staged() -> None:
        async with in_process_agents(tmp_path) as here:
            await play(here)

    run(staged())
