"""Files: whole or not at all, where they belong, with every match once."""

import asyncio
import json
import os
import stat
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.league.referee import refereed
from turnstile.agents.player.history import history_path, merge
from turnstile.agents.referee.transcript import Transcript, own_place, stale_files
from turnstile.durable.files import FileWriter, open_private, part_of_path, write_whole
from turnstile.games.evenodd import Parity
from turnstile.kernel.values import Instant, PlayerId
from turnstile.league.player.state import OwnResult, PlayedMatch
from turnstile.league.protocol.words import LeagueId, MatchId

ME, OTHER, LEAGUE = PlayerId("P01"), PlayerId("P02"), LeagueId("league")

TRICKS = [
    "",
    ".",
    "..",
    "../x",
    "/etc",
    "a/b",
    "a\\b",
    ".hidden",
    "P01\n",
    "P\0",
    "P 01",
    "é",
    "x" * 101,
    "..%2f",
    "C:",
]


@pytest.mark.parametrize("before", [None, 0o644, 0o600])
def test_a_private_file_is_readable_by_its_owner_alone_and_is_added_to(tmp_path: Path, before: int | None) -> None:
    path = tmp_path / "log"
    if before is not None:
        path.write_text("one\n")
        path.chmod(before)
    with open_private(path) as file:
        file.write(b"two\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == ("two\n" if before is None else "one\ntwo\n")


def test_a_file_that_cannot_be_made_is_named_in_the_fault_and_not_its_draft(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 254)  # with the ending of a draft it is too long
    with pytest.raises(OSError, match="File name too long") as told:
        write_whole(path, b"")
    assert told.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_keeps_its_mode() -> None:
    mode = os.stat("/dev/null").st_mode
    with open_private(Path("/dev/null")) as file:
        file.write(b"nothing")
    assert os.stat("/dev/null").st_mode == mode


@pytest.mark.parametrize("name", ["P01", "R1M1", "league_2025_even_odd", "a.b-c"])
def test_an_id_may_name_a_file(name: str) -> None:
    assert part_of_path(name) == name


@pytest.mark.parametrize("name", TRICKS)
def test_an_id_that_may_lead_elsewhere_names_nothing(name: str) -> None:
    assert part_of_path(name) is None
    assert history_path(Path("data"), PlayerId(name)) is None


# whole or not at all


class Died(BaseException):
    """The process dies here."""


def dying_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Die at the n-th thing that is asked of the system."""
    left = number

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Died
            return real(*arguments, **named)

        return ask

    for name in ("fsync", "open"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    for name in ("open", "replace", "mkdir"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))


@pytest.mark.parametrize("number", range(8))
def test_a_file_is_the_old_one_or_the_new_one_wherever_the_writer_dies(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "file.json"
    write_whole(path, b"old")
    with monkeypatch.context() as patch:
        dying_at(patch, number)
        try:
            write_whole(path, b"new")
        except Died:
            assert number < 5
        else:
            assert number >= 5
    assert path.read_bytes() in (b"old", b"new")
    write_whole(path, b"newer")
    assert path.read_bytes() == b"newer"
    assert [found.name for found in path.parent.iterdir()] == ["file.json"]


def test_what_is_written_is_synced_before_it_takes_its_place_and_its_folder_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda handle: order.append("sync"))
    replace = Path.replace

    def noted(self: Path, target: Path) -> Path:
        order.append("replace")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    write_whole(tmp_path / "file", b"new")
    assert order == ["sync", "replace", "sync"]
    order.clear()
    write_whole(tmp_path / "file", b"newer", is_passing=True)
    assert order == ["replace"]
    assert (tmp_path / "file").read_bytes() == b"newer"


# in the background


def test_a_device_or_a_pipe_is_not_replaced_and_a_link_stays_a_link(tmp_path: Path) -> None:
    """As root, a report to /dev/null would leave a file in place of the device."""
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "elsewhere" / "file"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="Not a regular file"):
        write_whole(pipe, b"x")
    assert pipe.is_fifo()
    link.symlink_to(target)
    write_whole(link, b"x")
    assert link.is_symlink()
    assert target.read_bytes() == b"x"
    with pytest.raises(IsADirectoryError):
        write_whole(Path(""), b"x")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["elsewhere", "link", "pipe"]


def test_of_many_changes_the_newest_is_written(tmp_path: Path) -> None:
    async def run() -> None:
        writer = FileWriter()
        written = [writer.put(tmp_path / "file", lambda number=number: b"%d" % number) for number in range(100)]  # type: ignore[misc]
        task = asyncio.create_task(writer.run())
        await asyncio.gather(*written)
        assert (tmp_path / "file").read_bytes() == b"99"
        writer.end()
        await task

    asyncio.run(run())


def test_who_is_ended_while_it_writes_has_written_before_anybody_writes_again(tmp_path: Path) -> None:
    async def run() -> None:
        writer, go = FileWriter(), threading.Event()

        def old() -> bytes:
            go.wait()
            return b"old"

        writer.put(tmp_path / "file", old)
        task = asyncio.create_task(writer.run())
        await asyncio.sleep(0)  # it is at it
        writer.end()
        writer.put(tmp_path / "file", lambda: b"new")
        go.set()
        await task
        await writer.drain()
        assert (tmp_path / "file").read_bytes() == b"new"

    asyncio.run(run())


def test_a_file_that_cannot_be_written_is_counted_and_tried_again_with_the_next_change(tmp_path: Path) -> None:
    async def run() -> None:
        failures: list[int] = []
        writer = FileWriter(lambda: failures.append(1))
        (tmp_path / "folder").write_text("in the way")
        writer.put(tmp_path / "folder" / "file", lambda: b"one")
        await writer.drain()
        assert failures == [1]
        (tmp_path / "folder").unlink()
        writer.put(tmp_path / "folder" / "file", lambda: b"two")
        await writer.drain()
        assert (tmp_path / "folder" / "file").read_bytes() == b"two"

    asyncio.run(run())


# a player's history


def played(match: str, result: OwnResult | None, round_id: int = 1) -> PlayedMatch:
    return PlayedMatch(
        match_id=MatchId(match),
        round_id=round_id,
        opponent_id=OTHER,
        result=result,
        my_choice=Parity.ODD,
        opponent_choice=Parity.EVEN,
        is_fair=True,
    )


def kept(path: Path, league: LeagueId, *matches: PlayedMatch, name: str = "Juniper") -> Any:
    write_whole(path, merge(path, ME, name, league, matches))
    return json.loads(path.read_text())


def test_a_history_has_every_match_once_however_often_it_is_written(tmp_path: Path) -> None:
    path = history_path(tmp_path, ME)
    assert path == tmp_path / "data" / "players" / "P01" / "history.json"
    first, second = played("R1M1", OwnResult.WIN), played("R2M1", OwnResult.LOSS, 2)
    kept(path, LEAGUE, first)
    kept(path, LEAGUE, first, second)
    history = kept(path, LEAGUE, second)  # after a restart, when the player remembers its latest match alone
    assert [match["match_id"] for match in history["matches"]] == ["R1M1", "R2M1"]
    assert history["stats"] == {"total_matches": 2, "wins": 1, "losses": 1, "draws": 0}
    assert history["matches"][0] == {
        "match_id": "R1M1",
        "opponent_id": "P02",
        "result": "WIN",
        "my_choice": "odd",
        "opponent_choice": "even",
        "league_id": "league",
        "display_name": "Juniper",
        "round_id": 1,
        "game_type": "even_odd",
        "is_technical": False,
        "is_fair": True,
    }


def test_a_match_that_was_played_again_has_its_later_result(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    kept(path, LEAGUE, played("R1M1", OwnResult.WIN), played("R2M1", OwnResult.WIN, 2))
    kept(path, LEAGUE, played("R1M1", OwnResult.WIN))  # the second was taken back, and is not over yet
    history = kept(path, LEAGUE, played("R1M1", OwnResult.WIN), played("R2M1", OwnResult.LOSS, 2))
    assert [match["result"] for match in history["matches"]] == ["WIN", "LOSS"]
    assert history["stats"] == {"total_matches": 2, "wins": 1, "losses": 1, "draws": 0}


def test_matches_of_another_league_are_others_and_may_be_those_of_another_player(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    kept(path, LEAGUE, played("R1M1", OwnResult.WIN))
    history = kept(path, LeagueId("another"), played("R1M1", OwnResult.DRAW), name="Sorrel")
    assert [match["result"] for match in history["matches"]] == ["WIN", "DRAW"]
    assert [match["display_name"] for match in history["matches"]] == ["Juniper", "Sorrel"]
    assert history["leagues"] == {
        "league": {"total_matches": 1, "wins": 1, "losses": 0, "draws": 0},
        "another": {"total_matches": 1, "wins": 0, "losses": 0, "draws": 1},
    }


def test_a_match_without_a_result_counts_as_a_match_alone(tmp_path: Path) -> None:
    history = kept(tmp_path / "history.json", LEAGUE, played("R1M1", None))
    assert history["stats"] == {"total_matches": 1, "wins": 0, "losses": 0, "draws": 0}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"player_id": 1}', b"\xff"])
def test_a_history_that_cannot_be_read_is_put_beside_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "history.json"
    path.write_bytes(content)
    history = kept(path, LEAGUE, played("R1M1", OwnResult.WIN))
    assert history["stats"]["total_matches"] == 1
    assert path.with_suffix(".unreadable.json").read_bytes() == content


def test_a_history_of_others_with_fewer_fields_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    old = {"match_id": "R9M9", "opponent_id": "P07", "result": "WIN", "my_choice": "odd", "opponent_choice": "even"}
    stats = {"total_matches": 1, "wins": 1, "losses": 0, "draws": 0}
    path.write_text(json.dumps({"player_id": "P01", "stats": stats, "matches": [old]}))
    assert kept(path, LEAGUE, played("R1M1", OwnResult.DRAW))["stats"]["wins"] == 1


# files of a match by several referees


def transcript_of(referee: str, *, is_reported: bool = False) -> Transcript:
    found = Transcript(refereed.assignment(), referee, Instant(0))
    found.is_reported = is_reported
    return found


def write_match(path: Path, referee: str, *, is_reported: bool = False, match: str = refereed.MATCH) -> Path:
    path.write_text(
        json.dumps({"match_id": match, "referee_id": referee, "lifecycle": {"is_reported": is_reported}}), "utf-8"
    )
    return path


def test_when_a_result_is_booked_the_files_of_the_same_match_beside_it_are_stale(tmp_path: Path) -> None:
    path = tmp_path / "R2M1.json"
    own = write_match(tmp_path / "R2M1.REF03.json", "REF03")
    others = write_match(tmp_path / "R2M1.REF04.json", "REF04")
    write_match(tmp_path / "R2M11.json", "REF04", match="R2M11")
    write_match(tmp_path / "R2M1.x.json", "REF04", match="R2M1.x")  # another match, of a manager with odd ids
    (tmp_path / "R2M1.notes.json").write_text("[]", "utf-8")
    write_match(path, "REF04")
    assert own_place(transcript_of("REF03"), path) == own
    assert stale_files(transcript_of("REF03"), path) == []
    booked = transcript_of("REF03", is_reported=True)
    assert own_place(booked, path) == path
    assert sorted(stale_files(booked, path)) == [own, others]


def test_when_the_result_of_another_referee_is_booked_the_own_file_is_stale(tmp_path: Path) -> None:
    path = write_match(tmp_path / "R2M1.json", "REF04", is_reported=True)
    assert stale_files(transcript_of("REF03"), path) == [tmp_path / "R2M1.REF03.json"]


def test_a_file_that_became_stale_is_removed_when_the_next_is_written(tmp_path: Path) -> None:
    stale = write_match(tmp_path / "R2M1.REF04.json", "REF04")

    async def write() -> None:
        writer = FileWriter()
        booked = transcript_of("REF03", is_reported=True)
        writer.put(tmp_path / "R2M1.json", booked.rendered, stale=partial(stale_files, booked))
        await writer.drain()

    asyncio.run(write())
    assert not stale.exists()
    assert json.loads((tmp_path / "R2M1.json").read_text("utf-8"))["referee_id"] == "REF03"
