"""A record is the whole match: any change to it is noticed, and who did not deal fairly is found out."""

from dataclasses import replace as changed
from hashlib import sha256
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from turnstile.games.ecard import BeginPicking, Card, Options, Phase, Pick, Reset, Start, State, game
from turnstile.kernel import ByPlayer, Event, Outcome, PlayerId, Refusal, Rejection, Seed, digest, encode
from turnstile.kernel.chance import commit, mix
from turnstile.kernel.record import (
    Entropy,
    Happened,
    Record,
    RecordFault,
    Replay,
    load,
    refuse_deal,
    replay,
    save,
    write,
)
from turnstile.testing.strategies import RandomMatch

ANA, BO = PlayerId("ana"), PlayerId("bo")
PLAYERS = (ANA, BO)
SEED = Seed("7")
WORDS = {ANA: "moon", BO: "tide"}


def record_of(*events: Event, words: dict[PlayerId, str] | None = None) -> Record:
    record = write(game, PLAYERS, Options(), SEED, events, words)
    assert isinstance(record, Record), record
    return record


def whole(words: dict[PlayerId, str] | None = None) -> Record:
    """A match of random choices from its start to its end."""
    return record_of(*RandomMatch(game, PLAYERS, SEED, 1_000, Random(7), words or {}).events, words=words)


def short() -> Record:
    """A match with a word of a player's, left after two events."""
    words = {ANA: "moon"}
    return record_of(Start(mix(SEED, words)), BeginPicking(), words=words)


def replayed(record: Record) -> Replay[State]:
    again = replay(record, game)
    assert isinstance(again, Replay), again
    return again


def chained_anew(record: Record) -> Record:
    """The record as a forger would hand it in, with every hash of the chain made right again."""
    read = load(save(record))
    assert isinstance(read, Record), read
    return read


def sha256_of(data: bytes) -> str:
    return sha256(data).hexdigest()


def with_event(record: Record, number: int, event: Event | bytes) -> Record:
    """The record with another event in the place of event `number`, counted from 1."""
    written = event if isinstance(event, bytes) else encode(event)
    tampered = replace(record.happened[number - 1], event=msgspec.Raw(written))
    return replace(record, happened=(*record.happened[: number - 1], tampered, *record.happened[number:]))


# Writing


def test_a_record_says_who_played_what_and_shows_the_commitment_before_the_first_move() -> None:
    header = short().header
    assert (header.game, header.version, header.players) == ("e-card", 1, PLAYERS)
    assert bytes(header.options) == b"{}"
    assert header.commitment == commit(SEED)


def test_each_event_has_the_fingerprint_of_the_state_it_led_to() -> None:
    record = whole()
    assert [entry.state for entry in record.happened] == [digest(state) for state in replayed(record).states[1:]]


def test_the_last_line_has_the_outcome_and_reveals_the_seed() -> None:
    record = whole()
    ended = game.outcome(replayed(record).states[-1])
    assert ended is not None
    assert (record.end.outcome, record.end.seed) == (ended, SEED)


def test_a_match_that_was_left_has_no_outcome() -> None:
    record = short()
    assert record.end.outcome is None
    assert refuse_deal(record, game, replayed(record)) is None


def test_a_match_without_an_event_is_a_record_too() -> None:
    record = record_of()
    assert replayed(chained_anew(record)).states == (game.new(PLAYERS, Options(), SEED),)


def test_an_event_that_is_refused_makes_no_record() -> None:
    answer = write(game, PLAYERS, Options(), SEED, [Start(SEED), Pick(ANA, Card.CITIZEN)])
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.WRONG_PHASE


def test_an_event_after_the_end_makes_no_record() -> None:
    over = RandomMatch(game, PLAYERS, SEED, 1_000, Random(7), {}).events
    answer = write(game, PLAYERS, Options(), SEED, [*over, Reset()])
    place = f"event {len(over) + 1}"
    assert answer == Rejection(
        RecordFault.DIVERGED, f"The record does not replay at {place}: the match was already over."
    )


