"""What an edit, a revert or a refused recital puts an end to."""

from __future__ import annotations

from features.rules_reader.test_extractor import Tape
from kernel.test_relearn import NEW, memory
from nous.features.rules_reader.extractor import extract
from nous.kernel.learn.relearn import judge
from nous.kernel.log.extraction import Learning


def ended(tape: Tape, known: str) -> bool:
    """Whether anything that a session teaches, or hints at, supersedes a known memory."""
    one = memory(known)
    learned = [found for found in extract(tape.turns, tentative=True) if isinstance(found, Learning)]
    return any(judge(found, NEW, [one]).supersedes == (one.id,) for found in learned)


def edited(said: str, old: str, new: str) -> Tape:
    return Tape().user(said).edit("conf/limits.yaml", old, new).says("Done.").user("thanks").says("Sure.")


def test_an_edit_of_another_thing_ends_nothing() -> None:
    tape = edited("the desk of the museum closes at 16:15, mend the notice", "until 17:45", "until 16:15")
    assert not ended(tape, "Ferries to the island leave at 17:45.")


def test_what_a_revert_takes_back_is_over() -> None:
    tape = (
        Tape().user("take it back please").bash("git revert --no-edit 1a2b3c4", '[main 9f8e7d6] Revert "sensor push"')
    )
    assert ended(tape.says("Reverted."), "We're switching to sensor push for all stations.")


def test_what_was_told_from_memory_and_refused_is_over() -> None:
    tape = Tape().user("test the elbow").says("I recall that joint tests run against Gazebo, started with `make gz`.")
    tape.user("wrong, gazebo is gone since spring. joint tests go against mujoco").says("Then mujoco.")
    assert ended(tape, "Joint tests run against the gazebo simulator, started with `make gz`.")


def test_what_was_told_from_memory_and_agreed_to_stays() -> None:
    tape = Tape().user("test the elbow").says("I recall that joint tests run against Gazebo, started with `make gz`.")
    tape.user("right. the elbow has a soft stop at 150 degrees").says("Noted.")
    assert not ended(tape, "Joint tests run against the gazebo simulator, started with `make gz`.")
