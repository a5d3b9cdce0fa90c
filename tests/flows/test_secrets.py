"""No byte that Nous writes holds a secret, whoever tells it and in whatever form; and what is none is learned."""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from factories import NOW, sized
from flows import leaks, plain
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NousError
from nous.features.backup.backup import backup
from nous.features.brief.packets import warm
from nous.features.memories.appending import append
from nous.features.memories.operations import Appending
from nous.kernel.capture.intake import Intake
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.learn import learn_all
from nous.kernel.log.events import Extracted
from nous.kernel.stores import Stores, open_stores
from nous.kernel.viewer import OWNER_VIEW
from nous.redact import Discretion, redact_text, redact_turn


class Place:
    """A data directory after many sessions were read and learned, with a backup beside the database."""

    def __init__(self, root: Path):
        self.data = root / "data"
        self.transcripts = root / "projects" / "-nowhere-app"
        self.transcripts.mkdir(parents=True)
        self.wanted: dict[str, str] = {}

    def tell(self, session: str, owner: str, records: list[dict[str, object]], secrets: tuple[str, ...]) -> None:
        (self.transcripts / f"{session}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        self.wanted |= dict.fromkeys(secrets, owner)

    def learn(self) -> Stores:
        stores = open_stores(str(self.data / "cortex.db"))
        Intake(stores, lambda: NOW).reconcile(str(self.transcripts / "*.jsonl"), "historical_backfill")
        assert learn_all(stores, "w", lambda: NOW).failed == 0
        warm(stores, leaks.CWD, NOW)
        backup(str(self.data / "cortex.db"), str(self.data / "copy.db"))
        return stores


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("secrets"))
    for turn in range(sized(2, len(leaks.CARRIERS))):  # every form and every carrier, not every pair of them
        for at, case in enumerate(leaks.cases(random.Random(turn))):  # with another secret each time
            carrier = leaks.CARRIERS[(at + turn) % len(leaks.CARRIERS)]
            session = f"s{turn}-{at}"
            made.tell(session, f"{carrier}: {case.form}", leaks.told(case, carrier, session), case.secrets)
    for session, records, secrets in (*leaks.answers(random.Random(13)), *leaks.private_spans(random.Random(13))):
        made.tell(session, f"{session}: {secrets[0][:2]}", records, secrets)
    made.learn().close()
    return made


def test_many_ways_are_tried(place: Place) -> None:
    assert len(set(place.wanted.values())) >= sized(500, 1700)


def test_no_byte_that_was_written_holds_a_secret(place: Place) -> None:
    leaked = leaks.found_in(place.data, place.wanted)
    assert not leaked, f"{len(leaked)} of {len(set(place.wanted.values()))}: {sorted(leaked)[:80]}"


def test_no_value_is_spared_by_chance() -> None:
    """One value in some thousands looks like a word, an algorithm or a stand-in; that must not save it."""
    seen = [(seed, case) for seed in range(sized(2, 300)) for case in leaks.cases(random.Random(seed))]
    left = [(seed, *case[:2]) for seed, case in seen if any(one in redact_text(case.text)[0] for one in case.secrets)]
    assert not left, f"{len(left)} of {len(seen)}: {left[:5]}"


def appending(nous: Nous, text: str) -> Appending:
    names = {name: [text] for name in ("concepts", "entities", "files", "symbols", "tags")}
    short = text if len(text) <= 200 else str(len(text))  # half of a private key cannot be known for one
    fields = {"content": "We use yarn.", "extractor_version": "x", "type": "fact", "edges": [], **names}
    return Appending(
        idempotency_key=short,
        event_type="LearningExtracted",
        learning_id=str(uuid.uuid4()),
        payload=fields,
        project=nous.project().id,
        session=short,
    )


BY_HAND: dict[str, Callable[[Nous, str], object]] = {
    "remember": lambda nous, text: nous.remember(f"Note for the panel:\n{text}"),
    "tag": lambda nous, text: nous.remember(f"Fact of {len(text)} letters.", tags=[text], ref=text),
    "file": lambda nous, text: nous.remember("We keep it in a file.", files=[text], entities=[text], session=text),
    "correct": lambda nous, text: nous.correct(1, f"We use npm now.\n{text}"),
    "dispute": lambda nous, text: nous.dispute(1, f"wrong since\n{text}"),
    "forget": lambda nous, text: nous.forget(nous.remember(f"Only {len(text)} letters long."), reason=text),
    "feedback": lambda nous, text: nous.feedback(1, "useful", session=text),
    "ingest": lambda nous, text: nous.ingest(f"# Summary\n\nWe decided to use Redis.\n\n{text}\n"),
    "append": lambda nous, text: append(nous, OWNER_VIEW, appending(nous, text)),
    "ask": lambda nous, text: nous.recall(text),
    "brief": lambda nous, text: nous.brief("coder", text),
}


