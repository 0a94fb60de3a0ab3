"""The page of a league, before, during and after it, and its report."""

from collections.abc import Callable
from functools import cache

from playwright.sync_api import Page, Route

from tools.screens.stage import Stage, Visit
from turnstile.agents.page.projection import scoreboard_of
from turnstile.agents.page.render import STATIC_FILES, render_page, render_report, report_style
from turnstile.agents.page.routes import PAGE_POLICY
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.agents.strategies.strategies import find_function
from turnstile.kernel.chance import Commitment, Seed
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.words import MatchId
from turnstile.net.policy import one_style_only, page_headers

SITE = "http://league.test/"
NAMES = ("Juniper", "Sorrel", "Rowan", "Alder", "Hazel", "Bryony", "Tansy", "Yarrow")
STRATEGIES = ("history", "alternating", "always:even", "random")


@cache
def boards() -> tuple[Scoreboard, ...]:
    """The scoreboards of a league before its start and after each round, all rounds included."""
    seed = Seed("pictures")
    functions = [find_function(STRATEGIES[index % len(STRATEGIES)], Seed(name)) for index, name in enumerate(NAMES)]
    entrants = [Entrant(name, each) for name, each in zip(NAMES, functions, strict=True) if each is not None]
    league = LocalLeague(entrants, seed, referees=2)
    reports: dict[MatchId, MatchResultReport] = {}
    commitments: dict[MatchId, Commitment] = {}

    def look() -> Scoreboard:
        state = league.manager.state
        return scoreboard_of(state, range(1, state.total_rounds + 1), reports, commitments=commitments)

    found = [look()]
    for played in league.run():
        reports.update((each.match_id, each) for each in played.results)
        given = zip(played.results, played.commitments, strict=True)
        commitments.update((each.match_id, word) for each, word in given if word is not None)
        found.append(look())
    return tuple(found)


def show(page: Page, source: str, policy: str) -> None:
    """Show a page as a manager serves it, with its style sheets and under its policy; its script has no effect."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        styles = {STATIC_FILES.url(name): name for name in STATIC_FILES.names() if name.endswith(".css")}
        if path == "":
            route.fulfill(body=source, content_type="text/html", headers=dict(page_headers(policy)))
        elif path in styles:
            route.fulfill(body=STATIC_FILES.text(styles[path]), content_type="text/css")
        else:
            route.fulfill(status=204)

    page.unroute_all()
    page.route(f"{SITE}**", answer)
    page.goto(SITE)


def page_of(board: Callable[[], Scoreboard]) -> Visit:
    def visit(stage: Stage) -> Page:
        page = stage.new_page()
        show(page, render_page(board()), PAGE_POLICY)
        return page

    return visit


def report(stage: Stage) -> Page:
    page = stage.new_page()
    show(page, render_report(boards()[-1]), one_style_only(report_style()))
    return page


LEAGUE_SCREENS: dict[str, Visit] = {
    "league-waiting": page_of(lambda: boards()[0]),
    "league-running": page_of(lambda: boards()[4]),
    "league-over": page_of(lambda: boards()[-1]),
    "league-report": report,
}
