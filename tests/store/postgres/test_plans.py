"""The cost of a move does not grow with the log, not even by a plan that was made when there was none."""

import json

from tests import postgres
from tests.store.postgres.stores import opened, run, shell
from turnstile.store.postgres import statements

PAGES = 200
"""Of eight kilobytes; the log below has more than a thousand."""

FILL = """
    INSERT INTO tables SELECT 't' || n, 20, 'doors', 'open', '[]', true, true, 1, 1, n, ''
        FROM generate_series(1, 1000) n;
    INSERT INTO log SELECT 't' || n % 1000, n / 1000, 1, repeat('x', 600)::bytea, '', '', 'c' || n
        FROM generate_series(0, 20999) n;
    INSERT INTO snapshots SELECT 't' || n, 9, repeat('x', 900)::bytea FROM generate_series(1, 1000) n;
"""

ASKED = {
    "commit": (
        statements.COMMIT,
        r"""'{t5}', '{21}', '{1}', '{""}', '{""}', '{""}', '{alice}', '{""}', '{g}', '{p}', '{[]}', '{f}', '{f}', '{1}',
        '{1}', '{NULL}', '{""}', '{NULL}', '{""}', '', ''""",
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
