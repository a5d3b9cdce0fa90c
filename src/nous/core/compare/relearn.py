"""What a learning means for what is already known: a repetition, a replacement, a late arrival, or something new.

How two sayings stand to each other is `relate`'s to say. Here is who may end what: only lasting knowledge that is not
tainted ends something, and neither a pinned memory nor a passing one is ended by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from nous.core.compare import judge as builtin
from nous.core.compare.change import is_elsewhere
from nous.core.compare.claims import claim
from nous.core.compare.differences import ENDS, Alike, Difference, no_vectors, text_difference
from nous.core.compare.parts import rest
from nous.core.compare.relate import (
    LEAST_SHARED,
    NEAR,
    SAME_WORDS,
    Judge,
    Near,
    Relation,
    ending,
    fill_different_places,
    is_identical,
    is_same_slot,
    nearness,
)
from nous.core.extraction import STANDING, Learning
from nous.core.language.voices import is_id
from nous.core.likeness import jaccard, rarity, tokens
from nous.core.memory import Memory

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
_RETELLING = frozenset({"work_state", "progress", "context", "module_insight", "work_unit_outcome", "episode"})
Told = Learning | Memory


class Narrowed(msgspec.Struct, frozen=True):
    """A memory of which some sentences have ended, what is left of it, why, and the share of what it told."""

    memory_id: int
    content: str
    reason: str
    share: float = 1.0


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to do about a learning.

    `repeats`: the memory that says the same, found in `tier` 1 (words), 2 (weighted words) or 3 (a judge).
    `supersedes`: memories whose time ends with it. `superseded_by`: a memory that already says something newer.
    `weakens`: memories it speaks against without replacing them; `weakened_by`: newer ones that do so to it.
    `narrows`: memories of which it ends some sentences and not all; `left`: what is left of its own words when known
    newer ones end some of them.
    `near`: memories that came close to being the same, and the one that was found by more than its words.
    `asks`: memories of which a person has to say whether they hold or the learning does. `because`: why some end.
    """

    repeats: int | None = None
    tier: int = 0
    supersedes: tuple[int, ...] = ()
    superseded_by: int | None = None
    weakens: tuple[int, ...] = ()
    weakened_by: int | None = None
    narrows: tuple[Narrowed, ...] = ()
    left: str | None = None
    near: tuple[Near, ...] = ()
    asks: tuple[int, ...] = ()
    because: dict[int, str] = {}


def judge(
    learning: Learning,
    valid_from: str,
    known: Sequence[Memory],
    third: Judge = builtin.judge,
    alike: Alike = no_vectors,
    *,
    by_user: bool | None = None,
) -> Standing:
    """How a learning stands to what its project and everybody knows.

    `by_user`: the user said so, which ends what it replaces; another's word only raises the question which one holds.

    Active memories can be repeated or replaced. Superseded ones matter to what arrives late: they may have replaced it
    before somebody else replaced them, so that any order of learning ends with the same active memories.
    """
    # What nobody reviewed neither stands for what somebody said nor ends it; what somebody says ends such doubts.
    doubted = [] if learning.tainted else [memory for memory in known if memory.tainted and memory.status == "active"]
    known = [memory for memory in known if learning.tainted or not memory.tainted]
    active = [memory for memory in known if memory.status == "active"]
    by_user = is_users_word(learning) if by_user is None else by_user
    compared = Compared(learning, alike)
    repeated, near = _repeated(learning, active, third, compared)
    if repeated is not None:
        tier = next((one.tier for one in near if one.memory_id == repeated.id), 1)
        return Standing(repeats=repeated.id, tier=tier, near=near)
    older = [memory for memory in active if said_at(memory) <= valid_from]
    newer = [memory for memory in known if said_at(memory) > valid_from and memory.status in ("active", "superseded")]
    replaced, weakened = _replaced(learning, [one for one in older if one.tainted or not learning.tainted], compared)
    sound = [one for one in older if one not in replaced and not one.tainted]
    ended, asked = _outdated(learning, sound, compared, by_user=by_user)
    replaced += ended
    successor, opponent = _overtaken(learning, older, newer)
    successor = successor or _already_replaced(learning, active, newer, compared, by_user=by_user)
    if confirmed := _repeated(learning, doubted, third, compared)[0]:
        replaced.append(confirmed)
    narrowed = _narrowed(learning, [one for one in older if one not in replaced], by_user=by_user)
    replaced += [one for one in older if any(one.id == part.memory_id and not part.content for part in narrowed)]
    left, outlived = _left(learning, newer)
    successor = successor or outlived
    return Standing(
        supersedes=tuple(memory.id for memory in replaced),
        superseded_by=successor.id if successor else None,
        narrows=tuple(part for part in narrowed if part.content),
        left=left,
        weakens=tuple(memory.id for memory in weakened),
        weakened_by=opponent.id if opponent and not successor else None,
        near=near,
        asks=tuple(memory.id for memory in asked if memory not in replaced) if not successor else (),
        because={memory.id: f"a newer value: {found.reason}" for memory in ended if (found := compared.to(memory))},
    )


