"""What a learning means for what is already known: a repetition, a replacement, a late arrival, or something new.

How two sayings stand to each other is `relate`'s to say. Here is who may end what: only lasting knowledge that is not
tainted ends something, and neither a pinned memory nor a passing one is ended by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from nous.kernel.learn.relate import fill_different_places, is_identical, is_same_slot
from nous.kernel.log.extraction import STANDING, Learning
from nous.kernel.memory.memory import Memory
from nous.language.compare.claims import claim
from nous.language.compare.differences import ENDS, Difference, no_vectors, settled, text_difference
from nous.language.compare.likely import Meaning, marked_words
from nous.language.likeness import jaccard, tokens
from nous.language.speech_lines import is_id

_SAID = "preference requirement pattern decision architecture fact opinion context gotcha"
FAMILIES: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        f"{_SAID} module_insight causal_dependency",
        "procedure workflow_recipe requirement preference fact pattern",
        "gotcha error_pattern dead_end e2e_observation module_insight",
        "work_state progress work_unit_outcome episode",
    )
)
_LASTING = frozenset(f"{_SAID} procedure workflow_recipe".split())
OBSERVED = frozenset({"procedure", "workflow_recipe", "error_pattern", "work_state", "progress", "episode"})
Told = Learning | Memory


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to do about a learning.

    `repeats`: the memory that says the same. `supersedes`: memories whose time ends with it, `because` says why.
    `superseded_by`: a memory that already says something newer.
    `asks`: memories of which a person has to say whether they hold or the learning does.
    """

    repeats: int | None = None
    supersedes: tuple[int, ...] = ()
    superseded_by: int | None = None
    asks: tuple[int, ...] = ()
    because: dict[int, str] = {}


def judge(
    learning: Learning,
    valid_from: str,
    known: Sequence[Memory],
    alike: Meaning = no_vectors,
    *,
    by_user: bool | None = None,
) -> Standing:
    """How a learning stands to what its project and everybody knows.

    `by_user`: the user said so, which ends what it replaces; another's word only raises the question which one holds.

    Active memories can be repeated or replaced. Superseded ones matter to what arrives late: they may have replaced it
    before somebody else replaced them, so that any order of learning ends with the same active memories.
    """
    # What nobody reviewed neither stands for what somebody said nor ends it; what somebody says ends such doubts.
    sound = [one for one in known if learning.tainted or not one.tainted]
    active = [one for one in sound if one.status == "active"]
    is_users = is_users_word(learning) if by_user is None else by_user
    compared = Compared(learning, alike, active, by_user=is_users)
    repeated = _find_repeated(active, compared)
    if repeated is not None:
        return Standing(repeats=repeated.id)
    older = [one for one in active if said_at(one) <= valid_from]
    newer = [one for one in sound if said_at(one) > valid_from and one.status in ("active", "superseded")]
    doubts = [one for one in known if one.tainted and one.status == "active"]
    ended, asked = _find_outdated([one for one in older if not one.tainted], compared)
    gone = {one.id: one for one in (*_find_replaced(older, compared), *ended, *_find_confirmed(doubts, compared))}
    successor = _overtaken(newer, compared) or _already_replaced(active, newer, compared)
    return Standing(
        supersedes=tuple(gone),
        superseded_by=successor.id if successor else None,
        asks=tuple(one.id for one in asked if one.id not in gone) if not successor else (),
        because={one.id: f"a newer value: {found.reason}" for one in ended if (found := compared.to(one))},
    )


class Compared:
    """A learning beside what is known, each pair looked at once."""

    def __init__(self, learning: Learning, alike: Meaning, active: Sequence[Memory], *, by_user: bool):
        self.learning, self.alike, self.by_user = learning, alike, by_user
        self.active = [one for one in active if are_of_one_family(learning.type, one.type) or one.type in _LASTING]

    @cached_property
    def found(self) -> dict[int, Difference | None]:
        """In what the learning differs from each of the active memories, as likely as that is beside the others."""
        told = ((one.id, text_difference(self.learning.content, one.content, self.alike)) for one in self.active)
        found: dict[int, Difference | None] = dict(told)
        open_ = {number: one for number, one in found.items() if one and one.likely}
        return found | dict(zip(open_, settled([*open_.values()]), strict=True))

    def to(self, memory: Memory) -> Difference | None:
        """In what the learning differs from a memory; None where that cannot be told."""
        if memory.id not in self.found:
            self.found[memory.id] = text_difference(self.learning.content, memory.content, self.alike)
        return self.found[memory.id]

    def kind(self, memory: Memory) -> str:
        """How the learning stands to a memory; empty where that cannot be told."""
        found = self.to(memory)
        return found.kind if found else ""

    def is_other_thing(self, memory: Memory) -> bool:
        """Whether the sentences name two things, though they fill one slot: the tests of billing, the tests of auth."""
        found = self.to(memory)
        is_apart = found is not None and found.kind == "unrelated"
        return is_apart and not claim(self.learning.content).turns  # "now" says that it is the same thing


