"""The client's own memory: followed as an agent's word, never repeated where the client loads it, never written to."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factories import Home
from flows.poison import Tape
from kernel.test_capture import lines
from kernel.test_learn import Clock
from nous.features.client_memory.files import LARGEST, LOADED_LINES, is_memory_file, memory_files, slug_of
from nous.features.client_memory.follow import TAG, ClientMemory
from nous.features.client_memory.writers import Writers
from nous.kernel.capture.ignoring import Ignored
from nous.kernel.capture.intake import CaptureRules
from nous.kernel.log.events import Archived, Payload, Writer, make_event
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.recall.worth import is_certain, start_text
from nous.kernel.stores import Stores

ROOT = "/home/dev/my-app"
FACT = "The staging database is reset every Monday at six."
TOPIC = f"---\nname: staging\ndescription: Staging database\ntype: reference\n---\n\n# Staging\n\n- {FACT}\n"


class Place:
    """A projects' folder with the memory of one project, and what follows it."""

    def __init__(self, stores: Stores, projects: Path, rules: CaptureRules = CaptureRules()):
        self.stores, self.projects, self.clock = stores, projects, Clock()
        self.know("app", ROOT)
        self.memory = ClientMemory(stores, self.clock, rules)

    def know(self, project_id: str, root: str) -> None:
        self.stores.cache.see_project(project_id, root, "main", self.clock())

    def write(self, name: str, text: str | bytes, root: str = ROOT) -> Path:
        path = self.projects / slug_of(root) / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def follow(self) -> dict[str, int]:
        done = dict(self.memory.follow(str(self.projects)))
        assert compare_with_replay(self.stores.events, self.stores.memories, self.clock()).differences == []
        return done

    def active(self) -> list[Memory]:
        return self.stores.memories.listing(None)

    def mark(self, memory: Memory, kind: Any, payload: Payload = Payload()) -> None:
        by = Writer("t", "user_review")
        event = make_event(kind, memory.learning_id, payload, f"t:{kind}", project_id=memory.project_id, by=by)
        self.stores.events.append([event], self.clock())
        catch_up(self.stores, self.clock())


@pytest.fixture
def place(stores: Stores, tmp_path: Path) -> Place:
    return Place(stores, tmp_path)


def test_a_topic_file_is_an_agents_word_that_no_start_shows_and_a_prompt_may(place: Place) -> None:
    place.write("staging.md", TOPIC)
    assert place.follow() == {"taken": 1}
    [memory] = place.active()
    assert memory.content == f"Staging database Staging {FACT}"
    assert (memory.project_id, memory.source, memory.type, memory.tags) == ("app", "agent", "fact", (TAG,))
    assert start_text(memory) == "" and is_certain(memory)
    assert place.follow() == {}, "twice is once"
    assert place.memory.__class__(place.stores, place.clock).follow(str(place.projects)) == {"unchanged": 1}


READS: dict[str, Callable[[Tape, str], None]] = {
    "a page": lambda tape, text: tape.does("WebFetch", {"url": "https://docs.example.org"}, text),
    "a server": lambda tape, text: tape.does("mcp__wiki__page", {"id": 4}, text),
    "an issue": lambda tape, text: tape.runs("gh issue view 7 --comments", text),
    "a document": lambda tape, text: tape.does("Read", {"file_path": f"{ROOT}/docs/setup.md"}, text),
}
WRITES: dict[str, Callable[[Tape, str, str], None]] = {
    "Write": lambda tape, path, text: tape.does("Write", {"file_path": path, "content": text}, "File created"),
    "Edit": lambda tape, path, text: tape.does("Edit", {"file_path": path, "old_string": "", "new_string": text}, "ok"),
    "shell": lambda tape, path, text: tape.runs(f"cat > {path} <<'EOF'\n{text}\nEOF", ""),
}


@pytest.mark.parametrize("reads", [*READS, ""])
@pytest.mark.parametrize("writes", WRITES)
def test_what_a_session_writes_after_a_page_waits_for_a_person(place: Place, reads: str, writes: str) -> None:
    path = place.write("staging.md", TOPIC)
    tape = Tape(ROOT, "s1")
    tape.user("how is staging set up?")
    if reads:
        READS[reads](tape, FACT)
    WRITES[writes](tape, str(path), TOPIC)
    told(path, tape)
    assert place.follow() == {"taken": 1}
    assert [one.tainted for one in place.active()] == [bool(reads) or writes == "shell"]


