"""What only a server has: tenants that cannot see each other, a pool, connections that break, a schema of its own."""

from __future__ import annotations

import random
import re
import struct
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from bench.postgres import APP, PostgresServer
from psycopg._queries import PostgresQuery
from psycopg.adapt import Transformer

from factories import NOW, extracted, memory
from nous.config import mask_password
from nous.errors import ConfigError, SchemaTooNew, StoreError, StoreUnavailable
from nous.kernel.db.database import migrations, statements
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.memory.memories import TextRow
from nous.kernel.stores import Stores, open_stores
from nous.language.text import Wanted
from nous.teams.postgres.dialect import spell, words
from nous.teams.postgres.engine import Postgres, prepare, read_url

ONLY_POSTGRES = {
    "events.first_device",  # a SQLite file gets its device from a migration
    "vectors.index_new",  # and has no index of vectors
}
OWN_TABLES = {"log_heights", "memory_words", "exchange_words"}  # what SQLite keeps inside itself

COLUMNS = """SELECT attname FROM pg_attribute
WHERE attrelid = ('nous.' || %s)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""


@pytest.fixture
def tenant(postgres: PostgresServer) -> Iterator[Callable[[str], Stores]]:
    """Stores of a tenant by its name; the names are of this test alone."""
    mark, opened = uuid4().hex, []

    def make(name: str) -> Stores:
        opened.append(open_stores(postgres.url("nous", APP, tenant=f"{name}-{mark}")))
        return opened[-1]

    yield make
    for stores in opened:
        stores.close()


@pytest.fixture
def raw(postgres: PostgresServer) -> Iterator[psycopg.Connection[Any]]:
    """A connection as the application's role, with nothing of Nous between."""
    with psycopg.connect(postgres.url("nous", APP), autocommit=True) as connection:
        connection.execute("SET search_path = nous, public")
        yield connection


def tables(raw: psycopg.Connection[Any]) -> list[str]:
    rows = raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'nous' ORDER BY 1").fetchall()
    return [name for (name,) in rows if name != "schema_version"]


