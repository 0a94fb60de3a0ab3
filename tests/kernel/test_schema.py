"""JSON Schema says of a value what its type says: its words, its bounds, what its maps hold, and nothing else."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from turnstile.games import ecard
from turnstile.kernel import ByPlayer, Event, Message, Move, Value
from turnstile.kernel.schema import schema
from turnstile.kernel.values import LONGEST_ID


class Suit(StrEnum):
    HEARTS = "H"
    SPADES = "S"


class Bet(Move, frozen=True):
    """Coins on the suits of one's choice."""

    coins_laid: Annotated[int, Meta(ge=1, le=10)]
    suits: tuple[Suit, ...]
    note: str | None = None


class Fold(Event, frozen=True):
    pass


class Stake(Value, frozen=True):
    held_by: ByPlayer[int]


class Staked(Message, frozen=True):
    stakes: tuple[Stake, ...]
    hands: ByPlayer[tuple[Suit, ...]]
    bets: ByPlayer[Bet | None]


def properties(described: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = described["$defs"][name]["properties"]
    return found


def test_the_schema_of_several_values_lists_them_all_by_their_type() -> None:
    described = schema(Bet, Fold)
    assert described["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert described["discriminator"]["propertyName"] == "type"
    assert list(described["$defs"]) == ["Bet", "Fold", "Suit"]
    assert described["anyOf"] == [{"$ref": "#/$defs/Bet"}, {"$ref": "#/$defs/Fold"}]


def test_the_schema_of_one_value_refers_to_it() -> None:
    assert schema(Fold)["$ref"] == "#/$defs/Fold"


def test_a_field_has_its_name_on_the_wire_and_its_bounds() -> None:
    fields = properties(schema(Bet), "Bet")
    assert fields["type"] == {"enum": ["Bet"]}
    assert fields["player"] == {"type": "string", "minLength": 1, "maxLength": LONGEST_ID}
    assert fields["coinsLaid"] == {"type": "integer", "minimum": 1, "maximum": 10}
    assert fields["suits"] == {"type": "array", "items": {"$ref": "#/$defs/Suit"}}


def test_a_value_has_its_docstring_what_it_needs_and_nothing_else() -> None:
    described = schema(Bet)["$defs"]["Bet"]
    assert described["description"] == "Coins on the suits of one's choice."
    assert described["required"] == ["type", "player", "coinsLaid", "suits"]
    assert described["additionalProperties"] is False


def test_a_map_by_player_says_what_it_holds() -> None:
    described = schema(Staked)
    fields = properties(described, "Staked")
    assert fields["hands"]["type"] == "object"
    assert fields["hands"]["additionalProperties"] == {"type": "array", "items": {"$ref": "#/$defs/Suit"}}
    assert {"$ref": "#/$defs/Bet"} in fields["bets"]["additionalProperties"]["anyOf"]
    assert list(described["$defs"]) == ["Bet", "Stake", "Staked", "Suit"]


def test_a_map_by_player_inside_another_value_says_so_too() -> None:
    assert properties(schema(Staked), "Stake")["heldBy"] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
    }


def test_the_schema_of_e_card_refers_to_nothing_that_it_does_not_describe() -> None:
    described = ecard.ecard.schema()
    assert {kind.__name__ for kind in ecard.ecard.events} <= set(described["events"]["$defs"])
    assert {kind.__name__ for kind in ecard.ecard.messages} <= set(described["messages"]["$defs"])
    for half in described.values():
        assert references(half) <= {f"#/$defs/{name}" for name in half["$defs"]}


def test_the_state_of_e_card_has_a_schema() -> None:
    fields = properties(schema(ecard.State), "State")
    assert fields["score"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def references(part: Any) -> set[str]:
    """Every `$ref` in a schema."""
    inner = list(part.values()) if isinstance(part, dict) else part if isinstance(part, list) else []
    own = {part["$ref"]} if isinstance(part, dict) and "$ref" in part else set()
    return own.union(*(references(child) for child in inner))
