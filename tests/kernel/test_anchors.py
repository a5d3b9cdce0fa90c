"""A memory about code is checked against the code: by real files in a real repository."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from factories import Home
from nous.app import Nous
from nous.config import load_settings
from nous.identity import head_commit, work_tree
from nous.kernel.hooks.anchors import CHANGED, GONE, SYMBOL_GONE, look, take, verdict
from nous.kernel.learn.introduce import Origin, with_anchors
from nous.kernel.log.extraction import Learning
from nous.moments import later

CLOCK = "import time\n\n\ndef now():\n    return time.time()\n\n\ndef later(by):\n    return now() + by\n"
SAID = 4_000_000_000.0


@pytest.fixture
def tree(home: Home) -> Path:
    """A repository with one commit."""
    project = home.project()
    (project / "src").mkdir()
    (project / "src" / "clock.py").write_text(CLOCK)
    commit(home, project)
    return project


def commit(home: Home, project: Path) -> None:
    home.git(project, "add", ".")
    home.git(project, "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-qm", "x")


def rows(tree: Path, *symbols: str) -> list[tuple[str, str, str]]:
    return take(str(tree), str(tree), ["src/clock.py"], symbols, SAID)


def test_an_anchor_names_file_symbol_and_hash(tree: Path) -> None:
    [(file, symbol, hash)] = rows(tree, "clock.now()")
    assert (file, symbol, len(hash)) == ("src/clock.py", "now", 16)
    assert [row[1] for row in rows(tree, "nowhere")] == [""]  # the file alone, where it names no such symbol


def test_a_file_is_found_from_a_folder_below_the_root(tree: Path) -> None:
    assert take(str(tree), str(tree / "src"), ["clock.py"], (), SAID)[0][0] == "src/clock.py"


@pytest.mark.parametrize("file", ["../outside.py", "src/link.py", "src", "src/none.py", "/etc/hostname", "a\0b"])
def test_nothing_outside_of_the_tree_is_read(tree: Path, file: str) -> None:
    (tree.parent / "outside.py").write_text("x = 1\n")
    (tree / "src" / "link.py").symlink_to(tree.parent / "outside.py")
    assert take(str(tree), str(tree), [file], (), SAID) == []


def test_a_pipe_in_the_tree_does_not_hang(tree: Path) -> None:
    os.mkfifo(tree / "src" / "pipe.py")
    assert take(str(tree), str(tree), ["src/pipe.py"], (), SAID) == []


def test_what_was_said_before_the_file_changed_has_no_hash(tree: Path) -> None:
    assert take(str(tree), str(tree), ["src/clock.py"], ["now()"], 0.0) == [("src/clock.py", "now", "")]


def found(tree: Path, row: tuple[str, str, str]) -> str:
    return look(str(tree), *row).doubt


def test_a_symbol_is_judged_by_its_own_lines(tree: Path) -> None:
    [now], [whole] = rows(tree, "now()"), rows(tree)
    (tree / "src" / "clock.py").write_text(CLOCK.replace("now() + by", "now() + 2 * by"))
    assert (found(tree, now), found(tree, whole)) == ("", CHANGED)
    (tree / "src" / "clock.py").write_text(CLOCK.replace("time.time()", "time.monotonic()"))
    assert found(tree, now) == CHANGED
    (tree / "src" / "clock.py").write_text(CLOCK.replace("now", "present"))
    assert found(tree, now) == SYMBOL_GONE
    (tree / "src" / "clock.py").unlink()
    assert found(tree, now) == GONE


def test_white_space_at_the_end_of_a_line_is_no_change(tree: Path) -> None:
    [now] = rows(tree, "now()")
    (tree / "src" / "clock.py").write_text(CLOCK.replace("()\n", "()  \n"))
    assert found(tree, now) == ""


def test_one_file_of_several_that_is_gone_is_named(tree: Path) -> None:
    (tree / "b.py").write_text("b = 1\n")
    both = take(str(tree), str(tree), ["src/clock.py", "b.py"], (), SAID)
    (tree / "b.py").unlink()
    assert verdict(str(tree), both) == (False, "b.py is gone")
    (tree / "src" / "clock.py").unlink()
    assert verdict(str(tree), both).is_gone


def test_a_file_with_its_old_time_and_size_is_not_read_again(tree: Path) -> None:
    [row] = rows(tree)
    before = look(str(tree), *row)
    path = tree / "src" / "clock.py"
    stat = path.stat()
    path.write_text(CLOCK.replace("now", "ago"))  # as long as before
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert verdict(str(tree), [(*row, *before)]).note == ""
    os.utime(path)
    assert verdict(str(tree), [(*row, *before)]).note == "src/clock.py changed since"


def test_learnings_about_code_are_anchored_with_the_commit(home: Home, tree: Path) -> None:
    def anchors_of(kind: str, valid_from: str = "2030-01-01T00:00:00.000Z") -> list[tuple[str, str, str, bool]]:
        learning = Learning(content="x", type=kind, evidence=("e",), files=("src/clock.py",), symbols=("now",))
        origin = Origin("p", "s", "fs_watch", valid_from, "test", place=str(tree))
        return [(one.file, one.symbol, one.commit, bool(one.hash)) for one in with_anchors(learning, origin)]

    head = head_commit(str(tree))
    assert len(head) == 40
    assert anchors_of("gotcha") == [("src/clock.py", "now", head, True)]
    assert anchors_of("gotcha", "2020-01-01T00:00:00.000Z") == [("src/clock.py", "now", "", False)]
    assert anchors_of("preference") == anchors_of("work_state") == []
    home.git(tree, "pack-refs", "--all")
    assert head_commit(str(tree)) == head
    home.git(tree, "checkout", "-q", "--detach")
    assert head_commit(str(tree)) == head


# -- in packets and answers -----------------------------------------------------------------------------------------

GOTCHA = "now() is naive UTC on purpose."


@pytest.fixture
def nous(home: Home) -> Iterator[Nous]:
    with Nous.open(settings=load_settings(home.environ)) as opened:
        yield opened


Told = Callable[[str], str]


@pytest.fixture
def told(home: Home, nous: Nous) -> Told:
    """What a session in a directory is told at its start, by a hook without a daemon."""
    count = iter(range(100))

    def ask(cwd: str) -> str:
        body = {"session_id": f"s{next(count)}", "cwd": cwd, "source": "startup"}
        said = home.nous("hook", "SessionStart", stdin=json.dumps(body)).stdout
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    return ask


def test_what_changed_is_marked_when_it_is_served_and_again_when_it_is_prepared(
    nous: Nous, tree: Path, told: Told
) -> None:
    nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree))
    nous.refresh()
    assert GOTCHA in told(str(tree)) and "outdated" not in told(str(tree))
    (tree / "src" / "clock.py").write_text(CLOCK.replace("time.time()", "time.monotonic()"))
    marked = f"- {GOTCHA} (may be outdated: "
    assert marked in told(str(tree))  # the packet was made before the change
    nous.remember("Something else entirely.", project=str(tree))
    nous.refresh()
    assert marked in told(str(tree))
    (tree / "src" / "clock.py").write_text(CLOCK)
    assert GOTCHA in told(str(tree)) and "outdated" not in told(str(tree))


def test_a_file_that_is_gone_takes_its_memory_along(nous: Nous, tree: Path, told: Told) -> None:
    nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree))
    nous.remember("Use pnpm.", project=str(tree))
    nous.refresh()
    (tree / "src" / "clock.py").unlink()
    assert GOTCHA not in told(str(tree)) and "Use pnpm." in told(str(tree))
    nous.remember("Something else entirely.", project=str(tree))
    nous.refresh()
    assert GOTCHA not in told(str(tree))


def test_a_linked_work_tree_is_judged_by_its_own_files(home: Home, nous: Nous, tree: Path, told: Told) -> None:
    nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree))
    nous.refresh()
    other = tree.parent / "other"
    home.git(tree, "worktree", "add", "-q", str(other), "-b", "side")
    assert work_tree(str(other / "src")) == str(other)
    (other / "src" / "clock.py").write_text("")
    assert "outdated" in told(str(other)) and "outdated" not in told(str(tree))


def test_a_memory_that_holds_everywhere_is_not_judged_by_other_projects(
    home: Home, nous: Nous, tree: Path, told: Told
) -> None:
    nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree), scope="global")
    elsewhere = home.project("elsewhere")
    nous.remember("Use pnpm.", project=str(elsewhere))
    nous.refresh()
    assert GOTCHA in told(str(elsewhere)) and "outdated" not in told(str(elsewhere))


def test_anchors_survive_a_replay(nous: Nous, tree: Path) -> None:
    number = nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree))
    before = nous.get(number)
    assert [anchor.file for anchor in before.anchors] == ["src/clock.py"]
    from nous.kernel.memory.projection import replay

    replay(nous.stores, later(before.created_at, 1))
    assert nous.get(number) == before


def test_recall_shows_the_same_mark(nous: Nous, tree: Path) -> None:
    number = nous.remember(GOTCHA, type="gotcha", files=["src/clock.py"], project=str(tree))

    def marks() -> tuple[str, ...]:
        return next(hit.stale for hit in nous.recall("naive UTC", project=str(tree)) if hit.id == number)

    assert marks() == ()
    (tree / "src" / "clock.py").write_text(CLOCK.replace("time.time()", "time.monotonic()"))
    assert any("changed since" in mark for mark in marks())
