"""What goes wrong with workers."""


class WorkersLost(Exception):
    """Worker processes ended before they had finished their work, several times in a row. The text is a sentence."""


class RayUnavailable(Exception):
    """Ray is not installed, or its cluster cannot be reached. The text is a sentence."""


MOST_LOSSES = 3
"""How often in a row a piece of work may lose its worker."""

ADVICE = "The system may have killed them because memory ran out: try fewer --processes."