def is_users_word(told: Told) -> bool:
    """Whether the user said it: a sentence of theirs, or by hand."""
    is_by_hand = isinstance(told, Memory) and (told.source == "user_review" or told.confirmed or told.pinned)
    is_said = (told.temporal_confidence == "high" or told.replaces is not None) and told.type not in OBSERVED
    return is_by_hand or is_said or STANDING in told.tags


def _find_outdated(older: Sequence[Memory], compared: Compared) -> tuple[list[Memory], list[Memory]]:
    """The older memories that a learning gives another value or the opposite of, and those to ask a person about.

    Only the user's word ends something. What was seen to work leaves alone what was seen to work elsewhere.
    """
    learning = compared.learning
    if learning.type not in _LASTING:
        return [], []
    open_ = [one for one in older if one.type in _LASTING and not fill_different_places(learning, one)]
    ended = [one for one in open_ if compared.kind(one) in ENDS]
    if not compared.by_user or learning.tainted:
        return [], [one for one in ended if is_users_word(one) and learning.type != "procedure"]
    doubtful = [] if ended else _likeliest(open_, compared)
    return [one for one in ended if not one.pinned], [*doubtful, *(one for one in ended if one.pinned)]


def _likeliest(older: Sequence[Memory], compared: Compared) -> list[Memory]:
    """Of what the user said before and a learning perhaps ends the likeliest: one question, not many."""
    doubtful = [
        (found.chance, one)
        for one in older
        if is_users_word(one) and (found := compared.to(one)) and found.kind == "unsure"
    ]
    return [one for _, one in sorted(doubtful, key=lambda pair: (-pair[0], pair[1].id))[:1]]


def _already_replaced(active: Sequence[Memory], newer: Sequence[Memory], compared: Compared) -> Memory | None:
    """The memory by which a learning is over before it is known: a newer word of the user, or, for what was only seen
    to work, any word of theirs that forbids it."""
    learning = compared.learning
    if learning.type not in _LASTING:
        return None
    is_seen = not compared.by_user and learning.type in OBSERVED
    words = [one for one in ([*newer, *active] if is_seen else newer) if is_users_word(one) and one.type in _LASTING]
    said = (
        one for one in words if not fill_different_places(learning, one) and _ends_learning(learning, one, compared)
    )
    return min(said, key=lambda one: (said_at(one), one.id), default=None)


def _ends_learning(learning: Learning, memory: Memory, compared: Compared) -> bool:
    """Whether a memory, taken as the newer one, ends a learning."""
    found = text_difference(memory.content, learning.content, compared.alike)
    if found is None:
        return False
    is_seen = learning.type in OBSERVED and not is_users_word(learning)
    return found.kind in (("opposite",) if is_seen else ENDS)


def said_at(memory: Memory) -> str:
    """When somebody last said what a memory says."""
    return max(memory.valid_from or memory.created_at, memory.last_said_at or "")


# -- what to do about a repetition ----------------------------------------------------------------------------------

Retold = Literal["apart", "merge", "boost", "flag", "reword"]
"""What a comparison leads to. Two memories stay apart; or one grows stronger (merge), much stronger (boost), has to be
looked at since showing it did not help or never happened (flag), or should be said in other words (reword)."""

OFTEN = 3  # sessions that taught it
STRONG, WEAK = 0.7, 0.3
DELTAS: dict[Retold, float] = {"merge": 0.1, "boost": 0.3, "flag": 0.1, "reword": 0.1}


class Retelling(NamedTuple):
    """A memory that is learned once more: by how many sessions so far, how strong it is, whether it was ever shown.

    `is_ignored`: it was shown to this very session and the user had to say it all the same.
    """

    sessions: int
    strength: float
    is_shown: bool = False
    is_ignored: bool = False


