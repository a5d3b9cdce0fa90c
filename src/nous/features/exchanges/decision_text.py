"""What was decided in a stretch of conversation: the question, the answers and the outcome, in whole sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from nous.kernel.hooks.packing import estimate_tokens
from nous.language.lexicon import pattern
from nous.language.likeness import stem
from nous.language.speech_lines import spoken_lines
from nous.language.text import STOP_WORDS, calm, query_terms

OFTEN = 4  # turns after which a word that comes up again does not count for more
SAID_BEFORE = 0.7  # what a word is still worth that a chosen sentence has already
OF_PROMPT = 0.5  # what a word of the prompt is worth by itself
REPEATED = 0.7  # of the words of the question: so much of it in the prompt says nothing new
OPENING = 60  # tokens of the sentence that says what it was about
OUTCOME = 0.45  # of the room, for the agent's closing words
WEIGHTY = 0.5  # of the weightiest reply: a lighter one only says goodbye
FAINT = 0.25  # of the best sentence: one that says less is left out, however much room there is
BRIEF = 30  # words of an answer that is told whole or not at all
SHORT = 10  # words; so short an answer needs its question
LEAST = 3  # words of a sentence that says something by itself; those that come up again in one about the matter
WHOLE = 8  # words of a sentence that says something although it opens with a word for another
UNSPOKEN = 6  # words in a row of which none is a small one: a path, a list of names, a part of a page
MOST_WORDS = 2_000
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]{0,3}\s+(?=[^\s a-z,;)])|(?<=[。！？])\s*")
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_UNTOLD = re.compile(r"^\s*(?:#|\||<|>|[-=_*]{3,}\s*$)")  # headings, tables, quotes and rules
_LAYOUT = re.compile(r"^\s*(?:[-*•▪◦+]|\(?\d{1,2}[.)])\s+|\*\*|__|^[✅❌⚠️🚀🎉📝\s]+")
_ENDS = '.!?…。！？)"”'
_NAME = re.compile(r"`[^`]+`|\w_\w|\w\.\w|[a-z][A-Z]")
_CODE = re.compile(
    r"^[A-Z][\w ]{0,20}: \S+(?: \S+)?$|=>|//\s|\{\s|;\s*$|^\w[\w ]{0,20}: ?\S*[/\\>]\S*$|</?\w+[ >]|:\\\w|\w > \w+\.\w"
)
_LETTER = re.compile(r"[^\W\d_]")


class Voice(NamedTuple):
    """What one side said before the other spoke again."""

    is_user: bool
    text: str


class TurnPart(NamedTuple):
    """A sentence, the turn it stands in, its telling words, its price, and whether it is an item of a list."""

    turn: int
    text: str
    words: frozenset[str]
    tokens: int
    is_item: bool


class TurnLine(NamedTuple):
    """What is told of a turn: who speaks (`asked` for the question itself, `user`, `agent`), and the sentences."""

    who: str
    text: str


def telling(text: str) -> frozenset[str]:
    """The words of a text that name something, without endings; identifiers also in parts."""
    found = (word for word in query_terms(text, MOST_WORDS) if word not in STOP_WORDS and (len(word) > 1 or word > "ÿ"))
    return frozenset(map(stem, found))


def deciding(voices: Sequence[Voice], prompt: str, subjects: Collection[str], room: int) -> list[TurnLine]:
    """The sentences that tell how a matter was decided, in their order, as many tokens as there is room for.

    The question as far as it resembles the prompt, then the agent's last weighty words on one of the subjects (words
    without their endings), then what the user answered: no questions, no errands, nothing that only points at what
    somebody else said. Empty when the user answered nothing: then an errand was done, and nobody settled anything.
    """
    if not voices:
        return []
    chosen = _Choice(voices, telling(prompt), frozenset(subjects), room)
    outcome = chosen.outcome()
    chosen.take(chosen.opening(), OPENING, limit=1)
    chosen.take(chosen.closing(outcome, int(OUTCOME * room)), int(OUTCOME * room))
    chosen.take(chosen.answers(), room)
    answered = [one for one in chosen.taken if one.turn and voices[one.turn].is_user]
    return chosen.told() if any(one.turn and one.words & chosen.subjects for one in chosen.taken) and answered else []


class _Choice:
    """Sentences of a conversation, chosen one by one: the one next that says most of what is spoken of."""

    def __init__(self, voices: Sequence[Voice], asked: frozenset[str], subjects: frozenset[str], room: int):
        self.voices, self.asked, self.subjects, self.room = voices, asked, subjects, room
        self.words = [telling(voice.text) for voice in voices]
        self.turns = Counter(word for words in self.words for word in words)
        self.sentences = [one for turn in range(len(voices)) for one in _sentences(turn, voices)]
        self.taken: list[TurnPart] = []
        self.said: set[str] = set()

    def worth(self, word: str) -> float:
        """What a word is worth: more, the more turns it comes up in."""
        return min(self.turns[word] - 1, OFTEN) / OFTEN + OF_PROMPT * (word in self.asked)

    def value(self, one: TurnPart) -> float:
        """What a sentence adds to those that were taken."""
        worth = sum(self.worth(word) * (SAID_BEFORE if word in self.said else 1.0) for word in one.words)
        return worth / math.sqrt(one.tokens)

    def take(self, offered: Iterable[TurnPart], room: int, limit: int = MOST_WORDS) -> None:
        """Take the best sentences one after the other, as long as they fit."""
        left, room = list(offered), min(room, self.room)
        least = FAINT * max(map(self.value, left), default=0.0)
        while left and limit:
            best = max(left, key=self.value)
            left.remove(best)
            if (value := self.value(best)) == 0 or value < least:
                return
            if best.tokens <= room:
                self.taken.append(best)
                self.said |= best.words
                room, limit = room - best.tokens, limit - 1
                self.room -= best.tokens

    def opening(self) -> list[TurnPart]:
        """The sentence of the first turn that is most like the prompt and does not merely repeat it."""
        first = [one for one in self.of_turn(0) if one.tokens <= OPENING and one.words & self.subjects]
        first = [one for one in first if len(one.words & self.asked) <= REPEATED * len(one.words)]
        likest = sorted(first, key=lambda one: -len(one.words & self.asked) / math.sqrt(one.tokens))
        return likest[:1] if self.voices[0].is_user else []

    def of_turn(self, turn: int) -> list[TurnPart]:
        """The sentences of a turn."""
        return [one for one in self.sentences if one.turn == turn]

    def outcome(self) -> int:
        """The last turn of the agent that says much of what is spoken of; -1 when there is none."""
        weights = {turn: self._weight(turn) for turn, voice in enumerate(self.voices) if not voice.is_user}
        most = max(weights.values(), default=0.0)
        return max((turn for turn, weight in weights.items() if most and weight >= WEIGHTY * most), default=-1)

    def closing(self, turn: int, room: int) -> list[TurnPart]:
        """What of the closing words may be told: all where there is room, else what speaks of the matter."""
        said = self.of_turn(turn)
        return said if sum(one.tokens for one in said) <= room else list(filter(self.is_on_subject, said))

    def _weight(self, turn: int) -> float:
        words = frozenset[str]().union(*(one.words for one in self.of_turn(turn)))
        return sum(map(self.worth, words)) if words & self.subjects else 0.0

    def answers(self) -> list[TurnPart]:
        """What the user said after the question: what speaks of the matter, or answers a question in a word."""
        found = [one for one in self.sentences if one.turn and self.voices[one.turn].is_user]
        return [one for one in found if self._tells(one)]

    def _tells(self, one: TurnPart) -> bool:
        """Whether a sentence speaks of the matter, and can be understood without the one before."""
        is_whole = len(one.text.split()) > WHOLE
        if pattern("turns.refers").match(one.text) and not is_whole:
            return False
        is_one_of_many = one.is_item and len(_questions(self.voices[one.turn - 1].text)) > 1
        return self.is_on_subject(one) and (not is_one_of_many or bool(_NAME.search(one.text)))

    def is_on_subject(self, one: TurnPart) -> bool:
        """Whether a sentence speaks of the matter: it names a subject, or has several words that come up again."""
        return bool(one.words & self.subjects) or sum(self.turns[word] > 1 for word in one.words) >= LEAST

    def told(self) -> list[TurnLine]:
        """What was taken, turn by turn."""
        order = {one: place for place, one in enumerate(self.sentences)}
        found: list[TurnLine] = []
        for turn, group in groupby(sorted(self.taken, key=lambda one: order[one]), key=lambda one: one.turn):
            text = " ".join(one.text if one.text[-1] in _ENDS else f"{one.text};" for one in group).rstrip(";")
            found.append(TurnLine("agent" if not self.voices[turn].is_user else "user" if turn else "asked", text))
        return found


def _sentences(turn: int, voices: Sequence[Voice]) -> list[TurnPart]:
    """What a turn says, sentence by sentence; a brief answer of the user stays whole, a short one has its question."""
    voice = voices[turn]
    lines = _users_lines(voice.text) if voice.is_user else _agents_lines(voice.text)
    told = [(text, bool(_LAYOUT.match(line))) for line in lines for text in whole_sentences(_LAYOUT.sub("", line))]
    told = [(text, is_item) for text, is_item in told if _says_something(text, voice.is_user)]
    length = len(voice.text.split())
    if voice.is_user and told and length <= BRIEF and not any(is_item for _, is_item in told):
        question = _question(voices[turn - 1].text) if turn and length <= SHORT else ""
        told = [(" ".join([*([f"({question})"] if question else []), *(text for text, _ in told)]), False)]
    found = ((text, telling(text), is_item) for text, is_item in told)
    return [TurnPart(turn, text, words, estimate_tokens(text) + 1, is_item) for text, words, is_item in found if words]


def whole_sentences(line: str) -> list[str]:
    """The sentences of a line, none of them cut."""
    return [text for part in _END.split(calm(line)) if (text := " ".join(part.split())) and _LETTER.search(text)]


def _users_lines(text: str) -> list[str]:
    return [line for _, line, is_odd in spoken_lines(text) if line and not is_odd]


def _agents_lines(text: str) -> list[str]:
    return [line for line in _FENCED.sub("\n", text).split("\n") if not _UNTOLD.match(line)]


def _says_something(text: str, is_user: bool) -> bool:
    """Whether a sentence tells: it is speech, asks nothing, is no errand of the moment and announces no next step."""
    if text.rstrip(" \"')*_").endswith(("?", "？", ":", "：")) or not _is_speech(text):
        return False
    if is_user:
        return not pattern("turns.errand").search(text) and not pattern("turns.idle").fullmatch(text.rstrip(" .!"))
    is_told = len(text.split()) > LEAST or not text.isascii()
    return is_told and not pattern("turns.next_move").match(text) and not pattern("voices.thinking").match(text)


def _is_speech(text: str) -> bool:
    """Whether somebody says a sentence, and it is no path, no code and no part of a page."""
    if _CODE.search(text):
        return False
    words = text.lower().split()
    return not text.isascii() or len(words) < UNSPOKEN or any(word.strip(".,;:()") in STOP_WORDS for word in words)


def _question(text: str) -> str:
    """The last question that somebody asked in a text."""
    return next(reversed(_questions(text)), "")


def _questions(text: str) -> list[str]:
    asked = (one for line in _agents_lines(text) for one in whole_sentences(_LAYOUT.sub("", line)))
    return [one for one in asked if one.endswith(("?", "？"))]


def spoken_part(text: str) -> str:
    """What of a prompt somebody says: without pastes, paths, code and parts of a page."""
    return "\n".join(one for line in _users_lines(text) for one in whole_sentences(line) if _is_speech(one))
