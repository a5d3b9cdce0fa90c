"""What a text said that was too long to keep, as hashes of its words (docs/decisions/0199).

Only the beginning and the end of a long result are kept. Whether a conclusion takes something up from the rest is told
by this: names and hosts that stand anywhere in it, and words that stand together in one paragraph of prose. It is made
after secrets were removed, and of words without digits only.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from nous.language.likeness import STOP_WORDS, stem
from nous.language.provenance import ORDERS, hosts, imitates, is_other_script, is_prose, is_uncommon, telling

MOST = 4096  # hashes kept of one text: 16 kB
PARAGRAPH = 60  # words that stand together
LONGEST = 1_000_000  # characters that are looked at
LONGEST_WORD = 30
FEWEST = 4  # words that a share can be told of
_HAS_ORDERS, _OTHER_SCRIPT, _IMITATES = 1, 2, 4
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+|[^\W_]+")
_DIGIT = re.compile(r"\d")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class LeftOut(NamedTuple):
    """What is known of a text that was not kept whole; of a very long one only every `sampled`th word of paragraphs.

    `said` are names in sentences and comments, `written` those in code, `spoken` the words of all paragraphs.
    """

    said: array[int]
    written: array[int]
    paragraphs: tuple[array[int], ...]
    spoken: array[int]
    sampled: int
    has_orders: bool
    is_other_script: bool
    imitates: bool

    def has_host(self, host: str) -> bool:
        """Whether it names a host, anywhere."""
        return any(_holds(names, host_hash(host)) for names in (self.said, self.written))

    def has_name(self, word: str, *, in_code: bool) -> bool:
        """Whether a sentence or a comment in it has a word; `in_code`: or, of a word of no everyday use, its code."""
        found = [word_hash(one) for one in words_of(word)]
        places = (self.said, self.spoken, self.written) if in_code else (self.said, self.spoken)
        return any(_holds(place, one) for place in places for one in found)

    def has_command(self, command: str) -> bool:
        """Whether a sentence in it names a command, a flag, a path or a name with marks, or has all its words."""
        if _holds(self.said, command_hash(command)):
            return True
        words = {word_hash(word) for word in words_of(command)}
        told = {one for one in words if _holds(self.said, one)}
        asked = {one for one in words - told if one % self.sampled == 0}
        return len(told | asked) > 1 and (not asked or any(asked <= one for one in self._find_words(asked)))

    def shares(self, words: Collection[str], share: float) -> bool:
        """Whether so much of a sentence's words stands together, in one paragraph or in two in a row."""
        wanted = {one for one in map(word_hash, words) if one % self.sampled == 0}
        least = max(2, share * len(wanted))
        if len(words) < FEWEST or sum(_holds(self.spoken, one) for one in wanted) < least:
            return False
        return any(len(one) >= least for one in self._find_words(wanted))

    def _find_words(self, wanted: set[int]) -> Iterator[set[int]]:
        """Which of these words stand in each two paragraphs in a row."""
        found = (wanted.intersection(paragraph) for paragraph in self.paragraphs)
        return (one | other for one, other in pairwise((set[int](), *found)))


def words_of(text: str) -> Iterator[str]:
    """The stems of a text's words that say something, without those that have digits; of Chinese, pairs of letters."""
    for word in _WORD.findall(text.lower()):
        if _CJK.match(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif 2 < len(word) <= LONGEST_WORD and word.isalpha() and word not in STOP_WORDS:
            yield stem(word)


@lru_cache(maxsize=32768)
def word_hash(word: str) -> int:
    """A word as a number of 32 bits."""
    return int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "little")


def host_hash(host: str) -> int:
    """A host as a number that no word has."""
    return word_hash(f"//{host}")


def command_hash(command: str) -> int:
    """A command, a flag or a path as a number that no word has, whatever stands before it."""
    return word_hash(f"`{command.lstrip('-./@')}")


def describe(text: str) -> bytes:
    """What is kept of a text beside its beginning and its end."""
    from nous.redact import redact_text  # its patterns take long to compile: not for who only reads what is kept

    text = redact_text(text[:LONGEST])[0]
    said, written, paragraphs = set[int](), set[int](), list[set[int]]()
    count, is_foreign = PARAGRAPH, False
    for line in text.splitlines():
        if not is_prose(line):
            written |= {word_hash(word) for word in words_of(line) if is_uncommon(word)}
            continue
        is_foreign = is_foreign or is_other_script(line)
        said |= {command_hash(one) for one in telling(line) if not _DIGIT.search(one)}
        for word in words_of(line):
            if count >= PARAGRAPH:
                paragraphs.append(set())
                count = 0
            count += 1
            (said if is_uncommon(word) else paragraphs[-1]).add(word_hash(word))
    said |= {host_hash(host) for host in hosts(text)}
    flags = _HAS_ORDERS * bool(ORDERS.search(text.lower())) | _OTHER_SCRIPT * is_foreign
    flags |= _IMITATES * imitates(text)
    return _pack(flags, sorted(said), sorted(written - said), paragraphs)


def _pack(flags: int, said: list[int], written: list[int], paragraphs: list[set[int]]) -> bytes:
    said, written = said[: MOST // 2], written[: MOST // 4]
    room = MOST - len(said) - len(written)
    sampled = 1
    while sum(map(len, paragraphs)) > room:
        sampled *= 2
        paragraphs = [{one for one in paragraph if one % sampled == 0} for paragraph in paragraphs]
    packed = array("I", [flags, sampled, len(said), len(written), *said, *written])
    for paragraph in paragraphs:
        packed.extend([len(paragraph), *sorted(paragraph)])
    return _little(packed).tobytes()


@lru_cache(maxsize=512)
def read_left_out(raw: bytes) -> LeftOut | None:
    """What `describe` kept; nothing when it cannot be read."""
    if len(raw) < 16 or len(raw) % 4:
        return None
    packed = array("I")
    packed.frombytes(raw)
    packed = _little(packed)
    flags, sampled, said, written = packed[:4]
    at = 4 + said + written
    paragraphs = []
    while at < len(packed):
        paragraphs.append(packed[at + 1 : at + 1 + packed[at]])
        at += 1 + packed[at]
    names = packed[4 : 4 + said], packed[4 + said : 4 + said + written]
    has_orders, is_foreign, is_imitation = (bool(flags & one) for one in (_HAS_ORDERS, _OTHER_SCRIPT, _IMITATES))
    spoken = array("I", sorted(set().union(*paragraphs)))
    return LeftOut(*names, tuple(paragraphs), spoken, max(1, sampled), has_orders, is_foreign, is_imitation)


def _little(numbers: array[int]) -> array[int]:
    """Numbers as they are stored, whatever the machine."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _holds(names: array[int], wanted: int) -> bool:
    at = bisect_left(names, wanted)
    return at < len(names) and names[at] == wanted