def ask(raw: psycopg.Connection[Any], sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    return raw.execute(sql, values).fetchall()


def be(raw: psycopg.Connection[Any], stores: Stores) -> None:
    assert isinstance(stores.db, Postgres)
    raw.execute("SELECT set_config('nous.tenant', %s, false)", (stores.db.tenant,))


# -- one schema and one SQL -----------------------------------------------------------------------------------------


def test_both_engines_have_the_same_tables_and_columns(raw: psycopg.Connection[Any]) -> None:
    file = Sqlite(":memory:").connection
    rows = file.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    here = {name for name in (str(row[0]) for row in rows) if not name.startswith("sqlite_") and "_fts" not in name}
    there = {
        name
        for (name,) in ask(
            raw, "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace = 'nous'::regnamespace"
        )
    }
    assert {name for name in there if "_fts" not in name} - OWN_TABLES - {"schema_version"} == here
    for table in sorted(here):
        mine = [row[1] for row in file.execute(f"PRAGMA table_info({table})").fetchall() if row[1] != "tenant_id"]
        theirs = [name for (name,) in ask(raw, COLUMNS, (table,)) if name not in ("tenant_id", "is_indexed")]
        assert theirs == mine, table


def test_every_migration_has_a_number_of_its_own_and_a_twin() -> None:
    here, there = ([number for number, _ in migrations(engine)] for engine in ("sqlite", "postgres"))
    assert here == sorted(set(here)), "two migrations of one number: a database that had one would never get the other"
    assert there == [number for number in here if number >= there[0]]


def test_every_statement_is_understood_by_the_server(tenant: Callable[[str], Stores]) -> None:
    db = tenant("a").db
    assert isinstance(db, Postgres)
    here, there = set(statements("sqlite")), set(statements("postgres"))
    assert here - there == set() and there - here == ONLY_POSTGRES
    with db._borrow() as connection:
        for name in sorted(there):
            if not name.startswith("code."):  # the code graph is a file of its own on every engine
                query = PostgresQuery(Transformer(connection))
                query.convert(spell(name).sql, dict.fromkeys(spell(name).names))
                said = connection.pgconn.prepare(b"", query.query)
                assert said.status == 1, (name, said.error_message)


# -- tenants --------------------------------------------------------------------------------------------------------


def test_every_table_is_guarded_for_its_owner_too(raw: psycopg.Connection[Any]) -> None:
    asked = """SELECT c.relname, relrowsecurity, relforcerowsecurity,
        (SELECT COUNT(*) FROM pg_policy WHERE polrelid = c.oid),
        EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id' AND attnotnull)
        FROM pg_class AS c
        WHERE relkind = 'r' AND relnamespace = 'nous'::regnamespace AND relname <> 'schema_version'"""
    rows = ask(raw, asked)
    assert len(rows) > 50 and all(row[1:] == (True, True, 1, True) for row in rows)
    views = ask(raw, "SELECT reloptions FROM pg_class WHERE relkind = 'v' AND relnamespace = 'nous'::regnamespace")
    assert all(row[0] == ["security_invoker=true"] for row in views)


def test_the_role_that_works_can_bypass_nothing(raw: psycopg.Connection[Any]) -> None:
    [row] = ask(raw, "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user")
    assert row == (False, False, False)
    for attempt in (
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE memories NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_rows ON memories",
        f"ALTER ROLE {APP} BYPASSRLS",
        "CREATE TABLE nous.mine (x int)",
        "UPDATE schema_version SET version = 0",
        "SELECT guard()",
        "COPY memories TO '/tmp/stolen'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(raw, attempt)
    raw.execute("SET row_security = off")  # it may be said, and then nothing is answered at all
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(raw, "SELECT * FROM memories")


def filled(stores: Stores, word: str) -> Stores:
    stores.events.append([extracted(f"{word}-{n}", content=f"{word} says {n}") for n in range(3)], NOW)
    stores.memories.add_text([TextRow(1, f"{word} said", "", "", place="p1")])
    stores.db.run("records.see", uuids=f'["{word}"]')
    stores.injections.add(
        {
            "context": word,
            "project_id": "p",
            "hook": "h",
            "trigger": "",
            "key": "",
            "now": NOW,
            "characters": 1,
            "latency_ms": 1.0,
        },
        [1],
    )
    return stores


def a_row_everywhere(postgres: PostgresServer, tenant_id: str) -> dict[str, tuple[list[str], list[Any]]]:
    """A row of a tenant in every table, put there by somebody who may do anything: columns and values by table."""
    made: dict[str, tuple[list[str], list[Any]]] = {}
    with psycopg.connect(postgres.url("nous"), autocommit=True) as admin:
        admin.execute("SET search_path = nous, public")
        admin.execute("SET session_replication_role = replica")  # a row of a child without its parent
        for table in tables(admin):
            checks = " ".join(str(row[0]) for row in ask(admin, CHECKS, (table,)))
            columns: list[str] = ["tenant_id"]
            values: list[Any] = [tenant_id]
            for name, kind in ask(admin, TYPED, (table,)):
                allowed = re.search(rf"\b{name} = (?:ANY \(ARRAY\[)?'(\w+)'", checks)
                columns.append(name)
                values.append(allowed[1] if allowed else 2 if name.endswith("_b") else SOME[kind])
            marks = ", ".join(["%s"] * len(values))
            admin.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)
            made[table] = (columns, values)
    return made


SOME: dict[str, Any] = {
    "bigint": 1,
    "smallint": 1,
    "text": "secret",
    "double precision": 1.0,
    "real": 1.0,
    "boolean": True,
}
SOME |= {"bytea": b"secret", "vector": "[1,2,3]"}
CHECKS = """SELECT pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'c' AND conrelid = ('nous.' || %s)::regclass"""
TYPED = """SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = ('nous.' || %s)::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'tenant_id'"""


def test_by_no_table_can_another_tenant_be_read_or_changed(
    postgres: PostgresServer, raw: psycopg.Connection[Any]
) -> None:
    theirs, mine = f"theirs-{uuid4().hex}", f"mine-{uuid4().hex}"
    made = a_row_everywhere(postgres, theirs)
    assert set(made) == set(tables(raw)) and len(made) > 60
    as_tenant = "SELECT set_config('nous.tenant', %s, false)"
    for table, (columns, values) in made.items():
        raw.execute(as_tenant, (mine,))
        assert ask(raw, f"SELECT COUNT(*) FROM {table}") == [(0,)], table
        assert ask(raw, f"SELECT COUNT(*) FROM {table} WHERE tenant_id = %s OR true", (theirs,)) == [(0,)], table
        assert raw.execute(f"DELETE FROM {table} WHERE tenant_id = %s OR true", (theirs,)).rowcount == 0, table
        assert raw.execute(f"UPDATE {table} SET tenant_id = %s", (mine,)).rowcount == 0, table
        into = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(values))})"
        for conflict in ("", " ON CONFLICT DO NOTHING"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):  # nothing may be slipped in among theirs
                raw.execute(into + conflict, values)
        raw.execute(as_tenant, (theirs,))
        assert ask(raw, f"SELECT COUNT(*) FROM {table}") == [(1,)], table
        with pytest.raises(psycopg.errors.InsufficientPrivilege):  # and nothing of theirs given away
            raw.execute(f"UPDATE {table} SET tenant_id = %s", (mine,))


