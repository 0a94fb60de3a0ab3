"""The five queries of the specification of Up-Down, line by line, for a document as JSON. `queries.ts` has them as
they are written there."""

from typing import Any

Document = dict[str, Any]
CardJson = dict[str, str]


def is_my_turn(game: Document, my_id: str) -> bool:
    if game["status"] == "betting":
        current = game["currentRound"]
        return at(current["bettingOrder"], current["currentBettingIndex"]) == my_id
    if game["status"] == "playing_hand":
        hand = game["currentRound"]["currentHand"]
        return at(hand["handOrder"], hand["currentPlayerIndex"]) == my_id
    return False


def get_my_hand(game: Document, my_id: str) -> list[CardJson]:
    return next((player["hand"] for player in game["players"] if player["id"] == my_id), None) or []


def get_mesa(game: Document) -> CardJson | None:
    return (game["currentRound"] or {}).get("mesa") or None


def get_pinta(game: Document) -> str | None:
    return ((game["currentRound"] or {}).get("currentHand") or {}).get("pinta") or None


def can_play_card(game: Document, my_id: str, card: CardJson) -> bool:
    my_hand = get_my_hand(game, my_id)
    if not any(c["suit"] == card["suit"] and c["rank"] == card["rank"] for c in my_hand):
        return False  # Card not in hand
    pinta = get_pinta(game)
    if not pinta:
        return True  # First card, can play anything
    has_pinta = any(c["suit"] == pinta for c in my_hand)
    return not (has_pinta and card["suit"] != pinta)  # Must follow pinta


def at(items: list[str], index: int) -> str | None:
    """As JavaScript indexes: nothing beyond the end."""
    return items[index] if 0 <= index < len(items) else None
