"""SQLite itself: how a file is opened, brought up to date, and what is said when it cannot be used."""

from __future__ import annotations

import os
import re
from pathlib import Path

import apsw
import pytest

from factories import NOW, extracted
from nous.config import load_settings
from nous.errors import ConfigError, SchemaTooNew, StoreError
from nous.kernel.db.database import migrations, statement, statements
from nous.kernel.db.sqlite import PRAGMAS, Sqlite
from nous.kernel.stores import open_stores
from nous.paths import database_path

EMPTY = {"project_id": "p", "session_id": "s"}


def test_every_pragma_is_in_force(tmp_path: Path) -> None:
    db = Sqlite(str(tmp_path / "cortex.db"))
    assert {name: db.connection.pragma(name) for name, _, _ in PRAGMAS} == {name: value for name, _, value in PRAGMAS}
    db.close()


def test_a_new_file_and_its_folder_belong_to_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "cortex.db"
    open_stores(str(path)).close()
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"


def test_a_path_that_is_only_a_name_opens_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    open_stores("cortex.db").close()
    assert (tmp_path / "cortex.db").exists()


def test_a_store_is_made_when_it_is_asked_for_and_stands_on_the_others() -> None:
    stores = open_stores(":memory:")
    assert "vectors" not in vars(stores)
    assert stores.vectors is stores.vectors and stores.vectors.embeddings is stores.embeddings
    with pytest.raises(AttributeError):
        _ = stores.nothing  # type: ignore[attr-defined]
    stores.close()


def test_a_url_chooses_the_store(tmp_path: Path) -> None:
    path = tmp_path / "cortex.db"
    stores = open_stores(f"sqlite:///{path}")
    stores.events.append([extracted()], NOW)
    stores.close()
    again = open_stores(str(path))
    assert again.events.count() == 1
    again.close()
    open_stores("sqlite://").close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://user@host", "the URL names no database"),
        ("postgresql://user@host/db?pool_size=many", "pool_size and pool_timeout of a database are numbers"),
        ("mysql://host/db", "there is no store for mysql://"),
        ("sqlite://host/db", "sqlite://host/db names a host"),
    ],
)
def test_a_url_that_cannot_be_opened_is_named_in_one_sentence(url: str, said: str) -> None:
    with pytest.raises(ConfigError) as problem:
        open_stores(url)
    assert str(problem.value) == said and problem.value.hint


def test_the_setting_takes_a_path_or_a_url(tmp_path: Path) -> None:
    for given in (f"{tmp_path}/a.db", f"sqlite:///{tmp_path}/a.db"):
        assert load_settings({"HOME": str(tmp_path), "NOUS_DB_PATH": given}).db_path == f"{tmp_path}/a.db"
        assert database_path({"HOME": str(tmp_path), "NOUS_DB_PATH": given}) == f"{tmp_path}/a.db"
    asked = load_settings({"HOME": str(tmp_path), "NOUS_DB_PATH": "postgresql://host/db"})
    assert asked.db_path == "postgresql://host/db"