class Compared:
    """A learning beside what is known, each pair looked at once."""

    def __init__(self, learning: Learning, alike: Alike):
        self.learning, self.alike = learning, alike
        self.found: dict[int, Difference | None] = {}

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

    def is_open(self, memory: Memory) -> bool:
        """Whether a judge has to be asked."""
        return self.kind(memory) in ("", "open")


def is_users_word(told: Told) -> bool:
    """Whether the user said it: a sentence of theirs, or by hand."""
    is_by_hand = isinstance(told, Memory) and (told.source == "user_review" or told.confirmed or told.pinned)
    is_said = (told.temporal_confidence == "high" or told.replaces is not None) and told.type not in OBSERVED
    return is_by_hand or is_said or STANDING in told.tags


def _outdated(
    learning: Learning, older: Sequence[Memory], compared: Compared, *, by_user: bool
) -> tuple[list[Memory], list[Memory]]:
    """The older memories that a learning gives another value or the opposite of, and those to ask a person about.

    Only the user's word ends something. What was seen to work leaves alone what was seen to work elsewhere.
    """
    if learning.type not in _LASTING:
        return [], []
    open_ = [one for one in older if one.type in _LASTING and not fill_different_places(learning, one)]
    ended = [one for one in open_ if compared.kind(one) in ENDS]
    if by_user and not learning.tainted:
        doubtful = [one for one in open_ if compared.kind(one) == "unsure" and _are_rules(learning, one)]
        doubtful = [] if learning.is_tentative else doubtful
        return [one for one in ended if not one.pinned], [*doubtful, *(one for one in ended if one.pinned)]
    return [], [one for one in ended if is_users_word(one) and learning.type != "procedure"]


def _are_rules(one: Told, other: Told) -> bool:
    return STANDING in one.tags and STANDING in other.tags


def _already_replaced(
    learning: Learning, active: Sequence[Memory], newer: Sequence[Memory], compared: Compared, *, by_user: bool
) -> Memory | None:
    """The memory by which a learning is over before it is known: a newer word of the user, or, for what was only seen
    to work, any word of theirs that forbids it."""
    if learning.type not in _LASTING:
        return None
    is_seen = not by_user and learning.type in OBSERVED
    words = [one for one in ([*newer, *active] if is_seen else newer) if is_users_word(one) and one.type in _LASTING]
    said = (one for one in words if not fill_different_places(learning, one) and _reversed(learning, one, compared))
    return min(said, key=lambda one: (said_at(one), one.id), default=None)


def _reversed(learning: Learning, memory: Memory, compared: Compared) -> bool:
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

Retold = Literal["apart", "merge", "boost", "flag", "reword", "everywhere"]
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


def _repeated(
    learning: Learning, active: Sequence[Memory], third: Judge, compared: Compared
) -> tuple[Memory | None, tuple[Near, ...]]:
    """The memory that says the same, and those that came near. Each tier is asked only where the one before wavers."""
    kin = [
        memory
        for memory in active
        if are_of_one_family(learning.type, memory.type) and not name_two_ids(learning.content, memory.content)
    ]
    if same := next((memory for memory in kin if is_identical(learning, memory)), None):
        return same, ()
    mine = tokens(learning.content)
    likely = sorted(((jaccard(mine, tokens(one.content)), one) for one in kin), key=lambda found: -found[0])
    for alike, memory in likely:
        if compared.kind(memory) == "same" and not fill_different_places(learning, memory):
            return memory, (Near(memory.id, round(alike, 3), round(alike, 3)),) if alike < SAME_WORDS else ()
    open_ = [one for _, one in likely if compared.is_open(one)]
    found, near = _nearly_repeated(learning, active, open_, third)
    apart = (Near(one.id, round(alike, 3), differs=True) for alike, one in likely if alike >= NEAR and one not in open_)
    return found, near if found else (*near, *apart)


