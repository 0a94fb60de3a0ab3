"""Any game as an OpenSpiel game, for its algorithms: CFR, best responses, search, reinforcement learning.

    from turnstile.lab.openspiel import load
    game = load("up-down", players=3, options={"maxRoundSize": 2}, deals=50)

Importing this module registers every installed game; `pyspiel.load_game("turnstile_e_card(deals=50)")` then works, too.

- Moves that are made at once are made one after the other, in the order of the seats. A player does not see what
  another has chosen before the rules reveal it, so the game is the same.
- Chance comes first, as one node: which deal is played. A deal is a seed, and decides everything that is drawn in the
  match. There are `deals` of them, each equally likely, so the game is exact for these deals and a sample of the game
  with all deals. A game with a `start` has no chance node.
- `information_state_string` is the player's own stream: everything it has seen, been told and done. There is no
  `information_state_tensor`, because a stream has no fixed size; `observation_tensor` is the view.
- Returns are 1 for a win, -1 for a loss with two players; see `win_rewards`. After `most_moves` they are 0 for all.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from turnstile.lab.extras import require

require("pyspiel", "openspiel", "turnstile.lab.openspiel")

import msgspec  # noqa: E402
import numpy as np  # noqa: E402
import pyspiel  # noqa: E402

from turnstile.kernel import AnyGame, Move, PlayerId, Seed, encode  # noqa: E402
from turnstile.kernel.chance import derive  # noqa: E402
from turnstile.lab.encoding import view_text  # noqa: E402
from turnstile.lab.environment import InvalidTask, Moment, Task, make_task  # noqa: E402
from turnstile.lab.environment.rewards import win_rewards  # noqa: E402
from turnstile.lab.environment.task import read_start  # noqa: E402
from turnstile.registry import PackageFault, find_game, names  # noqa: E402

DEALS = 1000
MOST_MOVES = 1000
DEFAULTS = {"players": 0, "deals": DEALS, "most_moves": MOST_MOVES, "options": "", "start": ""}
"""The parameters of every game. Options and start are JSON in hexadecimal, because OpenSpiel splits texts at commas."""
ROOT = Seed("deals of OpenSpiel games")


def load(
    game: str,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    start: Any = None,
    deals: int = DEALS,
    most_moves: int = MOST_MOVES,
) -> "TurnstileGame":
    """An installed game with these options. Raises `InvalidTask`. `start` is a state in which every match begins."""
    make_task(game, players=players, options=options, start=start, most_moves=most_moves)
    parameters = {
        "players": players or 0,
        "deals": deals,
        "most_moves": most_moves,
        "options": encode(options).hex() if options else "",
        "start": "" if start is None else encode(start).hex(),
    }
    return pyspiel.load_game(short_name(game), parameters)  # type: ignore[no-any-return]


def short_name(game: str) -> str:
    """The name of a game in OpenSpiel: `turnstile_e_card`."""
    return f"turnstile_{game.replace('-', '_')}"


def game_type(game: AnyGame, has_chance: bool) -> Any:
    """What OpenSpiel wants to know about a game."""
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=short_name(game.name),
        long_name=f"{game.title} (Turnstile)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if has_chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.seats[-1],
        min_num_players=game.seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


MOST_REMEMBERED = 5000  # moments: algorithms that walk the whole tree of a small game come to each again and again


class Setup:
    """A game, its parameters, and the moments near the beginning of its matches, which are computed only once.

    OpenSpiel copies and pickles the attributes of states; a setup is copied by reference, and pickled by the name of
    its game.
    """

    def __init__(self, game: AnyGame, given: Mapping[str, Any]) -> None:
        if given["deals"] < 1:
            raise InvalidTask(f"There must be at least 1 deal, not {given['deals']}.")
        self.given = dict(given)
        self.task = _task_of(game, given)
        self.deals = int(given["deals"]) if self.task.start is None else 0
        self.remembered: dict[tuple[int, ...], Moment] = {}
        self.beginning = None if self.deals else Moment(game, self.task.start)

    def deal(self, number: int) -> Moment:
        """The beginning of the match with this deal."""
        opened = self.task.game.new(self.task.players, self.task.options, derive(ROOT, "deal", number))
        return Moment(self.task.game, opened).settled()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Setup":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_setup, (self.task.game.name, self.given)


def _read_setup(name: str, given: Mapping[str, Any]) -> Setup:
    game = find_game(name)
    if game is None:
        raise LookupError(f"This is a match of {name}, which is not installed here.")
    return Setup(game, given)


class TurnstileGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Turnstile with its parameters. Each game has a class of its own, with the game as `source`."""

    source: AnyGame

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(parameters or {})}
        self.setup = Setup(self.source, given)
        task, deals = self.setup.task, self.setup.deals
        info = pyspiel.GameInfo(
            num_distinct_actions=len(task.ids),
            max_chance_outcomes=deals,
            num_players=len(task.players),
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=task.most_moves,
        )
        super().__init__(game_type(self.source, has_chance=deals > 0), info, dict(parameters or {}))

    def __reduce__(self) -> tuple[Any, ...]:
        """A game is pickled by its name and parameters: pickle finds no class that was made at run time."""
        return _read_game, (short_name(self.source.name), self.get_parameters())

    def new_initial_state(self) -> "TurnstileState":
        return TurnstileState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if params or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise ValueError("A game of Turnstile is observed by one player, with everything that it may know.")
        return Observer(self.setup.task, kind.perfect_recall)


