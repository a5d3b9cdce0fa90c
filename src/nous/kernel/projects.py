"""Names of projects: one keeps its id when its folder is renamed or a remote is added; users may give names.

The table of names is the truth; the file beside the database is what `nous.identity` reads, so that a hook needs
nothing else to know which project it is in.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

from nous.errors import NotFound, NousError
from nous.identity import ALIASES, FOLDER, Project
from nous.kernel.learn.introduce import Origin
from nous.kernel.learn.learn import take_up
from nous.kernel.log.events import Extracted, Payload, Superseded, Writer, make_event
from nous.kernel.log.extraction import Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.project_names import Projects
from nous.kernel.sharing import is_circle
from nous.paths import private

if TYPE_CHECKING:
    from nous.kernel.stores import Cache, Memories, Stores

MOST_MEMORIES = 1_000_000


def see(cache: Cache, projects: Projects, project: Project, data_dir: str, now: str) -> None:
    """Note that somebody works in a project, and what it is recognised by."""
    known = note(projects, project, data_dir, now)
    cache.see_project(known.id, known.root, known.branch or None, now)


def note(projects: Projects, project: Project, data_dir: str, now: str) -> Project:
    """The project under its lasting id; what is recognised by marks gets those it has now."""
    known = projects.meaning(project.found_as or project.id)
    if known is not None:
        return project._replace(id=known)
    marked = next(filter(None, map(projects.meaning, project.marks)), None)
    if marked is None:
        if project.id == project.root:
            _mark(projects, project, data_dir, now)
        return project
    found_as = project.found_as or project.id
    if found_as == project.root:
        project = project._replace(id=marked)
        _mark(projects, project, data_dir, now)
        return project
    if projects.get(found_as) is None:  # it has a remote now
        _alias(projects, found_as, marked, "remote", data_dir, now)
        return project._replace(id=marked)
    with projects.db.transaction():  # and others work with that remote already: they were there first
        for mark in project.marks:
            projects.forget(mark)
        publish(projects, data_dir)
    return project._replace(id=found_as)


def _mark(projects: Projects, project: Project, data_dir: str, now: str) -> None:
    """Let a project be recognised by the marks it has now; those of a folder change with what lies in it."""
    rows = (row for row in projects.aliases() if row["kind"] == "mark")
    known = {row["alias"] for row in rows if row["project_id"] == project.id}
    if known == set(project.marks) or not project.marks:
        return
    places = {_place(mark) for mark in project.marks}
    rivals = {_place(mark) for mark in known if mark.startswith(FOLDER) == project.marks[0].startswith(FOLDER)}
    if rivals and not rivals & places:
        return  # another folder with this path: the one that was here first may live on under another name
    with projects.db.transaction():
        for mark in known:
            projects.forget(mark)
        for mark in project.marks:
            projects.alias(mark, project.id, "mark", now)
        publish(projects, data_dir)


def _place(mark: str) -> str:
    """The part of a mark that stays as long as a folder does; of a repository's mark, all of it."""
    return mark.rsplit(":", 2)[0] if mark.startswith(FOLDER) else mark


def alias(projects: Projects, name: str, project_id: str, data_dir: str, now: str) -> None:
    """Let a name stand for a project from now on, here and in hooks."""
    _only_projects(name, project_id)
    if name == project_id:
        raise NousError(f"{name} is its own name already")
    _alias(projects, name, project_id, "user", data_dir, now)


def _only_projects(*names: str) -> None:
    """Refuse names that stand for a team or the organisation: what a project says does not become theirs."""
    if circle := next(filter(is_circle, names), None):
        raise NousError(f"{circle} is no project", hint="`nous admin team` is about teams")


