"""Evenings at a host: matches with acknowledgements, deadlines and a rematch, while the process may die.

An evening can be begun again from the start by whoever knows what was asked and told before: a command that was sent
is sent again as it was, and must be answered as it was. To try more, add a function to `EVENINGS`.
"""

from collections.abc import Awaitable, Callable, Mapping

from tests.crash.players import ANA, BO, EveningPlayers
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.table.values import AddBot, AddWords, Clock, How, Phase, Rematch, Resign, RunOut, Settings, Start

Evening = Callable[[EveningPlayers], Awaitable[None]]

FIRST, SECOND = LogId("first"), LogId("second")
QUICK = Settings(clock=Clock(3.0, run_out=RunOut.FORFEIT), ack_seconds=2.0)
NOW = Instant(0)  # the host puts in when a command came


async def e_card(players: EveningPlayers) -> None:
    """A match that is given up, and a rematch that is lost on time because nobody moves."""
    await players.sit_down(FIRST, "e-card", QUICK)
    await players.ask(FIRST, Start(ANA, "start", NOW, Seed("the first seed")))
    await players.ask(FIRST, AddWords(BO, "words", NOW, "luck"))
    await players.move(FIRST, 5)
    await players.ask(FIRST, Resign(BO, "enough", NOW))
    await players.hear(FIRST, ANA, BO)
    for player in (ANA, BO):
        await players.ask(FIRST, Rematch(player, "again", NOW, SECOND))
    await players.until(FIRST, Phase.CLOSED)
    await players.ask(SECOND, Start(ANA, "start", NOW, Seed("the second seed")))
    await players.hear(SECOND, BO)  # ana says nothing, and is away when the deadline has passed
    result = await players.until(SECOND, Phase.FINISHED)
    assert result is not None
    assert result.how is How.OUT_OF_TIME, result
    await players.hear(SECOND, ANA, BO)


async def sixty_six(players: EveningPlayers) -> None:
    """A game that waits for every acknowledgement."""
    await players.sit_down(FIRST, "66", QUICK)
    await players.ask(FIRST, Start(ANA, "start", NOW, Seed("the seed of 66")))
    await players.move(FIRST, 6)
    await players.ask(FIRST, Resign(ANA, "enough", NOW))
    await players.hear(FIRST, ANA, BO)


async def even_odd(players: EveningPlayers) -> None:
    """A match against a bot, played to its end."""
    await players.open(FIRST, "even-odd", Settings(), b'{"draws":2}')
    await players.join(FIRST, ANA)
    await players.ask(FIRST, AddBot(ANA, "bot", NOW, PlayerId("hal"), PlayerId("random")))
    await players.ask(FIRST, Start(ANA, "start", NOW, Seed("the seed of even-odd")))
    await players.move(FIRST, 2)
    result = await players.until(FIRST, Phase.FINISHED)
    assert result is not None
    assert result.how is How.PLAYED, result
    await players.hear(FIRST, ANA)


EVENINGS: Mapping[str, Evening] = {"e-card": e_card, "66": sixty_six, "even-odd": even_odd}
