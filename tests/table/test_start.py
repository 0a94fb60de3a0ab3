"""The start: a commitment to the seed, the players' words, the deal, and the proof at the end that it was fair."""

from tests.table.tables import ANA, BO, SEED, heard, opened, picks, play, refusal, seated, starting
from turnstile.games.ecard.rules import first_emperor
from turnstile.kernel import Refusal, Seed, encode
from turnstile.kernel.chance import commit, mix, verify
from turnstile.table.values import Code, Phase


def test_everyone_spectators_included_is_first_shown_a_commitment_to_the_seed() -> None:
    table = starting()
    for eyes in (ANA, BO, None):
        assert table.stream(eyes) == ["MatchStarting"]
        first = table.last(eyes)
        assert first.messages == [{"type": "MatchStarting", "commitment": commit(SEED), "players": ["ana", "bo"]}]
        assert (first.seq, first.view, first.actions) == (1, None, [])


def test_nothing_is_drawn_before_all_have_seen_the_commitment() -> None:
    assert starting().match is None
    assert refusal(starting(), "acks ana 1") == Code.ACKS_MISSING
    assert play(starting(), "acks ana 1 bo 1").match is not None


def test_no_player_moves_before_the_deal() -> None:
    assert refusal(starting(), "ana C") == Refusal.WRONG_PHASE


def test_the_seed_is_in_no_update_before_the_last() -> None:
    table = play(heard(starting()), "ana C", "bo C")
    for eyes in (ANA, BO, None):
        assert SEED not in encode(table.streams[eyes]).decode()


def test_without_words_the_deal_comes_from_the_seed() -> None:
    assert heard(starting()).match.seed == SEED


def test_words_are_mixed_into_the_seed_before_the_deal() -> None:
    table = heard(play(starting(), "bo says luck"))
    assert table.match.seed == mix(SEED, {BO: "luck"}) != SEED


def test_words_cannot_be_changed() -> None:
    assert refusal(play(starting(), "bo says luck"), "bo says more") == Code.WORDS_GIVEN


def test_only_who_plays_adds_words() -> None:
    assert refusal(starting(), "cy says luck") == Code.NOT_SEATED


def test_P23_words_that_did_not_come_in_time_are_left_out_and_the_match_begins() -> None:
    table = play(starting(), "ana says luck", "ring acks")
    assert table.state.phase is Phase.PLAYING
    assert [seat.is_away for seat in table.state.seats] == [True, True]
    assert table.match.seed == mix(SEED, {ANA: "luck"})


def test_no_player_adds_words_after_the_deal() -> None:
    assert refusal(heard(starting()), "ana says luck") == Refusal.WRONG_PHASE


def test_the_last_update_shows_the_seed_and_the_words_and_anyone_can_deal_again() -> None:
    table = play(heard(play(starting(), "bo says luck")), "ana resigns")
    for eyes in (ANA, BO, None):
        (first,), (last,) = table.streams[eyes][0].messages, table.last(eyes).messages
        assert verify(first["commitment"], Seed(last["seed"]))
        again = first_emperor((ANA, BO), mix(Seed(last["seed"]), last["words"]))
        assert again == picks(table)[0]


def test_every_table_has_the_seed_that_its_start_brought_and_no_other() -> None:
    assert opened().state.seed is None
    assert play(seated(), "ana starts").state.seed == SEED