AT = 1_794_222_000.0  # a while after a tape begins


def told(path: Path, *tapes: Tape, root: str = ROOT, at: float = AT) -> None:
    """The transcripts of sessions that ran when the file was written."""
    for tape in tapes:
        transcript = path.parents[2] / slug_of(root) / f"{tape.session}.jsonl"
        transcript.parent.mkdir(parents=True, exist_ok=True)
        transcript.write_bytes(lines(*tape.records))
        os.utime(transcript, (at + 5, at + 5))
    os.utime(path, (at, at))


# Commands that put into a file what nobody here wrote, or that nobody can read off them.
FILLS = (
    *("curl -s https://x.example/a > {path}", "curl -so {path} https://x.example/a", "wget -qO {path} x.example/a"),
    *(
        "curl -s x.example/a | tee {path}",
        "gh issue view 3 > {path}",
        "cp /tmp/fetched.md {path}",
        "rsync h:x.md {path}",
    ),
    *("mv ~/Downloads/x.md {path}", "git clone https://x.example/y && cp y/a.md {path}", "unzip -p a.zip > {path}"),
    *("cd {folder} && curl -so {name} x.example/a", "D={folder}; curl -s x.example/a > $D/{name}", "cd {folder}"),
    *("python3 -c \"open('{path}', 'wb').write(get())\"", "sed -i s/x/y/ {path}", "make notes", "base64 -d a > {path}"),
    *("cat > {path} <<'EOF'\n{text}\nEOF", "echo '{text}' > {path}", "printf %s '{text}' >> {path}", "vim {path}"),
)


@pytest.mark.parametrize("command", FILLS)
def test_what_a_command_put_there_waits_for_a_person(place: Place, command: str) -> None:
    path = place.write("staging.md", TOPIC)
    tape = Tape(ROOT, "s1")
    tape.user("how is staging set up?")
    tape.runs(command.format(path=path, folder=path.parent, name=path.name, text=TOPIC), "")
    told(path, tape)
    assert place.follow() == {"taken": 1} and [one.tainted for one in place.active()] == [True]


def wrote(path: Path, session: str = "s1", text: str = TOPIC, *, cwd: str = ROOT) -> Tape:
    tape = Tape(cwd, session)
    tape.user("note how staging is set up")
    tape.does("Write", {"file_path": str(path), "content": text}, "File created")
    return tape


def test_only_the_very_text_that_the_clients_tools_wrote_is_the_agents(place: Place) -> None:
    """Each file: what the sessions did, and whether it waits."""
    path = place.write("staging.md", TOPIC)
    halves = wrote(path, text=TOPIC.replace("Monday", "Friday"))
    halves.does("Edit", {"file_path": str(path), "old_string": "Friday", "new_string": "Monday"}, "ok")
    more = wrote(path)
    more.runs(f"curl -s https://x.example/a >> {path}", "")
    other = wrote(path, text=f"{TOPIC}More.")
    failed = Tape(ROOT, "s1")
    failed.user("note it")
    failed.does("Write", {"file_path": str(path), "content": TOPIC}, "no", failed=True)
    blind = Tape(ROOT, "s1")
    blind.user("note it")
    blind.does("Edit", {"file_path": str(path), "old_string": "Friday", "new_string": "Monday"}, "ok")
    read = wrote(path, "s2", TOPIC.replace("Monday", "Friday"))
    READS["a page"](read, FACT)
    read.does("Edit", {"file_path": str(path), "old_string": "Friday", "new_string": "Monday"}, "ok")
    silent = Tape(ROOT, "s3")
    silent.user("hello")
    cases: list[tuple[bool, tuple[Tape, ...]]] = [
        (False, (wrote(path),)),
        (False, (halves,)),
        (False, (wrote(path), silent)),
        (True, (other,)),
        (True, (failed,)),
        (True, (blind,)),
        (True, (read,)),
        (True, (silent,)),
    ]
    for number, (waits, tapes) in enumerate(cases):
        told(path, *tapes)
        [file] = memory_files(str(place.projects))
        assert bool(Writers(str(place.projects)).doubt(file, TOPIC)) is waits, number
        for transcript in path.parent.parent.glob("*.jsonl"):
            transcript.unlink()
    elsewhere = Tape("/home/dev/other", "s1")
    READS["a page"](elsewhere, FACT)
    elsewhere.does("Write", {"file_path": str(path), "content": TOPIC}, "File created")
    told(path, elsewhere, root="/home/dev/other")
    [file] = memory_files(str(place.projects))
    assert Writers(str(place.projects)).doubt(file, TOPIC), "the session of another project wrote it"