def name_two_ids(one: str, other: str) -> bool:
    """Whether two texts name different digests, tickets or versions, which makes them two things."""
    mine, theirs = _ids(one), _ids(other)
    return bool(mine - theirs and theirs - mine)


def _ids(text: str) -> frozenset[str]:
    said = (word.strip(".,;:!?()'\"`") for word in text.split())
    return frozenset(word for word in said if is_id(word))


def _nearly_repeated(
    learning: Learning, active: Sequence[Memory], open_: Sequence[Memory], third: Judge
) -> tuple[Memory | None, tuple[Near, ...]]:
    """Of longer texts, which no comparison of sentences decides: the one with nearly all of the words, if a judge
    does not object."""
    weights = rarity([memory.content for memory in active]) if open_ else {}
    near: list[Near] = []
    for memory in open_:
        if (found := nearness(learning, memory, memory.id, third, weights)) is None:
            break
        if found.is_same:
            return memory, (*near, found) if found.tier > 1 else tuple(near)
        if found.jaccard >= NEAR or found.label:
            near.append(found)
    return None, tuple(near)


def doubtful(learning: Learning, known: Sequence[Memory]) -> list[tuple[str, str]]:
    """The pairs that the third tier may be asked about: the known sentence first."""
    kin = (one for one in known if one.status == "active" and are_of_one_family(learning.type, one.type))
    mine = tokens(learning.content)
    near = (
        one for one in kin if jaccard(mine, tokens(one.content)) >= LEAST_SHARED and not is_identical(learning, one)
    )
    compared = Compared(learning, no_vectors)
    return [(one.content, learning.content) for one in near if compared.is_open(one)]


def are_of_one_family(one: str, other: str) -> bool:
    """Whether memories of two types can say the same thing."""
    return one == other or any(one in family and other in family for family in FAMILIES)


# -- the old is wrong -----------------------------------------------------------------------------------------------


def _replaced(learning: Learning, older: Sequence[Memory], compared: Compared) -> tuple[list[Memory], list[Memory]]:
    """Older memories whose value a learning replaces: in its slot or by the user's words; and those it weakens."""
    mates = [one for one in older if is_same_slot(learning, one) and not compared.is_other_thing(one)]
    cousin = None if mates else _nearly_same_slot(learning, older)
    replaced: list[Memory] = []
    weakened: list[Memory] = []
    for memory in older:
        is_open = _may_be_over(learning, memory, compared.kind(memory))
        stand = _stand(learning, memory) if is_open and not memory.pinned else None
        if memory in mates or memory is cousin or _is(stand, "replaces") or _is_target(learning, memory):
            replaced.append(memory)
        elif _is(stand, "contradicts"):
            weakened.append(memory)
    replaced += [memory for memory in older if memory not in replaced and _is_echo(memory, replaced)]
    return replaced, [memory for memory in weakened if memory not in replaced]


def _may_be_over(newer: Told, older: Told, kind: str) -> bool:
    """Whether the weights of a change are asked: what is over is named, or the comparison leaves it open.

    Of two that were said as rules the comparison alone decides, unless the newer one says that something is over.
    """
    is_open = kind in ("", "open", "unsure", "narrower")
    return bool(newer.replaces) or (is_open and (newer.replaces is not None or not _are_rules(newer, older)))


_PARTLY = _LASTING | {"dead_end", "error_pattern", "module_insight"}


def _narrowed(learning: Learning, older: Sequence[Memory], *, by_user: bool) -> list[Narrowed]:
    """The older memories of which a learning ends some sentences, or with no words left all of them."""
    if learning.tainted or learning.type not in _PARTLY:
        return []
    open_ = (one for one in older if not one.pinned and not one.confirmed and one.type in _PARTLY)
    found = ((memory, rest(learning.content, memory.content, by_user=by_user)) for memory in open_)
    return [Narrowed(memory.id, part.content, part.reason, part.share) for memory, part in found if part]


