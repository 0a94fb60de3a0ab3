"""A player of the league as a bot: `league:http://127.0.0.1:8101/mcp#P01`. A small referee asks it over league.v2.

In Even/Odd each draw is a match of the league: invitation, CHOOSE_PARITY_CALL, GAME_OVER with the number. In any other
game for two the whole match is one, and each decision is a GAME_MOVE_CALL. The player keeps its own history, as in a
league. It must be registered with a manager, and take invitations that no manager has announced.
"""

import asyncio
from collections.abc import Sequence
from random import Random
from secrets import token_hex
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from msgspec import Raw

from turnstile.agents.wire.caller import Busy, Caller, Unreached
from turnstile.agents.wire.envelope import IGNORED, Identity, new_conversation
from turnstile.agents.wire.replies import Answered, Receipt
from turnstile.agents.wire.rpc import Fault
from turnstile.games.evenodd import ChooseParity, Parity, View
from turnstile.games.evenodd import GameResult as DrawResult
from turnstile.games.evenodd import game as evenodd
from turnstile.kernel import AnyGame, Move, Outcome, PlayerId
from turnstile.kernel.values import ByPlayer, encode, wire_name
from turnstile.lab.own_bots import BotFailed, InvalidBot, Kind, OwnBot
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import ChoiceContext, GameResult, MoveContext, MoveRequest, option_meant
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    GAME_TYPE,
    JOIN_SECONDS,
    NOTIFICATION_SECONDS,
    LeagueId,
    MatchId,
    RefereeId,
    Role,
    Status,
    player_address,
    referee_address,
)
from turnstile.net.addresses import THIS_MACHINE, Reach, allowing, refusal

REFEREE = referee_address(RefereeId("ARENA"))
OPPONENT = PlayerId("ARENA")
USUAL_ID = PlayerId("P01")
MOST_SKIPS = 30  # doublings of the round number: enough for all that the protocol knows
BUSY_SECONDS = 0.05  # between two calls of a player that is busy
ADVICE = (
    "Is it registered with a manager, under this id and league, and does it take invitations without an announcement "
    "(turnstile league player --accept-unannounced)?"
)