@pytest.mark.parametrize("events", [(), (Start(SEED),)])
def test_players_who_cannot_sit_down_make_no_record(events: tuple[Event, ...]) -> None:
    answer = write(game, (ANA,), Options(), SEED, events)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_PLAYERS


def test_a_line_ends_with_the_hash_of_itself_and_of_the_line_before() -> None:
    first, second, *_ = save(short()).splitlines()
    assert first.startswith(b'{"line":"header","game":"e-card","version":1,"players":["ana","bo"],"options":{},')
    assert second.startswith(b'{"line":"entropy","player":"ana","words":"moon","hash":"')
    before = msgspec.json.decode(first)["hash"]
    body = b'{"line":"entropy","player":"ana","words":"moon"}'
    assert msgspec.json.decode(second)["hash"] == sha256_of(before.encode() + body)
    assert msgspec.json.decode(first)["hash"] == sha256_of(encode(short().header))


# Reading


@pytest.mark.parametrize("record", [short(), whole(), whole(WORDS)], ids=["short", "whole", "with words"])
def test_what_was_saved_is_loaded_and_replays_to_the_bit(record: Record) -> None:
    again = load(save(record))
    assert again == record
    assert save(record) == save(chained_anew(record))
    assert replayed(chained_anew(record)).states == replayed(record).states
    assert refuse_deal(record, game, replayed(record)) is None


def damage(data: bytes) -> str:
    """The sentence with which damaged data is refused."""
    answer = load(data)
    assert isinstance(answer, Rejection), data
    assert answer.code == RecordFault.DAMAGED
    return answer.sentence


def test_every_single_flipped_bit_is_noticed() -> None:
    data = save(short())
    for place in range(len(data)):
        for bit in range(8):
            damage(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])


def test_a_record_cut_off_at_any_byte_is_noticed() -> None:
    data = save(short())
    for length in range(len(data)):
        damage(data[:length])


def test_a_byte_too_many_or_too_few_anywhere_is_noticed() -> None:
    data = save(short())
    for place in range(len(data)):
        damage(data[:place] + data[place + 1 :])
        damage(data[:place] + b"\n" + data[place:])
        damage(data[:place] + b" " + data[place:])
    for more in (b"\n", b" ", b"x", data):
        damage(data + more)


def test_lines_that_are_missing_twice_or_swapped_are_noticed() -> None:
    lines = save(short()).splitlines(keepends=True)
    for one in range(len(lines)):
        damage(b"".join(lines[:one] + lines[one + 1 :]))
        damage(b"".join(lines[: one + 1] + lines[one:]))
        for other in range(one + 1, len(lines)):
            swapped = [*lines]
            swapped[one], swapped[other] = lines[other], lines[one]
            damage(b"".join(swapped))


def test_the_refusal_names_the_line() -> None:
    data = save(short())
    cut_off = "Line 5 of the record is damaged: the line is cut off."
    assert damage(data[:-1]) == cut_off
    assert damage(data.replace(b"moon", b"noon")) == (
        "Line 2 of the record is damaged: its hash does not match its content."
    )


def chain(*bodies: bytes) -> bytes:
    """Lines with right hashes, whatever is written in them."""
    data, before = b"", ""
    for body in bodies:
        before = sha256_of(before.encode() + body)
        data += body[:-1] + b',"hash":"' + before.encode() + b'"}\n'
    return data


HEADER, ENTROPY, START, BEGIN, END = (
    encode(line) for line in (short().header, *short().entropy, *short().happened, short().end)
)


