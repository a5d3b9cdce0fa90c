"""What may be shown, prepared before anybody asks: entries per project and branch, and per file."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from nous.features.brief.lines import brief_entries
from nous.features.exchanges.decided import is_everyday
from nous.identity import context_key, file_key, locate, prompt_key
from nous.kernel.hooks import anchors
from nous.kernel.hooks.packing import Entry, is_work
from nous.kernel.hooks.subjects import rarities, words_of
from nous.kernel.log.extraction import Anchor
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.recall.worth import entry, is_certain, is_injectable, is_of_model, opposite
from nous.kernel.stores import Stores

ANYWHERE = ""
MOST_BRANCHES = 5  # that are prepared before anybody asks
MOST_NAMED = 600  # memories that a first prompt may name, the latest ones: a hook reads them all
# Of what a model wrote: 0 of 5 such lines were of use to a prompt (docs/judged.md). A failure still calls for it.
NOT_FOR_PROMPTS = frozenset({"error_pattern", "fact"})
WARNING_TYPES = frozenset({"gotcha", "error_pattern", "dead_end", "requirement", "decision", "module_insight", "fact"})


def warm(stores: Stores, project_id: str, now: str) -> int:
    """Prepare a project's entries anew; for how many contexts."""
    memories = stores.memories.visible(project_id)
    version = stores.events.last_id()
    contexts = {ANYWHERE, *_branches(stores.cache, project_id)}
    with stores.db.transaction():
        code = CodeState(project_id, stores.cache.root(project_id), memories)
        stores.cache.drop_project(project_id)
        for branch in sorted(contexts):
            here = code.standing(memories, branch)
            pool = brief_entries(stores, here, project_id, now, branch)
            _put_packet(
                stores.cache, context_key(project_id, branch), project_id, branch, code.anchored(pool), version, now
            )
        pool, rarity = _for_prompts(memories, now)
        own = words_of(os.path.basename(project_id))  # every prompt is about the project itself
        rarity = {word: 0.0 if word in own else value for word, value in rarity.items()}
        data = (rarity, code.anchored(pool))
        _put_packet(stores.cache, prompt_key(project_id), project_id, ANYWHERE, data, version, now)
        for name, warnings in _by_file(memories, now).items():
            _put_packet(
                stores.cache, file_key(project_id, name), project_id, ANYWHERE, code.anchored(warnings), version, now
            )
    return len(contexts)


class CodeState:
    """The code that a project's memories speak of, as it lies on the disk now."""

    def __init__(self, project_id: str, root: str, memories: Iterable[Memory]):
        self.root = root if root and os.path.isdir(root) else ""
        self.branch = locate(self.root).branch if self.root else ANYWHERE
        # A memory of another project that holds here too speaks of files there.
        own = (memory for memory in memories if memory.anchors and memory.project_id == project_id)
        self.anchors = {memory.id: memory.anchors for memory in own}

    def standing(self, memories: Iterable[Memory], branch: str) -> list[Memory]:
        """Without memories whose files are gone.

        Of a branch that is not checked out nobody can tell.
        """
        here = self.root and branch in (ANYWHERE, self.branch)
        return [memory for memory in memories if not here or not self._is_gone(memory)]

    def anchored(self, pool: Iterable[Entry]) -> list[Entry]:
        """The entries with what they are anchored to, and how that stands now."""
        return [one._replace(anchors=[self._row(anchor) for anchor in self.anchors.get(one.id, ())]) for one in pool]

    def _is_gone(self, memory: Memory) -> bool:
        found = self.anchors.get(memory.id, ())
        return bool(found) and not any(os.path.exists(os.path.join(self.root, anchor.file)) for anchor in found)

    def _row(self, anchor: Anchor) -> tuple[str | int, ...]:
        if not self.root:
            return anchor.file, anchor.symbol, anchor.hash
        sight = anchors.look(self.root, anchor.file, anchor.symbol, anchor.hash)
        return anchor.file, anchor.symbol, anchor.hash, *sight


def _branches(cache: Cache, project_id: str) -> list[str]:
    """The branch the project was last seen on, and the last ones with memories of their own.

    Of another one, once it is checked out, the daemon prepares the packet; until then the project's own serves.
    """
    seen = next((row["branch"] for row in cache.projects() if row["project_id"] == project_id), None)
    return [*cache.branches(project_id, MOST_BRANCHES), *([seen] if seen else [])]


def _for_prompts(memories: Sequence[Memory], now: str) -> tuple[list[Entry], dict[str, float]]:
    """What a first prompt or a failure may call for, with the words that find it, and how rare these are: everything
    that is certain but the last work."""
    known = {memory.learning_id: memory for memory in memories}
    newest = sorted((one for one in memories if not is_work(one)), key=lambda one: one.id, reverse=True)
    certain = (memory for memory in newest if is_certain(memory) and is_injectable(memory, now, ANYWHERE))
    latest = list(islice(certain, MOST_NAMED))[::-1]
    pool = [_with_words(entry(one, now, other=opposite(one, known)), one) for one in latest]
    return pool, rarities((one.words for one in pool), is_everyday)


def _with_words(made: Entry, memory: Memory) -> Entry:
    """An entry with the words of its text and its subjects; where no model said what it is about, any word may."""
    is_models = is_of_model(memory)
    named = words_of(" ".join((*memory.files, *memory.entities, *memory.tags, *memory.concepts * is_models)))
    words = words_of(memory.content) | named
    subjects = words if not is_models else () if memory.type in NOT_FOR_PROMPTS else named
    return made._replace(words=sorted(words), subjects=sorted(subjects))


def _by_file(memories: Sequence[Memory], now: str) -> dict[str, list[Entry]]:
    """Warnings under the last part of the file's name."""
    found: dict[str, list[Entry]] = defaultdict(list)
    known = {memory.learning_id: memory for memory in memories}
    for memory in memories:
        is_warning = memory.files and memory.type in WARNING_TYPES and is_certain(memory)
        if is_warning and is_injectable(memory, now, ANYWHERE):
            made = entry(memory, now, other=opposite(memory, known))
            for name in sorted({os.path.basename(file) for file in memory.files}):
                found[name].append(made)
    return found


def warm_all(stores: Stores, now: str, projects: frozenset[str] | None = None) -> int:
    """Prepare the given projects, or all, and what holds in places Nous does not know.

    When what holds everywhere has changed, every project is prepared: it is part of each.
    """
    before = _numbers(stores.cache)
    made = warm(stores, ANYWHERE, now)
    known = [row["project_id"] for row in stores.cache.projects()]
    everywhere = projects is None or _numbers(stores.cache) != before
    return made + sum(warm(stores, project, now) for project in known if everywhere or project in (projects or ()))


def _numbers(cache: Cache) -> list[int]:
    """The memories that hold everywhere, as they were last prepared."""
    pool = cache.get(context_key(ANYWHERE, ANYWHERE))
    return [fields[0] for fields in msgspec.json.decode(pool)] if pool else []


def _put_packet(cache: Cache, key: str, project_id: str, branch: str, data: object, version: int, now: str) -> None:
    cache.put(key, project_id, branch, msgspec.json.encode(data).decode(), version, now)
