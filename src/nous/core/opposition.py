"""Whether a saying speaks against an older one: which of two values is about the same thing, and where a change ends.

It replaces what it names or whose frame it fills anew, and weakens what it only touches. Another environment, another
use and another thing of the same kind stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nous.core.extraction import Learning
from nous.core.likeness import jaccard, stem, tokens
from nous.core.memory import Memory

Said = Learning | Memory

_COMMAND = re.compile(r"`([^`]+)`")


def command_of(content: str) -> str:
    """The command that a memory about a command names first."""
    found = _COMMAND.search(content)
    return found[1] if found else content


def opposition(learning: Said, memory: Said) -> str | None:
    """Whether a correction speaks of this memory: it has to name the old value and share the subject."""
    if elsewhere(learning, memory):
        return None
    held = set(tokens(memory.content))
    new = set(tokens(learning.content))
    old = set(tokens(learning.replaces or "")) or _refused(learning.content)
    old |= {word for word in held for named in old if _is_short_for(named, word)}
    if old & held:
        if _already_refuses(memory.content, old) or old & new_values(learning, old):
            return None
        if _shares_subject(learning, memory, old) or _reverses(learning, memory) or _forbids(learning, memory):
            return "replaces"
        if _spells_out(learning, memory) or _leaves(learning, memory):
            return "replaces"
        shared = len((new & held) - old)
        if shared >= 2 and all(map(_NUMBER.search, old)):
            return "replaces"  # a figure that was said to be over, or that the next edit took out
        if shared and all(map(_COMPOUND.search, old)):
            return "replaces"  # and so for a name of several parts, which no other thing has
        if shared >= 2 or _shares_entity(learning, memory, old):
            return "weakens"
    if _flips(learning, memory):
        return "replaces"
    # The user said that something changed without naming the old value: only near-identical wording is about it.
    if learning.replaces or not (new - held and held - new) or _other_subject(learning, memory):
        return None
    alike = jaccard(new, held) >= 0.5 or _same_measure(learning, memory) or _same_frame(learning, memory)
    return "replaces" if alike else None


def _is_short_for(named: str, word: str) -> bool:
    """Whether a name is another one's beginning: mongo and mongodb, fly and fly.io."""
    return word.startswith(named if len(named) > 3 else named + ".")


_NUMBER = re.compile(r"\d")
_COMPOUND = re.compile(r"\w[./_-]\w+[./_-]\w")
_MOVED = re.compile(
    r"(?:the |our )?[\w-]+ (?:\w+ )?(?:was |has |have |were |is |are )*(?:moved|switched|changed|migrated) to ", re.I
)


def _same_measure(learning: Said, memory: Said) -> bool:
    """Whether both begin with the same word and give it one value: "retries go up to 5", "the retry limit is 3"."""
    if learning.slot and memory.slot:
        return False
    mine, theirs = _plain(learning.content), _plain(memory.content)
    heads = [next((word for word in words if not _NUMBER.search(word)), "") for words in (mine, theirs)]
    if not heads[0] or heads[0] != heads[1] or len(theirs) > 8:
        return False
    numbers = [[word for word in words if _NUMBER.search(word)] for words in (mine, theirs)]
    moved = bool(_MOVED.match(learning.content)) and len(theirs) <= 5 and memory.type == "fact"
    return len(numbers[0]) == len(numbers[1]) == 1 or moved


def new_values(learning: Said, old: set[str]) -> set[str]:
    """Words of the old value that the learning itself upholds elsewhere: then it is not about replacing them."""
    text = learning.content.lower()
    return {word for word in old if text.count(word) > 2}


def _shares_subject(learning: Said, memory: Said, old: set[str]) -> bool:
    """Whether both speak of the same thing, beyond the value that changed."""
    rest, held = set(tokens(learning.content)) - old, set(tokens(memory.content)) - old
    mine, theirs = subject_of(learning.slot), subject_of(memory.slot)
    if mine and theirs:
        return bool(mine & theirs)
    if mine or theirs:
        return bool(mine & held) if mine else bool(theirs & rest)
    # Neither the t of "don't" nor a figure is a subject.
    shared = {word for word in rest & held if len(word) > 1 and re.search(r"[^\W\d]", word)} - _KINDS
    if set(learning.files) & set(memory.files) or _shares_entity(learning, memory, old, is_telling):
        return True
    return bool(shared) and 3 * len(shared) >= len(held) and len(held) <= 14


