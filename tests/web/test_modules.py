"""The modules below the page, under node: the socket, the state and the store; and all types, checked by `tsc`.

Both need node: without it the tests fail and say so.
"""

import subprocess
from pathlib import Path

from tools.node import node, npm_modules

ROOT = Path(__file__).parents[2]
TYPESCRIPT = ("typescript", "5.9.3")


def run_node(*arguments: str) -> None:
    done = subprocess.run([node(), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_modules_of_the_page_pass_their_own_tests() -> None:
    tests = sorted(map(str, (ROOT / "tests/web/js").glob("*.test.js")))
    assert len(tests) >= 3
    run_node("--test", *tests)


def test_the_page_agrees_with_the_types_of_the_wire() -> None:
    compiler = npm_modules(*TYPESCRIPT) / "typescript/bin/tsc"
    run_node(str(compiler), "--project", str(ROOT / "src/turnstile/web/jsconfig.json"))
