"""The player of the docs plays a whole match against a server, word for word as it is printed."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs" / "language-models.md"


def test_the_player_in_the_docs_plays_a_match(tmp_path: Path) -> None:
    (player,) = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    (tmp_path / "player.py").write_text(player)
    command = [sys.executable, "-m", "turnstile", "serve", "--port", "0", "--operations-port", "0"]
    with subprocess.Popen([*command, "--store", str(tmp_path / "t.db")], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = re.findall(r"http://[0-9.:]+", server.stdout.readline())[0]
        played = subprocess.run(
            [sys.executable, "player.py", url, "e-card"], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        server.terminate()
        assert server.wait(10) == 0
    assert played.returncode == 0, played.stderr
    assert "The winner is" in played.stdout
