"""Whether the user said what an agent asks Nous to keep: the transcript of its session is the witness.

A claim is the user's word only if it rests on one sentence of theirs, or two neighbouring ones: it takes whole clauses,
in their order, adds no word that means something, and leaves out no condition and no negation. Everything else is the
agent's word, however much of it the user said.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from nous.identity import identify
from nous.kernel.capture.authorship import in_own_voice
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn, is_command, parse_line
from nous.language import cues
from nous.language.compare.differences import ENDS, text_difference
from nous.language.lexicon import pattern, words
from nous.language.likeness import tokens
from nous.language.sentences import sentences

LATELY = 30 * 60  # seconds since a transcript was written that may be of the session that asks
LARGEST = 64_000_000
NOBODY = "no transcript of the session was found"
ELSEWHERE = "the session is of another project"
MEANS = frozenset((*ENDS, "unsure", "narrower"))  # how a claim stands to a memory that it may be meant to change
NAMED_BY = 2  # words of a memory that a sentence has to name for it to be about that memory

_ORNAMENTS = "\"'`“”‘’„«».,;:!?()[]{}…"
_NO_LITERAL = frozenset("-–—•…")
_COURTESY = frozenset(tokens("please bitte hey hi hello claude thanks danke merci gracias спасибо пожалуйста"))
_WORD = re.compile(r"[^\s,.!;]+")
_SEPARATES = re.compile(r"[?:;\"“”„«»<>`\n？：]")  # what an order to forget does not hold
_COMMAND = "/nous:forget "


class UserQuote(msgspec.Struct, frozen=True):
    """The sentence of the user that a claim rests on; without one, why somebody has to look at the claim.

    `is_open`: the sentence shares something with the memory it is to change, and nobody but a person can say whether it
    means that one.
    """

    sentence: str = ""
    doubt: str = ""
    is_open: bool = False

    @property
    def is_everywhere(self) -> bool:
        """Whether the user says that it holds in all of their projects."""
        return bool(cues.GLOBAL.search(self.sentence))


def find_in_session(environ: Mapping[str, str], place: str, claim: str, project_id: str = "") -> UserQuote:
    """The user's sentence behind a claim in the session that may be asking; `project_id` is where it is to hold."""
    stories = list(_stories(environ, place))
    if not stories:
        return UserQuote(doubt=NOBODY)
    if project_id and all(identify(_cwd(story) or place).id != project_id for story in stories):
        return UserQuote(doubt=ELSEWHERE)
    if sentence := next(_sayings_of(environ, stories, claim), ""):
        return UserQuote(sentence)
    return UserQuote(doubt=next(filter(None, (story.taint(len(story.turns), claim) for story in stories)), ""))


def find_correction(environ: Mapping[str, str], place: str, claim: str, memory_id: int, content: str) -> UserQuote:
    """The user's sentence that says a claim and, by its number or as a change of it, means this memory.

    A sentence that says the claim and shares only something with the memory leaves that to be asked.
    """
    said = list(_sayings_of(environ, list(_stories(environ, place)), claim))
    if meant := next((one for one in said if _names_number(one, memory_id)), ""):
        return UserQuote(meant)
    found = text_difference(claim, content)
    is_near = len({*tokens(claim)} & {*tokens(content)}) >= NAMED_BY
    if found is None or (found.kind not in MEANS and not (found.kind == "open" and is_near)):
        return UserQuote()
    return UserQuote(next(iter(said), ""), is_open=found.kind not in ENDS)


def find_wish_to_forget(environ: Mapping[str, str], place: str, memory_id: int, content: str) -> UserQuote:
    """The message of the user that asks to forget a memory, by its number or its subject, and says nothing else."""
    turns = [turn for path in _transcripts(environ, place) for turn in _turns(path)] if _session(environ) else []
    mine = [turn for turn in turns if not (turn.agent_id or turn.headless or turn.inherited)]
    said = [str(turn.input.get("command")) if is_command(turn) else turn.text for turn in mine if _is_typed(turn)]
    return UserQuote(next((one for one in said if asks_to_forget(one, memory_id, content)), ""))


