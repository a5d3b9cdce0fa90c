"""The brief of a project as lines of a packet: those that still stand, with the memories they rest on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from nous.features.brief.entry import StartLine, line_entry
from nous.features.brief.hand import Hand, split_sentences, within_a_brief
from nous.features.brief.store import Briefs
from nous.features.exchanges.store import Exchanges
from nous.kernel.hooks.packing import Entry, estimate_tokens
from nous.kernel.log.events import BriefLine
from nous.kernel.log.extraction import STANDING
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import entries, entry, is_by_hand, is_injectable, start_text
from nous.kernel.stores import Stores
from nous.language.likeness import jaccard, tokens
from nous.language.standing import in_folder, is_told_command

# Of text; citations come on top. A brief may have 500 tokens; our counter is cautious, and 600 of its own are taken
# for that many (assumed, not measured: docs/decisions/0197).
MOST_LINES, MOST_TOKENS = 12, 600
OVERTAKEN = 2  # sessions
RECENT, ENOUGH_FILES = 15, 8  # exchanges that touched files, and how many files these must be to say what is gone
AGAIN = 0.6  # the share of words at which one of two lines is enough
STATED = 0.7  # the share of a clause's words that memories have which say it
WHOLE = 5  # words of a clause that can stand without the others
_POINTS = re.compile(r"(?:they|it|its|this|that|these|those|then|there)\b", re.I)
LONG_LINE = 260  # characters from which a line says several things
SHORT_SENTENCE = 70  # of a sentence that stays with the one before
BUILT, TRAPS = frozenset({"architecture", "module_insight"}), frozenset({"gotcha", "error_pattern", "dead_end"})
_ASIDE = re.compile(r" \([^()]*\)")
_AREA = re.compile(r"((?:[\w'’/.-]+ ){0,2}[\w'’/.-]+)(?::| =) ")
_OCCASION = re.compile(r"(?<!\blarger )(?<!\bbig )\b(?:changes|work)$", re.I)
# What nearly every session does, as a label.
_WORK_LABEL = re.compile(
    r"\b(?:git|commits?|branch(?:es)?|builds?|runs?|start|tests?|testing|e2e|lint(?:ing)?|types|ci|terminal|shells?|workflow"
    r"|docs|documentation|style|naming|names|code|node|python|host|machine|env|environment|language|plans|planning|project"
    r"|stack|setup|ui|front[ -]?end|back[ -]?end|server|ports?|releases?|deploy(?:ment)?|workspace"
    r"|changes|features|important|rules?)\b",
    re.I,
)
# What an agent works with in every session.
_HANDS = re.compile(
    r"\b(?:shells?|terminal|edits?|re-?read|commits?|subagents?|mcp|commands?|tools)\b|`[a-z][\w-]* [^`]+`", re.I
)
_LABEL = re.compile(r"\b[A-Z]\w*(?: [\w/-]+){0,3}: ")
_POINTS_BACK = re.compile(r"\b(?:all|both|the) (?:three|four|of (?:them|these)|two|same)\b", re.I)
_CLAUSE = re.compile(r";\s+|(?<=[.!?])\s+(?=[A-Z`])")


def brief_entries(stores: Stores, memories: Iterable[Memory], project_id: str, now: str, branch: str) -> list[Entry]:
    """What a session of a project begins with, best first: its brief as a person left it, then the last work."""
    lines = start_lines(stores, list(memories), project_id, now, branch)
    return [one.entry._replace(worth=float(-place)) for place, one in enumerate(lines)]


def start_lines(stores: Stores, memories: list[Memory], project_id: str, now: str, branch: str) -> list[StartLine]:
    """The same with what each line says and rests on: of the last brief, or composed by rules where there is none.

    What a person decided about lines holds for both.
    """
    files = stores.exchanges.latest_files(project_id, RECENT) if any(map(_folder, memories)) else set()
    memories = [one for one in memories if not (_is_overtaken(stores.exchanges, one) or has_moved(one, files))]
    known = {memory.learning_id: memory for memory in memories}
    numbers = {memory.id: memory for memory in memories}
    lines = _read_lines(stores.briefs, known, project_id, now, branch)
    lines = lines or [_start_line(one, numbers[one.id]) for one in entries(memories, now, branch)]
    hand = Hand(stores, project_id, now, branch)
    return within_a_brief(hand.apply(lines, known), MOST_LINES, MOST_TOKENS) if hand.decided else lines


def _is_overtaken(exchanges: Exchanges, memory: Memory) -> bool:
    """Whether a state of work is no longer the last: sessions came after it that left none."""
    is_work = memory.type == "work_state" and not is_by_hand(memory)
    at = memory.valid_from or memory.created_at
    return is_work and exchanges.begun_after(memory.project_id, at) >= OVERTAKEN


def _folder(memory: Memory) -> str:
    """The folder in which a command of the rules works, if it needs one."""
    is_command = memory.type == "procedure" and not is_by_hand(memory) and is_told_command(memory.content)
    return in_folder(memory.content) if is_command else ""


def has_moved(memory: Memory, files: Collection[str]) -> bool:
    """Whether a command's folder is likely gone: none of the files that sessions touched lately lies in it."""
    folder = _folder(memory)
    return bool(folder) and len(files) >= ENOUGH_FILES and not any(f"/{folder}/" in f"/{file}" for file in files)