def decide(told: Retelling) -> Retold:
    """The decision matrix of re-learning.

    Seldom told: merge. Told often: strong and shown with success, boost; weak and never shown, or ignored, flag; shown
    and ignored in between, reword. Two sessions, strength 0.5, ignored: flag, since an injection just failed.
    """
    if told.sessions < OFTEN:
        return "flag" if told.is_ignored else "merge"
    if told.is_ignored:
        return "reword" if WEAK <= told.strength <= STRONG else "flag"
    if told.strength > STRONG and told.is_shown:
        return "boost"
    return "flag" if told.strength < WEAK and not told.is_shown else "merge"


# -- the same again -------------------------------------------------------------------------------------------------


def _find_repeated(active: Sequence[Memory], compared: Compared) -> Memory | None:
    """The memory that says the same."""
    learning, mine = compared.learning, tokens(compared.learning.content)
    kin = [
        one
        for one in active
        if are_of_one_family(learning.type, one.type) and not name_two_ids(learning.content, one.content)
    ]
    if same := next((one for one in kin if is_identical(learning, one)), None):
        return same
    likely = sorted(((jaccard(mine, tokens(one.content)), one) for one in kin), key=lambda found: -found[0])
    is_same = (one for _, one in likely if compared.kind(one) == "same" and not fill_different_places(learning, one))
    return next(is_same, None)


def says_the_same(learning: Learning, memory: Memory) -> bool:
    """Whether a sentence of a model says what a memory does: the same words, or by the comparison, which overlooks a
    path or figure of its own."""
    new, old = learning.content, memory.content
    if name_two_ids(new, old) or fill_different_places(learning, memory):
        return False
    if _plain(new) == _plain(old):
        return True
    found = text_difference(new, old) if marked_words(new) <= marked_words(old) else None
    return found is not None and found.kind == "same"


def _plain(text: str) -> list[str]:
    """A text without what differs between two copies of it: spaces, ticks, capitals, the last stop."""
    return text.replace("`", "").casefold().rstrip(" .").split()


def _find_confirmed(doubts: Sequence[Memory], compared: Compared) -> list[Memory]:
    """What was doubtful and is now said by somebody who may say it."""
    found = None if compared.learning.tainted else _find_repeated(doubts, compared)
    return [found] if found else []


def name_two_ids(one: str, other: str) -> bool:
    """Whether two texts name different digests, tickets or versions, which makes them two things."""
    mine, theirs = _ids(one), _ids(other)
    return bool(mine - theirs and theirs - mine)


def _ids(text: str) -> frozenset[str]:
    said = (word.strip(".,;:!?()'\"`") for word in text.split())
    return frozenset(word for word in said if is_id(word))


def are_of_one_family(one: str, other: str) -> bool:
    """Whether memories of two types can say the same thing."""
    return one == other or any(one in family and other in family for family in FAMILIES)


# -- the old is wrong -----------------------------------------------------------------------------------------------


def _find_replaced(older: Sequence[Memory], compared: Compared) -> list[Memory]:
    """Older memories whose value a learning replaces in its slot, or that a correction is aimed at."""
    learning = compared.learning
    open_ = [one for one in older if one.tainted or not learning.tainted]
    mates = [one for one in open_ if is_same_slot(learning, one) and not compared.is_other_thing(one)]
    return [one for one in open_ if one in mates or _is_target(learning, one)]


RECITED = 0.5  # the share of the shorter one's words at which a memory is what was told from memory


def _is_target(learning: Learning, memory: Memory) -> bool:
    """Whether a correction is aimed at this memory: it says what the assistant had told from memory."""
    if memory.pinned or learning.tainted or memory.type not in _LASTING:
        return False
    mine, theirs = set(tokens(learning.recited or "")), set(tokens(memory.content))
    shared = mine & theirs
    return len(shared) > 2 and len(shared) >= RECITED * min(len(mine), len(theirs))


def _overtaken(newer: Sequence[Memory], compared: Compared) -> Memory | None:
    """The first newer memory that had replaced, in its slot, a learning which only arrives now."""
    learning = compared.learning
    mates = (one for one in newer if is_same_slot(one, learning) and _is_one_thing(one, learning))
    return min(mates, key=lambda one: (said_at(one), one.id), default=None)


def _is_one_thing(newer: Memory, learning: Learning) -> bool:
    found = text_difference(newer.content, learning.content)
    return found is None or found.kind != "unrelated" or claim(newer.content).turns
