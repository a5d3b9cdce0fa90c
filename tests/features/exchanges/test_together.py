"""One list: memories and exchanges by one score, a memory and its exchange once, rules in force before remarks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nous import Nous
from nous.features.exchanges.search import Spoken
from nous.features.exchanges.store import Located
from nous.features.exchanges.together import IN_FORCE, KEPT, Found, one_list
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.search import Hit
from nous.kernel.recall.weights import DEFAULTS
from sessions import World, shop


def hit(
    number: int,
    base: float,
    *,
    best: float = 0.9,
    type_: str = "fact",
    evidence: tuple[str, ...] = (),
    by_hand: bool = True,
) -> Hit:
    """A memory whose words and meaning alone are worth `base`, those of the best `best`; kept by the rules reader when
    not by hand."""
    memory = Memory(
        id=number,
        learning_id=f"l{number}",
        project_id="p",
        session_id="s",
        type=type_,
        kind="semantic",
        content="something",
        created_at="2026-11-01T00:00:00.000Z",
        version=1,
        evidence=evidence,
        source="user_review" if by_hand else "hook",
        extractor="" if by_hand else "rules-7",
    )
    shares = {"text": DEFAULTS.text * base / best, "vector": DEFAULTS.vector * base / best}
    return Hit(memory, sum(shares.values()), shares, base=base)


def exchange(name: str, score: float) -> Spoken:
    place = Located(1, 1, 1, name, "2026-11-02", "main", False, "", (), (), "/t", "s", "", "p")
    return Spoken(place, name, score, (name,), {"text": score}, (name, f"{name}-reply"))


def names(found: list[Found]) -> list[object]:
    return [one.memory.memory.id if one.leads == "memory" and one.memory else one.content for one in found]


def test_both_stand_in_one_order_and_the_limit_counts_both() -> None:
    memories = [hit(1, 0.9), hit(2, 0.6)]
    exchanges = [exchange("a", 0.8), exchange("b", 0.7), exchange("c", 0.45), exchange("beside it", 0.1)]
    assert names(one_list(memories, exchanges, DEFAULTS, 10)) == [1, "a", "b", 2, "c"]
    assert names(one_list(memories, exchanges, DEFAULTS, 3)) == [1, "a", "b"]
    assert names(one_list([], exchanges, DEFAULTS, 2)) == ["a", "b"]


def test_what_is_far_behind_is_left_out_sooner_where_the_best_plainly_answers() -> None:
    vague, plain = ([exchange("best", best), exchange("next", 0.45 * best)] for best in (0.8, 1.2))
    assert names(one_list([], vague, DEFAULTS, 10)) == ["best", "next"]
    assert names(one_list([], plain, DEFAULTS, 10)) == ["best"]


@pytest.mark.parametrize(("score", "leads"), [(0.8, "exchange"), (0.2, "memory")])
def test_a_memory_and_the_exchange_it_came_from_are_one_hit(score: float, leads: str) -> None:
    [one] = one_list([hit(1, 0.5, best=0.5, evidence=("a-reply",))], [exchange("a", score)], DEFAULTS, 10)
    assert one.leads == leads and one.score == pytest.approx(max(score, 0.5))
    assert one.memory and one.exchange and one.score == pytest.approx(sum(one.shares.values()))


def test_a_second_memory_that_repeats_the_passage_of_its_exchange_is_left_out() -> None:
    said = exchange("something new", 0.8)
    memories = [hit(1, 0.5, best=0.5, evidence=("something new",)), hit(2, 0.4, best=0.5, evidence=("something new",))]
    [one] = one_list(memories, [said], DEFAULTS, 10)
    assert one.memory and one.memory.memory.id == 1 and one.exchange == said


def test_a_memory_that_says_what_a_passage_of_its_session_says_is_one_hit_with_it() -> None:
    [one] = one_list([hit(1, 0.5, best=0.5)], [exchange("something", 0.8)], DEFAULTS, 10)
    assert one.memory and one.exchange and one.leads == "exchange"


def test_a_rule_in_force_stands_before_a_remark_that_matches_as_well_and_what_was_merely_kept_behind() -> None:
    memories = [hit(1, 0.9), hit(2, 0.9, type_="requirement"), hit(3, 0.9, by_hand=False)]
    rule, fact, kept = one_list(memories, [], DEFAULTS, 10)
    assert [one.memory.memory.id for one in (rule, fact, kept) if one.memory] == [2, 1, 3]
    assert rule.score - fact.score == pytest.approx(IN_FORCE) and rule.shares["standing"] == IN_FORCE
    assert kept.score == pytest.approx(KEPT * fact.score)


def test_three_hits_are_three_hits_whatever_they_are(tmp_path: Path) -> None:
    world = World(tmp_path)
    with shop(world) as nous:
        project = str(world.work_dir)
        nous.remember("Invoice totals are rounded half up", type="requirement", project=project)
        nous.remember("Invoice totals are shown in euros", project=project)
        asked = "how are invoice totals rounded?"
        hits = nous.recall(asked, project=project, limit=3)
        assert len(hits) == 3 and [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert hits[0].memory and hits[0].memory.type == "requirement", "a rule in force comes before what was said"
        assert any(hit.exchange and not hit.memory for hit in hits)
        scores = {hit.id: hit.score for hit in nous.recall(asked, project=project)}
        alone = nous.recall(asked, project=project, records="exchanges")
        assert all(scores.get(hit.id, hit.score) == pytest.approx(hit.score) for hit in alone)


NOUNS = ("invoice", "gasket", "ledger", "turbine", "voucher", "parcel")
DEEDS = ("rounded", "exported", "cached", "renamed", "signed")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Nous, str]]:
    """Thirty exchanges of six sessions that share their words, some of them replies, and a memory of every noun."""
    world = World(tmp_path_factory.mktemp("told"))
    for noun in NOUNS:
        said = [("user", f"Why is the {noun} {deed} by the parcel service?") for deed in DEEDS]
        answers = [
            ("agent", f"The {noun} is {deed} because the ledger wants it. Should I change that?") for deed in DEEDS
        ]
        world.session(*(turn for pair in zip(said, answers, strict=True) for turn in pair))
    with shop(world) as nous:
        for noun in NOUNS:
            nous.remember(
                f"When we touch the {noun}, sign the voucher", type="requirement", project=str(world.work_dir)
            )
        yield nous, str(world.work_dir)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(NOUNS + DEEDS), min_size=1, max_size=5), st.integers(1, 45), st.integers(1, 45))
def test_the_first_of_a_longer_list_are_the_shorter_list(
    told: tuple[Nous, str], words: list[str], one: int, other: int
) -> None:
    nous, project = told
    short, long = (
        [hit.id for hit in nous.recall(" ".join(words), project=project, limit=limit)] for limit in sorted((one, other))
    )
    assert long[: len(short)] == short and len(set(long)) == len(long)
    assert len(short) == min(one, other, len(long)), "a short list ends early only where the long one does"


def test_what_has_ended_is_left_out_until_it_is_asked_for(tmp_path: Path) -> None:
    with Nous.open(tmp_path / "memory.db") as nous:
        old = nous.remember("Payments go through Stripe", type="decision", project="p")
        new = nous.correct(old, "Payments go through Mollie")
        assert [hit.id for hit in nous.recall("payments", project="p")] == [new]
        nous.forget(new)
        assert nous.recall("payments", project="p") == []
