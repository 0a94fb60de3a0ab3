"""Why no report can be made."""


class Unreadable(Exception):
    """A file or folder that no report can be made from. The text is a sentence that says why."""
