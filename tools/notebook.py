"""Runs notebooks, without a Jupyter server: cell by cell in one namespace, with what each prints, returns and draws.

`python -m tools.notebook docs/notebooks/*.ipynb` runs notebooks and stores their outputs in them. Tests run them with a
small budget and store nothing.
"""

import ast
import json
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
Namespace = dict[str, Any]


def run(cells: Sequence[Cell], keep: Callable[[Cell, list[dict[str, Any]]], None] | None = None) -> Namespace:
    """Run the code of a notebook and return its variables. `keep` gets each cell with its outputs."""
    import matplotlib

    matplotlib.use("agg")
    namespace: Namespace = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            outputs = _outputs("".join(cell["source"]), namespace)
            if keep is not None:
                keep(cell, outputs)
    return namespace


def _outputs(source: str, namespace: Namespace) -> list[dict[str, Any]]:
    """What a cell prints, what its last expression gives, and what it draws, in the form of a notebook."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, result = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), namespace)  # noqa: S102 - a notebook of this repository
        if isinstance(last, ast.Expr):
            result = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)  # noqa: S307 - likewise
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)})
    pictures = _pictures()
    if result is not None and not pictures:
        data = {"text/plain": repr(result).splitlines(keepends=True)}
        outputs.append({"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}})
    return outputs + pictures


def _pictures() -> list[dict[str, Any]]:
    """Every figure that was drawn since the last cell."""
    import matplotlib.pyplot as plt

    found = []
    for number in plt.get_fignums():
        file = BytesIO()
        plt.figure(number).savefig(file, format="png", dpi=110, bbox_inches="tight", metadata={"Software": None})
        data = {"image/png": b64encode(file.getvalue()).decode()}
        found.append({"output_type": "display_data", "data": data, "metadata": {}})
    plt.close("all")
    return found


def main(paths: Sequence[str]) -> None:
    for path in map(Path, paths):
        notebook = json.loads(path.read_text("utf-8"))
        counts = iter(range(1, 1000))

        def keep(cell: Cell, outputs: list[dict[str, Any]], counts: Any = counts) -> None:
            number = next(counts)
            for output in outputs:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = number
            cell["execution_count"], cell["outputs"] = number, outputs

        run(notebook["cells"], keep)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