def test_the_chain_of_these_tests_is_the_chain_of_the_records() -> None:
    assert chain(HEADER, ENTROPY, START, BEGIN, END) == save(short())


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (HEADER,),
        (END,),
        (END, HEADER),
        (HEADER, START),
        (START, END),
        (HEADER, START, ENTROPY, END),
        (HEADER, ENTROPY, HEADER, START, END),
        (HEADER, ENTROPY, START, END, END),
        (HEADER, START, END, BEGIN),
        (ENTROPY, HEADER, START, END),
    ],
)
def test_a_record_is_a_header_words_events_and_the_end_in_this_order(lines: tuple[bytes, ...]) -> None:
    assert damage(chain(*lines)) == "Invalid record: its lines must be header, words, events, end, in this order."


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (HEADER.replace(b'"e-card"', b"66"), "Expected `str`, got `int` - at `$.game`"),
        (HEADER.replace(b"header", b"heading"), "Invalid value 'heading' - at `$.line`"),
        (b'{"line":"end"}', "missing required field"),
        (b'{"line":"\xff"}', "can't decode byte 0xff"),
        (b'{"line":' + b"[" * 100_000 + b"}", "nested too deeply"),
        (b"{}", "missing required field `line`"),
        (b"}", "malformed"),
    ],
)
def test_a_line_that_is_malformed_is_damaged_even_if_its_hash_is_right(line: bytes, why: str) -> None:
    sentence = damage(chain(line))
    assert sentence.startswith("Line 1 of the record is damaged: ")
    assert why in sentence


# Replaying


def fault(record: Record, code: RecordFault) -> str:
    """The sentence with which the replay is refused."""
    answer = replay(chained_anew(record), game)
    assert isinstance(answer, Rejection), answer
    assert answer.code == code
    return answer.sentence


def test_a_record_of_another_game_is_refused() -> None:
    record = replace(short(), header=replace(short().header, game="66"))
    assert fault(record, RecordFault.OTHER_GAME) == "This is a record of 66, not of e-card."


def test_a_record_of_another_version_is_refused() -> None:
    answer = replay(short(), changed(game, version=2))
    assert answer == Rejection(
        RecordFault.OTHER_VERSION, "Version 1 of e-card made this record; version 2 plays differently."
    )


def test_a_tampered_event_leads_to_another_state() -> None:
    number = next(n for n, event in enumerate(replayed(whole()).events, start=1) if event == Pick(ANA, Card.CITIZEN))
    other = Card.EMPEROR if Card.EMPEROR in replayed(whole()).states[number - 1].hands[ANA] else Card.SLAVE
    sentence = fault(with_event(whole(), number, Pick(ANA, other)), RecordFault.DIVERGED)
    assert sentence == f"The record does not replay at event {number}: it leads to a different state."


def test_every_tampered_fingerprint_is_noticed() -> None:
    record = whole()
    for number, entry in enumerate(record.happened):
        forged = (*record.happened[:number], replace(entry, state="0" * 64), *record.happened[number + 1 :])
        answer = replay(replace(record, happened=forged), game)
        assert isinstance(answer, Rejection)
        assert answer.code == RecordFault.DIVERGED
        assert f"at event {number + 1}: " in answer.sentence


def test_an_event_that_the_machine_refuses_is_noticed() -> None:
    sentence = fault(with_event(short(), 2, Reset()), RecordFault.DIVERGED)
    assert sentence.startswith(
        "The record does not replay at event 2: it is refused: Reset is not possible in RoundSetup"
    )


def test_an_event_that_cannot_be_read_is_noticed() -> None:
    sentence = fault(with_event(short(), 2, b'{"type":"Deal"}'), RecordFault.DIVERGED)
    assert sentence.startswith("The record does not replay at event 2: it is refused: Invalid event for e-card")


def test_an_event_after_the_end_is_noticed() -> None:
    record = whole()
    after = game.new(PLAYERS, Options(), None)
    longer = (*record.happened, Happened(msgspec.Raw(encode(Reset())), digest(after)))
    sentence = fault(replace(record, happened=longer), RecordFault.DIVERGED)
    assert sentence == f"The record does not replay at event {len(longer)}: the match was already over."