def _read_lines(briefs: Briefs, known: Mapping[str, Memory], project_id: str, now: str, branch: str) -> list[StartLine]:
    """The brief that a reader wrote, after what a person stands for, before the last work; empty when there is none."""
    brief = briefs.of_project(project_id)
    if brief is None or not brief.lines:
        return []
    numbers = {memory.id: memory for memory in known.values()}
    wide = standing_lines(brief.lines, known, now, branch)
    cited = {one for line in wide for one in line.sources}
    beside = [one for name, one in known.items() if name not in cited and _leads(one, brief.at)]
    leading = [_start_line(one, numbers[one.id]) for one in entries(beside, now, branch)]
    shown = [
        StartLine(line.text, line.sources, line_entry(line.text, [known[one] for one in line.sources]))
        for line in split_lines(wide, known, MOST_LINES - len(leading))
    ]
    work = [_start_line(one, numbers[one.id]) for one in _work(known.values(), now, branch)]
    return [*leading, *shown, *work]


def is_of_one_area(line: BriefLine, known: Mapping[str, Memory]) -> bool:
    """Whether a line waits for the file or the prompt that needs it: its label names a part of the project, or it rests
    mostly on how the code is built and on traps that the agent found.

    Of 133 lines at starts that strangers read 27 to 31 were such (decision 0216).
    """
    label = _AREA.match(_ASIDE.sub("", line.text))
    if label:
        return bool(_OCCASION.search(label[1])) or not _WORK_LABEL.search(label[1])
    types = {known[one].type for one in line.sources}
    of_code = sum(_is_of_code(known[one]) for one in line.sources)
    is_even = 2 * of_code == len(line.sources) == 2 and not types & {"procedure", "preference"}
    return (2 * of_code > len(line.sources) or is_even) and not _HANDS.search(line.text)


def _is_of_code(memory: Memory) -> bool:
    """Whether a memory tells how the code is built, or a trap that only the agent met."""
    return memory.type in BUILT or (memory.type in TRAPS and memory.by != "user")


def _is_trap(line: BriefLine, known: Mapping[str, Memory]) -> bool:
    """Whether a line tells traps and how the code is built, and nothing else."""
    return all(_is_of_code(known[one]) for one in line.sources) and not _HANDS.search(line.text)


def split_lines(lines: Sequence[BriefLine], known: Mapping[str, Memory], most: int = MOST_LINES) -> list[BriefLine]:
    """One rule per line, the longest lines taken apart first, as far as a brief has room."""
    parts = {line.text: _sentences_apart(line.text) for line in lines}
    whole = {line.text for line in lines}
    count = len(whole)
    for text in sorted(parts, key=lambda one: (-len(one), one)):
        if count + len(parts[text]) - 1 <= most:
            count += len(parts[text]) - 1
            whole.discard(text)
    return [
        part for line in lines for part in ([line] if line.text in whole else _parts_of(line, parts[line.text], known))
    ]


def _sentences_apart(text: str) -> list[str]:
    """The sentences of a long line, each as it can stand alone."""
    found: list[str] = []
    for sentence in split_sentences(text) if len(text) > LONG_LINE else [text]:
        points = _POINTS.match(sentence) or _POINTS_BACK.search(sentence)
        if found and (min(len(sentence), len(found[-1])) < SHORT_SENTENCE or points):
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return found