def test_an_empty_file_is_brought_to_the_newest_schema_step_by_step(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    raw = apsw.Connection(path)
    steps = migrations("sqlite")
    for number, script in steps:
        raw.execute(script).fetchall()
        raw.execute(f"PRAGMA user_version = {number}").fetchall()
    by_hand = sorted(raw.execute("SELECT type, name, sql FROM sqlite_schema").fetchall(), key=str)
    raw.close()
    db = Sqlite(str(tmp_path / "other.db"))
    assert sorted(db.connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall(), key=str) == by_hand
    assert db.connection.pragma("user_version") == steps[-1][0]
    db.close()


def test_a_file_of_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    raw = apsw.Connection(path)
    first, *_ = migrations("sqlite")
    raw.execute(first[1]).fetchall()
    raw.execute(f"PRAGMA user_version = {first[0]}").fetchall()
    raw.close()
    stores = open_stores(path)
    assert stores.events.append([extracted(**EMPTY)], NOW) == [1]
    stores.close()


def test_every_statement_is_valid_for_the_schema() -> None:
    memory, code = Sqlite(":memory:"), apsw.Connection(":memory:")
    known = dict(statements("sqlite"))
    code.execute(known.pop("code.schema"))  # the graph of a work tree is a file of its own
    for name, sql in known.items():
        if "vec_" not in sql:
            connection = code if name.startswith("code.") else memory.connection
            assert connection.execute(f"EXPLAIN {sql}", (None,) * sql.count("?") or _nothing(sql)).fetchall(), name
    memory.close()


def _nothing(sql: str) -> dict[str, object]:
    return dict.fromkeys(re.findall(r":(\w+)", sql))


def test_a_statement_nobody_wrote_is_named() -> None:
    with pytest.raises(StoreError, match=r"no statement 'events\.guess' for sqlite"):
        statement("sqlite", "events.guess")


def test_a_file_of_a_newer_nous_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cortex.db"
    open_stores(str(path)).close()
    raw = apsw.Connection(str(path))
    raw.execute("PRAGMA user_version = 999").fetchall()
    raw.close()
    with pytest.raises(SchemaTooNew, match="has schema 999, this Nous knows") as refused:
        open_stores(str(path))
    assert refused.value.hint and "update" in refused.value.hint


@pytest.mark.parametrize("content", [b"this is no database at all " * 40, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_file_full_of_garbage_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cortex.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a healthy database") as said:
        open_stores(str(path))
    assert "\n" not in str(said.value) and str(path) in str(said.value)
    assert path.read_bytes() == content


def test_a_full_disk_is_one_sentence_and_nothing_is_half_written(tmp_path: Path) -> None:
    stores = open_stores(str(tmp_path / "cortex.db"))
    assert isinstance(stores.db, Sqlite)
    stores.events.append([extracted("before", **EMPTY)], NOW)
    pages = stores.db.connection.pragma("page_count")
    stores.db.connection.execute(f"PRAGMA max_page_count = {pages + 2}").fetchall()
    with pytest.raises(StoreError, match="the disk is full; nothing was written"):
        stores.events.append([extracted(f"l{n}", content="x" * 300, **EMPTY) for n in range(500)], NOW)
    assert stores.events.count() == 1
    stores.db.connection.execute("PRAGMA max_page_count = 1000000").fetchall()
    assert stores.events.append([extracted("after", **EMPTY)], NOW) == [2]
    stores.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreError, match=f"cannot write to {folder}"):
        open_stores(str(folder / "cortex.db"))


def test_a_path_below_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write to"):
        open_stores(str(tmp_path / "file" / "cortex.db"))


def test_a_database_opened_for_reading_cannot_be_written(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    open_stores(path).close()
    stores = open_stores(path, readonly=True)
    assert stores.events.count() == 0
    with pytest.raises(StoreError, match="cannot write"):
        stores.events.append([extracted(**EMPTY)], NOW)
    stores.close()


def test_waiting_too_long_for_another_writer_is_one_sentence(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    first, second = open_stores(path), open_stores(path)
    assert isinstance(second.db, Sqlite)
    second.db.connection.set_busy_timeout(20)
    with first.db.transaction(), pytest.raises(StoreError, match="is held by another process for too long"):
        second.events.append([extracted(**EMPTY)], NOW)
    assert second.events.count() == 0, "and reading never waits"
    first.close()
    second.close()


def test_transactions_may_be_nested_and_the_outermost_decides(tmp_path: Path) -> None:
    stores = open_stores(str(tmp_path / "cortex.db"))
    with stores.db.transaction(), stores.db.transaction():
        stores.events.append([extracted("a", **EMPTY)], NOW)

    def fail() -> None:
        with stores.db.transaction():
            with stores.db.transaction():
                stores.events.append([extracted("b", **EMPTY)], NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert stores.events.count() == 1
    stores.close()


def test_rows_of_one_moment_have_an_order() -> None:
    """Times are written to the millisecond: an order by time alone leaves it to the engine which row is first."""
    by_time = re.compile(r"ORDER BY (?:[^();]*,\s*)?[\w.]*(?:_at|time|valid_from|\bat)(?: DESC)?\s*(?:LIMIT|;|\))")
    assert not {name for name, sql in statements("sqlite").items() if by_time.search(f"{sql};")}