@pytest.mark.parametrize("outcome", [None, Outcome((BO,), ByPlayer({ANA: 0, BO: 12}))])
def test_another_outcome_is_noticed(outcome: Outcome | None) -> None:
    record = whole()
    sentence = fault(replace(record, end=replace(record.end, outcome=outcome)), RecordFault.DIVERGED)
    assert sentence == f"The record does not replay at event {len(record.happened)}: the outcome is different."


def test_options_that_the_game_does_not_know_are_noticed() -> None:
    record = replace(short(), header=replace(short().header, options=msgspec.Raw(b'{"rounds":3}')))
    assert "at event 0: Invalid options for e-card: " in fault(record, RecordFault.DIVERGED)


def test_players_who_cannot_sit_down_are_noticed() -> None:
    record = replace(short(), header=replace(short().header, players=(ANA,)))
    assert "at event 0: This game takes 2 players, not 1" in fault(record, RecordFault.DIVERGED)


def test_the_sentence_ends_with_one_full_stop() -> None:
    assert not fault(with_event(short(), 2, Reset()), RecordFault.DIVERGED).endswith("..")


# A fair deal


def unfair(record: Record) -> str:
    """The sentence that says why a record, which replays well, was not dealt fairly."""
    answer = refuse_deal(record, game, replayed(chained_anew(record)))
    assert isinstance(answer, Rejection)
    assert answer.code == RecordFault.UNFAIR
    return answer.sentence


def test_a_seed_that_was_not_committed_to_is_unfair() -> None:
    record = replace(whole(), header=replace(whole().header, commitment=commit(Seed("8"))))
    assert unfair(record) == "The revealed seed is not the one that was committed to before the first move."


def test_a_match_started_with_another_seed_is_unfair() -> None:
    assert unfair(record_of(Start(Seed("8")), BeginPicking())) == (
        "Event 1 of the record is not what the committed seed deals."
    )


def test_a_match_started_without_the_words_of_the_players_is_unfair() -> None:
    assert unfair(record_of(Start(SEED), words=WORDS)) == "Event 1 of the record is not what the committed seed deals."


def test_words_of_somebody_without_a_seat_are_unfair() -> None:
    words = {PlayerId("eve"): "x", PlayerId("cy"): "y"}
    record = record_of(Start(mix(SEED, words)), words=words)
    assert unfair(record) == "A player added words to the seed twice, or without a seat."


def test_words_that_a_player_added_twice_are_unfair() -> None:
    record = whole(WORDS)
    twice = replace(record, entropy=(*record.entropy, record.entropy[0]))
    assert unfair(twice) == "A player added words to the seed twice, or without a seat."


def test_words_of_the_players_change_the_deal_and_verify() -> None:
    plain, mixed = whole(), whole(WORDS)
    assert plain.header.commitment == mixed.header.commitment == commit(SEED)
    assert mixed.entropy == (Entropy(ANA, "moon"), Entropy(BO, "tide"))
    assert (plain.seed, mixed.seed) == (SEED, mix(SEED, WORDS))
    assert plain.happened[0] != mixed.happened[0]
    assert refuse_deal(mixed, game, replayed(mixed)) is None


def test_words_that_are_taken_away_or_changed_are_noticed() -> None:
    record = whole(WORDS)
    for words in ((), record.entropy[:1], (Entropy(ANA, "noon"), *record.entropy[1:])):
        answer = replay(replace(record, entropy=words), game)
        assert isinstance(answer, Replay), "E-Card takes the seed from its Start"
        assert unfair(replace(record, entropy=words)) == "Event 1 of the record is not what the committed seed deals."


def test_a_match_of_random_choices_has_really_ended() -> None:
    assert replayed(whole()).states[-1].phase is replayed(whole(WORDS)).states[-1].phase is Phase.FINISHED
