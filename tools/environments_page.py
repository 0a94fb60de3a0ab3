"""The page of all action ids and observation tensors, made from the types of every installed game."""

from collections.abc import Iterator

from tools.words import code, document, table
from turnstile.cli.lab.actions import OUTLINE_HEADS, places
from turnstile.kernel import AnyGame
from turnstile.lab.encoding import NoActionIds, NoTensor, action_ids, layout_of
from turnstile.registry import find_game, names


def environments_page() -> str:
    """Of every game: what each action id means, and what each slot of a tensor holds."""
    games = [game for game in map(find_game, names()) if game]
    return document(
        "# Action ids and observations",
        "For programs that learn: [environments](../environments.md) says how ids and tensors are made. The ids are the"
        " same for any number of players. In a move that names another player, `+1` is the next one in the order of the"
        " seats. `turnstile actions GAME --observation --players N` prints the tensor for any number of players.",
        *(block for game in games for block in blocks(game)),
    )


def blocks(game: AnyGame) -> Iterator[str]:
    yield f"## {game.title}"
    try:
        ids, layout = action_ids(game), layout_of(game, game.seats[0])
    except (NoActionIds, NoTensor) as fault:
        yield str(fault)
        return
    yield f"Version {game.version} of the rules has {len(ids)} action ids."
    yield table(["id", "action"], [[str(action), code(name)] for action, name in enumerate(ids.names())])
    yield f"A tensor for {game.seats[0]} players has {layout.size} slots."
    yield table(OUTLINE_HEADS, [[places(each), code(each.name), each.meaning] for each in layout.outline()])
