"""The bot of the docs plays a whole match against a server, word for word as it is printed."""

import re
import subprocess
import sys
from pathlib import Path

from tests.server.processes import served

DOCS = Path(__file__).parents[2] / "docs"


def play(page: str, folder: Path, *words: str) -> str:
    """What the program of a page prints that plays against a server."""
    (program,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    (folder / "player.py").write_text(program)
    with served(folder) as url:
        command = [sys.executable, "player.py", url, *words]
        played = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stderr
    return played.stdout


def test_the_bot_in_the_docs_plays_a_match(tmp_path: Path) -> None:
    assert "The winner is" in play("server.md", tmp_path)


def test_the_language_model_in_the_docs_plays_a_match(tmp_path: Path) -> None:
    assert "The winner is" in play("language-models.md", tmp_path, "e-card")