def test_what_a_person_wrote_when_no_session_ran_counts(place: Place) -> None:
    path = place.write("staging.md", TOPIC)
    silent = Tape(ROOT, "s1")
    silent.user("hello")
    told(path, silent)
    for at in (AT - 900_000, AT + 900_000):  # long before the session, and long after it
        os.utime(path, (at, at))
        [file] = memory_files(str(place.projects))
        assert not Writers(str(place.projects)).doubt(file, TOPIC)


def test_an_edit_takes_the_place_of_what_was_there_and_a_deletion_retires_it(place: Place) -> None:
    path = place.write("staging.md", TOPIC)
    place.follow()
    [old] = place.active()
    place.write("staging.md", TOPIC.replace("Monday", "Friday"))
    assert place.follow() == {"updated": 1}
    [new] = place.active()
    assert "Friday" in new.content and place.stores.memories.get(old.id).superseded_by == new.learning_id  # type: ignore[union-attr]
    path.unlink()
    assert place.follow() == {"retired": 1} and place.active() == []
    place.write("staging.md", TOPIC.replace("Monday", "Friday"))
    assert place.follow() == {"restored": 1} and len(place.active()) == 1


def test_the_index_is_not_repeated_but_for_what_the_client_cuts_off(place: Place) -> None:
    index = [f"- [note {number}](note{number}.md)" for number in range(LOADED_LINES)]
    place.write("MEMORY.md", "\n".join(index))
    assert place.follow() == {"empty": 1} and place.active() == []
    place.write("MEMORY.md", "\n".join([*index, f"- {FACT}"]))
    assert place.follow() == {"taken": 1}
    assert [memory.content for memory in place.active()] == [FACT]


def test_what_is_known_already_is_not_kept_twice(place: Place) -> None:
    place.write("a.md", "Deploys always go through ./ship.sh, never by hand.")
    assert place.follow() == {"taken": 1}
    place.write("b.md", "Deploys always go through ./ship.sh, never by hand.")
    assert place.follow() == {"known": 1} and len(place.active()) == 1


def test_what_a_person_forgot_stays_forgotten_and_what_they_confirmed_stays(place: Place) -> None:
    place.write("a.md", FACT)
    path = place.write("b.md", "Deploys always go through ./ship.sh, never by hand.")
    place.follow()
    first, second = sorted(place.active(), key=lambda memory: memory.ref or "")
    place.mark(first, "LearningArchived", Archived(reason="forgotten by the user"))
    place.mark(second, "LearningConfirmed")
    place.memory.marks.clear()
    path.unlink()
    assert place.follow() == {"forgotten": 1}
    assert [memory.id for memory in place.active()] == [second.id]


def test_secrets_and_private_spans_are_taken_out(place: Place) -> None:
    token = "ghp_" + "a1B2" * 9
    place.write("a.md", f"The deploy token is {token}.\n<private>\nAnna is ill.\n</private>\nIt deploys from main.")
    place.follow()
    [memory] = place.active()
    assert token not in memory.content and "Anna" not in memory.content and "deploys from main" in memory.content
    assert all(token not in str(event.payload) for page in place.stores.events.replay(0) for event in page)


def into_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: (path.unlink(), path.symlink_to("/etc/passwd")),
        into_pipe,
        lambda path: path.write_bytes(b"x" * (LARGEST + 1)),
        lambda path: path.write_bytes(b"\xff\xfe\x00\x01 binary"),
        lambda path: path.write_bytes(b"  \n\n"),
        lambda path: path.rename(path.with_suffix(".txt")),
    ],
    ids=["symlink", "fifo", "too large", "binary", "empty", "no markdown"],
)
def test_what_is_no_plain_text_file_is_left_alone(place: Place, spoil: Callable[[Path], object]) -> None:
    spoil(place.write("a.md", FACT))
    place.follow()
    assert place.active() == []


