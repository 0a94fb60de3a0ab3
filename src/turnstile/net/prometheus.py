"""The text format of Prometheus."""

from typing import Any

CONTENT_TYPE = "text/plain; version=0.0.4"


def family(name: str, kind: str, labels: tuple[str, ...], counts: Any) -> list[str]:
    """The lines of one metric: `counts` has a number for each combination of label values."""
    lines = [f"# TYPE {name} {kind}"]
    for key, number in sorted(counts.items()):
        named = ",".join(f'{label}="{value}"' for label, value in zip(labels, key, strict=True))
        lines.append(f"{name}{{{named}}} {number}" if named else f"{name} {number}")
    return lines