def _is_typed(turn: Turn) -> bool:
    return turn.kind == "prompt" or is_command(turn)


def _sayings_of(environ: Mapping[str, str], stories: Sequence[Story], claim: str) -> Iterator[str]:
    """The user's sentences that say a claim; none where the client does not name the session, which is anybody's."""
    for story in stories if _session(environ) else ():
        yield from (said for said in _sayings(story) if rests_on(claim, said))


def rests_on(claim: str, said: str) -> bool:
    """Whether a sentence says a claim: its first clauses, whole and in order, with its negations and its conditions.

    What stands before them may say that it is to be kept, or that it holds everywhere; behind them stands a reason.
    """
    wanted = _meaning(_clauses(pattern("quotes.of_user").sub("", claim.strip())))
    kept = _kept_clause(said)
    if not wanted or not _literals(claim) <= _literals(kept) or _limits(claim) != _limits(kept):
        return False
    lead, colon, behind = kept.partition(": ")
    told = behind if colon and (cues.GLOBAL.search(f"{lead}: ") or pattern("quotes.concerns").match(lead)) else kept
    clauses = _clauses(told)
    return any(
        _meaning(clauses[:end]) == wanted and all(map(pattern("quotes.explains").match, clauses[end : end + 1]))
        for end in range(1, len(clauses) + 1)
    )


def _kept_clause(said: str) -> str:
    """What a sentence asks to keep, without the asking; one that asks for the opposite stays whole."""
    said = pattern("quotes.answers").sub("", said, count=1)
    asking = pattern("quotes.keep").match(said)
    if not asking or not words("quotes.courtesy").issuperset(_WORD.findall(asking["lead"].lower())):
        return said
    if pattern("quotes.denial").search(pattern("quotes.keeps_in_mind").sub("", asking[0])):
        return said
    return pattern("quotes.answers").sub("", said[asking.end() :], count=1)


def asks_to_forget(message: str, memory_id: int, content: str) -> bool:
    """Whether a message is the order to forget this memory, and nothing else.

    Whoever quotes, forbids, asks or makes it depend on something says more words than the order and the memory have.
    """
    said = (
        f"forget memory {message.removeprefix(_COMMAND)}"
        if message.startswith(_COMMAND)
        else _without_courtesy(message)
    )
    begin, end = pattern("quotes.forgets").match(said), pattern("quotes.ended").search(said)
    if _SEPARATES.search(said) or not (begin or end):
        return False
    about = said[begin.end() :] if begin else said[: end.start()] if end else ""
    asked = _WORD.findall(about.lower())
    named = [word for word in asked if word not in words("quotes.frame") | words("quotes.memory")]
    numbers = [word.removeprefix("#") for word in named]
    if named and all(map(str.isdigit, numbers)):
        return str(memory_id) in numbers and ("#" in about or not words("quotes.memory").isdisjoint(asked))
    known, own = {*tokens(content)}, {*_WORD.findall(content.lower())}
    is_known = all(word in own or known.issuperset(tokens(word) or ("",)) for word in named)
    return is_known and not known.isdisjoint(tokens(" ".join(named)))


def _without_courtesy(message: str) -> str:
    """A message without the polite words at both ends, and the marks beside them."""
    said = message.strip().rstrip(".!。！ ")
    while (first := _WORD.match(said)) and first[0].lower() in words("quotes.courtesy"):
        said = said[first.end() :].lstrip(" ,.!")
    while (last := said.rpartition(" ")[2]).lower() in words("quotes.courtesy") and last != said:
        said = said.removesuffix(last).rstrip(" ,.!")
    return said


def _names_number(said: str, memory_id: int) -> bool:
    return bool(re.search(rf"(?:#|\bmemory (?:number |no\.? ?)?){memory_id}\b", said, re.I))