def _parts_of(line: BriefLine, texts: Sequence[str], known: Mapping[str, Memory]) -> list[BriefLine]:
    """Each text with the memories of the line that share most words with it, with all where none does; without traps
    of the code."""
    shared = {one: [jaccard(tokens(text), tokens(known[one].content)) for text in texts] for one in line.sources}
    own = [
        tuple(one for one, shares in shared.items() if shares[nth] and shares[nth] == max(shares))
        for nth in range(len(texts))
    ]
    parts = [BriefLine(text, sources or line.sources) for text, sources in zip(texts, own, strict=True)]
    return [part for part in parts if part.sources == line.sources or not _is_trap(part, known)]


def _start_line(found: Entry, memory: Memory) -> StartLine:
    return StartLine(start_text(memory), (memory.learning_id,), found)


def _leads(memory: Memory, brief_at: str) -> bool:
    """Whether a memory comes before the brief: a person stands for it, or it is a rule said since then.

    What a model concluded is in its brief, or is not meant to be.
    """
    said_at = memory.last_said_at or memory.valid_from or memory.created_at
    return is_by_hand(memory) or (STANDING in memory.tags and said_at > brief_at)


def standing_lines(
    lines: Iterable[BriefLine], known: Mapping[str, Memory], now: str, branch: str = ""
) -> list[BriefLine]:
    """The lines for every session whose memories may still be shown, each thing once, as many as a brief may have."""
    found: list[BriefLine] = []
    room = MOST_TOKENS
    for whole in lines:
        line = _as_far_as_it_stands(whole, known, now, branch)
        price = estimate_tokens(line.text)
        is_new = line.text and not any(_says_again(line, other) for other in found)
        is_wide = not found or not is_of_one_area(line, known)
        if is_new and is_wide and price <= room and len(found) < MOST_LINES:
            found.append(line)
            room -= price
    return found


def _as_far_as_it_stands(line: BriefLine, known: Mapping[str, Memory], now: str, branch: str) -> BriefLine:
    """A line without the clauses that rest on memories which may not be shown now; empty when none is left.

    What somebody forgot, disputed or ended takes the whole line with it. Where a memory only waits for review, a clause
    stays whose words stand in the memories that may be shown, and no better in the one that may not.
    """
    sources = [known.get(one) for one in line.sources]
    shown = [one for one in sources if one is not None and is_injectable(one, now, branch)]
    waiting = [one for one in sources if one is not None and one.tainted and one.status == "active"]
    if len(shown) == len(sources):
        return line
    if not shown or len(shown) + len(waiting) < len(sources) or any(one.disputed for one in waiting):
        return BriefLine("", ())
    said, unsaid = _words_of(shown), _words_of(waiting)
    clauses = _CLAUSE.split(line.text)
    text = _join_clauses([part for part in clauses if _is_stated(part, said, unsaid)])
    label = _LABEL.match(line.text)
    if label and text and not text.startswith(clauses[0]):  # what the other clauses are about
        text = f"{label[0]}{text}"
    return BriefLine(f"{text[:1].upper()}{text[1:]}", tuple(one.learning_id for one in shown))


def _join_clauses(clauses: Sequence[str]) -> str:
    return " ".join(part if part[-1] in ".!?" else f"{part};" for part in clauses if part).rstrip(";")


def _words_of(memories: Iterable[Memory]) -> frozenset[str]:
    return frozenset(word for one in memories for word in tokens(one.content))


def _is_stated(clause: str, said: Collection[str], unsaid: Collection[str]) -> bool:
    words = frozenset(tokens(clause))
    stated = len(words & frozenset(said))
    is_whole = len(clause.split()) >= WHOLE and not _POINTS.match(clause)
    return is_whole and stated >= STATED * len(words) and stated >= len(words & frozenset(unsaid))


def _says_again(line: BriefLine, other: BriefLine) -> bool:
    """Whether a line rests on the same memories as another and has most of its words."""
    return line.sources == other.sources and jaccard(tokens(line.text), tokens(other.text)) >= AGAIN


def _work(memories: Iterable[Memory], now: str, branch: str) -> list[Entry]:
    """The last work and what it left open, as the model says it that read the session; only the latest."""
    states = [one for one in memories if one.type == "work_state" and is_injectable(one, now, branch)]
    latest = max(states, key=lambda one: (one.valid_from or one.created_at, one.id), default=None)
    return [entry(latest, now, branch)] if latest and start_text(latest) else []
