"""docs/environments.md: its programs run and print what it says, and a missing library is named with its extra."""

import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from turnstile.lab.extras import require

PAGE = (Path(__file__).parent.parent.parent / "docs" / "environments.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)

WITHOUT = """
import sys
for name in ("gymnasium", "numpy", "pettingzoo", "pyspiel"):
    sys.modules[name] = None
from importlib import import_module
from turnstile.lab.encoding import action_ids, layout_of
from turnstile.registry import find_game
game = find_game("66")
print(len(action_ids(game)), layout_of(game, 2).size)
for adapter in ("gymnasium", "openspiel", "pettingzoo"):
    try:
        import_module(f"turnstile.lab.{adapter}")
    except ImportError as fault:
        print(fault)
try:
    action_ids(game).mask_of([])
except ImportError as fault:
    print(fault)
"""


def test_every_program_says_what_it_prints() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") > 0


@pytest.mark.parametrize(("program", "printed"), EXAMPLES, ids=range(1, len(EXAMPLES) + 1))
def test_the_program_prints_that(program: str, printed: str) -> None:
    out, namespace = StringIO(), dict[str, Any]()
    with redirect_stdout(out):
        exec(compile(program, "docs/environments.md", "exec"), namespace)  # noqa: S102 - a page of this repository
    assert out.getvalue() == printed


def test_a_missing_library_is_named_with_the_extra_that_brings_it() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    install = "which is not installed. Install it with: pip install 'turnstile"
    assert done.stdout.splitlines() == [
        "130 290",
        f"turnstile.lab.gymnasium needs gymnasium, {install}[lab]'",
        f"turnstile.lab.openspiel needs pyspiel, {install}[openspiel]'",
        f"turnstile.lab.pettingzoo needs pettingzoo, {install}[lab]'",
        f"An observation or a mask as an array needs numpy, {install}[lab]'",
    ]


def test_a_library_that_is_broken_is_not_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_library.py").write_text("import what_it_needs_itself\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="what_it_needs_itself"):
        require("broken_library", "lab", "A test")
