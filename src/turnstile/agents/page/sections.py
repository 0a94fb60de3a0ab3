"""The parts of which the page of a league and its report are made, each from the board alone."""

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from turnstile.agents.page.html import NOTHING, Html, cell, head, joined, name, number, table, tag, text
from turnstile.agents.page.scoreboard import (
    Health,
    MatchEntry,
    Place,
    Progress,
    Result,
    Round,
    Scoreboard,
    Verdict,
    championship,
    counted,
    gains,
    shared_ranks,
    verdict,
)
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import GAME_TYPE, Status

MOST_IN_CROSS_TABLE = 24  # players; a wider one is no table any more
IN_WORDS = {
    Progress.PENDING: "waiting for the start",
    Progress.RUNNING: "running",
    Progress.COMPLETED: "completed",
}

Names = Mapping[PlayerId, str]
"""What the players of a board are called, looked up once for all that is shown of it."""


def summary(board: Scoreboard) -> Html:
    """The head of the page: which league, how far it has got, what it waits for, who has won."""
    total, done = board.total_matches, board.matches_completed
    facts = [counted(len(board.places), "player"), f"{board.game_type}", IN_WORDS[board.progress]]
    if board.progress is not Progress.PENDING:
        facts.insert(2, f"round {board.current_round} of {board.total_rounds}")
        facts.insert(3, f"{done:,} of {total:,} matches")
    bar = tag("progress", max=str(max(total, 1)), value=str(done), aria_label="matches finished")
    title, line = tag("h1", text(board.league_id)), tag("p", text(" · ".join(facts)))
    return tag("header", title, line, bar, _missing(board), _champion(board))


def _missing(board: Scoreboard) -> Html:
    if board.waits_for is None:
        return NOTHING
    return tag("p", text("The league waits for "), tag("strong", text(board.waits_for)), text("."))


def _champion(board: Scoreboard) -> Html:
    if board.progress is not Progress.COMPLETED or not board.places:
        return NOTHING
    return tag("p", Html(championship(board.places, lambda champion: tag("strong", name(champion)))))


# standings


def standings(board: Scoreboard) -> Html:
    columns = (
        ("Rank", "", "number"),
        ("Player", "", ""),
        ("Pts", "points: 3 for a win, 1 for a draw", "number"),
        ("Pld", "matches played", "number spare"),
        ("W", "wins", "number"),
        ("D", "draws", "number"),
        ("L", "losses, technical ones included", "number"),
        ("TL", "technical losses: late, silent, or out of the rules", "number spare"),
    )
    heads = [head(label, title=title, class_=kind) for label, title, kind in columns]
    rows = table(heads, map(_standing, board.places, shared_ranks(board.places)), class_="standings")
    body = rows if board.places else tag("p", text("Nobody has registered yet."), class_="quiet")
    return tag("section", tag("h2", text("Standings")), body, id="standings")


def _standing(place: Place, rank: int) -> list[Html]:
    """A narrow window shows what the points are made of; the rest is spared."""
    who = cell(joined((name(place.display_name), tag("small", text(f" {place.player_id}")))), "who")
    return [
        number(rank),
        who,
        cell(text(place.points), "number points"),
        cell(text(place.played), "number spare"),
        number(place.wins),
        number(place.draws),
        number(place.losses),
        cell(text(place.technical_losses), "number spare"),
    ]


def cross_table(board: Scoreboard) -> Html:
    """Everybody against everybody: the points of the player of the line, against the player of the column."""
    if not 2 <= len(board.places) <= MOST_IN_CROSS_TABLE:
        return NOTHING
    scored = {
        (player, other): gains(match)[player]
        for match in board.matches
        if match.result is not None
        for player, other in (match.players, match.players[::-1])
    }
    order = [place.player_id for place in board.places]
    heads = [head("Player"), *(head(player, class_="number") for player in order)]
    lines = (
        [cell(name(place.display_name)), *(_crossing(scored, place.player_id, other) for other in order)]
        for place in board.places
    )
    shown = table(heads, lines, class_="cross")
    note = tag("p", text("Points of the player on the left against the player above."), class_="quiet")
    return tag("section", tag("h2", text("Who beat whom")), shown, note, id="cross")


