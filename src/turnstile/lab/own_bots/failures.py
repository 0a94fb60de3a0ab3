"""What goes wrong with a bot that is not built in."""


class InvalidBot(ValueError):
    """No bot can be made from a name. The text is a sentence that says why."""


class BotFailed(Exception):
    """A bot has not chosen one of the actions. `detail` has its author's traceback, or what its program printed."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(sentence, detail)
        self.sentence = sentence
        self.detail = detail

    def __str__(self) -> str:
        return self.sentence
