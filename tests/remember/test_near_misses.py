"""What comes close to being known: what is decided, what is noted, and that it can be erased."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, Home, memory
from nous.core.compare.judge import Judgement
from nous.core.compare.relate import Near, Opinion
from nous.core.compare.relearn import DELTAS, Retelling, Retold, decide, judge
from nous.core.extraction import Learning
from nous.errors import ConfigError
from nous.providers import SentencePair
from nous.remember.capture import take_in
from nous.remember.introduce import Origin
from nous.remember.learn import Learned, WorkerOptions, learn_all, take_up
from nous.remember.projection import catch_up
from nous.stores import Stores, open_stores
from nous.stores.near_misses import NearMiss
from nous.tend.purge import Selection, purge
from nous.tend.scan import scan
from remember.test_capture import lines, record

FULL = "Always run the full linter, the type checker and the tests before pushing to main."
SNAPSHOTS = "Always run the full linter, the type checker and the snapshots before pushing to main or trunk."
RULE = "Always run the linter and the type checker before pushing."


def learning(content: str, evidence: str = "u1", **fields: Any) -> Learning:
    return Learning(content=content, type="preference", evidence=(evidence,), **fields)


def tell(stores: Stores, content: str, session: str, *, by_user: bool = True) -> Learned:
    """Learn something as a session's user says it."""
    origin = Origin("p", session, "fs_watch", NOW, "test", by_user)
    with stores.db.transaction():
        outcome, _ = take_up(stores, learning(content, f"{session}-{content}"), origin, f"{session}:{content}", NOW)
    return outcome


def show(stores: Stores, memory_id: int, session: str) -> None:
    """A receipt, as a hook writes it."""
    stores.db.connection.execute(  # type: ignore[attr-defined]
        "INSERT INTO injections (session_id, project_id, hook, trigger, context_key, characters, latency_ms,"
        " created_at) VALUES (?, 'p', 'SessionStart', 'startup', 'k', 1, 1.0, ?)",
        (session, NOW),
    )
    stores.db.connection.execute(  # type: ignore[attr-defined]
        "INSERT INTO injected_memories (injection_id, memory_id) VALUES (last_insert_rowid(), ?)", (memory_id,)
    )


class Says:
    """A judge with one opinion that remembers what it was asked."""

    def __init__(self, label: str, confidence: float = 0.9):
        self.label = label
        self.confidence = confidence
        self.asked: list[tuple[str, str]] = []

    def __call__(self, known: str, said: str) -> Opinion:
        self.asked.append((known, said))
        return self


# -- three tiers ----------------------------------------------------------------------------------------------------

KNOWN = memory(content=FULL, type="preference")
OTHER = learning(SNAPSHOTS)


@pytest.mark.parametrize("label", ["neutral", "entailment"])
def test_the_same_words_are_the_same_unless_the_judge_objects(label: str) -> None:
    found = judge(learning(KNOWN.content + " Always."), NOW, [KNOWN], Says(label))
    assert (found.repeats, found.tier, found.near) == (1, 1, ())


def test_identical_words_need_no_judge() -> None:
    third = Says("contradiction")
    assert judge(learning(KNOWN.content), NOW, [KNOWN], third).repeats == 1
    assert third.asked == []


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The default locale is en.", "The default locale is de."),
        ("The hook is called before the save.", "The hook is called after the save."),
    ],
)
def test_the_built_in_judge_keeps_opposites_apart(known: str, said: str) -> None:
    found = judge(learning(said), NOW, [memory(content=known, type="preference")])
    assert found.repeats is None
    assert [one.differs for one in found.near] in ([], [True])


def test_on_and_off_need_no_judge_to_stay_apart() -> None:
    third = Says("entailment")
    known = memory(content="The flag new_checkout is on.", type="preference")
    assert judge(learning("The flag new_checkout is off."), NOW, [known], third).repeats is None
    assert third.asked == []


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Sessions are kept in Redis.", "Redis stores the sessions."),
        ("The docs are built with mkdocs.", "mkdocs builds the docs."),
        ("Migrations are in db/migrations.", "The migrations live in db/migrations."),
    ],
)
def test_the_built_in_judge_knows_other_words_for_the_same(known: str, said: str) -> None:
    found = judge(learning(said), NOW, [memory(content=known, type="preference")])
    assert (found.repeats, found.tier) == (1, 2)


def test_more_detail_is_not_swallowed_by_what_says_less() -> None:
    known = memory(content="Prices include VAT.", type="preference")
    assert judge(learning("Prices include VAT; business customers see net prices."), NOW, [known]).repeats is None


def test_texts_that_share_few_words_are_not_even_weighed() -> None:
    third = Says("entailment")
    assert judge(learning("Deploys happen on Tuesdays."), NOW, [KNOWN], third).repeats is None
    assert third.asked == []