def _crossing(scored: dict[tuple[PlayerId, PlayerId], int], one: PlayerId, other: PlayerId) -> Html:
    if one == other:
        return cell(text("·"), "number self")
    points = scored.get((one, other))
    return cell(text("" if points is None else points), f"number p{'' if points is None else points}")


# rounds


def one_round(board: Scoreboard, shown: Round) -> Html:
    names = board.names
    heads = [head(label) for label in ("Match", "Players", "Referee", "Result", _words(board).column)]
    body = table(heads, (_line(board, names, match) for match in shown.matches), class_="matches stacked")
    title = f"Round {shown.round_id}: {shown.finished} of {len(shown.matches)} finished"
    resting = NOTHING
    if shown.sitting_out is not None:
        resting = tag("p", _player(names, shown.sitting_out), text(" sits out."), class_="quiet")
    return tag("section", tag("h2", text(title)), body, resting, class_="round")


def _line(board: Scoreboard, names: Names, match: MatchEntry) -> list[Html]:
    against = joined((_player(names, match.player_a), text(" : "), _player(names, match.player_b)))
    referee = text(match.referee or "")
    if match.result is None:
        word = {Progress.PENDING: "to be played", Progress.RUNNING: "being played"}.get(match.progress, "finished")
        return [cell(text(match.match_id)), cell(against), cell(referee), cell(text(word), "quiet"), cell(NOTHING)]
    link = tag("a", text(match.match_id), href=f"#{match.match_id}")
    drawn = draw(board, match.result)
    return [cell(link), cell(against), cell(referee), cell(_outcome(names, match, match.result)), cell(drawn)]


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """How checking is spoken of: in Even/Odd of draws, in other games of seeds alone."""

    thing: str
    column: str
    marks: dict[Verdict, str]
    fair: str
    unwitnessed: str
    how: str


COMMITTED = (
    "The commitment is the SHA-256 of the seed. The manager was told it before the players were asked, who are shown "
    "the same by an honest referee."
)
DRAWS = Words(
    thing="draw",
    column="Draw",
    marks={
        Verdict.FAIR: "fair",
        Verdict.UNFAIR: "NOT FAIR",
        Verdict.UNWITNESSED: "not witnessed",
        Verdict.UNPROVEN: "not proven",
    },
    fair="fair, as their referees were bound to draw them",
    unwitnessed="as the seeds give them, which nobody was bound to before",
    how="The number is a function of the seed; turnstile.games.evenodd.drawn_number(seed, 0) gives it again.",
)
SEEDS = Words(
    thing="seed",
    column="Seed",
    marks={
        Verdict.FAIR: "matches its commitment: fair",
        Verdict.UNFAIR: "does NOT match its commitment: NOT FAIR",
        Verdict.UNWITNESSED: "not witnessed",
        Verdict.UNPROVEN: "not shown",
    },
    fair="fair, as their referees were bound to them",
    unwitnessed="that nobody was bound to before",
    how="All that chance did in a match is a function of the seed. That its moves lead from there to the scores, the "
    "players check, who are told the moves; where a match has a file, they stand there.",
)


def _words(board: Scoreboard) -> Words:
    return DRAWS if board.game_type == GAME_TYPE else SEEDS


def _outcome(names: Names, match: MatchEntry, result: Result) -> Html:
    """Who won, and why; the winner's score stands first, which in some games is the lower one."""
    by = " by a technical loss" if result.status is Status.TECHNICAL_LOSS else ""
    order = sorted(match.players, key=lambda player: player != result.winner)
    scores = [str(result.scores[player]) for player in order if player in result.scores]
    score = f" {' : '.join(scores)}" if len(scores) == len(order) else ""
    if result.winner is not None:
        return joined((_player(names, result.winner), text(f" wins{by}{score}")))
    if result.status is Status.DRAW:
        return text(f"draw{score}")
    return text("technical loss of both")