def test_without_a_tenant_nothing_is_there(raw: psycopg.Connection[Any], tenant: Callable[[str], Stores]) -> None:
    filled(tenant("theirs"), "secret")
    assert all(ask(raw, f"SELECT COUNT(*) FROM {table}") == [(0,)] for table in tables(raw))
    with pytest.raises(psycopg.Error):
        raw.execute("INSERT INTO seen_records (uuid) VALUES ('x')")


HOSTILE = (
    "' OR tenant_id <> '' --",
    "'; SET nous.tenant = 'theirs'; --",
    "x') UNION SELECT content FROM memories --",
    "%",
    "\\",
    "$1",
    "%(project_id)s",
    ":project_id",
    '"; DROP TABLE memories; --',
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_written_in_a_value_is_only_ever_a_value(text: str, tenant: Callable[[str], Stores]) -> None:
    theirs, mine = filled(tenant("theirs"), "secret"), filled(tenant("mine"), "open")
    assert mine.memories.search_text(Wanted((text, "secret")), 10) == []
    assert mine.memories.listing(text) == [] and mine.events.of_project(text) == []
    assert mine.events.mentioning("secret") == [] and mine.memories.by_learning([text, "secret-1"]) == {}
    mine.events.append([extracted(text, content=text)], NOW)
    assert [event.learning_id for event in mine.events.of_learning(text)] == [text]
    assert theirs.events.count() == 3 and mine.events.count() == 4


def test_a_pooled_connection_serves_many_tenants_and_mixes_none(postgres: PostgresServer) -> None:
    names = [f"{uuid4().hex}-{n}" for n in range(8)]
    wrong: list[str] = []

    def work(name: str) -> None:
        stores = open_stores(postgres.url("nous", APP) + "&pool_size=3", tenant=name)
        for n in range(10):
            stores.events.append([extracted(f"{name}-{n}")], NOW)
            wrong.extend(
                event.learning_id for event in stores.events.read(0, 99) if not event.learning_id.startswith(name)
            )
        assert stores.events.count() == 10
        stores.close()

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- writers take turns ---------------------------------------------------------------------------------------------


def test_writers_of_one_tenant_take_turns_and_the_chain_holds(postgres: PostgresServer) -> None:
    url = postgres.url("nous", APP, tenant=uuid4().hex)

    def work(name: str) -> None:
        stores = open_stores(url)
        for n in range(10):
            stores.events.append([extracted(f"{name}-{n}")], NOW)
        stores.close()

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stores = open_stores(url)
    rows = list(stores.events.each_row())
    assert [row.event_id for row in rows] == list(range(1, 41)) == [row.device_seq for row in rows]
    assert all(row.prev_hash == before.event_hash for before, row in pairwise(rows))
    stores.close()


def test_what_fails_inside_is_undone_alone_and_what_fails_outside_is_undone_whole(
    tenant: Callable[[str], Stores],
) -> None:
    stores = tenant("a")
    with stores.db.transaction():
        stores.events.append([extracted("kept")], NOW)
        with pytest.raises(StoreError), stores.db.transaction():
            stores.db.run("memories.set_checkpoint", name="memories", last_event_id=None, now=NOW)
        assert stores.events.count() == 1
    with pytest.raises(ZeroDivisionError):
        failing(stores)
    assert [event.learning_id for event in stores.events.read(0, 9)] == ["kept"]


def test_the_highest_number_is_known_after_its_event_was_cut_off(
    raw: psycopg.Connection[Any], tenant: Callable[[str], Stores]
) -> None:
    stores = filled(tenant("a"), "x")
    be(raw, stores)
    raw.execute("DELETE FROM learning_events WHERE event_id = 3")
    assert stores.events.last_id() == 2 and stores.events.highest_id() == 3


def test_who_waits_hears_of_work_at_once(raw: psycopg.Connection[Any], tenant: Callable[[str], Stores]) -> None:
    stores, others = tenant("a"), tenant("b")
    assert isinstance(stores.db, Postgres)
    with stores.db.listening() as wait:
        others.events.append([extracted("not-mine")], NOW)
        assert not wait(0.2)
        stores.events.append([extracted("mine")], NOW)
        assert wait(30)


# -- what can go wrong ----------------------------------------------------------------------------------------------


def interrupted(stores: Stores, cut: Callable[[], object]) -> None:
    with stores.db.transaction():
        stores.events.append([extracted("lost")], NOW)
        cut()
        stores.events.append([extracted("lost too")], NOW)


def failing(stores: Stores) -> None:
    with stores.db.transaction():
        stores.events.append([extracted("lost")], NOW)
        raise ZeroDivisionError


def test_a_lost_connection_is_replaced_for_reading_and_named_inside_a_transaction(
    postgres: PostgresServer, tenant: Callable[[str], Stores]
) -> None:
    stores = filled(tenant("a"), "x")
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nous'"
    with psycopg.connect(postgres.url("nous"), autocommit=True) as admin:
        admin.execute(cut)
        assert stores.events.count() == 3  # asked again on another connection
        admin.execute(cut)
        stores.events.append([extracted("later")], NOW)  # nothing had begun, so it begins again
        with pytest.raises(StoreUnavailable, match="nothing was changed"):
            interrupted(stores, lambda: admin.execute(cut))
    assert stores.events.count() == 4


def test_a_full_pool_says_so(postgres: PostgresServer) -> None:
    url = postgres.url("nous", APP, tenant="full") + "&pool_size=1&pool_timeout=0.2"
    one, two = open_stores(url), open_stores(url)
    with one.db.transaction(), pytest.raises(StoreUnavailable, match=r"all 1 connections to .* are busy") as problem:
        two.events.count()
    assert "pool_size" in str(problem.value.hint)
    assert two.events.count() == 0
    one.close()
    two.close()


def test_a_server_that_is_not_there_and_a_database_that_is_not_there(postgres: PostgresServer) -> None:
    with pytest.raises(StoreUnavailable, match=r"postgresql://u@127.0.0.1:1/d cannot be reached"):
        open_stores("postgresql://u:secret@127.0.0.1:1/d")
    with pytest.raises(StoreUnavailable, match="does not exist"):
        open_stores(postgres.url("nowhere", APP))


def test_a_schema_of_a_later_nous_is_not_touched(postgres: PostgresServer) -> None:
    later = f"later{uuid4().hex}"
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {later}")
    with psycopg.connect(postgres.url(later), autocommit=True) as admin:
        admin.execute("CREATE SCHEMA nous")
        admin.execute("CREATE TABLE nous.schema_version AS SELECT 9999 AS version")
        admin.execute(f"GRANT USAGE ON SCHEMA nous TO {APP}")
        with pytest.raises(StoreError, match="may not use the memory"):
            open_stores(postgres.url(later, APP))
        admin.execute(f"GRANT SELECT ON nous.schema_version TO {APP}")
    for user in (APP, "postgres"):
        with pytest.raises(SchemaTooNew, match="has schema 9999"):
            open_stores(postgres.url(later, user))
    with pytest.raises(SchemaTooNew):
        prepare(postgres.url(later))


def test_an_older_schema_is_named_to_who_may_not_change_it(postgres: PostgresServer) -> None:
    empty = f"empty{uuid4().hex}"
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {empty}")
    with pytest.raises(StoreUnavailable, match="has schema 0"):
        open_stores(postgres.url(empty, APP), readonly=True)
    with pytest.raises(StoreError, match="may not prepare"):
        open_stores(postgres.url(empty, APP))
    open_stores(postgres.url(empty)).close()  # the owner may, and works as the application's role from then on
    stores = open_stores(postgres.url(empty))
    assert isinstance(stores.db, Postgres)
    with stores.db._borrow() as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("nous_app",)
    stores.close()
    open_stores(postgres.url(empty, APP)).close()


def test_only_a_large_tenant_is_in_the_index_of_vectors(
    tenant: Callable[[str], Stores], raw: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nous.kernel.recall.vectors.EXACT", 40)
    monkeypatch.setattr("nous.kernel.recall.vectors.UNINDEXED", 5)
    chance = random.Random(4)
    made = [struct.pack("256f", *(chance.gauss(0, 1) for _ in range(256))) for _ in range(70)]
    small, large = tenant("small"), tenant("large")

    def put(stores: Stores, numbers: range) -> int:
        stores.memories.save([memory(number + 1) for number in numbers])
        model = stores.vectors.model("long", 256)
        stores.vectors.put(model, [(number + 1, number, made[number]) for number in numbers])
        return model

    def indexed(stores: Stores) -> int:
        be(raw, stores)
        return int(ask(raw, "SELECT COUNT(*) FROM vectors WHERE is_indexed")[0][0])

    def found(stores: Stores, model: int, number: int) -> int:
        nearest, nearness = stores.vectors.nearest(model, made[number], 3, "p")[0]
        return nearest if nearness > 0.99 else 0

    few, many = put(small, range(40)), put(large, range(60))
    assert (indexed(small), indexed(large)) == (0, 60)
    put(large, range(60, 64))
    assert indexed(large) == 60, "a few new ones are compared beside it"
    assert [found(large, many, number) for number in (0, 30, 59, 60, 63)] == [1, 31, 60, 61, 64]
    assert [found(small, few, number) for number in (0, 39)] == [1, 40]
    large.vectors.put(many, [(1, 99, made[69])])  # other words of a memory in the index
    assert indexed(large) == 59 and found(large, many, 69) == 1 and found(large, many, 0) == 0
    put(large, range(64, 66))
    assert indexed(large) == 66 and [found(large, many, number) for number in (69, 65)] == [1, 66]
    large.vectors.drop(66)
    assert found(large, many, 65) == 0


def test_what_was_opened_to_read_is_not_written(postgres: PostgresServer) -> None:
    url = postgres.url("nous", APP, tenant=uuid4().hex)
    open_stores(url).close()
    stores = open_stores(url, readonly=True)
    with pytest.raises(StoreUnavailable, match="can only be read"):
        stores.events.append([extracted("x")], NOW)
    assert stores.events.count() == 0
    stores.close()


def test_a_url_is_read_in_parts_and_shown_without_its_password() -> None:
    found = read_url("postgresql://me:pw@host:5/d?tenant=acme&pool_size=3&sslmode=require")
    assert found == ("postgresql://me:pw@host:5/d?sslmode=require", "acme", 3, 30.0)
    assert read_url("postgresql://h/d").tenant == "local" and read_url("postgresql://h/d?tenant=a", "b").tenant == "b"
    assert mask_password("postgres://me:pw@host:5/d?sslmode=require") == "postgresql://me@host:5/d"
    with pytest.raises(ConfigError, match="above zero"):
        read_url("postgresql://h/d?pool_size=0")


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(ConfigError, match="PostgreSQL needs psycopg") as problem:
        open_stores("postgresql://h/d")
    assert problem.value.hint == "pip install '.[postgres]'"


def test_words_are_those_of_the_other_engine() -> None:
    assert words("Über getUser_byId, naïve café!") == ["uber", "getuser", "byid", "naive", "cafe"]


def test_what_a_migration_changes_it_changes_for_every_tenant() -> None:
    """Row-level security holds the owner too, so that rows of no tenant would be changed, without a word."""
    for number, written in migrations("postgres"):
        script = re.sub(r"\$\$.*?\$\$", "", written, flags=re.DOTALL)
        changes = re.findall(r"^(?:UPDATE|DELETE FROM|INSERT INTO) \w+", script, flags=re.MULTILINE)
        assert not changes or "NO FORCE ROW LEVEL SECURITY" in script, (number, changes)


def test_an_older_server_loses_the_tables_of_what_was_removed(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"older{uuid4().hex}"
    with psycopg.connect(postgres.url(), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    monkeypatch.setattr(
        "nous.teams.postgres.engine.migrations", lambda engine: [one for one in migrations(engine) if one[0] < 43]
    )
    prepare(postgres.url(name))
    with psycopg.connect(postgres.url(name), autocommit=True) as admin:
        admin.execute("SELECT set_config('nous.tenant', 'a', false)")
        admin.execute("INSERT INTO nous.projection_checkpoints VALUES ('trust', 0, '2026-01-01')")
        monkeypatch.undo()
        prepare(postgres.url(name))
        assert admin.execute("SELECT * FROM nous.projection_checkpoints").fetchall() == []
        asked = "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'nous.projection_checkpoints'::regclass"
        assert admin.execute(asked).fetchall() == [(True,)]
        gone = "SELECT 1 FROM pg_tables WHERE tablename IN ('trust_levels', 'communities', 'active_interventions')"
        assert admin.execute(gone).fetchall() == []
