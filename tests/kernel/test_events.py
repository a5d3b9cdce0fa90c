"""Events: each type has its payload, and what does not fit is refused with a sentence that says what and where."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from factories import extracted
from nous.errors import BadEvent
from nous.kernel.log import events
from nous.kernel.log.events import (
    EVENT_TYPES,
    PAYLOADS,
    SCHEMA_VERSION,
    TOMBSTONE,
    TOMBSTONE_JSON,
    Archived,
    BriefLine,
    BriefLineDropped,
    BriefLineEdited,
    BriefLineKept,
    BriefLinePinned,
    BriefLinePlaced,
    BriefWritten,
    Contested,
    Contradicted,
    Edge,
    EntityMerged,
    EntityRejected,
    EntityRenamed,
    EntitySplit,
    Erased,
    Event,
    EventType,
    Extracted,
    InterventionNoted,
    NamedThing,
    Payload,
    Placed,
    ProjectTidied,
    ProjectTrusted,
    Reinforced,
    Rescoped,
    Reviewed,
    RulesApplied,
    SeenFile,
    SessionObserved,
    SessionRead,
    Superseded,
    Undone,
    Validated,
    Weakened,
    chain_hash,
    check_event,
    decode_payload,
    encode_payload,
    extraction_key,
    head_text,
    learning_index,
    payload_hash,
)

EXAMPLES: dict[str, Payload] = {
    "LearningExtracted": Extracted(content="x", extractor_version="1", type="fact", concepts=("a",), edges=()),
    "LearningValidated": Validated(),
    "LearningReinforced": Reinforced(reinforcement_delta=0.1),
    "LearningWeakened": Weakened(reinforcement_delta=-0.2),
    "LearningContradicted": Contradicted(contradicted_with="l2", contradiction_multiplier=0.7),
    "LearningSuperseded": Superseded(superseded_by="l2"),
    "LearningArchived": Archived(reason="old"),
    "LearningRestored": Payload(),
    "LearningPinned": Payload(),
    "LearningUnpinned": Payload(),
    "LearningConfirmed": Payload(),
    "LearningDisputed": Payload(reason="is it so?"),
    "LearningContested": Contested(reason="is it so?", author="ann"),
    "LearningErased": Erased(reason="asked for", erased_events=(1, 2)),
    "EdgeProposed": Edge(target="l2", relation="relates_to"),
    "EdgeAccepted": Edge(target="l2", relation="causal", weight=0.5),
    "EdgeRejected": Edge(target="l2", relation="depends_on"),
    "LearningReviewed": Reviewed(item="weak:1", action="keep"),
    "LearningRescoped": Rescoped(scope="project"),
    "EventsUndone": Undone(undone_events=(1, 2), reason="a mistake"),
    "EntityMerged": EntityMerged(name="PG", into="e2", into_name="Postgres"),
    "EntityRenamed": EntityRenamed(name="pg", to="PG"),
    "EntitySplit": EntitySplit(name="go", apart="e2", apart_name="the game", learnings=("l1",)),
    "EntityRejected": EntityRejected(name="Please"),
    "SessionObserved": SessionObserved(kind="feature", prompts=3, files=(SeenFile("a.py", 1, 0, 0),)),
    "InterventionNoted": InterventionNoted(state="raised", observer="loops", text="This failed before."),
    "LearningPlaced": Placed(file="CLAUDE.md", addition="- Use pnpm."),
    "ProjectTrusted": ProjectTrusted(level=3),
    "RulesApplied": RulesApplied(version="rules-8"),
    "EntityErased": Erased(reason="asked for", erased_events=(3,)),
    "SessionRead": SessionRead(reader="read@1/fake:f", title="Checks", things=(NamedThing(name="make"),)),
    "BriefWritten": BriefWritten(reader="read@1/fake:f", lines=(BriefLine("Run the checks.", ("l1",)),)),
    "ProjectTidied": ProjectTidied(reader="tidy@1/fake:f", memories=3),
    "BriefLineKept": BriefLineKept(line=BriefLine("Run the checks.", ("l1",)), beside=("Lint.",)),
    "BriefLineEdited": BriefLineEdited(line=BriefLine("Run the checks.", ("l1",)), text="Run `make check`."),
    "BriefLineDropped": BriefLineDropped(line=BriefLine("Run the checks.", ("l1",))),
    "BriefLinePinned": BriefLinePinned(line=BriefLine("Run the checks.", ("l1",))),
    "BriefLinePlaced": BriefLinePlaced(line=BriefLine("Run the checks.", ("l1",)), place=3),
}


def event(kind: EventType = "LearningPinned", payload: Payload | None = None, **fields: Any) -> Event:
    stream = events.STREAM_OF.get(kind, "memory")
    said: dict[str, Any] = {
        **({"learning_id": "l1"} if stream == "memory" else {"stream": stream, "stream_id": "e1"}),
        "idempotency_key": "k",
        "session_id": "s",
        "project_id": "p",
        "source": "user_review",
    }
    return Event(event_type=kind, payload=payload if payload is not None else EXAMPLES[kind], **(said | fields))


def test_there_is_a_payload_for_every_type_and_none_besides() -> None:
    assert set(EVENT_TYPES) == set(PAYLOADS) == set(EXAMPLES)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_type_is_accepted_and_read_back_as_it_was(kind: EventType) -> None:
    said = EXAMPLES[kind]
    assert check_event(event(kind)).payload == encode_payload(said)
    assert decode_payload(kind, encode_payload(said)) == said


@pytest.mark.parametrize("kind", [kind for kind in EVENT_TYPES if PAYLOADS[kind] is not Payload])
def test_the_payload_of_another_type_is_refused(kind: EventType) -> None:
    with pytest.raises(BadEvent, match=f"{kind} needs a payload {PAYLOADS[kind].__name__}"):
        check_event(event(kind, Payload()))


def wrong(kind: EventType, **fields: Any) -> Event:
    return event(kind, replace(EXAMPLES[kind], **fields))


BAD = [
    (wrong("LearningExtracted", content="  "), r"\$\.content"),
    (wrong("LearningExtracted", content=5), r"Expected `str`, got `int` - at `\$\.content`"),
    (wrong("LearningExtracted", type="gossip"), r"unknown memory type 'gossip' - at `\$\.type`"),
    (wrong("LearningExtracted", confidence=1.5), r"<= 1.0 - at `\$\.confidence`"),
    (wrong("LearningExtracted", scope="planet"), r"'planet' - at `\$\.scope`"),
    (wrong("LearningExtracted", concepts=("a", None)), r"\$\.concepts\[1\]"),
    (wrong("LearningReinforced", reinforcement_delta=-0.1), r">= 0.0 - at `\$\.reinforcement_delta`"),
    (wrong("LearningWeakened", reinforcement_delta=0.1), r"<= 0.0 - at `\$\.reinforcement_delta`"),
    (wrong("LearningContradicted", contradiction_multiplier=0.0), r"> 0.0 - at `\$\.contradiction_multiplier`"),
    (wrong("LearningContradicted", contradicted_with=""), r"\$\.contradicted_with"),
    (wrong("LearningSuperseded", superseded_by=""), r"\$\.superseded_by"),
    (wrong("LearningArchived", reason=""), r"\$\.reason"),
    (wrong("LearningErased", erased_events=("x",)), r"\$\.erased_events\[0\]"),
    (wrong("EdgeProposed", relation="likes"), r"'likes' - at `\$\.relation`"),
    (wrong("ProjectTrusted", level=5), r"5 - at `\$\.level`"),
    (wrong("BriefWritten", lines=(BriefLine("Run the checks.", ()),)), r"length >= 1 - at `\$\.lines\[0\]\.sources`"),
    (wrong("BriefLineKept", line=BriefLine(" ", ("l1",))), r"regex .* - at `\$\.line\.text`"),
    (wrong("BriefLineEdited", text=""), r"regex .* - at `\$\.text`"),
    (wrong("BriefLinePlaced", place=0), r"`int` >= 1 - at `\$\.place`"),
    (wrong("SessionRead", reader=""), r"\$\.reader"),
    (wrong("EdgeProposed", weight=2.0), r"<= 1.0 - at `\$\.weight`"),
    (event(learning_id=""), "at `learning_id`"),
    (event(idempotency_key=""), "at `idempotency_key`"),
    (event(source=" "), "at `source`"),
    (event(stream="entity"), "it happens to a memory, not to `entity` - at `stream`"),
    (event(stream_id="other"), "it is not the learning's id - at `stream_id`"),
    (event(schema_version=9), "version 9 is not known"),
    (event(valid_from="yesterday"), "'yesterday' is no moment - at `valid_from`"),
    (event(valid_from="2026-11-02", valid_until="2026-11-01"), "is before valid_from"),
    (event(clock={"s": 0}), r"0 is no positive number - at `clock\[s\]`"),
    (event(clock={f"s{n}": 1 for n in range(65)}), "65 sessions are more than 64"),
]


@pytest.mark.parametrize(("bad", "sentence"), BAD)
def test_what_does_not_fit_is_refused_with_what_and_where(bad: Event, sentence: str) -> None:
    with pytest.raises(BadEvent, match=sentence):
        check_event(bad)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(BadEvent, match="unknown event type 'LearningGuessed'"):
        check_event(replace(event(), event_type="LearningGuessed"))
    with pytest.raises(BadEvent, match="unknown event type 'LearningGuessed'"):
        decode_payload("LearningGuessed", "{}")


def test_a_field_nobody_knows_or_a_missing_one_is_refused() -> None:
    with pytest.raises(BadEvent, match="unknown field `superseeded_by`"):
        decode_payload("LearningSuperseded", '{"superseded_by":"l2","superseeded_by":"l3"}')
    with pytest.raises(BadEvent, match="missing required field `superseded_by`"):
        decode_payload("LearningSuperseded", "{}")
    with pytest.raises(BadEvent, match="truncated"):
        decode_payload("LearningSuperseded", "{")


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-11-03", "2026-11-03T00:00:00.000Z"),
        ("2026-11-03T10:00:00Z", "2026-11-03T10:00:00.000Z"),
        ("2026-11-03T12:00:00+02:00", "2026-11-03T10:00:00.000Z"),
        ("2026-11-03T10:00:00.123456Z", "2026-11-03T10:00:00.123Z"),
        (None, None),
    ],
)
def test_moments_are_stored_in_the_one_form_that_sorts(given: str | None, stored: str | None) -> None:
    assert check_event(event(valid_from=given)).valid_from == stored


# -- versions -------------------------------------------------------------------------------------------------------


def test_the_first_schema_is_lifted_to_the_present_one() -> None:
    said = decode_payload("LearningExtracted", '{"content":"Use distutils","extractor_version":"v0"}', 1)
    assert said == Extracted(content="Use distutils", extractor_version="v0", type="fact", concepts=(), edges=())
    bare = decode_payload("LearningExtracted", '{"content":"x"}', 1)
    assert isinstance(bare, Extracted) and bare.extractor_version == "legacy-v1"


def test_an_old_payload_of_a_type_that_did_not_change_is_read_as_it_is() -> None:
    assert decode_payload("LearningReinforced", '{"reinforcement_delta":0.1}', 1) == Reinforced(reinforcement_delta=0.1)


def test_an_old_payload_must_still_fit() -> None:
    with pytest.raises(BadEvent, match=r"LearningExtracted version 1: .*\$\.content"):
        decode_payload("LearningExtracted", '{"content":7}', 1)


def test_the_present_schema_needs_concepts_and_edges() -> None:
    with pytest.raises(BadEvent, match="concepts"):
        decode_payload("LearningExtracted", '{"content":"x","extractor_version":"1","type":"fact"}')


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1])
def test_a_version_nobody_knows_is_refused(version: int) -> None:
    with pytest.raises(BadEvent, match=f"schema version {version} is not known"):
        decode_payload("LearningPinned", "{}", version)


def test_versions_are_lifted_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "SCHEMA_VERSION", 3)
    lifts = {
        ("LearningArchived", 1): lambda old: {"why": old["cause"]},
        ("LearningArchived", 2): lambda old: {"reason": old["why"]},
    }
    monkeypatch.setattr(events, "UPCASTERS", lifts)
    assert decode_payload("LearningArchived", '{"cause":"old"}', 1) == Archived(reason="old")
    assert decode_payload("LearningArchived", '{"why":"old"}', 2) == Archived(reason="old")


def test_an_erased_payload_reads_as_a_tombstone_whatever_its_type() -> None:
    assert all(decode_payload(kind, TOMBSTONE_JSON) is TOMBSTONE for kind in EVENT_TYPES)


# -- keys and hashes ------------------------------------------------------------------------------------------------


def test_the_extraction_key_is_that_of_the_contract() -> None:
    assert extraction_key("p", "s", 3, "v1") == hashlib.sha256(b"p:s:3:v1").hexdigest()


def test_a_learning_is_numbered_by_its_record_and_not_by_its_place_in_a_unit() -> None:
    assert learning_index("record", 0) == learning_index("record", 0) != learning_index("record", 1)


def test_the_hash_covers_every_column_and_tells_nothing_from_an_empty_text() -> None:
    heads = [(1, "a", None), (1, "a", ""), (1, "", "a"), ("1", "a", None), (2, "a", None)]
    hashes = {chain_hash("0" * 64, head_text(head), payload_hash("{}")) for head in heads}
    assert len(hashes) == len(heads)
    assert chain_hash("1" * 64, head_text(heads[0]), payload_hash("{}")) not in hashes


def test_the_same_payload_is_always_stored_the_same_way() -> None:
    said = extracted(concepts=("b", "a"), files=("x.py",)).payload
    assert encode_payload(said) == encode_payload(msgspec.convert(msgspec.to_builtins(said), Extracted))
