"""Any game in numbers and in text: fixed action ids with a mask, views as tensors of fixed size, views as text.

All of it comes from the types of the game's moves and of its view (docs/environments.md). It needs NumPy, which comes
with the extra `lab`, only where an array is made.
"""

from turnstile.lab.encoding.actions import ActionIds, NoActionIds, action_ids
from turnstile.lab.encoding.layout import Layout, NoTensor, Slice, layout_of
from turnstile.lab.encoding.text import move_text, to_plain, view_text

__all__ = [
    "ActionIds", "action_ids", "NoActionIds",
    "Layout", "layout_of", "NoTensor", "Slice",
    "view_text", "move_text", "to_plain",
]  # fmt: skip
