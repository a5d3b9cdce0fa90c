"""What a learning means for what is already known: a repetition, a replacement, a late arrival, or something new.

How two sayings stand to each other is `relate`'s to say. Here is who may end what: only lasting knowledge that is not
tainted ends something, and neither a pinned memory nor a passing one is ended by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from nous.kernel.learn.parts import only_names_after_it, rest
from nous.kernel.learn.relate import fill_different_places, is_identical, is_same_slot, says_it_is_over
from nous.kernel.log.extraction import STANDING, Learning
from nous.kernel.memory.memory import Memory
from nous.language.compare.change import Words, is_elsewhere, saying
from nous.language.compare.claims import claim
from nous.language.compare.differences import ENDS, Difference, no_vectors, settled, text_difference
from nous.language.compare.likely import Meaning
from nous.language.likeness import jaccard, tokens
from nous.language.speech_lines import is_id

NEAR = 0.65  # share of the words of two texts from which it is noted that they stay apart
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


class Near(msgspec.Struct, frozen=True):
    """How near a memory came to being the same, by the share of words."""

    memory_id: int
    jaccard: float


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What to do about a learning.

    `repeats`: the memory that says the same. `supersedes`: memories whose time ends with it, `because` says why.
    `superseded_by`: a memory that already says something newer. `narrows`: memories of which it ends some sentences and
    not all; `left`: what is left of its own words when known newer ones end some of them. `near`: memories that came
    close to being the same. `asks`: memories of which a person has to say whether they hold or the learning does.
    """

    repeats: int | None = None
    supersedes: tuple[int, ...] = ()
    superseded_by: int | None = None
    narrows: tuple[Narrowed, ...] = ()
    left: str | None = None
    near: tuple[Near, ...] = ()
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
    repeated, near = _find_repeated(active, compared)
    if repeated is not None:
        return Standing(repeats=repeated.id, near=near)
    older = [one for one in active if said_at(one) <= valid_from]
    newer = [one for one in sound if said_at(one) > valid_from and one.status in ("active", "superseded")]
    doubts = [one for one in known if one.tainted and one.status == "active"]
    ended, asked = _find_outdated([one for one in older if not one.tainted], compared)
    older, named_after = _without_named_after(older, compared)
    gone = {one.id: one for one in (*_find_replaced(older, compared), *ended, *_find_confirmed(doubts, compared))}
    asked += [one for one in named_after if one.id not in gone]
    narrowed = _find_narrowed([one for one in older if one.id not in gone], compared)
    left, outlived = _rest_of_learning(learning, newer)
    successor = _overtaken(older, newer, compared) or _already_replaced(active, newer, compared) or outlived
    return Standing(
        supersedes=(*gone, *(part.memory_id for part in narrowed if not part.content)),
        superseded_by=successor.id if successor else None,
        narrows=tuple(part for part in narrowed if part.content),
        left=left,
        near=near,
        asks=tuple(one.id for one in asked if one.id not in gone) if not successor else (),
        because={one.id: f"a newer value: {found.reason}" for one in ended if (found := compared.to(one))},
    )


def _without_named_after(older: Sequence[Memory], compared: Compared) -> tuple[list[Memory], list[Memory]]:
    """Older memories that words may end, and the user's own that name another thing after what is put away.

    "We no longer use npm" does not end "Packages are published to the npm registry"; a person is asked about one.
    """
    named = [one for one in older if only_names_after_it(compared.learning.content, one.content)]
    own = [one for one in named if compared.by_user and is_users_word(one) and not compared.learning.is_tentative]
    return [one for one in older if one not in named], own[:1]


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
    doubtful = [] if learning.is_tentative or ended else _likeliest(open_, compared)
    turned = [] if doubtful or ended else _find_turned(open_, compared)
    return [one for one in ended if not one.pinned], [*doubtful, *turned, *(one for one in ended if one.pinned)]


def _likeliest(older: Sequence[Memory], compared: Compared) -> list[Memory]:
    """Of what the user said before and a learning perhaps ends the likeliest: one question, not many."""
    doubtful = [
        (found.chance, one)
        for one in older
        if is_users_word(one) and (found := compared.to(one)) and found.kind == "unsure"
    ]
    return [one for _, one in sorted(doubtful, key=lambda pair: (-pair[0], pair[1].id))[:1]]