def draw(board: Scoreboard, result: Result) -> Html:
    """The number, what was chosen, and whether the number is the one that the referee was bound to."""
    found = verdict(board.game_type, result)
    if found is Verdict.NO_DRAW:
        return NOTHING
    chosen = ", ".join(f"{player} {choice or 'nothing'}" for player, choice in result.choices.items())
    mark = tag("span", text(_words(board).marks[found]), class_=f"verdict {found.value}")
    if result.drawn_number is None:
        return mark
    return joined((tag("strong", text(result.drawn_number)), text(f" ({chosen}) "), mark))


def proofs(board: Scoreboard, shown: Round) -> Html:
    """For each draw of a round: the seed, and how anyone can check it."""
    found = [_proof(match) for match in shown.matches if match.result is not None and match.result.seed]
    if not found:
        return NOTHING
    words = _words(board)
    heading = tag("summary", text(f"Check the {words.thing}s of this round"))
    return tag("details", heading, tag("p", text(f"{COMMITTED} {words.how}")), tag("dl", *found), class_="proofs")


def _proof(match: MatchEntry) -> Html:
    result = match.result
    assert result is not None
    seed = tag("dd", text("seed "), tag("code", text(result.seed)))
    given = tag("code", text(result.commitment)) if result.commitment else text("that nobody was told before")
    shown = tag("dd", text("commitment "), given)
    return joined((tag("dt", text(match.match_id), id=match.match_id), seed, shown))


def _player(names: Names, player: PlayerId) -> Html:
    return name(names.get(player, player))


# agents


def agents(board: Scoreboard) -> Html:
    if not board.agents:
        return NOTHING
    heads = [head("Agent"), head("Name"), head("Condition"), head("Last heard"), head("Matches", class_="number spare")]
    shown = table(heads, map(_agent, board.agents), class_="agents stacked")
    return tag("section", tag("h2", text("Agents")), shown, id="agents")


def _agent(agent: Health) -> list[Html]:
    condition = tag("span", text(agent.condition), class_="well" if agent.is_well else "ill")
    heard = text("never") if agent.last_heard is None else _moment(agent.last_heard)
    return [
        cell(text(agent.address)),
        cell(name(agent.display_name)),
        cell(condition),
        cell(heard),
        cell(text(agent.matches_under_way), "number spare"),
    ]


def _moment(written: str) -> Html:
    return tag("time", text(written.replace("T", " ").replace("Z", " UTC")), datetime=written)


def fairness(board: Scoreboard) -> Html:
    """How many draws were checked, and what came of it. Of technical losses, which have none, nothing is said."""
    found = Counter(_verdicts(board))
    fair, unfair, unwitnessed = found[Verdict.FAIR], found[Verdict.UNFAIR], found[Verdict.UNWITNESSED]
    checked, unproven = fair + unfair + unwitnessed, found[Verdict.UNPROVEN]
    words = _words(board)
    said = [(unfair, f"{unfair:,} NOT fair"), (fair, f"{fair:,} {words.fair}")]
    said.append((unwitnessed, f"{unwitnessed:,} {words.unwitnessed}"))
    sentences = (
        (checked, f"{counted(checked, words.thing)} checked: {'; '.join(word for count, word in said if count)}."),
        (unproven, f"{counted(unproven, 'result')} came without a {words.thing} that could be checked."),
    )
    told = " ".join(sentence for count, sentence in sentences if count) or f"No {words.thing} could be checked."
    is_all_fair = fair > 0 and checked == fair and not unproven
    return tag("p", text(told), class_="verdict unfair" if unfair else "verdict fair" if is_all_fair else "quiet")


def _verdicts(board: Scoreboard) -> Iterator[Verdict]:
    return (verdict(board.game_type, match.result) for match in board.matches if match.result is not None)