def _left(learning: Learning, newer: Sequence[Memory]) -> tuple[str | None, Memory | None]:
    """What is left of a learning that arrives late, when newer memories have ended some of its sentences; or the newer
    one that has ended the last of them."""
    content = learning.content
    for memory in newer if learning.type in _PARTLY else ():
        is_open = not memory.tainted and memory.type in _PARTLY
        part = rest(memory.content, content, by_user=is_users_word(memory)) if is_open else None
        if part and not part.content:
            return None, memory
        content = part.content if part else content
    return (content if content != learning.content else None), None


RECITED = 0.5  # the share of the shorter one's words at which a memory is what was told from memory


def _is_target(learning: Learning, memory: Memory) -> bool:
    """Whether a correction is aimed at this memory: it says what the assistant had told from memory."""
    if memory.pinned or learning.tainted or memory.type not in _LASTING:
        return False
    mine, theirs = set(tokens(learning.recited or "")), set(tokens(memory.content))
    shared = mine & theirs
    return len(shared) > 2 and len(shared) >= RECITED * min(len(mine), len(theirs))


ECHO = 0.8  # the share of a memory's words that another one has which only repeats it


def _is_echo(memory: Memory, ended: Sequence[Memory]) -> bool:
    """Whether what was seen or done in some session only repeats what ends now: "Last work (the port is 80): ..."."""
    if memory.pinned or memory.type not in _RETELLING:
        return False
    words = set(tokens(memory.content))
    said = (set(tokens(one.content)) for one in ended)
    return any(len(mine) > 2 and len(mine & words) >= ECHO * len(mine) for mine in said)


def _overtaken(
    learning: Learning, older: Sequence[Memory], newer: Sequence[Memory]
) -> tuple[Memory | None, Memory | None]:
    """The first newer memory that had replaced a learning which only arrives now, and the first that weakens it."""
    successor = opponent = None
    for memory in sorted(newer, key=lambda one: (said_at(one), one.id)):
        found = text_difference(memory.content, learning.content)
        stand = _stand(memory, learning) if _may_be_over(memory, learning, found.kind if found else "") else None
        if (
            (
                is_same_slot(memory, learning)
                and (found is None or found.kind != "unrelated" or claim(memory.content).turns)
            )
            or _is(stand, "replaces")
            or _nearly_same_slot(memory, [*older, learning]) is learning
        ):
            successor = successor or memory
        elif _is(stand, "contradicts"):
            opponent = opponent or memory
    return successor, opponent


def _subject_of(slot: str | None) -> set[str]:
    """The words for what a slot is of, without the project itself."""
    return set(slot.split("|")[0].split()) - {"project"} if slot else set()


def _is_shorter(some: set[str], others: set[str]) -> bool:
    """Whether some words name a thing, and others name it with as many or more; no words name nothing."""
    return bool(some) and some <= others


def _nearly_same_slot(newer: Told, older: Sequence[Told]) -> Told | None:
    """The one older of the same attribute whose subject is said in more or fewer words, when something changed.

    "The flags moved to settings/" is about "the feature flags live in config/"; two candidates would be a guess.
    """
    if not newer.slot or newer.replaces is None or newer.tainted:
        return None
    subject, _, attribute = newer.slot.partition("|")
    mine = set(subject.split()) - {"project"}
    mates = [
        one
        for one in older
        if one.slot and one.slot.partition("|")[2] == attribute and one.slot != newer.slot
        if not is_elsewhere(newer.content, one.content)
    ]
    found = [
        one for one in mates if _is_shorter(mine, _subject_of(one.slot)) or _is_shorter(_subject_of(one.slot), mine)
    ]
    if len(found) != 1 or attribute == "choice" or (isinstance(found[0], Memory) and found[0].pinned):
        return None
    return found[0]


def _stand(newer: Told, older: Told) -> Relation | None:
    """Whether the user's own words replace an older saying or speak against it."""
    if newer.type not in _LASTING | {"dead_end"} or newer.tainted or older.type not in _LASTING:
        return None
    is_said = newer.replaces is not None or newer.temporal_confidence == "high"
    return ending(newer, older) if is_said else None


def _is(stand: Relation | None, kind: str) -> bool:
    return stand is not None and stand.kind == kind