def _read_game(name: str, parameters: Mapping[str, Any]) -> TurnstileGame:
    return pyspiel.load_game(name, dict(parameters))  # type: ignore[no-any-return]


def _task_of(game: AnyGame, given: Mapping[str, Any]) -> Task:
    try:
        start, options = bytes.fromhex(given["start"]), bytes.fromhex(given["options"])
        chosen = msgspec.json.decode(options) if options else None
    except ValueError:  # also that of msgspec
        raise InvalidTask("Options and start are JSON in hexadecimal, as `load` writes them.") from None
    return make_task(
        game,
        players=int(given["players"]) or None,
        options=chosen,
        start=read_start(game, start) if start else None,
        most_moves=int(given["most_moves"]),
    )


class TurnstileState(pyspiel.State):  # type: ignore[misc]
    """A match, before its deal or after it. `moment` holds the state of the game and its past."""

    def __init__(self, game: TurnstileGame) -> None:
        super().__init__(game)
        self.setup: Setup = game.setup
        self.moves = 0
        self.path: tuple[int, ...] = ()
        self.moment: Moment | None = self.setup.beginning

    @property
    def task(self) -> Task:
        return self.setup.task

    def current_player(self) -> int:
        if self.moment is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        player, _ = self.task.game.next_to_act(self.moment.state)
        return self.task.players.index(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(deal, 1 / self.setup.deals) for deal in range(self.setup.deals)]

    def _offered(self, player: int) -> dict[int, Move]:
        assert self.moment is not None
        moves = self.task.game.actions(self.moment.state, self.task.players[player])
        return {self.task.ids.id_of(move, self.task.players): move for move in moves}

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.is_terminal() or player != self.current_player() else sorted(self._offered(player))

    def _apply_action(self, action: int) -> None:
        self.moves += self.moment is not None
        self.path = (*self.path, action)
        known = self.setup.remembered
        found = known.get(self.path)
        if found is None:
            found = self._moment_after(action)
            if len(known) < MOST_REMEMBERED:
                known[self.path] = found
        self.moment = found

    def _moment_after(self, action: int) -> Moment:
        if self.moment is None:
            return self.setup.deal(action)
        player, _ = self.task.game.next_to_act(self.moment.state)
        return self.moment.after(self._offered(self.task.players.index(player))[action])

    def _action_to_string(self, player: int, action: int) -> str:
        return f"Deal {action}" if player == pyspiel.PlayerId.CHANCE else self.task.ids.name_of(action)

    def is_terminal(self) -> bool:
        if self.moment is None:
            return False
        return self.moves >= (self.task.most_moves or 0) or self.task.game.outcome(self.moment.state) is not None

    def returns(self) -> list[float]:
        outcome = None if self.moment is None else self.task.game.outcome(self.moment.state)
        if outcome is None:
            return [0.0 for _ in self.task.players]
        rewards = win_rewards(outcome, self.task.players)
        return [rewards[player] for player in self.task.players]

    def view_text(self, player: int) -> str:
        """What a player sees now, in words."""
        if self.moment is None:
            return ""
        return view_text(self.task.game.view(self.moment.state, self.task.players[player]))

    def stream(self, player: int) -> str:
        """Everything that a player has seen, been told and done."""
        return "" if self.moment is None else self.moment.stream(self.task.players[player])

    def __str__(self) -> str:
        if self.moment is None:
            return "before the deal"
        return encode(self.moment.state).decode()


class Observer:
    """What a player observes: with perfect recall its stream as a text, otherwise the view as a text and a tensor."""

    def __init__(self, task: Task, has_perfect_recall: bool) -> None:
        self.task = task
        self.has_perfect_recall = has_perfect_recall
        self.tensor = np.zeros(0 if has_perfect_recall else task.layout.size, np.float32)
        self.dict = {} if has_perfect_recall else {"observation": self.tensor}

    def set_from(self, state: TurnstileState, player: int) -> None:
        self.tensor.fill(0)
        if self.has_perfect_recall or state.moment is None:
            return
        who: PlayerId = self.task.players[player]
        self.task.layout.write(self.tensor, self.task.game.view(state.moment.state, who), self.task.players, who)

    def string_from(self, state: TurnstileState, player: int) -> str:
        return state.stream(player) if self.has_perfect_recall else state.view_text(player)


def register_games() -> None:
    """Register every installed game as `turnstile_NAME`, except those that are registered already.

    A game that cannot be imported is left out: `load` says why when it is asked for it.
    """
    for name in names():
        with suppress(PackageFault):
            game = find_game(name)
            if game is not None and short_name(name) not in pyspiel.registered_names():
                pyspiel.register_game(game_type(game, has_chance=True), _class_of(game))


def _class_of(game: AnyGame) -> Any:
    """A class for one game, because OpenSpiel calls it with the parameters only.

    It must be a class: OpenSpiel drops it after the interpreter has ended, which only a class survives.
    """
    return type(short_name(game.name), (TurnstileGame,), {"source": game})


register_games()