# Two sayings about a team each need not be about the same team.
_KINDS = frozenset(map(stem, "team équipe service app client cliente project repo module job tool".split()))  # noqa: SIM905
_DROPS = re.compile(
    r"\b(?:drop|ditch|abandon|retir|scrap|scratch|replac|remov|kick|ripp?|throw)\w*\b"
    r"|\b(?:mov|switch|migrat)\w* (?:away )?(?:from|off)\b|\brid of\b|\bno longer\b"
    r"|\bforget (?:about|what)\b|\b(?:goes|going|is|are) (?:out|gone|away|history)\b"
    r"|\bwas a (?:mistake|bad idea)\b|\bno more\b|\banymore\b"
    r"|nicht mehr|\bkeine?n? .{1,30} mehr\b|\babandonn|ne .{1,30} plus|\bya no\b|\bdejamos\b|больше не|отказ"
    r"|不再|放弃|弃用|やめ",
    re.I,
)


def _reverses(learning: Said, memory: Said) -> bool:
    """Whether a decision gives up by name what an earlier decision had adopted, each about one thing only."""
    if learning.slot or not _DROPS.search(learning.content) or _is_qualified(learning):
        return False
    if memory.type == "procedure":
        return not set(tokens(command_of(memory.content).split(" ", 1)[0])).isdisjoint(tokens(learning.replaces or ""))
    chosen = memory.slot is None or memory.slot.endswith("|choice") or memory.slot.startswith("project|")
    adopting = ("decision", "requirement", "preference", *(("fact",) if learning.type == "decision" else ()))
    if not chosen or memory.type not in adopting or len(tokens(memory.content)) > 10:
        return False
    return any(_adopts(memory.content, name) for name in (learning.replaces or "").split())


_NO_NAME = re.compile(
    r"\w+(?:ly|ing|ed)\Z|(?:first|second|third|last|one|two|next|old|new|same|test|tests|file|files|code)\Z", re.I
)
_ADOPTS = (
    r"\b(?:use|uses|using|chose|choose|go|going|decided|settled|picked|adopt\w*|port|package|keep|take|with|on|in|as|to|from|via"
    r"|nehmen|verwenden|nutzen|mit|über|heißt|utilise|utilisons|avec|usamos|con|в|на|используем)\b(?:\W+[\w-]+){0,3}?\W+"
)


def _adopts(content: str, name: str) -> bool:
    """Whether a memory says that this is what is used: "we package it as a helm chart", "EnTT it is"."""
    if len(name) < 2 or _NO_NAME.match(name):
        return False
    named = re.escape(name)
    return bool(re.search(rf"{_ADOPTS}{named}|\b{named}\w* it is\b|用{named}", content, re.I))


def _is_qualified(learning: Said) -> bool:
    """Whether the thing is given up for one use only: "we dropped redis for sessions"."""
    old = (learning.replaces or "").split(" ")[0]
    return bool(re.search(rf"{re.escape(old)}`? (?:for|in|as|on|für|pour|para|для) ", learning.content, re.I))


def subject_of(slot: str | None) -> set[str]:
    """The words for what a slot is of, without the project itself."""
    words = set(slot.split("|")[0].split()) if slot else set()
    return words - {"project"}


def is_telling(entity: str) -> bool:
    """Whether a name can hardly mean two things: PaymentService, `make check`, api-v2; not API or Docker."""
    return bool(re.search(r"[a-z][A-Z]|[\d._/ -]", entity))


def _shares_entity(one: Said, other: Said, old: set[str], fits: Callable[[str], bool] = bool) -> bool:
    """Whether a thing that either names, other than the value that changed, is named by the other too."""
    pairs = ((one.entities, other.content), (other.entities, one.content))
    return any(
        fits(entity) and not old & set(tokens(entity)) and re.search(rf"(?<!\w){re.escape(entity)}(?!\w)", text, re.I)
        for entities, text in pairs
        for entity in entities
    )


# -- what a change is about ------------------------------------------------------------------------------------------

_PLACES = (
    re.compile(r"\b(?:prod|production|producción|produktion\w*|produktiv\w*)\b", re.I),
    re.compile(r"\b(?:staging|preprod|pre-production|sandbox)\b", re.I),
    re.compile(r"\b(?:local|locally|localhost|lokal\w*|dev (?:cluster|box|setup|environment))\b", re.I),
    re.compile(r"\b(?:tests?|specs?|e2e|pruebas)\b", re.I),
    re.compile(r"\bci\b", re.I),
    re.compile(r"\b(?:mobile|ios|android)\b", re.I),
    re.compile(r"\b(?:web app|web client|website|frontend|front-end)\b", re.I),
    re.compile(r"\b(?:backend|back-end|server side)\b", re.I),
)
_FOR = re.compile(
    r"\b(?:for|für|pour|para|для) (?!all\b|every)(?:(?:the|our|die|den|das|la|les|los|las|el) )?"
    r"([\w/-]+(?: (?!(?:is|are|we|wir|run|use|go|get|has|nutz|now)\w*\b)[\w/-]+)?)",
    re.I,
)
_WHY = frozenset(
    map(stem, "performance cost speed security compliance legal simplicity consistency reasons good moment".split())  # noqa: SIM905
)


