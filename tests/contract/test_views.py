"""Questions in SQL: the views are those of the reference, its examples run, and nothing else can be touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nous.app import Nous
from nous.config import load_settings
from nous.errors import Misuse
from nous.kernel.db import views
from nous.kernel.db.views import VIEWS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "sql.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


@pytest.fixture(scope="module")
def nous(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nous]:
    home = str(tmp_path_factory.mktemp("home"))
    with Nous.open(settings=load_settings({"HOME": home, "NOUS_DATA_DIR": home})) as made:
        old = made.remember("The gate closes at six.", project="shop", files=["src/pay.py"], type="decision")
        made.correct(old, "The gate closes at seven.")
        made.remember("Somebody else's thing.", project="other")
        made.remember("True everywhere.", project="other", scope="global")
        yield made


def test_the_page_says_what_the_views_are() -> None:
    shown = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## )", PAGE, re.S | re.M))
    assert list(shown) == [view.name for view in VIEWS]
    for view in VIEWS:
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \|$", shown[view.name], re.M)
        assert rows == [(name, says) for name, _, says in view.columns]


@pytest.mark.parametrize("sql", EXAMPLES)
def test_the_questions_of_the_page_can_be_asked(nous: Nous, sql: str) -> None:
    nous.sql(sql, all_projects=True)


def test_every_column_of_every_view_can_be_read(nous: Nous) -> None:
    for view in VIEWS:
        columns, rows = nous.sql(f"SELECT * FROM {view.name}", all_projects=True)
        assert not rows or columns == [name for name, _, _ in view.columns]
    _, [(was, now)] = nous.sql(EXAMPLES[5], project="shop")
    assert (was, now) == ("The gate closes at six.", "The gate closes at seven.")


def test_a_project_sees_its_own_and_what_holds_everywhere(nous: Nous) -> None:
    _, rows = nous.sql("SELECT content FROM memories WHERE status = 'active'", project="shop")
    assert {content for (content,) in rows} == {"The gate closes at seven.", "True everywhere."}
    assert nous.sql("SELECT * FROM events WHERE project = 'other'", project="shop")[1] == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM main.memories",
        "SELECT * FROM learning_events",
        "SELECT payload_json FROM main.learning_events",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM main.transcript_chunks",
        "DELETE FROM memories",
        "INSERT INTO main.memories (id) VALUES (1)",
        "UPDATE main.memories SET content = 'x'",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x AS SELECT * FROM memories",
        "DROP VIEW memories",
        "ATTACH ':memory:' AS other",
        "PRAGMA user_version = 1",
        "PRAGMA table_info(memories)",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM main.memories",
        "SELECT",
        "",
        "BEGIN",
        "VACUUM INTO 'copied.db'",
        "SELECT * FROM memories AS m, main.learning_events AS e",
        "WITH x AS (SELECT * FROM main.learning_events) SELECT * FROM x",
    ],
)
def test_nothing_but_the_views_can_be_touched(
    nous: Nous, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = nous.stores.events.count()
    if sql:
        with pytest.raises(Misuse):
            nous.sql(sql, all_projects=True)
    else:
        assert nous.sql(sql, all_projects=True)[1] == []
    assert nous.stores.events.count() == before and not Path("copied.db").exists()


def test_a_question_without_end_ends(nous: Nous, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "SECONDS", 0.2)
    with pytest.raises(Misuse, match="longer than"):
        nous.sql("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n")


def test_there_are_never_more_rows_than_wanted(nous: Nous) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    assert len(nous.sql(endless, limit=7)[1]) == 7