@pytest.mark.parametrize(
    ("label", "confidence", "same"),
    [("entailment", 0.9, True), ("entailment", 0.83, False), ("neutral", 0.9, False), ("contradiction", 0.9, False)],
)
def test_the_third_tier_decides_what_the_others_leave_open(label: str, confidence: float, same: bool) -> None:
    third = Says(label, confidence)
    found = judge(OTHER, NOW, [KNOWN], third)
    assert third.asked == [(KNOWN.content, OTHER.content)]
    assert (found.repeats == 1) == same
    assert (found.tier == 3) == same
    assert [(one.memory_id, one.label, one.tier) for one in found.near] == [(1, label, 3)]


def test_what_differs_in_kind_is_never_asked_about() -> None:
    third = Says("entailment")
    known = memory(content="The export has a timeout of 65 seconds, because the upstream is slow.", type="preference")
    found = judge(learning(known.content.replace("65", "48")), NOW, [known], third)
    assert found.repeats is None and third.asked == []
    assert [one.tier for one in found.near] == [1], "but it is noted as near"


# -- the decision matrix --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "action"),
    [
        (Retelling(2, 0.5), "merge"),
        (Retelling(2, 0.9, is_shown=True), "merge"),
        (Retelling(2, 0.1), "merge"),
        (Retelling(2, 0.5, is_shown=True, is_ignored=True), "flag"),
        (Retelling(3, 0.8, is_shown=True), "boost"),
        (Retelling(3, 0.8), "merge"),
        (Retelling(3, 0.2), "flag"),
        (Retelling(5, 0.2, is_shown=True, is_ignored=True), "flag"),
        (Retelling(3, 0.5, is_shown=True, is_ignored=True), "reword"),
        (Retelling(3, 0.5), "merge"),
        (Retelling(4, 0.9, is_shown=True, is_ignored=True), "flag"),
    ],
)
def test_the_decision_matrix(told: Retelling, action: Retold) -> None:
    assert decide(told) == action
    assert DELTAS[action] == (0.3 if action == "boost" else 0.1)


def test_another_session_strengthens_and_the_same_one_only_adds_evidence(stores: Stores) -> None:
    assert tell(stores, RULE, "s1").learned == 1
    assert tell(stores, RULE + " Always.", "s1").repeated == 1
    [known] = stores.memories.listing(None)
    assert (known.strength, len(known.evidence)) == (0.5, 2)
    assert tell(stores, RULE, "s2").repeated == 1
    [known] = stores.memories.listing(None)
    assert (round(known.strength, 2), len(known.evidence)) == (0.6, 3)
    assert stores.near_misses.recent() == []


def test_what_was_shown_and_had_to_be_said_again_is_flagged_then_queued_for_other_words(stores: Stores) -> None:
    tell(stores, RULE, "s1")
    [known] = stores.memories.listing(None)
    show(stores, known.id, "s2")
    tell(stores, RULE, "s2")
    assert [row["decision"] for row in stores.near_misses.recent()] == ["flag"]
    show(stores, known.id, "s3")
    tell(stores, RULE + " Always.", "s3")
    [row] = stores.near_misses.recent(decision="reword")
    assert (row["memory_id"], row["known"], row["session_id"]) == (known.id, RULE, "s3")
    reasons = [event.payload.reason for event in stores.events.of_learning(known.learning_id)[1:]]
    assert ["showing it failed" in (reason or "") for reason in reasons] == [True, False]


def test_what_the_assistant_does_after_being_shown_is_no_failure(stores: Stores) -> None:
    tell(stores, RULE, "s1")
    [known] = stores.memories.listing(None)
    show(stores, known.id, "s2")
    tell(stores, RULE, "s2", by_user=False)
    assert stores.near_misses.recent() == []


def test_told_often_and_shown_with_success_it_gets_much_stronger(stores: Stores) -> None:
    for session in ("s1", "s2", "s3", "s4"):
        tell(stores, RULE, session)
    [known] = stores.memories.listing(None)
    assert round(known.strength, 2) == 0.8
    show(stores, known.id, "s5")
    tell(stores, RULE, "s6")
    assert stores.memories.listing(None)[0].strength == 1.0


# -- the log --------------------------------------------------------------------------------------------------------


def note(memory_id: int = 1, **fields: Any) -> NearMiss:
    said: dict[str, Any] = {
        "other_id": None,
        "said": "x",
        "session_id": "s",
        "jaccard": 0.7,
        "cosine": 0.8,
        "label": None,
        "confidence": None,
        "tier": 2,
        "decision": "apart",
        "created_at": NOW,
    }
    return NearMiss(memory_id=memory_id, **(said | fields))


def test_two_that_stay_apart_are_noted_with_their_scores(stores: Stores) -> None:
    tell(stores, FULL, "s1")
    tell(stores, SNAPSHOTS, "s2")
    [row] = stores.near_misses.recent("p")
    first, second = sorted(one.id for one in stores.memories.listing(None))
    assert (row["memory_id"], row["other_id"], row["decision"]) == (first, second, "apart")
    assert 0.5 <= row["jaccard"] < 0.75
    assert stores.near_misses.recent("another project") == []


