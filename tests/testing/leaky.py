"""Games that give something away, for nets that are to see it."""

from dataclasses import replace as with_fields

from msgspec.structs import replace

from turnstile.games import ecard
from turnstile.kernel import AnyGame, PlayerId


def shows_the_pick(state: ecard.State, player: PlayerId | None) -> ecard.View:
    """A view that counts a hidden emperor as one card fewer."""
    seen = ecard.view(state, player)
    laid = {who: card is ecard.Card.EMPEROR for who, card in state.pending_picks.items()}
    return replace(seen, hand_sizes=type(seen.hand_sizes)({who: n - laid[who] for who, n in seen.hand_sizes.items()}))


def hints(state: ecard.State, player: PlayerId) -> tuple[ecard.Pick, ...]:
    """Actions in an order that depends on the other's hidden card."""
    offered = ecard.actions(state, player)
    is_hinted = ecard.Card.CITIZEN in [card for who, card in state.pending_picks.items() if who != player]
    return offered[::-1] if is_hinted else offered


def changes_type_with_the_pick(state: ecard.State, player: PlayerId | None) -> ecard.View:
    """A view that is written the same whatever card lies hidden; but what has changed is written differently."""
    seen = ecard.view(state, player)
    is_emperor = ecard.Card.EMPEROR in [card for who, card in state.pending_picks.items() if who != player]
    return replace(seen, hand=list(seen.hand)) if is_emperor else seen


SHOWN_BY_CHANGES: AnyGame = with_fields(ecard.game, view=changes_type_with_the_pick)
"""It gives something away in what has changed between two views, and in nothing else."""


PLANTED: dict[str, AnyGame] = {
    "a view": with_fields(ecard.game, view=shows_the_pick),
    "the order of actions": with_fields(ecard.game, actions=hints),
}
