"""The README's Python runs as it stands there, word for word, and prints what it says it prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click import Command, Group

from turnstile.cli.main import turnstile

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_every_python_example_says_what_it_prints() -> None:
    assert len(EXAMPLES) == README.count("```python") > 0


@pytest.mark.parametrize(("program", "printed"), EXAMPLES)
def test_the_example_prints_that(program: str, printed: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == printed


def test_the_commands_of_the_readme_are_targets_and_the_test_command_is_what_ci_runs() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z]+)", README))
    assert named <= targets
    assert (ROOT / ".ci" / "run").read_text().strip().splitlines()[-1] == "make test"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text()
    code = re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL) + re.findall(r"`([^`\n]+)`", text)
    for line in "\n".join(code).splitlines():
        for words in re.findall(r"(?:^|[\s/|(])turnstile ((?:[a-z][\w-]*)(?: [^|&;`#]+)?)", line):
            said = re.sub(r"'[^']*'|\"[^\"]*\"", "", words).split()
            command: Command = turnstile
            while isinstance(command, Group) and said and re.fullmatch(r"[a-z][a-z-]*", said[0]):
                assert said[0] in command.commands, f"There is no command {said[0]!r}: turnstile {words}"
                command = command.commands[said.pop(0)]
            options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
            named = {word.partition("=")[0] for word in said if re.match(r"--?[a-z]", word)}
            assert named <= {*options, "--help"}, f"turnstile {words}"


def test_the_host_of_the_page_on_operations_runs_on_a_store(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "operations.md").read_text(), re.DOTALL)
    asked = "stop = asyncio.Event()\nstop.set()\nasyncio.run(main(stop))\n"
    for command in (["-c", program + asked], ["-m", "turnstile", "matches", "check"]):
        subprocess.run([sys.executable, *command], cwd=tmp_path, check=True)
    assert (tmp_path / "turnstile.db").exists()


def anchors_of(page: Path) -> list[str]:
    """The anchors that GitHub gives to the headings of a page; the same one twice, if two headings are alike."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_anchor_that_a_page_links_to_is_that_of_one_heading(page: Path) -> None:
    links = [
        (page.parent / path if path else page, anchor)
        for path, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text())
    ]
    assert [f"{target.name}#{anchor}" for target, anchor in links if anchors_of(target).count(anchor) != 1] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_of_a_page_is_dead(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []
