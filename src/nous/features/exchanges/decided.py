"""The earlier session that a first prompt is plainly about, and how the matter was decided there.

Sessions are compared by the words of the prompt that are rare among the project's sessions. One that stands out is read
where it matches, and so is a later session that speaks of the same rare things: what was said last comes first.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from nous.features.exchanges.decision_text import Voice, deciding, spoken_part, telling
from nous.features.exchanges.model import Account, accounts, citation
from nous.features.exchanges.store import Located
from nous.kernel.capture.authorship import in_own_voice
from nous.kernel.capture.transcript import Turn
from nous.kernel.hooks.packing import Earlier, estimate_tokens
from nous.language.lexicon import pattern
from nous.language.likeness import stem
from nous.language.provenance import is_ordinary
from nous.language.text import asked_terms, pairs

if TYPE_CHECKING:
    from nous.features.exchanges.store import Exchanges

LOOKED_AT = 2_000  # characters of a prompt that say what it is about
MOST_WORDS = 48
COMMON = 200  # parts; a word in more of them names no subject
FEW = 20  # sessions that there are at least, when it is judged how rare a word is
KNOWN = 100  # sessions from which a project's own counts say enough; before, everyday words count for little
EVERYDAY = 0.3
SHORTEST = 3  # letters of a word that may name something, such as DHL
RARE = 1.8  # the rarity from which a word names a subject
STRETCH = 8  # exchanges by which sessions are compared
READ = 12  # exchanges that are read of one, and
BEFORE = 4  # of these before the best
COMPARED = 6  # sessions
# What makes a match plain, on 16 reports of a public benchmark and 205 first prompts of eight projects.
COVERED = 0.2  # of the prompt's words, each by the square of its rarity
BEYOND = 1.8  # times what the third best session covers
BEYOND_NOTHING = 0.1
ENOUGH = 5.0  # rarities of the shared subjects, together
SUBJECTS = 2
PLAIN_SUBJECTS = 3  # when none of them is an identifier, unless they are
ENOUGH_PLAIN = 9.0
MOST = 0.45  # of the prompt
YOUNG = 8  # sessions; a project with fewer cannot tell what is rare, so one has to cover that much, or even
NEARLY_ALL = 0.7  # of the prompt, of
FIRST = 3  # sessions
GOES_ON = 0.45  # of the rare words of a session: so much has a later one that takes its matter up again
TRAITS = 24  # rare words by which it is looked for
OFTEN = 3  # turns after which a word that comes up again does not count for more
MOST_OF_TURN = 400  # words
LONG = 6  # letters in a row, in a script without spaces: a title or the name of a file
SHORT = 12  # words of a prompt that goes on with what was spoken of
LONGEST_ANSWER = 250  # words; what is longer was written elsewhere
CLOSING = 300  # characters of a reply in which a question asks for an answer
_ASKS = re.compile(r"[?？]")
SHARE_OF_NEWEST = 0.6  # of the room, where two sessions are told
EARLIER = "## An earlier session about this: what was said then, the code may have changed"
OUTDATED = "## Before that: where the two differ, the session above holds"


class Matched(NamedTuple):
    """A stretch of a session: transcript, exchanges, and how much of the prompt it covers."""

    file_id: int
    exchanges: tuple[int, ...]
    covered: float
    words: frozenset[str]


class PromptWords(NamedTuple):
    """The words of a prompt by how rare they are, and the exchanges that say them, by transcript."""

    rarity: Mapping[str, float]
    saying: Mapping[int, Mapping[int, frozenset[str]]]
    names: frozenset[str]
    sessions: int

    def covered(self, words: Iterable[str]) -> float:
        """Which part of the prompt some words make up."""
        whole = sum(rarity**2 for rarity in self.rarity.values())
        return sum(self.rarity[word] ** 2 for word in words) / whole if whole else 0.0

    def weight(self, word: str) -> float:
        """How much a word says about what is spoken of: half as much where we know no everyday words."""
        return self.rarity[word] if word.isascii() else self.rarity[word] / 2


def find_decision(
    exchanges: Exchanges, prompt: str, project_id: str, room: int, seen: Collection[str] = ()
) -> list[Earlier]:
    """How the matter of a prompt was decided before: of two sessions the later one first; mostly nothing."""
    said = spoken_part(prompt[: 2 * LOOKED_AT])[:LOOKED_AT]
    terms = {stem(term.word): (term.word, term.is_identifier) for term in asked_terms(said, MOST_WORDS)}
    asked = look_up(exchanges, list(terms.values()), project_id)
    best = plain_match(exchanges, asked)
    told = read_around(exchanges, best, asked) if best else []
    if not best or not told or told[0].place.uuid in seen or not _is_users_subject(told, best, asked):
        return []
    later = _taken_up_again(exchanges, told, best, asked, project_id)
    subjects = {stem(word) for word in best.words if asked.rarity[word] >= RARE}
    if not later:
        return _passage(told, prompt, subjects, room)
    newest = _passage(later, prompt, subjects | _often_said(told), int(SHARE_OF_NEWEST * room))
    rest = room - sum(estimate_tokens(line) for one in newest for line in (one.heading, *one.lines))
    return [*newest, *_passage(told, prompt, subjects, rest, OUTDATED if newest else EARLIER)]


def _often_said(told: Sequence[Reread]) -> set[str]:
    """The words that keep coming up in a stretch."""
    times = Counter(word for one in told for voice in _voices(one) for word in telling(voice.text))
    return {word for word, count in times.items() if count >= OFTEN}


class Reread(NamedTuple):
    """An exchange of a stretch: where it stands, and what was said."""

    place: Located
    account: Account


def look_up(exchanges: Exchanges, terms: Sequence[tuple[str, bool]], project_id: str) -> PromptWords:
    """Some words as the sessions of a project say them."""
    words = [word for word, _ in terms if not word.isdigit() or len(word) > 2]
    counted = dict(zip(words, exchanges.frequencies(words, COMMON), strict=True))
    sought = [word for word in words if 0 < counted[word] < COMMON]
    found = exchanges.saying(sought, project_id) if sought else []
    spread: dict[str, set[int]] = defaultdict(set)
    saying: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for nth, exchange, file in found:
        spread[sought[nth]].add(file)
        saying[file][exchange].add(sought[nth])
    sessions = exchanges.sessions_of_project(project_id)
    rarity = {word: rarity_of(word, max(1, len(spread[word])), sessions) for word in words if counted[word] < COMMON}
    said = {file: {one: frozenset(known) for one, known in by.items()} for file, by in saying.items()}
    names = frozenset(word for word, is_name in terms if is_name or (len(word) >= LONG and pairs(word)))
    return PromptWords(rarity, said, names, sessions)


def rarity_of(word: str, spread: int, sessions: int) -> float:
    """How rare a word is among a project's sessions; an everyday word counts for less the fewer there are."""
    rarity = max(0.0, math.log((max(sessions, FEW) + 1) / (spread + 0.5)))
    return rarity * (EVERYDAY + (1 - EVERYDAY) * min(1.0, sessions / KNOWN)) if is_everyday(word) else rarity


def is_everyday(word: str) -> bool:
    """Whether a word is one that people use in any project."""
    return len(word) < SHORTEST or (len(word) > SHORTEST and is_ordinary(word)) or stem(word) in _everyday()


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    return frozenset(files("nous.features.exchanges").joinpath("everyday.txt").read_text("utf-8").split())


def plain_match(exchanges: Exchanges, asked: PromptWords) -> Matched | None:
    """The stretch of a session that a prompt is plainly about; None when none stands out."""
    whole = {file: asked.covered(frozenset().union(*by.values())) for file, by in asked.saying.items()}
    near = sorted(whole, key=lambda file: (-whole[file], -file))[:COMPARED]
    found = sorted((_best_stretch(exchanges, asked, file) for file in near), key=lambda one: -one.covered)
    if not found or found[0].covered < COVERED:
        return None
    beside = max(BEYOND_NOTHING, found[2].covered if len(found) > 2 else 0.0)
    return found[0] if found[0].covered >= BEYOND * beside and _has_subjects(found[0], asked) else None


def _has_subjects(match: Matched, asked: PromptWords) -> bool:
    """Whether what is shared names what a prompt is about: a rare name and another rare word, or several rare words."""
    if match.covered < (NEARLY_ALL if asked.sessions < FIRST else MOST if asked.sessions < YOUNG else COVERED):
        return False
    rare = [word for word in match.words if asked.rarity[word] >= RARE and not word.isdigit()]
    if asked.sessions < FIRST and not asked.names & set(rare):
        return False
    if asked.names & set(rare) or match.covered >= MOST:
        return len(rare) >= SUBJECTS and sum(asked.rarity[word] for word in rare) >= ENOUGH
    return len(rare) >= PLAIN_SUBJECTS and sum(map(asked.weight, rare)) >= ENOUGH_PLAIN


def _best_stretch(exchanges: Exchanges, asked: PromptWords, file_id: int) -> Matched:
    """The exchanges of a session, one behind the other, that cover most of a prompt: the first of them counts twice."""
    said = asked.saying[file_id]
    numbers = exchanges.of_file(file_id)
    best = Matched(file_id, (), -1.0, frozenset())
    for place, number in enumerate(numbers):
        if number not in said:
            continue
        words = frozenset().union(*(said.get(one, frozenset()) for one in numbers[place : place + STRETCH]))
        covered = (asked.covered(words) + asked.covered(said[number])) / 2
        if covered > best.covered:
            best = Matched(file_id, tuple(numbers[place : place + STRETCH]), covered, words)
    return best


def read_around(exchanges: Exchanges, match: Matched, asked: PromptWords) -> list[Reread]:
    """The exchanges around the best one of a session that stay with the matter, read from the kept transcript."""
    said = asked.saying[match.file_id]
    subjects = {word for word in match.words if asked.rarity[word] >= RARE}
    speaking = {number for number, words in said.items() if words & subjects}
    numbers = exchanges.of_file(match.file_id)
    best = numbers.index(match.exchanges[0])
    first = best
    while first > max(0, best - BEFORE) and numbers[first - 1] in speaking:
        first -= 1
    places = exchanges.by_id(numbers[first : first + READ])
    found = _read_exchanges(exchanges, [places[number] for number in numbers[first : first + READ] if number in places])
    return found[: _end(found, speaking, best - first)]


def _end(found: Sequence[Reread], speaking: Collection[int], best: int) -> int:
    """How many exchanges stay with the matter: they speak of it, or are a short word to what came before."""
    end = best + 1
    for place, one in enumerate(found[end:], end):
        if one.place.id in speaking or (place == end and len(one.account.asked.text.split()) < SHORT):
            end = place + 1
        elif place > end:
            break
    return end


def _read_exchanges(exchanges: Exchanges, places: Sequence[Located]) -> list[Reread]:
    wanted = {place.uuid: place for place in places}
    turns = _turns(exchanges, places[0], places[-1]) if places else []
    return [Reread(wanted[one.uuid], one) for one in accounts(in_own_voice(turns)) if one.uuid in wanted]


def _turns(exchanges: Exchanges, first: Located, last: Located) -> list[Turn]:
    """What a transcript says from an exchange on, up to the end of another."""
    turns: list[Turn] = []
    has_begun = has_ended = False
    for _, chunk in exchanges.turns_from(first.path, first.chunk_id):
        for turn in chunk:
            has_begun = has_begun or turn.uuid == first.uuid
            if has_ended and turn.kind == "prompt" and turn.uuid != last.uuid:
                return turns
            has_ended = has_ended or turn.uuid == last.uuid
            turns += [turn] if has_begun else []
    return turns


def _is_users_subject(told: Sequence[Reread], match: Matched, asked: PromptWords) -> bool:
    """Whether the user spoke of one of the subjects there, too: agents name many things in passing."""
    own = frozenset().union(*(telling(one.account.asked.text) for one in told))
    return any(asked.rarity[word] >= RARE and stem(word) in own for word in match.words)