def merge(stores: Stores, source: str, target: str, data_dir: str, now: str) -> int:
    """Make two projects one: the active memories of one are learned anew in the other; how many.

    The log is not rewritten: what was learned in the old project stays there, superseded, with its history.
    """
    _only_projects(source, target)
    if source == target:
        raise NousError(f"{source} is one project already")
    with stores.db.transaction():
        catch_up(stores, now)
        memories = stores.memories.listing(source, status="active", limit=MOST_MEMORIES, with_global=False)
        moved = sum(_move(stores, memory, target, now) for memory in reversed(memories))
        stores.exchanges.move_project(source, target)
        stores.projects.drop(source)
        _alias(stores.projects, source, target, "merged", data_dir, now)
    return moved


def _move(stores: Stores, memory: Memory, target: str, now: str) -> int:
    """Learn one memory in another project; 1 when that could be done."""
    born = stores.events.get(memory.id)
    if born is None or not isinstance(born.payload, Extracted):
        return 0
    said = born.payload
    fields = {name: getattr(said, name) for name in Learning.__struct_fields__ if hasattr(said, name)}
    learning = Learning(**fields | {"evidence": memory.evidence, "valid_until": memory.valid_until})
    moment = memory.valid_from or memory.created_at
    origin = Origin(target, born.session_id, "user_review", moment, said.extractor_version)
    key = f"merge:{target}:{memory.learning_id}"
    extra = {"tags": said.tags, "ref": said.ref, "pinned": memory.pinned, "anchors": said.anchors}
    _, number = take_up(stores, learning, origin, key, now, extra)
    newer = stores.events.get(number)
    if newer is None or newer.learning_id == memory.learning_id:
        return 0
    gone = Superseded(superseded_by=newer.learning_id, reason="its project became part of another")
    by = Writer(memory.session_id, "user_review")
    old, new, home = memory.learning_id, newer.learning_id, memory.project_id
    events = [make_event("LearningSuperseded", old, gone, f"{key}:gone", project_id=home, by=by, at=now)]
    if memory.confirmed:
        events.append(make_event("LearningConfirmed", new, Payload(), f"{key}:ok", project_id=target, by=by, at=now))
    stores.events.append(events, now)
    catch_up(stores, now)
    return 1


def _alias(projects: Projects, name: str, project_id: str, kind: str, data_dir: str, now: str) -> None:
    with projects.db.transaction():
        projects.alias(name, project_id, kind, now)
        publish(projects, data_dir)


def publish(projects: Projects, data_dir: str) -> None:
    """Write the names where hooks look for them; the old file or the new one is there at any moment."""
    if not data_dir:
        return
    os.makedirs(data_dir, mode=0o700, exist_ok=True)  # nobody made it yet when the memory is on a server
    path = os.path.join(data_dir, ALIASES)
    lines = [f"{row['alias']}\t{row['project_id']}\n" for row in projects.aliases()]
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8", errors="surrogateescape", opener=private) as file:
        file.writelines(lines)
    os.replace(f"{path}.{os.getpid()}", path)


def find(memories: Memories, cache: Cache, projects: Projects, given: str) -> str:
    """The known project that somebody names: by its id, another name of it, its path, or its folder's name alone."""
    if is_circle(given):
        return given
    roots: dict[str, str] = {row["project_id"]: row["root"] for row in cache.projects()}
    known: set[str] = {*roots, *(row["project_id"] for row in memories.counts())}
    path = os.path.realpath(os.path.expanduser(given))
    for name in (given, path):
        if (meant := str(projects.meaning(name) or name)) in known:
            return meant
    folders = {one: os.path.basename(roots.get(one) or one) for one in sorted(known)}
    called = [one for one, folder in folders.items() if given in (folder, os.path.basename(one))]
    if len(called) == 1:
        return str(called[0])
    if called:
        raise NotFound(f"several projects are called {given!r}", hint=f"say which: {' or '.join(called)}")
    near = get_close_matches(os.path.basename(path), folders.values(), 3) or get_close_matches(given, known, 3)
    alike = [one for one, folder in folders.items() if folder in near or one in near]
    hint = f"did you mean {' or '.join(alike[:3])}?" if alike else "`nous admin project list` names them"
    raise NotFound(f"there is no folder and no known project {given!r}", hint=hint)
