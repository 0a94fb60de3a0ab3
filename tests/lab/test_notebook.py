"""The notebook of the docs runs from its first cell to its last, and the policy in it learns."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
NOTEBOOK = ROOT / "docs" / "notebooks" / "learn-a-habit.ipynb"
SMALL_BUDGET = {"TURNSTILE_NOTEBOOK_STEPS": "1536", "TURNSTILE_NOTEBOOK_MATCHES": "24"}
PROGRAM = """
import json, sys
from tools.notebook import run
found = run(json.loads(open(sys.argv[1]).read())["cells"])
print(json.dumps([found["rates"], found["against"].chances]))
"""


def cells() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return found


def test_it_runs_to_its_end_on_a_small_budget_and_the_policy_learns(tmp_path: Path) -> None:
    """In its own process: PyTorch is large, and no other test needs it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, NOTEBOOK],
        cwd=ROOT,
        env={**os.environ, **SMALL_BUDGET, "SB3_LOGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rates, matches = json.loads(done.stdout.splitlines()[-1])
    assert matches == 24
    assert max(rates[-3:]) > rates[0] + 0.2


def test_it_is_stored_with_its_outputs_and_pictures() -> None:
    code = [cell for cell in cells() if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [kind for cell in code for output in cell["outputs"] for kind in output.get("data", {})]
    assert kinds.count("image/png") == 2
    assert not any(output["output_type"] == "error" for cell in code for output in cell["outputs"])