def _taken_up_again(
    exchanges: Exchanges, told: Sequence[Reread], match: Matched, asked: PromptWords, project_id: str
) -> list[Reread]:
    """A later session about the same: it has most of the rare words that keep coming up in the earlier one."""
    traits = _rarest(exchanges, _traits(told, match))
    known = look_up(exchanges, [(word, False) for word in traits], project_id)
    weights = {word: rarity * traits[word] for word, rarity in known.rarity.items() if rarity >= RARE}
    known = known._replace(rarity={word: math.sqrt(weights.get(word, 0.0)) for word in known.rarity})
    for file in sorted(known.saying, reverse=True):
        words = frozenset().union(*known.saying[file].values())
        if file != match.file_id and known.covered(words) >= GOES_ON:
            later = read_around(exchanges, _best_stretch(exchanges, known, file), known)
            if later and later[0].place.at > told[-1].place.at:
                return later
    return []


def _rarest(exchanges: Exchanges, times: Mapping[str, int]) -> dict[str, int]:
    """The words by which a stretch is best told from others: rare ones that it says often."""
    found = zip(times, exchanges.frequencies(list(times), COMMON), strict=True)
    known = {word: times[word] / math.log(1 + parts) for word, parts in found if 0 < parts < COMMON}
    return {word: times[word] for word in sorted(known, key=lambda word: (-known[word], word))[:TRAITS]}


def _traits(told: Sequence[Reread], match: Matched) -> dict[str, int]:
    """The words that come up again in a stretch, or that the prompt shares with it, and in how many turns they do."""
    turns = [term for one in told for voice in _voices(one) for term in _forms(voice.text).items()]
    times = Counter(name for name, _ in turns)
    shared = {stem(word) for word in match.words}
    return {word: min(times[name], OFTEN) for name, word in dict(turns).items() if times[name] > 1 or name in shared}


def _forms(text: str) -> dict[str, str]:
    """The words of a text as they are written, by what they are without endings."""
    return {stem(term.word): term.word for term in asked_terms(text, MOST_OF_TURN)}


def _passage(
    told: Sequence[Reread], prompt: str, subjects: Collection[str], room: int, heading: str = EARLIER
) -> list[Earlier]:
    """The deciding turns of a stretch as lines; the agent's words are left out where they may be those of others."""
    first = told[0].account
    lines = [f"{line.who}: {line.text}" for line in deciding(_discussion(told), prompt, subjects, room)]
    return [Earlier(told[0].place.uuid, f"{heading} {citation(first)}", tuple(lines))] if lines else []


def _discussion(told: Sequence[Reread]) -> list[Voice]:
    """What the two sides said of a matter before anybody acted; empty when the user answered nothing.

    An order that was carried out at once stands in the code, and a report or a long paste decides nothing.
    """
    voices: list[Voice] = []
    is_asking = has_answered = False
    for nth, one in enumerate(told):
        is_talk = not one.account.exchange.changes and not one.account.exchange.runs
        is_answer = is_talk and len(one.account.asked.text.split()) <= LONGEST_ANSWER
        has_answered = has_answered or bool(nth and is_answer and (is_asking or _is_reply(one.account.asked.text)))
        voices += [voice for voice in _voices(one) if (is_answer or not nth if voice.is_user else is_talk)]
        is_asking = bool(_ASKS.search(one.account.said.text[-CLOSING:]))
    return voices if has_answered and voices else []


def _is_reply(text: str) -> bool:
    return bool(pattern("turns.replies").search(text.strip()))


def _voices(one: Reread) -> list[Voice]:
    asked = [Voice(True, one.account.asked.text)] if one.account.asked.text.strip() else []
    said = one.account.said
    ends = [*(start for start, _ in said.records[1:]), len(said.text)]
    spoken = [said.text[start:end] for (start, _), end in zip(said.records, ends, strict=False)]
    return asked if one.place.tainted else [*asked, *(Voice(False, text) for text in spoken if text.strip())]
