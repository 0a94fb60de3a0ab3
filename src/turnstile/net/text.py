"""Text from other programs, made safe for logs and terminals."""


def visible(line: str) -> str:
    """A line without control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)


def one_line(text: str) -> str:
    """A text on one line, without control characters."""
    return visible(" ".join(text.split()))
