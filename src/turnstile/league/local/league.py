"""A whole league within one process, in virtual time: a manager, referees, players and a simulated network.

The same entrants with the same seed play the same league. Nothing is read or written here: the caller is given every
round as it ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from turnstile.kernel.chance import Seed, derive
from turnstile.league.local.manager import LocalManager, RoundPlayed
from turnstile.league.local.network import Agent, Delivery, Network, PerfectDelivery
from turnstile.league.local.player import LocalPlayer, Strategy
from turnstile.league.local.referee import LocalReferee
from turnstile.league.manager.standings import standings
from turnstile.league.manager.state import Options as LeagueOptions
from turnstile.league.manager.state import Phase
from turnstile.league.player.state import Options as PlayerOptions
from turnstile.league.protocol.values import RefereeMeta, StandingsRow
from turnstile.league.protocol.words import DEFAULT_LEAGUE, GAME_TYPE, LeagueId

VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player that is entered in the league: its name, and the strategy that chooses for it."""

    name: str
    strategy: Strategy


class LocalLeague:
    """A league, from the registration of its agents to its end."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        seed: Seed,
        *,
        referees: int = 2,
        at_a_time: int = 32,
        league_id: LeagueId = DEFAULT_LEAGUE,
        game_type: str = GAME_TYPE,
        delivery: Delivery | None = None,
        time_scale: float = 1.0,
    ) -> None:
        """`at_a_time` is how many matches each referee runs at once."""
        if len(entrants) < 2 or referees < 1 or at_a_time < 1:
            raise ValueError("A league needs at least two players, and a referee that runs at least one match.")
        self.network = Network(delivery or PerfectDelivery())
        options = LeagueOptions(
            league_id=league_id,
            game_type=game_type,
            most_players=len(entrants),
            expected_players=len(entrants),
        )
        self.manager = LocalManager(self.network, options, derive(seed, "league"), time_scale=time_scale)
        self.referees = [
            LocalReferee(
                self.network,
                referee_meta(number, at_a_time, game_type),
                derive(seed, "referee", number),
                time_scale=time_scale,
            )
            for number in range(1, referees + 1)
        ]
        self.players = [
            LocalPlayer(
                self.network,
                player_options(entrant.name, number, game_type),
                entrant.strategy,
                derive(seed, "player", number),
                time_scale=time_scale,
            )
            for number, entrant in enumerate(entrants, 1)
        ]

    def run(self) -> Iterator[RoundPlayed]:
        """Play the league, and yield every round as it ends."""
        agents: list[Agent] = [self.manager, *self.referees, *self.players]
        for agent in agents:
            agent.start()
        turn, rounds = self.network.turn, self.manager.rounds
        while turn():
            if rounds:
                yield rounds.popleft()
        assert self.manager.state.phase is Phase.LEAGUE_COMPLETE, "a league goes on until it is over"

    @property
    def standings(self) -> tuple[StandingsRow, ...]:
        """The whole table, as it is now."""
        return standings(self.manager.state)


def player_options(name: str, number: int, game_type: str = GAME_TYPE) -> PlayerOptions:
    return PlayerOptions(
        display_name=name, version=VERSION, game_types=(game_type,), contact_endpoint=f"local:player:{number}"
    )


def referee_meta(number: int, at_a_time: int, game_type: str = GAME_TYPE) -> RefereeMeta:
    return RefereeMeta(
        display_name=f"Referee {number}",
        version=VERSION,
        game_types=(game_type,),
        contact_endpoint=f"local:referee:{number}",
        max_concurrent_matches=at_a_time,
    )
