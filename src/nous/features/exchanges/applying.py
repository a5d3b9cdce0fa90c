"""The rule in force that a question falls under: found by the case it names ("when we touch the schema").

A rule is short and shares few words with a question that it applies to, so the scores of a list pass it by. Its case is
compared by meaning instead, with the table that is always there, and the best one stands among the first hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from nous.features.exchanges.search import cosines, small
from nous.features.exchanges.together import RULES, Found
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.search import Hit, Query, admits
from nous.kernel.recall.worth import is_certain
from nous.language.lexicon import pattern
from nous.providers import Embeddable
from nous.providers.words import builtin_table

APPLIES = 0.22  # how near its case must be: on conversations a third of the questions get one
LOOKED_AT = 20  # rules of each type, the latest
PLACE = 5  # where it stands at least


def applying(memories: Memories, query: Query, rarity: Mapping[str, float]) -> Memory | None:
    """The rule of a project whose case is nearest to a question, if it is near enough and holds."""
    table = builtin_table()
    if table is None or query.project_id is None or query.is_filtered or query.as_of:
        return None
    listed = (memories.listing(query.project_id, type=type, limit=LOOKED_AT, viewer=query.viewer) for type in RULES)
    rules = [one for rules in listed for one in rules]
    near = zip(
        cosines(table.query(query.text, rarity), [_case_vector(one.content) for one in rules]), rules, strict=True
    )
    best = sorted(
        ((nearness, one.id, one) for nearness, one in near if nearness >= APPLIES), key=lambda found: -found[0]
    )
    return next((one for _, _, one in best if admits(query, one) and is_certain(one)), None)


def case_of(rule: str) -> str:
    """What a rule says of when it applies; all of it, when it names no case."""
    named = pattern("turns.in_case").search(rule)
    return (named and named[named.lastindex or 0].strip()) or rule


@lru_cache(maxsize=4096)
def _case_vector(rule: str) -> bytes:
    table = builtin_table()
    return small(table.documents([Embeddable(case_of(rule))])[0]) if table else b""


def with_rule(found: Sequence[Found], rule: Memory | None) -> list[Found]:
    """The hits with a rule, and the exchange it came from, among the first, if anything was found at all."""
    if rule is None or not found:
        return list(found)
    at = next((at for at, one in enumerate(found) if _holds(one, rule)), len(found))
    if at < min(PLACE, len(found)):
        return list(found)
    score = found[min(PLACE, len(found)) - 1].score
    own = found[at].exchange if at < len(found) else None
    lifted = Found(score, {"applies": score}, memory=Hit(rule, score, found_by=("applies",)), exchange=own)
    return [*found[: PLACE - 1], lifted, *found[PLACE - 1 : at], *found[at + 1 :]]


def _holds(one: Found, rule: Memory) -> bool:
    """Whether a hit is the rule, or the exchange it came from."""
    is_rule = one.memory is not None and one.memory.memory.id == rule.id
    return is_rule or (one.exchange is not None and bool(set(rule.evidence) & set(one.exchange.records)))
