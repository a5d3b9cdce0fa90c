"""One project, one id, however it is reached."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import NOW, Home, sized
from nous.identity import ALIASES, ORGANISATION, TEAM, identify, normalise_remote
from nous.kernel import sharing
from nous.kernel.projects import note
from nous.kernel.sharing import is_circle
from nous.kernel.stores import open_stores

words = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)


@given(host=words, owner=words, repo=words, user=words, port=st.integers(1, 65535))
def test_every_spelling_of_a_remote_is_one_id(host: str, owner: str, repo: str, user: str, port: int) -> None:
    host = f"{host}.example"
    spellings = [
        f"git@{host}:{owner}/{repo}.git",
        f"{user}@{host}:{owner}/{repo}",
        f"https://{host}/{owner}/{repo}",
        f"https://{user}:secret@{host}/{owner}/{repo}.git",
        f"ssh://git@{host.upper()}:{port}/{owner}/{repo}.git",
        f"git://{host}/{owner}/{repo}/",
    ]
    assert {normalise_remote(spelling) for spelling in spellings} == {f"{host}/{owner}/{repo}"}


def test_a_password_in_a_remote_is_not_part_of_the_id() -> None:
    assert "hunter2" not in normalise_remote("https://me:hunter2@example.com/a/b.git")


@pytest.mark.parametrize(
    "remote", ["organisation", "./organisation", "./team:shop", "file://team:shop", "./team:shop/x"]
)
def test_no_repository_calls_itself_a_team(home: Home, remote: str) -> None:
    found = identify(str(home.project("trap", remote)))
    assert found.id == found.root
    assert not is_circle(found.id) and (TEAM, ORGANISATION) == (sharing.TEAM, sharing.ORGANISATION)


def test_subdirectories_and_worktrees_agree(home: Home) -> None:
    app = home.project("app")
    (app / "src" / "deep").mkdir(parents=True)
    (app / "README.md").write_text("x")
    home.git(app, "add", "-A")
    home.git(app, "-c", "user.name=d", "-c", "user.email=d@example.com", "commit", "-qm", "x")
    other = home.home / "elsewhere"
    home.git(app, "worktree", "add", "-q", "-b", "fix", str(other))
    assert identify(str(app / "src" / "deep")).id == identify(str(app)).id == identify(str(other)).id
    assert (identify(str(app)).branch, identify(str(other)).branch) == ("main", "fix")


def test_two_clones_of_one_remote_are_one_project(home: Home) -> None:
    remote = "git@example.com:acme/billing.git"
    one, two = home.project("one", remote), home.project("two", remote)
    assert identify(str(one)).id == identify(str(two)).id == "example.com/acme/billing"


def test_projects_with_alike_names_differ(home: Home) -> None:
    assert identify(str(home.project("billing"))).id != identify(str(home.project("billing-web"))).id


def test_a_directory_that_is_gone_still_has_an_id(tmp_path: Path) -> None:
    gone = tmp_path / "never" / "there"
    assert identify(str(gone)).id == str(gone.resolve())


def test_dotfiles_in_the_home_do_not_swallow_projects(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home.home))
    home.git(home.home, "init", "-q")
    plain = home.home / "notes"
    plain.mkdir()
    assert identify(str(plain)).id == str(plain.resolve())


def test_a_broken_git_file_is_harmless(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe garbage")
    assert identify(str(tmp_path)).branch == ""


def names(data: Path, rows: dict[str, str]) -> None:
    data.mkdir(exist_ok=True)
    (data / ALIASES).write_text("".join(f"{name}\t{project}\n" for name, project in rows.items()))


def test_a_repository_is_recognised_by_its_mark_wherever_it_is_moved(home: Home) -> None:
    app = home.project("app")
    before = identify(str(app), str(home.data))
    names(home.data, dict.fromkeys(before.marks, before.id))
    moved = app.rename(home.home / "moved")
    found = identify(str(moved), str(home.data))
    assert (found.id, found.root, found.found_as) == (before.id, str(moved.resolve()), str(moved.resolve()))


def test_two_repositories_never_share_a_mark(home: Home, tmp_path: Path) -> None:
    app = home.project("app")
    copy = tmp_path / "copy"
    shutil.copytree(app, copy)
    first = identify(str(app), "").marks
    assert first and first != identify(str(copy), "").marks
    shutil.rmtree(app)
    assert identify(str(home.project("app")), "").marks != first, "a new repository in the old place"


@given(st.dictionaries(words, words, max_size=8), words)
def test_a_name_stands_for_exactly_what_the_file_says(rows: dict[str, str], asked: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names(Path(folder), {f"/nowhere/{name}": project for name, project in rows.items()})
        assert identify(f"/nowhere/{asked}", folder).id == rows.get(asked, f"/nowhere/{asked}")


steps = st.lists(
    st.tuples(st.sampled_from(["make", "rename", "copy", "edit", "add", "renew"]), st.integers(0, 9)), max_size=12
)


@settings(max_examples=sized(15, 40), deadline=None)
@given(steps)
def test_a_plain_folder_keeps_its_id_when_it_is_renamed_and_no_two_share_one(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root, stores = Path(place), open_stores(":memory:")
        data = root / "data"
        data.mkdir()
        ids: dict[Path, str] = {}  # the folders there are, and what they were called when somebody worked there first

        def visit(folder: Path) -> str:
            return note(stores.projects, identify(str(folder), str(data)), str(data), NOW).id

        def make(folder: Path) -> None:
            folder.mkdir()
            for name in "abc":
                (folder / name).write_text(name)
            ids[folder] = visit(folder)

        make(root / "first")
        for number, (step, chosen) in enumerate(steps):
            folder = list(ids)[chosen % len(ids)]
            fresh = root / f"folder-{number}"
            match step:
                case "make":
                    make(fresh)
                case "rename":
                    ids[folder.rename(fresh)] = ids.pop(folder)
                case "copy":
                    shutil.copytree(folder, fresh)
                    ids[fresh] = visit(fresh)
                case "edit":
                    (folder / "abc"[chosen % 3]).write_text(str(number))
                    visit(folder)
                case "add":
                    (folder / f"more-{number}").write_text("x")
                case "renew":  # the system may give a new folder the inodes of one that is gone
                    del ids[folder]
                    shutil.rmtree(folder)
                    make(fresh)
            assert {folder: visit(folder) for folder in ids} == ids
            assert len(set(ids.values())) == len(ids)
        stores.close()


def test_an_edit_while_nobody_looks_does_not_lose_a_renamed_folder(tmp_path: Path) -> None:
    stores, folder = open_stores(":memory:"), tmp_path / "plain"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_text(name)
    before = note(stores.projects, identify(str(folder), ""), "", NOW).id
    (folder / "a").write_text("changed")
    (folder / "b").unlink()
    moved = folder.rename(tmp_path / "moved")
    assert note(stores.projects, identify(str(moved), ""), "", NOW).id == before
    stores.close()


def test_a_folder_with_the_inode_of_another_and_its_files_times_is_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("a")
    stat = (folder / "a").stat()
    before = identify(str(folder), "").marks
    (folder / "a").unlink()
    time.sleep(0.02)
    (folder / "a").write_text("a")  # often with the same inode
    os.utime(folder / "a", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    after = identify(str(folder), "").marks
    assert before and after and not set(before) & set(after)