def elsewhere(newer: Said, older: Said) -> bool:
    """Whether a change is about another environment, or about one use that the older saying does not speak of.

    "We upgraded staging" leaves production alone, "the page size for exports" that of everything else.
    """
    new, old = ({at for at, place in enumerate(_PLACES) if place.search(one.content)} for one in (newer, older))
    if (new and old and not new & old) or _is_sibling(newer.content, older.content):
        return True
    if _ALIKE.search(newer.content):
        return False
    held = tokens(older.content)
    uses = (set(tokens(found[1])) - _WHY for found in _FOR.finditer(newer.content))
    return any(use and not _has_any(held, use) for use in uses if not any(map(_NUMBER.search, use)))


# "for debug and release alike" is for everything.
_ALIKE = re.compile(r"\b(?:alike|both|everywhere|across the board|überall|partout|en todas partes)\b", re.I)
_NO_SUBJECT = re.compile(
    r"(?:we|i|you|they|wir|ich|on|nous|usamos|hemos|мы|always|never|do|don'?t|use|lets?|let's|no|not|stop|forget)\b",
    re.I,
)


def _is_sibling(newer: str, older: str) -> bool:
    """Whether both begin with a thing of one kind, each with a word of its own: the users table, the orders table."""
    mine, theirs = _plain(newer), _plain(older)
    if _NO_SUBJECT.match(newer) or _NO_SUBJECT.match(older):
        return False
    if len(mine) < 3 or len(theirs) < 3 or any(map(_NUMBER.search, (*mine[:2], *theirs[:2]))):
        return False
    own = [(mine[at], theirs[at]) for at in (0, 1) if mine[at] not in theirs and theirs[at] not in mine]
    if own == [(mine[0], theirs[0])]:
        return mine[1] == theirs[1]
    return own == [(mine[1], theirs[1])] and mine[0] == theirs[0] and mine[0] in _KINDS


def _has_any(held: Sequence[str], words: set[str]) -> bool:
    """Whether one of the words occurs, be it as a part of another: "job" in "job-queue"."""
    return any(word in one or one in word for word in words for one in held if min(len(word), len(one)) > 2)


def _other_subject(learning: Said, memory: Said) -> bool:
    """Whether both give a value to one attribute, of things that differ: the timeouts of two clients, two files."""
    mine, theirs = subject_of(learning.slot), subject_of(memory.slot)
    files = bool(learning.files and memory.files) and not set(learning.files) & set(memory.files)
    return (bool(mine and theirs) and not (mine <= theirs or theirs <= mine)) or (files and not learning.slot)


_CLAUSE = re.compile(r"[,;:(]\s|\.\s|\s(?:so|and|because|since|weil|porque|parce que)\s", re.I)
_TURN_WORDS = frozenset(
    map(stem, ("today", "month", "week", "year", "sprint", "again", "better", "longer", "anymore", "new"))
) | {"mejor", "ahora", "ya", "jetzt", "nun", "heute", "sofort", "künftig", "maintenant", "désormais", "plus", "теперь"}
_NOT = re.compile(
    r"\b(?:not|never|no|don'?t|doesn'?t|isn'?t|aren'?t|without|nicht|nie|kein\w*|pas|jamais|nunca|ya no|не|никогда)\b"
    r"|不",
    re.I,
)


def _clauses(content: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(content) if clause]


def _plain(clause: str) -> list[str]:
    return [word for word in tokens(clause) if word not in _TURN_WORDS and word != "t"]  # the t of "don't"


def _flips(learning: Said, memory: Said) -> bool:
    """Whether a changed sentence says with a memory's own words the opposite: "we use docker now after all"."""
    held = set(_plain(memory.content))
    for clause in _clauses(learning.content):
        mine = set(_plain(clause))
        if mine and mine <= held and 2 * len(mine) > len(held):
            return bool(_NOT.search(clause)) != bool(_NOT.search(memory.content))
    return False


def _same_frame(learning: Said, memory: Said) -> bool:
    """Whether a clause has the memory's subject and verb and another value in the value's place.

    "Reviews go to Jonas now" has "reviews go to Petra" as its frame, "reviews go through CI now" has not.
    """
    told = re.split(r",? (?:because|since|weil|porque|parce que)\b", memory.content, flags=re.I)[0]
    held = _plain(told)
    for clause in _clauses(learning.content):
        mine = _plain(clause)
        shared = set(mine) & set(held)
        gone = [word for word in held if word not in shared]
        if len(shared) >= 2 and mine[0] in held[:2] and 0 < len(gone) <= 2 and _refilled(told, clause, shared):
            return True
    return False


_WORDS = re.compile(r"[^\W_][\w.+#/@-]*[^\W_]|[^\W_]")