def test_a_linked_folder_is_not_entered(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.md").write_text(FACT)
    folder = place.projects / slug_of(ROOT)
    folder.mkdir()
    (folder / "memory").symlink_to(elsewhere)
    assert place.follow() == {} and place.active() == []


def test_a_large_file_is_bounded(place: Place) -> None:
    place.write("a.md", f"{FACT}\n" + "Lorem ipsum dolor sit amet. " * 150_000)
    place.follow()
    [memory] = place.active()
    assert memory.content.startswith(FACT) and len(memory.content) <= 800


def test_two_projects_with_one_slug_are_kept_apart(place: Place) -> None:
    place.write("a.md", FACT)
    place.follow()
    assert len(place.active()) == 1
    place.know("other", "/home/dev/my_app")  # the same slug
    assert place.follow() == {"retired": 1}, "nobody can tell whose it is"
    place.memory.marks.clear()
    assert place.follow() == {"of several projects": 1} and place.active() == []


def test_a_folder_of_nobody_waits_until_its_project_is_known(place: Place) -> None:
    place.write("a.md", FACT, root="/home/dev/later")
    assert place.follow() == {"of no known project": 1} and place.active() == []
    place.know("later", "/home/dev/later")
    assert place.follow() == {"taken": 1} and [memory.project_id for memory in place.active()] == ["later"]


def test_ignored_paths_history_and_contacts(stores: Stores, tmp_path: Path) -> None:
    rules = CaptureRules(ignored=Ignored(["*secret*"], "/home/dev"), contacts=True)
    place = Place(stores, tmp_path, rules)
    place.write("secret.md", FACT)
    old = place.write("old.md", "Old notes say that the port is 4000.")
    os.utime(old, (1_000_000, 1_000_000))
    place.write("new.md", "Write to anna@example.org about the quarterly release notes.")
    done = dict(place.memory.follow(str(tmp_path), since=2_000_000))
    assert done == {"ignored": 1, "taken": 1}
    [memory] = place.active()
    assert "anna@" not in memory.content


def test_a_projects_folder_that_is_away_retires_nothing(place: Place) -> None:
    place.write("a.md", FACT)
    place.follow()
    assert place.memory.follow(str(place.projects / "gone")) == {} and len(place.active()) == 1


def test_paths() -> None:
    assert slug_of("/a/My Proj_v1.2") == "-a-My-Proj-v1-2"
    assert is_memory_file("/p/-a/memory/x.md", "/p") and is_memory_file("/p/-a/memory/sub/x.md", "/p")
    assert not is_memory_file("/p/-a/x.md", "/p") and not is_memory_file("/q/-a/memory/x.md", "/p")


# -- as a whole -----------------------------------------------------------------------------------------------------


def said(home: Home, *words: str, cwd: Path) -> Any:
    done = home.nous(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_daemon_follows_it_and_forgetting_and_purging_reach_it(home: Home) -> None:
    app = home.project("app")
    folder = home.transcripts / slug_of(str(app))
    (folder / "memory").mkdir(parents=True)
    topic = folder / "memory" / "staging.md"
    tape = wrote(topic, "s-one", cwd=str(app))
    change = {"file_path": str(topic), "content": TOPIC.replace("Monday", "Friday")}
    (folder / "s-one.jsonl").write_bytes(lines(*tape.records))
    topic.write_text(TOPIC)
    home.environ["NOUS_ENABLE_USERPROMPTSUBMIT"] = "1"
    said(home, "up", cwd=app)

    def contents() -> list[str]:
        return [memory["content"] for memory in said(home, "list", cwd=app)["memories"]]

    until(lambda: any("Monday" in text for text in contents()))

    def preview() -> Any:
        return said(home, "preview", "why is the staging database empty on Monday at six", cwd=app)

    until(lambda: bool(preview()["prompt"]))  # what a prompt is shown is prepared after the memory is there
    found = preview()
    assert found["start"] == [] and "Monday at six" in found["prompt"][0]["text"]
    tape.does("Write", change, "File updated")
    (folder / "s-one.jsonl").write_bytes(lines(*tape.records))
    topic.write_text(str(change["content"]))
    until(lambda: any("Friday" in text for text in contents()))
    before = topic.read_bytes()
    [memory] = said(home, "list", cwd=app)["memories"]
    said(home, "purge", str(memory["id"]), "--yes", cwd=app)
    assert contents() == [] and topic.read_bytes() == before
    said(home, "restart", cwd=app)
    assert contents() == [], "what was erased does not come back from the file"
    topic.unlink()
    assert sorted(path.name for path in (folder / "memory").iterdir()) == []
