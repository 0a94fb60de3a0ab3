"""The cost of a move does not grow with the log, not even by a plan that was made when there was none."""

import json

from tests import postgres
from tests.store.postgres.stores import opened, run, shell
from turnstile.store.postgres import people, seats, statements

PAGES = 200
"""Of eight kilobytes; the log below has more than a thousand."""

FILL = """
    INSERT INTO tables SELECT 't' || n, 20, 'doors', 'open', '[]', true, true, 1, 1, n, ''
        FROM generate_series(1, 1000) n;
    INSERT INTO log SELECT 't' || n % 1000, n / 1000, 1, repeat('x', 600)::bytea, '', '', 'c' || n
        FROM generate_series(0, 20999) n;
    INSERT INTO seats SELECT 't' || n % 20000, 'p' || n % 1000, n % 2 = 0, n FROM generate_series(0, 39999) n
        ON CONFLICT DO NOTHING;
    INSERT INTO listings SELECT 't' || n, 'g' || n % 10, n FROM generate_series(1, 20000) n;
    INSERT INTO invitations SELECT 't' || n, 'p' || n % 1000, '', false, n % 3 = 0 FROM generate_series(1, 20000) n;
    INSERT INTO players SELECT 'p' || n, 'name', 1 FROM generate_series(1, 20000) n;
    INSERT INTO tokens SELECT ('h' || n)::bytea, 'p' || n % 1000, n FROM generate_series(1, 20000) n;
    INSERT INTO codes SELECT ('h' || n)::bytea, 'p' || n % 1000, n FROM generate_series(1, 20000) n;
    INSERT INTO results SELECT 't' || n, 'g', n, 'played', true, true FROM generate_series(1, 20000) n;
    INSERT INTO result_players SELECT 't' || n / 2, n % 2, 'p' || n % 1000, true, 1, 1, 'person', NULL, 'g', n, true
        FROM generate_series(1, 40000) n;
    INSERT INTO ratings SELECT 'p' || n, 'g' || n % 10, 'all', n, 1, 1, n - 3 FROM generate_series(1, 20000) n;
    INSERT INTO snapshots SELECT 't' || n, 9, repeat('x', 900)::bytea FROM generate_series(1, 1000) n;
"""

ASKED = {
    "commit": (
        statements.COMMIT,
        r"""'{t5}', '{21}', '{1}', '{""}', '{""}', '{""}', '{alice}', '{""}', '{g}', '{p}', '{[]}', '{f}', '{f}', '{1}',
        '{1}', '{NULL}', '{""}', '{NULL}', '{""}', '', ''""",
    ),
    "commit_with_seats": (
        statements.COMMIT_WITH_SEATS,
        r"""'{t6}', '{21}', '{1}', '{""}', '{""}', '{""}', '{bob}', '{""}', '{g}', '{p}', '{[]}', '{f}', '{f}', '{1}',
        '{1}', '{NULL}', '{""}', '{NULL}', '{""}', '', '', '{t6}', '{t6,t6}', '{p6,p7}', '{t6}'""",
    ),
    "load": (statements.LOAD, "'t5'"),
    "entries": (statements.ENTRIES, "'{t5,t6}', '{17,18}', '{NULL,1}'"),
    "snapshot": (statements.SNAPSHOT, "'t5', 17"),
    "positions": (statements.POSITIONS, "'{t5,t6}'"),
    "find": (statements.FIND, "'t5', 'c5'"),
    "one_row": (statements.ONE_ROW, "'t5'"),
    "page": (statements.PAGE, "'t5', 9"),
    "page_of": (statements.PAGE_OF, "'t5', 9, true"),
    "claim": (statements.CLAIM, "50, 9, 9"),
    "acknowledge": (statements.ACKNOWLEDGE, "'{t5,t6}', '{alice,bob}', '{7,8}'"),
    "cursors": (statements.CURSORS, "'{t5,t6}'"),
    "added": (statements.ADDED, r"""'{t5}', '{19}', '{""}'"""),
    **{f"close_{number}": (statement, "'t7'") for number, statement in enumerate(seats.CLOSE)},
    **{f"rebuild_{number}": (statement, "'{t8,t9}'") for number, statement in enumerate(seats.REBUILD)},
    "rebuild_seats": (seats.REBUILD_SEATS, "'{t8,t9}', '{p1,p2}'"),
    "tables_of": (seats.TABLES_OF, "'p5', '{t,f}', 99999, '', 9"),
    "listed": (seats.LISTED, "99999, '', 9"),
    "listed_of": (seats.LISTED_OF, "99999, '', 9, 'g5'"),
    "players": (people.PLAYERS, "'{p5,p6}'"),
    "player_by_token": (people.PLAYER_BY_TOKEN, "'h5'"),
    "keep_last": (people.keep_last("tokens"), "'p5', 5"),
    "hold_player_of_code": (people.HOLD_PLAYER_OF_CODE, "'h5', 1"),
    "use_code": (people.USE_CODE, "'h5'"),
    "sweep_codes": (people.SWEEP_CODES, "9, 3"),
    "remove_invitation": (people.REMOVE_INVITATION, "'t5'"),
    "count_open": (people.COUNT_OPEN, "'p5'"),
    "opened_by": (people.OPENED_BY, "'p5'"),
    "unbooked": (people.UNBOOKED, "'t5', 9"),
    "hold_players": (people.HOLD_PLAYERS, "'{p5,p6}'"),
    "hold_ratings": (people.HOLD_RATINGS, "'{p5,p6}', '{g5,g6}', '{all,all}'"),
    "results_of": (people.RESULTS_OF, "'p5', 99999, '', 9, true"),
    "results_of_game": (people.RESULTS_OF_GAME, "'p5', 99999, '', 9, true, 'g'"),
    "results": (people.RESULTS, "'{t5,t6}'"),
    "match_players": (people.MATCH_PLAYERS, "'{t5,t6}'"),
    "ratings_of": (people.RATINGS_OF, "'p5', 9"),
    "ratings": (people.RATINGS, "'{p5,p6}', 'g5', 'all'"),
    "leaders": (people.LEADERS, "'g5', 'all', 99999, '', 9"),
}


@run
async def test_R5_what_is_asked_reads_few_pages_however_long_the_log() -> None:
    schema = postgres.shared.new_schema()
    async with opened(schema), shell(schema) as operator:
        await operator.execute("SET plan_cache_mode = force_generic_plan; SET jit = off; SET enable_seqscan = off")
        for name, (statement, arguments) in ASKED.items():
            await operator.execute(f"PREPARE {name} AS {statement}")
            await operator.execute(f"EXECUTE {name} ({arguments})")
        await operator.execute(FILL)
        pages = {}
        for name, (_, arguments) in ASKED.items():
            plan = await operator.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE {name} ({arguments})")
            read = json.loads(plan)[0]["Plan"]
            pages[name] = read["Shared Hit Blocks"] + read["Shared Read Blocks"]
        assert {name: count for name, count in pages.items() if count > PAGES} == {}
        assert await operator.fetchval("SELECT count(*) FROM log WHERE command = 'alice'") == 1  # it did its work
