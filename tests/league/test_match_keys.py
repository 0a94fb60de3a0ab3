"""Keys of matches: who is told which, and which referee a player believes."""

import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tests.league.manager.managed import REF01, REF02, SECRET, League
from turnstile.kernel import PlayerId, Rejection, Seed, Send
from turnstile.kernel.values import encode
from turnstile.league.manager.register import authenticate
from turnstile.league.player.machine import is_believed, new, player
from turnstile.league.player.state import Options, PlayerStartup, State
from turnstile.league.proofs.manager import refereeing
from turnstile.league.protocol.management import LeagueError, RefereeRegisterRequest, StartLeague
from turnstile.league.protocol.messages import GameOver, LeagueRegisterResponse, RoundAnnouncement
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import DEFAULT_LEAGUE, Address, MatchId, Registration
from turnstile.league.trust import agent_token, default_referee_key, match_key

P01, P02, P03 = PlayerId("P01"), PlayerId("P02"), PlayerId("P03")
R1M1, R2M1 = MatchId("R1M1"), MatchId("R2M1")


def announcements(league: League) -> dict[str, tuple[AnnouncedMatch, ...]]:
    """The matches that everybody was told of in the last step."""
    sent = [effect for effect in league.effects if isinstance(effect, Send)]
    return {send.to: send.message.matches for send in sent if isinstance(send.message, RoundAnnouncement)}


def keys(entries: tuple[AnnouncedMatch, ...]) -> list[tuple[str | None, str | None]]:
    return [(entry.key_of(entry.player_a_id), entry.key_of(entry.player_b_id)) for entry in entries]


def test_A6_a_player_is_told_the_key_to_its_own_match_and_its_referee_both() -> None:
    league = League.of("Ana", "Bo", "Cy", "Di")
    told = announcements(league)
    matches = {entry.match_id: entry for entry in told["player:P01"]}
    for address, entries in told.items():
        me = PlayerId(address.partition(":")[2])
        for entry in entries:
            shown = {each: entry.key_of(each) for each in (entry.player_a_id, entry.player_b_id)}
            assert {player for player, key in shown.items() if key is not None} == ({me} & shown.keys())
        assert [entry.match_id for entry in entries] == list(matches)
    given = announcements(league.waits())["referee:REF01"]
    assert all(key for pair in keys(given) for key in pair)
    for entry in given:
        for each in (entry.player_a_id, entry.player_b_id):
            own = next(known for known in told[f"player:{each}"] if known.match_id == entry.match_id)
            assert own.key_of(each) == entry.key_of(each)
        assert entry.key_of(PlayerId("P09")) is None
    every = [key for pair in keys(given) for key in pair]
    assert len(set(every)) == len(every)


def test_A6_who_sits_out_is_told_no_key() -> None:
    told = announcements(League.of("Ana", "Bo", "Cy"))
    resting = next(player for player, entries in told.items() if keys(entries) == [(None, None)])
    assert resting not in (
        "player:" + each for entry in told[resting] for each in (entry.player_a_id, entry.player_b_id)
    )


def test_a_referee_that_knows_nothing_of_keys_has_matches_without() -> None:
    league = League()
    for name in ("Ana", "Bo"):
        league.enters(name)
    meta = replace(refereeing("Foreign").referee_meta, shows_keys=False)
    league.takes(RefereeRegisterRequest(referee_meta=meta)).takes(StartLeague())
    assert keys(announcements(league)["player:P01"]) == [(None, None)]
    assert keys(announcements(league.waits())["referee:REF01"]) == [(None, None)]


def test_A6_of_a_large_round_a_player_is_told_its_own_match_with_its_key() -> None:
    told = announcements(League.of(*(f"Player {number}" for number in range(131))))
    entries = [entries for entries in told.values() if entries]
    assert [len(each) for each in entries] == [1] * 130
    assert all((one is None) != (other is None) for each in entries for one, other in keys(each))


