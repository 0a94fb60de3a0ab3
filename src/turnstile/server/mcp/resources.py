"""Resources for models: of every installed game its rules, the JSON Schemas of what is sent, and a diagram."""

import json

import msgspec

from turnstile.kernel.diagram import mermaid
from turnstile.kernel.game import AnyGame
from turnstile.registry import find_game, names
from turnstile.server.http.games import public_schemas, rules_of

PREFIX = "turnstile://games/"


class Part(msgspec.Struct, frozen=True):
    """One thing to read about a game."""

    name: str
    doc: str
    media_type: str

    def text_of(self, game: AnyGame) -> str:
        match self.name:
            case "rules":
                return rules_of(game)
            case "schemas":
                return json.dumps(public_schemas(game), indent=2)
            case _:
                return mermaid(game.machine)


PARTS = (
    Part("rules", "The rules, for people.", "text/markdown"),
    Part("schemas", "JSON Schemas of options, events, messages and view.", "application/schema+json"),
    Part("diagram", "The phases of the game and the events between them, in Mermaid.", "text/vnd.mermaid"),
)
TEMPLATES = tuple((PREFIX + "{game}/" + part.name, part) for part in PARTS)


class Resource(msgspec.Struct, frozen=True):
    """A part of one game, with its address."""

    uri: str
    title: str
    part: Part


def all_resources() -> list[Resource]:
    games = [game for game in map(find_game, names()) if game is not None]
    return [Resource(f"{PREFIX}{game.name}/{part.name}", game.title, part) for game in games for part in PARTS]


def read_resource(uri: str) -> tuple[Part, str] | None:
    """A resource with its text; `None` if there is none at this address."""
    name, _, wanted = uri.removeprefix(PREFIX).rpartition("/")
    game = find_game(name) if uri.startswith(PREFIX) else None
    part = next((part for part in PARTS if part.name == wanted), None)
    return None if game is None or part is None else (part, part.text_of(game))
