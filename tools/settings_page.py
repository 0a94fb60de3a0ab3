"""The page with every setting and every limit of the server, made from the code that reads them."""

from turnstile.server.limits import LIMITS
from turnstile.server.settings import FIELDS, description_of, flag_of, variable_of

HOW = (
    "`turnstile serve` takes each setting as a flag, from the environment, or from a TOML file (`--config`). A flag "
    "counts more than the environment, and the environment more than the file. In the environment, lists are separated "
    "by commas."
)
TOO_FAST = (
    "A caller that exceeds a limit gets the code `TooFast`, the name of the limit and the seconds to wait; a WebSocket "
    "is closed with 4102. An address of IPv6 counts as its network of 64 bits, also for connections."
)


def settings_page() -> str:
    """Every setting of the server, and every limit."""
    settings = [
        f"| `{flag_of(field.name)}` | `{variable_of(field.name)}` | `{field.name}` | {_default(field.default)} "
        f"| {description_of(field.name)} |"
        for field in FIELDS
    ]
    limits = [
        f"| `{name}` | {limit.doc} | {limit.per} | {limit.burst:g} | {_rate(limit.rate)} |"
        for name, limit in LIMITS.items()
    ]
    blocks = [
        "# Settings of the server",
        HOW,
        "\n".join(["| flag | environment | file | default | meaning |", "| --- | --- | --- | --- | --- |", *settings]),
        "## Limits",
        TOO_FAST,
        "\n".join(["| limit | counts | by | at once | then |", "| --- | --- | --- | --- | --- |", *limits]),
    ]
    return "\n\n".join(blocks) + "\n"


def _default(value: object) -> str:
    if value is None or value == ():
        return "none"
    return "no" if value is False else f"`{value}`"


def _rate(rate: float) -> str:
    return f"{rate:g} a second" if rate >= 1 else f"one in {1 / rate:g} s"