def _meaning(clauses: Sequence[str]) -> list[tuple[str, bool]]:
    """The words of clauses that mean something, each with whether it is denied."""
    found: list[tuple[str, bool]] = []
    is_denied = False
    for clause in clauses:
        is_denied = is_denied and not pattern("quotes.turns_back").match(clause)
        before: list[tuple[str, bool]] = []
        start = 0
        for denial in pattern("quotes.denial").finditer(clause):
            before += [(word, is_denied) for word in tokens(clause[start : denial.start()])]
            is_denied, start = True, denial.end()
        rest = tokens(clause[start:])
        if start and not rest:  # "nutzt npm nicht": what stands before it is denied
            before = [(word, True) for word, _ in before]
        found += [*before, *((word, is_denied) for word in rest)]
    return [one for one in found if one[0] not in _COURTESY]


def _clauses(text: str) -> list[str]:
    return [clause for clause in map(str.strip, pattern("quotes.clause").split(text)) if clause]


def _literals(text: str) -> set[str]:
    """The parts of a text that have to stand there letter by letter: paths, flags, addresses, operators."""
    bare = ((word.lower(), word.lower().strip(_ORNAMENTS)) for word in text.replace("`", " ").split())
    parts = {inner or word for word, inner in bare if inner or word not in _NO_LITERAL}
    return {part for part in parts if not part.replace("'", "").replace("’", "").isalnum()}


def _limits(text: str) -> set[str]:
    return {found.lower() for found in pattern("quotes.limit").findall(text)}


def _sayings(story: Story) -> Iterator[str]:
    """What the user said in their own voice, sentence by sentence, then two by two; questions say nothing."""
    typed = [story.turns[at].text for at in story.prompts if not story.turns[at].agent_id]
    for text in [*typed, *(one.answer for one in story.answers if one.is_own)]:
        said = [one.text for one in sentences(text) if not one.asks or _asks_to_keep(one.text)]
        yield from said
        yield from (f"{one} {other}" for one, other in pairwise(said))


def _asks_to_keep(question: str) -> bool:
    """Whether a question asks to keep what it says, and not whether somebody remembers what it asks."""
    asking = pattern("quotes.keep").match(question)
    return asking is not None and not pattern("quotes.asks_back").match(question[asking.end() :])


def read_session(path: str) -> Story:
    """A transcript as the client wrote it, as a session."""
    return Story(in_own_voice(_turns(path)))


def _stories(environ: Mapping[str, str], place: str) -> Iterator[Story]:
    return map(read_session, _transcripts(environ, place))


def _cwd(story: Story) -> str:
    return next((turn.cwd for turn in story.turns if turn.cwd and os.path.isdir(turn.cwd)), "")


def _transcripts(environ: Mapping[str, str], place: str) -> Iterator[str]:
    """The transcript of the session that the client names, else those of this directory that were just written to."""
    config = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(environ.get("HOME", ""), ".claude")
    projects = os.path.join(config, "projects")
    folder = os.path.join(projects, re.sub(r"[^A-Za-z0-9]", "-", os.path.abspath(place)))
    if session := _session(environ):
        folders = [folder, *(entry.path for entry in _entries(projects) if entry.is_dir())]
        named = (os.path.join(one, f"{session}.jsonl") for one in folders)
        yield from list(filter(os.path.isfile, named))[:1]
        return
    files = (entry for entry in _entries(folder) if entry.name.endswith(".jsonl") and entry.is_file())
    yield from (entry.path for entry in files if time.time() - entry.stat().st_mtime < LATELY)


def _session(environ: Mapping[str, str]) -> str:
    return os.path.basename(environ.get("CLAUDE_CODE_SESSION_ID", ""))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _turns(path: str) -> list[Turn]:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - LARGEST))
        found = [parse_line(line) for line in file if line.endswith(b"\n")]
    return [turn for turns in found if isinstance(turns, list) for turn in turns]
