"""One match in an environment: who may act, with which action ids, what they observe, and how it ends."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from turnstile.kernel import Move, PlayerId, Players, Rejection, Seed
from turnstile.lab.encoding import view_text
from turnstile.lab.environment.task import Task, settle

if TYPE_CHECKING:
    from turnstile.lab.encoding.actions import Mask
    from turnstile.lab.encoding.layout import Tensor


class IllegalAction(ValueError):
    """An action id that its player may not choose now."""


class Episode:
    """A match that is being played. It always rests where a player can move, or at the end."""

    def __init__(self, task: Task, seed: Seed) -> None:
        self.task = task
        self.moves = 0
        self._rest(task.open_match(seed))

    def _rest(self, state: Any) -> None:
        self.state = state
        self.outcome = self.task.game.outcome(state)
        self._offered: dict[PlayerId, dict[int, Move]] = {}

    @property
    def was_stopped(self) -> bool:
        """Whether the match was stopped because it had too many moves."""
        return self.outcome is None and self.task.most_moves is not None and self.moves >= self.task.most_moves

    @property
    def is_over(self) -> bool:
        return self.outcome is not None or self.was_stopped

    def offered(self, player: PlayerId) -> dict[int, Move]:
        """The moves that a player may choose now, by their ids."""
        found = self._offered.get(player)
        if found is None:
            moves = () if self.is_over else self.task.game.actions(self.state, player)
            found = {self.task.ids.id_of(move, self.task.players): move for move in moves}
            self._offered[player] = found
        return found

    def to_act(self) -> Players:
        """The players who may move now, in the order of the seats."""
        return tuple(player for player in self.task.players if self.offered(player))

    def act(self, player: PlayerId, action: int) -> None:
        """Make the move with this id. Raises `IllegalAction` and changes nothing if it is not offered."""
        move = self.offered(player).get(int(action))
        if move is None:
            raise IllegalAction(f"{player} may not choose action {action} now: {self._choices(player)}.")
        self.make(move)

    def make(self, move: Move) -> None:
        """Make a move that is offered."""
        after = self.task.game.machine.apply(self.state, move)
        assert not isinstance(after, Rejection), f"{move} was offered: {after.sentence}"
        self.moves += 1
        self._rest(settle(self.task.game, after))

    def _choices(self, player: PlayerId) -> str:
        names = [f"{action} is {self.task.ids.name_of(action)}" for action in self.offered(player)]
        return "; ".join(names) or "it is not this player's turn"

    def rewards(self) -> Mapping[PlayerId, float]:
        """What the match was worth to each player; 0 for all before its end, and if it was stopped."""
        if self.outcome is None:
            return dict.fromkeys(self.task.players, 0.0)
        return self.task.rewards(self.outcome, self.task.players)

    # what a player observes

    def view(self, player: PlayerId) -> Any:
        return self.task.game.view(self.state, player)

    def tensor(self, player: PlayerId) -> "Tensor":
        return self.task.layout.tensor(self.view(player), self.task.players, player)

    def mask(self, player: PlayerId) -> "Mask":
        return self.task.ids.mask_of(self.offered(player))

    def text(self, player: PlayerId) -> str:
        return view_text(self.view(player))
