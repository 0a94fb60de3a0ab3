"""Games with a leak planted in them: of any kind, in any phase, of any game. The nets must find every one.

A planted game plays as the honest one does, but in one phase it gives away a secret: something that is hidden from the
player who gets it.
"""

from collections.abc import Callable
from dataclasses import replace as with_fields
from enum import StrEnum
from typing import Any, Union

from msgspec.structs import replace

from turnstile.kernel import (
    AnyGame,
    ByPlayer,
    Event,
    Machine,
    Message,
    Move,
    Next,
    PlayerId,
    Rejection,
    Tell,
    Transition,
    Value,
    encode,
)

Secret = Callable[[Any, PlayerId | None], object]
"""Something that is hidden from an observer in a state."""


class Kind(StrEnum):
    VIEW = "view"
    ACTIONS = "action list"
    MESSAGE = "message"
    REFUSAL = "refusal"
    SPECTATOR = "spectator"


class ViewAndSecret(Value, frozen=True):
    view: Any
    secret: Any


class Whisper(Message, frozen=True):
    secret: Any


class Hint(Move, frozen=True):
    """An action that is offered, and that no machine knows."""

    secret: Any


# what is hidden in the games in the box


def hidden_in_ecard(state: Any, observer: PlayerId | None) -> object:
    """The card that another has laid; the seed, where none has."""
    return [card for who, card in state.pending_picks.items() if card and who != observer] or state.seed


def hidden_in_evenodd(state: Any, observer: PlayerId | None) -> object:
    """What another has chosen; the seed, where none has."""
    return [choice for who, choice in state.choices.items() if choice and who != observer] or state.seed


def hidden_in_sixtysix(state: Any, observer: PlayerId | None) -> object:
    """The cards of the hands that the observer has not seen; the deck when all hands are open; the seed before."""
    if state.phase == "ROUND_FINISHED":
        return state.deck
    seat = state.players.index(observer) if observer in state.players else None
    return [card.value for held in state.hands for card in held if seat not in card.seen_by] or state.seed


def hidden_in_updown(state: Any, observer: PlayerId | None) -> object:
    """The hands of the others; the seed, where they have none."""
    return [each.hand for each in state.players if each.hand and each.id != observer] or state.seed


SECRETS: dict[str, Secret] = {
    "e-card": hidden_in_ecard,
    "even-odd": hidden_in_evenodd,
    "66": hidden_in_sixtysix,
    "up-down": hidden_in_updown,
}


# planting


def planted(game: AnyGame, kind: Kind, phase: StrEnum, secret: Secret) -> AnyGame:
    """The game with one leak."""
    return PLANTS[kind](game, phase, secret)


def in_a_view(game: AnyGame, phase: StrEnum, secret: Secret) -> AnyGame:
    """Every player sees it; a spectator does not."""

    def view(state: Any, player: PlayerId | None) -> Value:
        is_leaking = state.phase is phase and player is not None
        return ViewAndSecret(game.view(state, player), secret(state, player) if is_leaking else None)

    return with_fields(game, view=view)


def in_the_spectators_view(game: AnyGame, phase: StrEnum, secret: Secret) -> AnyGame:
    """A spectator sees it; no player does."""

    def view(state: Any, player: PlayerId | None) -> Value:
        is_leaking = state.phase is phase and player is None
        return ViewAndSecret(game.view(state, player), secret(state, player) if is_leaking else None)

    return with_fields(game, view=view)


def in_the_actions(game: AnyGame, phase: StrEnum, secret: Secret) -> AnyGame:
    """Every player is offered something more, and what it is tells."""

    def actions(state: Any, player: PlayerId) -> tuple[Move, ...]:
        offered = game.actions(state, player)
        return (*offered, Hint(player, encode(secret(state, player)))) if state.phase is phase else offered

    return with_fields(game, actions=actions)


def in_a_message(game: AnyGame, phase: StrEnum, secret: Secret) -> AnyGame:
    """Every event in the phase tells every player what is then hidden from it."""

    def leaky(row: Transition) -> Callable[..., Any]:
        if row.phase is not phase:
            return row.handler

        def handler(state: Any, *event: Event) -> Any:
            result = row.handler(state, *event)
            if isinstance(result, Rejection):
                return result
            after = result.state if isinstance(result, Next) else result
            effects, then = (result.effects, result.then) if isinstance(result, Next) else ((), None)
            whispers = {player: Whisper(secret(after, player)) for player in game.players(after)}
            return Next(after, *effects, Tell((ByPlayer(whispers),)), then=then)

        return handler

    return with_fields(game, machine=rebuilt(game.machine, leaky, Whisper))


def in_a_refusal(game: AnyGame, phase: StrEnum, secret: Secret) -> AnyGame:
    """Every move that is refused in the phase is refused with a sentence that tells."""

    def with_secret(refusal: Rejection, state: Any, event: Any) -> Rejection:
        return replace(refusal, sentence=f"{refusal.sentence} {encode(secret(state, event.player)).decode()}")

    def leaky(row: Transition) -> Callable[..., Any]:
        if row.phase is not phase:
            return row.handler

        def handler(state: Any, event: Event) -> Any:
            result = row.handler(state, event)
            return with_secret(result, state, event) if isinstance(result, Rejection) else result

        return handler

    def refuse(state: Any, event: Move) -> Rejection:
        return with_secret(Rejection(machine.codes[-1], "No."), state, event)

    machine = rebuilt(game.machine, leaky)
    here = {row.event for row in machine.rows if row.phase is phase}
    for kind in game.machine.events:
        if issubclass(kind, Move) and kind not in here:
            machine.on(phase, kind, to=phase)(refuse)
    return with_fields(game, machine=machine)


PLANTS: dict[Kind, Callable[[AnyGame, StrEnum, Secret], AnyGame]] = {
    Kind.VIEW: in_a_view,
    Kind.ACTIONS: in_the_actions,
    Kind.MESSAGE: in_a_message,
    Kind.REFUSAL: in_a_refusal,
    Kind.SPECTATOR: in_the_spectators_view,
}


def rebuilt(
    clean: Machine[Any], handler_of: Callable[[Transition], Callable[..., Any]], *messages: type[Message]
) -> Machine[Any]:
    """The same machine, row by row, with other handlers and perhaps more messages."""
    codes: Any = StrEnum("Code", {code.name: code.value for code in clean.codes})  # type: ignore[misc]
    machine: Machine[Any] = Machine(
        clean.name,
        clean.phases,
        start=clean.start,
        ends=clean.ends,
        state=clean.state,
        messages=Union[(*clean.messages, *messages)],
        codes=codes,
    )
    for row in clean.rows:
        to: dict[str, StrEnum] = {hop.label: target for target, hop in row.hops.items()}
        if row.event is None:
            machine.auto(row.phase, to=to, tell=row.tell)(handler_of(row))
        else:
            machine.on(row.phase, row.event, to=to, tell=row.tell)(handler_of(row))
    for phase, rejection in clean._closed.items():
        machine.close([phase], rejection)
    return machine