class LeagueBot:
    """Referees matches of one player, one after the other. The player is told nothing about its opponent."""

    def __init__(
        self, game: AnyGame, name: str, endpoint: str, player: PlayerId, league: LeagueId, seconds: float
    ) -> None:
        self.game, self.name, self.endpoint, self.seconds = game, name, endpoint, seconds
        self.me, self.league = player, league
        self._runner = asyncio.Runner()
        self._caller = Caller(_reach(endpoint))
        self._who = Identity(REFEREE)
        self._run = token_hex(4)
        """A part of all match ids. A player may still be in a match of an earlier contest that was interrupted."""
        self._round = 0
        self._seat: PlayerId | None = None
        """Its seat in the match that is played."""
        self._moves = 0
        self._open: MatchId | None = None
        """The match of the league that is played: a draw, or the whole match."""

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        seat = actions[0].player
        if self._seat not in (None, seat):
            raise BotFailed(f"{self.name} can take only one seat of a match.")
        self._seat = seat
        return self._choose_parity(view, actions) if self.game is evenodd else self._move(view, actions)

    def end_match(self, view: Any, outcome: Outcome) -> None:
        """Tell the player how its match ended."""
        if self._open is not None:
            ended = last_draw(view, self._seat, self.me) if self.game is evenodd else self._result(outcome)
            self._finish(ended)
        self._seat, self._moves = None, 0

    def close(self) -> None:
        self._runner.run(self._caller.close())
        self._runner.close()

    # Even/Odd

    def _choose_parity(self, view: View, actions: Sequence[Move]) -> Move:
        if self._open is not None:
            self._finish(last_draw(view, self._seat, self.me))
        match = self._invite()
        call = messages.ChooseParityCall(
            sender=REFEREE,
            match_id=match,
            league_id=self.league,
            round_id=self._round,
            player_id=self.me,
            context=ChoiceContext(opponent_id=OPPONENT, round_id=self._round),
        )
        answer = self._call(call, self.seconds)
        if not isinstance(answer, messages.ChooseParityResponse):
            raise self._failure("has not chosen", answer)
        chosen = next(
            (each for each in actions if isinstance(each, ChooseParity) and each.parity_choice == answer.parity_choice),
            None,
        )
        if chosen is None:
            raise BotFailed(f'{self.name} has chosen {answer.parity_choice[:40]!r} instead of "even" or "odd".')
        return chosen

    # other games

    def _move(self, view: Any, actions: Sequence[Move]) -> Move:
        if len(actions) == 1:
            return actions[0]
        match = self._open or self._invite()
        self._moves += 1
        kinds = {wire_name(type(action)) for action in actions}
        options = tuple(Raw(encode(action)) for action in actions)
        request = MoveRequest(
            move_type=kinds.pop() if len(kinds) == 1 else "any",
            valid_options=options,
            context=MoveContext(opponent_id=OPPONENT, round_id=self._round, view=Raw(encode(view))),
        )
        call = messages.GameMoveCall(
            sender=REFEREE,
            match_id=match,
            league_id=self.league,
            round_id=self._round,
            player_id=self.me,
            game_type=self.game.name,
            move_number=self._moves,
            move_request=request,
        )
        answer = self._call(call, self.seconds)
        if not isinstance(answer, messages.GameMoveResponse) or answer.move_data is None:
            raise self._failure("has not moved", answer)
        number = option_meant(options, answer.move_data.choice)
        if number is None:
            said = bytes(answer.move_data.choice)[:80].decode(errors="replace")
            raise BotFailed(f"{self.name} has chosen {said}, which is not one of its {len(options)} options.")
        return actions[number]

    def _result(self, outcome: Outcome) -> GameResult:
        """The outcome, with the names that the player knows."""
        names = {player: self.me if player == self._seat else OPPONENT for player in outcome.scores}
        winner = names.get(outcome.winners[0]) if len(outcome.winners) == 1 else None
        return GameResult(
            status=Status.DRAW if winner is None else Status.WIN,
            winner_player_id=winner,
            drawn_number=None,
            number_parity=None,
            choices=ByPlayer(),
            reason="The match is over.",
            scores=ByPlayer({names[player]: score for player, score in outcome.scores.items()}),
        )

    # the frame of a match

    def _invite(self) -> MatchId:
        """Begin a match of the league. A player ignores rounds before those that it knows: they are skipped."""
        answer: Answered | None = None
        for skip in range(MOST_SKIPS):
            self._round += 1 if skip == 0 else 2 ** (skip - 1)
            match = MatchId(f"ARENA-{self._run}-{self._round}")
            invitation = messages.GameInvitation(
                sender=REFEREE,
                match_id=match,
                league_id=self.league,
                round_id=self._round,
                game_type=GAME_TYPE if self.game is evenodd else self.game.name,
                role_in_match=Role.PLAYER_A,
                opponent_id=OPPONENT,
                player_id=self.me,
            )
            answer = self._call(invitation, max(self.seconds, JOIN_SECONDS))
            if isinstance(answer, messages.GameJoinAck):
                if not answer.accept:
                    raise BotFailed(f"{self.name} has declined the invitation to a match.")
                self._open = match
                return match
            if not isinstance(answer, Receipt) or answer.text != IGNORED:
                break
        raise self._failure("has not accepted an invitation", answer)

    def _finish(self, result: GameResult) -> None:
        """Tell the player the result. What it answers does not matter."""
        assert self._open is not None
        over = messages.GameOver(
            sender=REFEREE,
            match_id=self._open,
            league_id=self.league,
            round_id=self._round,
            game_type=GAME_TYPE if self.game is evenodd else self.game.name,
            game_result=result,
        )
        self._open = None
        self._call(over, NOTIFICATION_SECONDS)

    def _call(self, message: messages.LeagueMessage, seconds: float) -> Answered:
        try:
            return self._runner.run(self._call_while_busy(message, seconds))
        except Unreached as fault:
            raise BotFailed(f"{self.name} has not answered {wire_name(type(message))}: {fault}.") from None

    async def _call_while_busy(self, message: messages.LeagueMessage, seconds: float) -> Answered:
        """Call the player. Agents limit how often they are called: a call that is too early is made again."""
        end = monotonic() + seconds
        while True:
            try:
                return await self._caller.call(
                    self.endpoint,
                    message,
                    who=self._who,
                    to=player_address(self.me),
                    conversation=new_conversation(),
                    seconds=seconds,
                )
            except Busy:
                if monotonic() > end:
                    raise
                await asyncio.sleep(BUSY_SECONDS)

    def _failure(self, what: str, answer: Answered | None) -> BotFailed:
        return BotFailed(f"{self.name} {what}: {_said(answer)} {ADVICE}")


def last_draw(view: View, seat: PlayerId | None, me: PlayerId) -> GameResult:
    """The latest draw, with the names that the player knows."""
    drawn: DrawResult = view.results[-1]
    names = {player: me if player == seat else OPPONENT for player in drawn.choices}
    winner = drawn.winner_player_id
    return GameResult(
        status=Status.DRAW if winner is None else Status.WIN,
        winner_player_id=None if winner is None else names[winner],
        drawn_number=drawn.drawn_number,
        number_parity=drawn.number_parity,
        choices=ByPlayer({names[player]: Parity(choice) for player, choice in drawn.choices.items()}),
        reason=f"The number {drawn.drawn_number} is {drawn.number_parity}.",
    )


def load_league_bot(game: AnyGame, text: str, seconds: float) -> OwnBot:
    """The bot of `league:URL`, `league:URL#PLAYER` or `league:URL#PLAYER@LEAGUE`. Raises `InvalidBot`."""
    name = f"league:{text}"
    endpoint, _, who = text.partition("#")
    player, _, league = who.partition("@")
    if 2 not in game.seats:
        raise InvalidBot(f"{name} cannot be used: the league has games for two players only.")
    if why := refusal(endpoint, _reach(endpoint)):
        raise InvalidBot(f"{name} cannot be used: {why}.")
    return LeagueBot(game, name, endpoint, PlayerId(player) or USUAL_ID, LeagueId(league) or DEFAULT_LEAGUE, seconds)


def _reach(endpoint: str) -> Reach:
    """This machine, and the host that the user has named."""
    try:
        host = urlsplit(endpoint).hostname
    except ValueError:
        host = None
    return allowing(THIS_MACHINE, host) if host else THIS_MACHINE


def _said(answer: Answered | None) -> str:
    if isinstance(answer, Fault):
        return f"it answered with the error {answer.code}, {answer.message!r}."
    if isinstance(answer, Receipt):
        return f"it answered {answer.text[:80]!r}, status {answer.status}."
    return "it gave another answer."


kind = Kind(load_league_bot, plays_one_match_at_a_time=True)