def _refilled(old: str, new: str, shared: set[str]) -> bool:
    """Whether a value of the old clause has a counterpart in the new one: after the same word, or of the same unit."""
    return any(
        (before == before2 and before) or (_NUMBER.search(value) and _NUMBER.search(value2) and after == after2)
        for before, value, after in _values(old, shared)
        for before2, value2, after2 in _values(new, shared)
    )


def _values(clause: str, shared: set[str]) -> list[tuple[str, str, str]]:
    """The words of a clause that the other lacks, each with its neighbours."""
    words = [word for word in _WORDS.findall(clause.lower()) if word not in _TURN_WORDS | {"now", "the", "a", "our"}]
    around = zip(["", *words], words, [*words[1:], ""], strict=False)
    return [(left, word, right) for left, word, right in around if set(tokens(word)) - shared]


def _spells_out(learning: Said, memory: Said) -> bool:
    """Whether what is given up is named with two words of the memory, or with one that means one thing only."""
    held = set(tokens(memory.content))
    named = {word for word in tokens(learning.replaces or "") if len(word) > 2}
    if len(named & held) >= 2:
        return True
    for found in _DROPS.finditer(learning.content):
        phrase = set(tokens(re.split(r"[,;:]|\.\s|\s(?:and|for|in|to|with)\s", learning.content[found.end() :])[0]))
        who = set(_plain(_clauses(learning.content[: found.start()] + " ")[-1])) - _ALL
        if 2 <= len(phrase) <= 4 and phrase <= held and (not who or who & held):
            return True
    telling = {word for word in named & held if is_telling(word) and re.search(r"[^\W\d]", word)}
    return bool(telling and (set(tokens(learning.content)) - named) & held)


_GONE = re.compile(
    r"\b(?:mov|switch|migr|chang|replac|retir|drop|ditch|abandon|left|kill|remov|scrap)\w*"
    r"|\b(?:gone|shut down|turned off)\b"
    r"|\b(?:umgestiegen|gewechselt|umgestellt|ersetzt|abgeschafft|abgeschaltet|umbenannt|passé|cambiado|cambiamos|pasamos)\b",
    re.I,
)
_ALL = frozenset(
    map(stem, ("everything", "company", "team", "last", "week", "month", "today", "finally", "completely", "entire"))
) | {"whole", "hemo", "avon", "sind", "wurd"}


def _leaves(learning: Said, memory: Said) -> bool:
    """Whether a thing is given up altogether that the memory says is used: "we switched from mailgun to postmark"."""
    if len(tokens(memory.content)) > 10 or memory.type in ("gotcha", "context", "opinion") or _is_qualified(learning):
        return False
    names = (learning.replaces or "").split()
    adopted = [name for name in names if _adopts(memory.content, name)]
    for clause in _clauses(learning.content):
        if not _GONE.search(clause) or not any(name.lower() in clause.lower() for name in adopted):
            continue
        ahead = re.split(r"\s(?:to|with|by|onto|auf|zu|in|durch|à|vers|par|por|a)\s", _GONE.sub(" ", clause))[0]
        if not {word for word in tokens(ahead) if word not in _ALL} - set(tokens(" ".join(names))):
            return True
    return False


_REFUSAL = re.compile(
    r"\b(?:not|never|no longer|don'?t|do not|doesn'?t|does not|can'?t|cannot|stop|instead of|rather than"
    r"|nicht|kein\w*|ne|больше не)\b",
    re.I,
)


def _refused(content: str) -> set[str]:
    """Words of what a correction itself turns down: "src/client.ts no longer uses axios-retry, it uses ky"."""
    clauses = (re.split(r"[,;:]|\. ", content[found.end() :])[0] for found in _REFUSAL.finditer(content))
    return {word for clause in clauses for word in tokens(clause)[:3]}


def _forbids(learning: Said, memory: Said) -> bool:
    """Whether a correction turns down the very command that a memory is about: "don't run npm test"."""
    found = _COMMAND.search(memory.content)
    if not found or len(tokens(memory.content)) > 10:
        return False
    return _turns_down(learning.content, found[1]) and not _turns_down(memory.content, found[1])


def _turns_down(content: str, command: str) -> bool:
    plain = content.replace("`", "")
    at = plain.find(command)
    return at >= 0 and bool(_REFUSAL.search(plain[max(0, at - 24) : at]))


_REFUSES = re.compile(
    r"\b(?:not|never|don'?t|no longer|dropped|drop|instead of|rather than|abandon\w*|forget|outdated|without)\b"
    r"|\b(?:nicht|statt|plus|больше не)\b|不",
    re.I,
)


def _already_refuses(content: str, old: set[str]) -> bool:
    """Whether the memory itself says that the old value is not used."""
    for found in _REFUSES.finditer(content):
        following = tokens(content[found.end() : found.end() + 40])[:3]
        if old & set(following):
            return True
    return False
