"""The push surface: written between markers, out of git's sight, never at the cost of the user's own text."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, Home, extracted
from nous.errors import NousError
from nous.features.brief import surface
from nous.features.brief.packets import warm_all
from nous.identity import Project, identify
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.packing import Packet
from nous.kernel.hooks.responses import HookContext, answer
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores

Learn = Callable[[str], None]


@pytest.fixture
def place(home: Home) -> Project:
    """A git repository."""
    return identify(str(home.project()))


@pytest.fixture
def learn(stores: Stores, place: Project) -> Learn:
    """Give the project one more memory and make its packets."""

    def one(content: str) -> None:
        stores.events.append([extracted(f"l{stores.events.last_id()}", content, project_id=place.id)], NOW)
        catch_up(stores, NOW)
        stores.cache.see_project(place.id, place.root, place.branch, NOW)
        warm_all(stores, NOW)

    return one


def read(place: Project) -> str:
    return Path(place.root, surface.FILE).read_text()


def untracked(home: Home, place: Project) -> str:
    command = ["git", "-C", place.root, "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(command, capture_output=True, text=True, env=home.environ, check=True).stdout


def test_on_writes_the_brief_and_git_does_not_see_it(home: Home, stores: Stores, place: Project, learn: Learn) -> None:
    learn("Use pnpm.")
    state = surface.switch_on(stores.cache, place)
    assert state.on and state.ignored and state.changed and state.memories == (1,)
    assert "- Use pnpm. [Memory #1:" in read(place)
    assert untracked(home, place) == ""
    assert not surface.switch_on(stores.cache, place).changed


def test_preview_shows_what_the_file_shows(home: Home) -> None:
    project = home.project()
    home.nous("remember", "Use pnpm, not npm.", cwd=project)
    home.nous("surface", "on", cwd=project)
    [line] = json.loads(home.nous("preview", "--json", cwd=project).stdout)["start"]
    assert line["text"].startswith("Use pnpm, not npm.") and surface.FILE in line["why"]
    home.nous("surface", "off", cwd=project)
    [line] = json.loads(home.nous("preview", "--json", cwd=project).stdout)["start"]
    assert line["text"].startswith("Use pnpm, not npm.") and surface.FILE not in line["why"]


def test_off_leaves_nothing(home: Home, stores: Stores, place: Project, learn: Learn) -> None:
    exclude = Path(place.root, ".git", "info", "exclude")
    before = exclude.read_bytes() if exclude.exists() else b""
    learn("Use pnpm.")
    surface.switch_on(stores.cache, place)
    state = surface.switch_off(place)
    assert state.changed and not state.on
    assert not Path(place.root, ".claude").exists() and exclude.read_bytes() == before
    assert not surface.switch_off(place).changed


def test_it_follows_the_packets_only_where_it_is_on(stores: Stores, place: Project, learn: Learn) -> None:
    learn("Use pnpm.")
    assert surface.refresh(stores.cache) == []
    surface.switch_on(stores.cache, place)
    assert surface.refresh(stores.cache) == []
    learn("Deploys happen on Tuesdays.")
    assert surface.refresh(stores.cache, {"another"}) == []
    assert surface.refresh(stores.cache, {place.id}) == [str(Path(place.root, surface.FILE))]
    assert "Tuesdays" in read(place)
    Path(place.root, surface.FILE).unlink()  # the user's way of saying no
    learn("Third.")
    assert surface.refresh(stores.cache) == [] and not surface.status(place).on


LINES = st.sampled_from(["mine", "", "# Title", "é\r", "<!-- a comment -->", "[Memory #9: x]", "  "])


@given(st.lists(LINES), st.lists(LINES), st.booleans())
def test_the_users_own_text_keeps_every_byte(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], is_ended: bool
) -> None:
    path = tmp_path_factory.mktemp("surface") / "nous.local.md"
    own = "".join(f"{line}\n" for line in before), "\n".join(after) + ("\n" if is_ended else "")
    part = f"{surface.BEGIN}\nold\n{surface.END}\n"
    path.write_bytes((own[0] + part + own[1]).encode())
    surface._put_part(str(path), Packet("new", (1,)))
    assert path.read_bytes().decode() == own[0] + part.replace("old", "new") + own[1]
    surface._take_out(str(path))
    assert (path.read_bytes().decode() if path.exists() else "").strip() == (own[0] + own[1]).strip()
    assert not path.exists() or path.read_bytes().decode() == own[0] + own[1]


def test_a_file_without_markers_gets_them_at_its_end(stores: Stores, place: Project, learn: Learn) -> None:
    path = Path(place.root, surface.FILE)
    path.parent.mkdir(parents=True)
    path.write_text("Always be kind.")
    learn("Use pnpm.")
    surface.switch_on(stores.cache, place)
    assert read(place).startswith("Always be kind.\n<!-- nous:begin")
    surface.switch_off(place)
    assert read(place) == "Always be kind.\n"


def test_damaged_markers_are_left_alone(stores: Stores, place: Project, learn: Learn) -> None:
    learn("Use pnpm.")
    surface.switch_on(stores.cache, place)
    path = Path(place.root, surface.FILE)
    path.write_text(path.read_text().replace(surface.END, ""))
    broken = path.read_text()
    with pytest.raises(NousError, match="damaged"):
        surface.switch_on(stores.cache, place)
    learn("Second.")
    assert surface.refresh(stores.cache) == [] and path.read_text() == broken


def test_a_link_out_of_the_project_is_not_followed(
    stores: Stores, place: Project, learn: Learn, tmp_path: Path
) -> None:
    target = tmp_path / "victim.txt"
    target.write_text(f"{surface.BEGIN}\n{surface.END}\n")
    path = Path(place.root, surface.FILE)
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    learn("Use pnpm.")
    with pytest.raises(NousError, match="link"):
        surface.switch_on(stores.cache, place)
    assert surface.refresh(stores.cache) == [] and "pnpm" not in target.read_text()


def test_a_file_that_is_in_git_is_refused(home: Home, stores: Stores, place: Project, learn: Learn) -> None:
    path = Path(place.root, surface.FILE)
    path.parent.mkdir(parents=True)
    path.write_text("Team rules.\n")
    home.git(Path(place.root), "add", "-f", surface.FILE)
    learn("Use pnpm.")
    with pytest.raises(NousError, match="in git"):
        surface.switch_on(stores.cache, place)
    assert read(place) == "Team rules.\n"


def test_many_writers_at_once_leave_one_whole_part(home: Home, place: Project) -> None:
    home.nous("remember", "Use pnpm.", cwd=Path(place.root))
    home.nous("surface", "on", cwd=Path(place.root))
    command = [sys.executable, "-m", "nous", "surface", "on"]
    writers = [subprocess.Popen(command, env=home.environ, cwd=place.root, stdout=-3) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert read(place).count("nous:begin") == read(place).count("nous:end") == 1


def test_a_session_is_not_told_what_stands_on_the_surface(stores: Stores, place: Project, learn: Learn) -> None:
    assert isinstance(stores.db, Sqlite)
    connection = stores.db.connection
    learn("Use pnpm.")
    surface.switch_on(stores.cache, place)
    learn("Deploys happen on Tuesdays.")

    def said(cwd: str) -> str:
        body = json.dumps({"session_id": "s", "cwd": cwd, "source": "startup"}).encode()
        return answer("SessionStart", body, HookContext(HookStore(connection), NOW)).decode()

    assert "Tuesdays" in said(place.root) and "pnpm" not in said(place.root)


def test_the_command_and_uninstalling(home: Home, place: Project) -> None:
    def run(*words: str) -> Any:
        done = home.nous(*words, "--json", cwd=Path(place.root))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    run("remember", "Use pnpm.")
    assert run("surface", "status")["on"] is False
    assert run("surface", "on")["memories"] == [1]
    assert home.nous("surface", "status", cwd=Path(place.root)).stdout.startswith("surface: on, in ")
    assert run("surface", "off")["on"] is False
    run("surface", "on")
    assert str(Path(place.root, surface.FILE)) in run("uninstall")["removed"]
    assert not Path(place.root, ".claude").exists()


def test_the_daemon_keeps_it_up_to_date(home: Home, place: Project) -> None:
    home.nous("remember", "Use pnpm.", cwd=Path(place.root))
    home.nous("surface", "on", cwd=Path(place.root))
    home.nous("up")
    home.nous("remember", "Deploys happen on Tuesdays.", cwd=Path(place.root))
    end = time.monotonic() + 30
    while "Tuesdays" not in read(place):
        assert time.monotonic() < end, "it was never written"
        time.sleep(0.1)


def test_packets_are_ready_for_the_branches_worked_on_last_and_the_one_seen(stores: Stores) -> None:
    said = [extracted(f"l{n}", f"Branch rule {n} holds.", project_id="p", branch=f"b{n}") for n in range(8)]
    stores.events.append(said, NOW)
    catch_up(stores, NOW)
    stores.cache.see_project("p", "", "b0", NOW)
    warm_all(stores, NOW)
    ready = {row["branch"] for row in stores.cache.of_project("p")}
    assert ready == {"", "b0", *(f"b{n}" for n in range(3, 8))}
