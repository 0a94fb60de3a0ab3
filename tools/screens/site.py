"""Everything but the tables: start, lobby, new table, account, rules, and addresses where there is nothing."""

from playwright.sync_api import Page

from tools.screens.matches import resign, two_players
from tools.screens.stage import Stage, Visit, open_table


def start(stage: Stage) -> Page:
    page = stage.open()
    page.locator(".tile").first.wait_for()
    page.wait_for_timeout(500)
    return page


def lobby(stage: Stage) -> Page:
    """Open tables to join and to watch, a table of the player, and the best players."""
    for names in (("Juniper", "Sorrel of the long winding road"), ("Rowan", "Bryony")):
        one, other = two_players(stage, *names)
        resign(other)
        one.locator(".result").wait_for()
    open_table(stage.open(name="Hazel"), "up-down")
    open_table(stage.open(name="Alder"), "66")
    two_players(stage, "Juniper", "Rowan")
    page = stage.open(name="Ana")
    open_table(page, "e-card", ["random"])
    page.locator("button.choice").first.wait_for()
    page.goto(stage.url)
    for part in (".own li", ".open li", ".leaders li"):
        page.locator(part).first.wait_for()
    return page


def new_table(game: str) -> Visit:
    def visit(stage: Stage) -> Page:
        page = stage.open(f"/new?game={game}")
        page.locator("select[name=bot]").first.wait_for()
        return page

    return visit


def account(stage: Stage) -> Page:
    page = stage.open("/account")
    page.locator("h1").wait_for()
    return page


def account_code(stage: Stage) -> Page:
    page = stage.open("/account", name="Ana")
    page.get_by_role("button", name="Show a code").click()
    page.locator(".qr").wait_for()
    return page


def rules(game: str) -> Visit:
    def visit(stage: Stage) -> Page:
        page = stage.open(f"/rules/{game}")
        page.locator("h1").wait_for()
        return page

    return visit


def unknown(path: str) -> Visit:
    def visit(stage: Stage) -> Page:
        page = stage.open(path)
        page.wait_for_timeout(1000)
        return page

    return visit


SITE_SCREENS: dict[str, Visit] = {
    "start": start,
    "lobby": lobby,
    "new-table-e-card": new_table("e-card"),
    "new-table-up-down": new_table("up-down"),
    "account": account,
    "account-code": account_code,
    "rules-66": rules("66"),
    "rules-e-card": rules("e-card"),
    "unknown-table": unknown("/table/nothing-here"),
    "unknown-game": unknown("/rules/nothing-here"),
    "unknown-address": unknown("/nothing-here"),
}