def test_A6_with_another_referee_a_match_has_other_keys() -> None:
    league = League.of("Ana", "Bo", referees=("Ron", "Sue"))
    (match,) = league.state.matches
    before = announcements(league)["player:P01"]
    after = replace(match, referee_id=REF02 if match.referee_id == REF01 else REF01)
    keys = [match_key(SECRET, each.match_id, each.referee_id, P01) for each in (after, match)]
    assert keys[0] != keys[1] == before[0].key_of(P01)
    assert match_key(Seed("another"), match.match_id, match.referee_id, P01) != keys[1]


def test_A6_a_key_is_no_token_of_anybody() -> None:
    league = League.of("Ana", "Bo")
    key = announcements(league)["player:P01"][0].key_of(P01)
    for sender in (None, "player:P01", "referee:REF01"):
        assert isinstance(authenticate(league.state, sender, key), LeagueError)


def test_A6_the_key_of_the_referees_is_made_from_the_secret_and_is_nothing_else() -> None:
    assert default_referee_key(SECRET) == default_referee_key(SECRET) != default_referee_key(Seed("another"))
    made = default_referee_key(SECRET), agent_token(SECRET, Address("referee:REF01"))
    digits = {key.rpartition("-")[2] for key in made}
    assert len(digits) == 2


@pytest.mark.parametrize("key", [None, "", UNSET])
def test_a_key_that_is_null_or_empty_is_none(key: str | UnsetType | None) -> None:
    (entry,) = announced(R1M1, None).matches
    assert replace(entry, player_b_key=key).key_of(P01) is None


# the player


def announced(match: MatchId, key: str | None, round_id: int = 1) -> RoundAnnouncement:
    entry = AnnouncedMatch(
        match_id=match,
        player_a_id=P02,
        player_b_id=P01,
        referee_endpoint="http://localhost:1/mcp",
        referee_id=REF01,
        player_b_key=key,
    )
    return RoundAnnouncement(league_id=DEFAULT_LEAGUE, round_id=round_id, matches=(entry,))


def registered() -> State:
    state = after(new(Options(), Seed("a seed")), PlayerStartup())
    accepted = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=P01, league_id=DEFAULT_LEAGUE)
    return after(state, accepted)


def after(state: State, event: object) -> State:
    step = player.apply(state, event)  # type: ignore[arg-type]
    assert not isinstance(step, Rejection), step
    return step


def over(match: MatchId = R1M1) -> GameOver:
    return GameOver(sender=Address("referee:REF01"), match_id=match, game_result=None)


@pytest.mark.parametrize("shown", [None, "", "tok-another", "tok-key ", "ключ"])
def test_A6_a_referee_without_the_key_of_the_match_is_not_believed(shown: str | None) -> None:
    state = after(registered(), announced(R1M1, "tok-key"))
    assert not is_believed(state, over(), shown)
    assert is_believed(state, over(), "tok-key")


def test_A6_without_an_announced_key_anybody_is_believed() -> None:
    state = registered()
    assert is_believed(state, over(), None)
    state = after(state, announced(R1M1, None))
    assert is_believed(state, over(), "tok-anything")
    assert is_believed(state, over(R2M1), None)


def test_A6_the_key_of_a_round_that_waits_is_known_too() -> None:
    state = after(registered(), announced(R1M1, "tok-first"))
    waiting = replace(state, queued=announced(R2M1, "tok-second", 2))
    assert is_believed(waiting, over(R2M1), "tok-second")
    assert not is_believed(waiting, over(R2M1), "tok-first")
    unknown = after(new(Options(), Seed("a seed")), PlayerStartup())
    assert is_believed(after(unknown, announced(R1M1, "tok-first")), over(), None)  # it does not know who it is


def test_A6_a_key_survives_a_restart() -> None:
    state = after(registered(), announced(R1M1, "tok-key"))
    again = player.read_state(encode(state))
    assert not isinstance(again, Rejection)
    assert not is_believed(again, over(), None)
