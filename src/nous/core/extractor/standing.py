"""Whether words hold beyond the moment: statements about a kind of thing, and orders without a single object."""

from __future__ import annotations

from nous.core.extractor.assertions import is_order
from nous.core.extractor.domain import is_trade
from nous.core.extractor.shapes import facts, rules


def is_generic(text: str) -> bool:
    """Whether a sentence says of a kind of thing what it does: "prices include VAT", "sessions expire at noon"."""
    words = text.split()[:8]
    if not words or facts.NO_KIND.match(text):
        return False
    for place, word in enumerate(words[:3]):
        if not facts.PLURAL.match(word):
            continue
        rest = [one for one in words[place + 1 :] if one.lower() not in ("all", "always", "never", "only", "also")]
        return len(rest) > 1 and bool(facts.BASE_VERB.match(rest[0]))
    return False


def is_rule_of_thumb(text: str) -> bool:
    """Whether a few words without a verb set a rule: "no ORMs", "one assertion per test", "namespaced keys only"."""
    if rules.NOTHING_MUCH.match(text):
        return False
    if rules.BARE_CONTRAST.search(text) or (rules.PARALLEL.match(text) and not is_order(text)):
        return True
    placed = rules.PLACED.match(text)
    if placed and placed["where"].lower() in facts.PLACES and not is_order(text):
        return True
    return bool(rules.VERBLESS.match(text)) and (is_trade(text) or " at a time" in text)


def is_way_of_working(text: str) -> bool:
    """Whether an order names a way of doing things instead of one thing to do: "keep controllers thin"."""
    return bool(rules.KEEP.match(text))


def is_open_order(text: str) -> bool:
    """Whether an order has no single object, so that it can only be meant for good: "squash before merging"."""
    order = text.partition(", i ")[0]
    return bool(rules.IMPERATIVE.match(order) and rules.REACH.search(order)) and not rules.SINGLE.search(order)