def test_no_word_that_somebody_writes_by_hand_is_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is told, and in whichever field: reasons, tags, names and sessions are stored as well."""
    wanted: dict[str, str] = {}
    monkeypatch.chdir(tmp_path)
    environ = {"NOUS_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path)}
    with Nous.open(settings=load_settings(environ)) as nous:
        nous.remember("We use pnpm here.")
        for at, (entry, tell) in enumerate(BY_HAND.items()):
            for case in list(leaks.cases(random.Random(at)))[at % 5 :: sized(12, 1)]:
                with suppress(NousError):
                    tell(nous, case.text)
                wanted |= {secret: f"{entry}: {case.form}" for secret in case.secrets if len(secret) > 9}
        nous.backup(str(tmp_path / "data" / "copy.db"))
    leaked = leaks.found_in(tmp_path / "data", wanted)
    assert not leaked, f"{len(leaked)} of {len(set(wanted.values()))}: {leaked}"


def test_names_stay_apart_when_a_secret_is_cut_from_them(tmp_path: Path) -> None:
    with Nous.open(settings=load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})) as nous:
        first = nous.remember("We deploy from main.", ref="https://t.example/i?code=Zx81kQpa02LmNd73")
        nous.remember("Backups run at noon.", ref="https://t.example/i?code=Aw92jRqb13MnOe84")
        assert nous.get(first).status == "active"
        nous.remember("We deploy from trunk.", ref="https://t.example/i?code=Zx81kQpa02LmNd73")
        assert nous.get(first).status == "superseded"


def test_text_without_a_secret_survives() -> None:
    texts = (*plain.PROSE, *plain.CODE, *(rule.format(one) for rule in plain.RULES for one in plain.IDS.values()))
    assert len(texts) >= 150
    cut = {text: redact_text(text)[0] for text in texts if redact_text(text)[0] != text}
    assert not cut, f"{len(cut)} of {len(texts)}: {cut}"


def test_what_stands_around_a_secret_survives() -> None:
    for text, kind in plain.AROUND.items():
        assert redact_text(text.format("abcdef0123456789abcdef"))[0] == text.format(f"[secret:{kind}]")


def test_names_of_everyday_things_survive_beside_words_for_secrets() -> None:
    texts = list(plain.about(sized(2, 40)))
    cut = [text for text in texts if redact_text(text)[0] != text]
    assert len(cut) * 100 <= len(texts), f"{len(cut)} of {len(texts)}: {cut[:20]}"  # it was one in seven


def test_a_rule_with_an_id_is_learned_whole(tmp_path: Path) -> None:
    place = Place(tmp_path)
    said = {rule.format(one): one for rule in plain.RULES for one in plain.IDS.values()}
    for number, text in enumerate(said):
        place.tell(f"r{number}", text, [leaks.record(f"r{number}", "user", text)], ())
    stores = place.learn()
    events = [event for batch in stores.events.replay(0) for event in batch]  # a later id ends the one before
    learned = "\n".join(event.payload.content for event in events if isinstance(event.payload, Extracted))
    stores.close()
    missing = [text for text, one in said.items() if one not in learned]
    assert not missing, f"{len(missing)} of {len(said)}: {missing}"


def test_after_a_question_for_a_secret_ordinary_words_are_kept() -> None:
    said = (
        "use the one from Vault",
        "no, skip that step",
        "I will enter it myself",
        "yes",
        "ask Bob for it, he has it",
        "Please run the tests first and then deploy to staging",
    )
    for words in said:
        discretion, counted = Discretion(), Counter[str]()
        asked = Turn(uuid="a", kind="reply", at="", session_id="s", text="What is the database password?")
        answer = Turn(uuid="b", kind="prompt", at="", session_id="s", text=words)
        discretion.clean(asked, counted)
        assert discretion.clean(answer, counted) == answer


def test_a_question_about_a_secret_is_no_question_for_one() -> None:
    about = (
        "Which password policy should we use?",
        "Should the token expire after 15 minutes?",
        "Where is the api key stored?",
        "Which secret manager do you prefer?",
        "How long should the password be?",
        "What token format do you want?",
    )
    for question in about:
        answers = {"answers": {question: "Vault2Go"}, "options": {}}
        turn = Turn(uuid="a", kind="answer", at="", session_id="s", text=f'"{question}"="Vault2Go"', input=answers)
        assert redact_turn(turn) == (turn, {}), question


def test_no_field_of_a_record_carries_a_secret(tmp_path: Path) -> None:
    place, chance = Place(tmp_path), random.Random(3)
    for where in (*leaks.FIELDS, *leaks.FILES, *leaks.CALLED):
        token = "ghp_" + leaks.chars(chance, 36)
        place.tell(f"n-{where}", where, list(leaks.named(f"n-{where}", where, token)), (token,))
    place.learn().close()
    assert not leaks.found_in(place.data, place.wanted)


def test_a_private_word_does_not_come_back_as_a_name(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for where in ("gitBranch", *leaks.FILES):
        session, word = f"n-{where}", "bluewhale" + where.lower()
        said = leaks.record(session, "user", f"<private>the project {word} is ours</private> Go on.")
        place.tell(session, where, [said, *leaks.named(session, where, word)], (word,))
    place.learn().close()
    assert not leaks.found_in(place.data, place.wanted)


def test_a_redacted_path_keeps_its_folder_and_its_ending() -> None:
    token = "ghp_" + leaks.chars(random.Random(5), 36)
    turn = Turn(uuid="a", kind="tool_call", at="", session_id="s", tool="Write", input={"file_path": f"/a/{token}.txt"})
    cleaned, found = redact_turn(turn)
    assert cleaned.input == {"file_path": "/a/[secret:github-token].txt"} and token in found.taken