def _find_turned(older: Sequence[Memory], compared: Compared) -> list[Memory]:
    """The older word of the user to ask about when they say that something has changed and the comparison cannot tell
    whether it is this: the nearest one of the same subject; a hint asks only about what was written by hand."""
    learning = compared.learning
    subject = _subject_said(learning)
    if learning.replaces is None or not subject:
        return []
    near = [
        one
        for one in older
        if compared.kind(one) in ("open", "unsure", "narrower")
        and (one.source == "user_review" or (is_users_word(one) and not learning.is_tentative))
        and _subject_said(one) == subject
    ]
    mine = tokens(learning.content)
    return sorted(near, key=lambda one: (-jaccard(mine, tokens(one.content)), one.id))[:1]


def _subject_said(told: Told) -> Words:
    """What the first clause of a saying is about; it may begin with what announces a change."""
    clauses = saying(told.content).clauses
    return next((clause.subject for clause in clauses if clause.subject), frozenset())


def _are_rules(one: Told, other: Told) -> bool:
    return STANDING in one.tags and STANDING in other.tags


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


def _find_repeated(active: Sequence[Memory], compared: Compared) -> tuple[Memory | None, tuple[Near, ...]]:
    """The memory that says the same, and those that came near."""
    learning, mine = compared.learning, tokens(compared.learning.content)
    kin = [
        one
        for one in active
        if are_of_one_family(learning.type, one.type) and not name_two_ids(learning.content, one.content)
    ]
    if same := next((one for one in kin if is_identical(learning, one)), None):
        return same, ()
    likely = sorted(((jaccard(mine, tokens(one.content)), one) for one in kin), key=lambda found: -found[0])
    is_same = (one for _, one in likely if compared.kind(one) == "same" and not fill_different_places(learning, one))
    found = next(is_same, None)
    return found, () if found else tuple(Near(one.id, round(alike, 3)) for alike, one in likely if alike >= NEAR)


def _find_confirmed(doubts: Sequence[Memory], compared: Compared) -> list[Memory]:
    """What was doubtful and is now said by somebody who may say it."""
    found = None if compared.learning.tainted else _find_repeated(doubts, compared)[0]
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
    """Older memories whose value a learning replaces: in its slot or by the user's words."""
    learning = compared.learning
    open_ = [one for one in older if one.tainted or not learning.tainted]
    mates = [one for one in open_ if is_same_slot(learning, one) and not compared.is_other_thing(one)]
    cousin = None if mates else _nearly_same_slot(learning, open_)
    gone = [one for one in open_ if one in mates or one is cousin or _is_target(learning, one)]
    gone += [one for one in open_ if one not in gone and not one.pinned and _is_over(learning, one, compared.kind(one))]
    return gone + [one for one in open_ if one not in gone and _is_echo(one, gone)]


def _is_over(newer: Told, older: Told, kind: str) -> bool:
    """Whether the user's own words say that an older saying has ended, where the comparison leaves that open.

    Of two that were said as rules the comparison alone decides, unless the newer one says that something is over.
    """
    if newer.type not in _LASTING | {"dead_end"} or newer.tainted or older.type not in _LASTING:
        return False
    is_open = kind in ("", "open", "unsure", "narrower") and (
        newer.replaces is not None or not _are_rules(newer, older)
    )
    is_said = newer.replaces is not None or newer.temporal_confidence == "high"
    return is_said and bool(newer.replaces or is_open) and says_it_is_over(newer, older)


_PARTLY = _LASTING | {"dead_end", "error_pattern", "module_insight"}


def _find_narrowed(older: Sequence[Memory], compared: Compared) -> list[Narrowed]:
    """The older memories of which a learning ends some sentences, or with no words left all of them."""
    learning = compared.learning
    if learning.tainted or learning.type not in _PARTLY:
        return []
    open_ = (one for one in older if not one.pinned and not one.confirmed and one.type in _PARTLY)
    found = ((one, rest(learning.content, one.content, by_user=compared.by_user)) for one in open_)
    return [Narrowed(one.id, part.content, part.reason, part.share) for one, part in found if part]


def _rest_of_learning(learning: Learning, newer: Sequence[Memory]) -> tuple[str | None, Memory | None]:
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


def _overtaken(older: Sequence[Memory], newer: Sequence[Memory], compared: Compared) -> Memory | None:
    """The first newer memory that had replaced a learning which only arrives now."""
    learning = compared.learning
    for memory in sorted(newer, key=lambda one: (said_at(one), one.id)):
        found = text_difference(memory.content, learning.content)
        is_one = found is None or found.kind != "unrelated" or claim(memory.content).turns
        is_cousin = _nearly_same_slot(memory, [*older, learning]) is learning
        if is_cousin or (is_one and is_same_slot(memory, learning)):
            return memory
        if _is_over(memory, learning, found.kind if found else ""):
            return memory
    return None


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