def test_the_log_keeps_the_latest_and_each_pair_once(stores: Stores) -> None:
    stores.memories.save([memory()])
    stores.near_misses.add([note(said=f"words {n}") for n in range(30)], keep=10)
    assert [row["said"] for row in stores.near_misses.recent(limit=100)] == [f"words {n}" for n in range(29, 19, -1)]
    stores.near_misses.add([note(said="words 25", decision="merge")], keep=10)
    assert len(stores.near_misses.recent(limit=100)) == 10
    assert [row["said"] for row in stores.near_misses.recent(decision="merge")] == ["words 25"]


@pytest.mark.parametrize("selected", ["id", "session", "match"])
def test_purging_clears_it(home: Home, selected: str) -> None:
    home.data.mkdir(parents=True)
    path = str(home.data / "cortex.db")
    stores = open_stores(path)
    tell(stores, FULL, "s1")
    tell(stores, SNAPSHOTS, "s2")
    [row] = stores.near_misses.recent()
    chosen = {
        "id": Selection(ids=(row["memory_id"],)),
        "session": Selection(session="s2"),
        "match": Selection(match="snapshots"),
    }[selected]
    purge(stores, chosen, catch_up, str(home.data / "copies"), str(home.data), "asked", NOW)
    assert stores.near_misses.recent() == []
    stores.close()


def test_words_that_only_the_log_has_are_purged_and_scanned(home: Home) -> None:
    home.data.mkdir(parents=True)
    stores = open_stores(str(home.data / "cortex.db"))
    tell(stores, FULL, "s1")
    known = stores.memories.listing(None)[0].id
    stores.near_misses.add([note(known, said="The key is AKIA" + "Q3EXAMPLEKEY7X2Z, says Bob.")])
    report = scan(stores, str(home.data))
    assert [(one.where, one.remedy) for one in report.findings] == [("near-miss", "nous purge --session s")]
    purge(stores, Selection(match="says Bob"), catch_up, str(home.data / "c"), str(home.data), "asked", NOW)
    assert stores.near_misses.recent() == []
    stores.close()


def test_the_command_shows_both_wordings(home: Home) -> None:
    repo = home.project()
    for words in (FULL, SNAPSHOTS):
        assert home.nous("remember", words, cwd=repo).returncode == 0
    shown = home.nous("near-misses", cwd=repo)
    assert shown.returncode == 0 and "apart" in shown.stdout and "snapshots" in shown.stdout
    [row] = json.loads(home.nous("near-misses", "--json", cwd=repo).stdout)["near_misses"]
    assert (row["decision"], row["memory_id"] < row["other_id"]) == ("apart", True)
    assert "nothing came close" in home.nous("near-misses", "--decision", "flag", cwd=repo).stdout


def test_a_near_miss_knows_the_last_tier_that_was_asked() -> None:
    assert [one.tier for one in (Near(1, 0.7), Near(1, 0.7, 0.8), Near(1, 0.7, 0.8, "neutral", 0.5))] == [1, 2, 3]


# -- the judge that the settings chose ------------------------------------------------------------------------------


class Chosen:
    """A judge for whom everything follows, that notes whether anybody was kept waiting."""

    model, acts_from = "chosen", 0.9

    def __init__(self, stores: Stores):
        self.stores = stores
        self.was_writing: list[bool] = []

    def judge(self, questions: Sequence[SentencePair]) -> list[Judgement]:
        self.was_writing.append(self.stores.db.connection.in_transaction)  # type: ignore[attr-defined]
        return [Judgement("entailment", 0.95, "same", model=self.model) for _ in questions]


def heard(stores: Stores, folder: Path, session: str, words: str, options: WorkerOptions) -> Learned:
    file = folder / f"{session}.jsonl"
    file.write_bytes(lines(record(words, sessionId=session, uuid=session)))
    take_in(stores, str(file), "historical_backfill", lambda: NOW)
    return learn_all(stores, "w", lambda: NOW, options)


def test_the_chosen_judge_is_asked_what_says_the_same_before_anything_is_written(
    stores: Stores, tmp_path: Path
) -> None:
    chosen = Chosen(stores)
    options = WorkerOptions(judge=lambda: chosen)
    assert heard(stores, tmp_path, "s1", FULL, options).learned == 1
    assert heard(stores, tmp_path, "s2", SNAPSHOTS, options).repeated == 1
    assert chosen.was_writing == [False]


def test_a_judge_that_cannot_be_had_keeps_nothing_from_being_learned(stores: Stores, tmp_path: Path) -> None:
    def gone() -> None:
        raise ConfigError("no such folder")

    options = WorkerOptions(judge=gone)
    assert heard(stores, tmp_path, "s1", FULL, options).learned == 1
    assert heard(stores, tmp_path, "s2", SNAPSHOTS, options).learned == 1
