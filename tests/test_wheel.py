"""What is in the wheel."""

from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]


def test_templates_style_sheets_and_scripts_are_in_the_wheel() -> None:
    packed = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    page = "turnstile/agents/page"
    assert {f"{page}/templates/page.html", f"{page}/static/league.css", f"{page}/static/league.js"} <= packed
    folders = [folder for name in ("templates", "static") for folder in (ROOT / "src").rglob(name)]
    kept = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    assert {file.relative_to(ROOT / "src").as_posix() for file in kept} <= packed
