"""The passage that answers: whole sentences, without what a program wrote, what came of it before what was tried."""

from __future__ import annotations

from typing import Any

import pytest

from nous.features.exchanges.answering import choose, split_told
from nous.features.exchanges.model import accounts, excerpt, passage, refutes, reply
from nous.kernel.capture.transcript import Turn


def texts(text: str) -> list[str]:
    return [one.text for one in split_told(text)]


def shown(text: str, *wanted: str, room: int = 200) -> str:
    return choose(split_told(text), dict.fromkeys(wanted, 1.0), room).text


@pytest.mark.parametrize(
    "debris",
    [
        "```diff\n- const a = 1\n+ const a = 2\n```",
        "```python\nimport os\nos.remove(a)\nos.remove(b)\n```",
        "```js\nconst broken = {",  # a fence that never ends
        "| --- | --- |",
        "--------------------",
        "@@ -1,3 +1,4 @@",
        "+    totalBytes += chunk.size",
        "- `src/app/main.py`, `src/app/view.py`",
        "2026-01-02T12:14:09.66Z Current runner version: '2.330.0'",
        "[DEBUG] Generating thumbnail for segment: seg_3f7212",
        "at Object.<anonymous> (/app/server.js:10:15)",
        "const answer = compute(question);",
        '{"status": [1, 2], "value": {"a": 3}}',
        "get stack: ƒ () set stack: ƒ ()",
        '<!-- fonts -->\n<link\n  rel="stylesheet"\n  href="https://example.com/a.css" />',
    ],
)
def test_what_a_program_wrote_is_left_out(debris: str) -> None:
    assert texts(f"The port was taken.\n\n{debris}") == ["The port was taken."]


def test_marks_of_layout_are_left_out_and_what_they_set_is_kept() -> None:
    assert texts("## Cause\n\n1. **The lease** was [stale](https://example.com/lease) ✅.") == ["The lease was stale."]
    assert texts("| setting | default |\n|---|---|\n| `port` | 8080 |") == ["setting: default", "`port`: 8080"]


def test_a_heading_is_told_with_the_first_sentence_under_it() -> None:
    text = (
        "## Option 2\n**Pros:**\n- Always the current lease.\n- Less code.\n**Cons:**\n- One more.\n# Result\nIt holds."
    )
    assert shown(text, "lease") == (
        "Option 2, Pros:\n- Always the current lease.\n- Less code.\nCons:\n- One more.\nResult: It holds."
    )


def test_a_command_belongs_to_the_words_before_it() -> None:
    assert texts("Run this:\n```bash\nmake ship\n```\nThen wait.") == ["Run this: `make ship`", "Then wait."]


def test_the_sentences_that_say_most_are_chosen_with_what_follows() -> None:
    text = "We looked at the logs. The cause was a stale lease. It is renewed now. The weather was fine."
    assert shown(text, "lease", "cause", room=60) == "The cause was a stale lease. It is renewed now."
    assert shown(text, "weather", room=30) == "The weather was fine."


def test_steps_that_are_announced_stand_behind_what_came_of_them() -> None:
    text = "Let me check the export. I’m considering the export again.\nThe export failed because the disk was full."
    assert shown(text, "export") == "The export failed because the disk was full."
    assert shown("Let me check the export.", "export") == "Let me check the export."


def test_a_sentence_longer_than_the_room_is_cut_between_words() -> None:
    cut = shown("needle " + "more " * 60, "needle", room=80)
    assert cut.startswith("needle more") and cut.endswith("more …") and len(cut) <= 80


def test_an_excerpt_is_how_a_text_begins_in_whole_sentences() -> None:
    told = "First we looked at the logs. The cause was a stale lease. Then the queue was drained."
    assert excerpt(told, 45) == "First we looked at the logs. …"
    assert excerpt(told, 500) == told


def exchange(*said: tuple[str, str]) -> Any:
    kinds = {"user": "prompt", "agent": "reply"}
    same: dict[str, Any] = {"session_id": "s", "cwd": "/w", "branch": "main", "at": "2026-11-01T00:00:00.000Z"}
    turns = [Turn(uuid=f"u{at}", kind=kinds[who], text=text, **same) for at, (who, text) in enumerate(said)]  # type: ignore[arg-type]
    return accounts(turns)[0]


def test_the_agents_words_that_answer_stand_under_the_users_and_their_records_are_named() -> None:
    account = exchange(
        ("user", "Why does the nightly export fail?"),
        ("agent", "Let me look at the export."),
        ("agent", "The export fails because the disk is full."),
    )
    found = passage(account, {"export": 1.0, "fail": 1.0})
    assert found.text == "Why does the nightly export fail?\n→ The export fails because the disk is full."
    assert found.records == ("u0", "u2")


def test_the_users_words_have_more_room_where_they_are_what_is_asked_for() -> None:
    rule = "Ledger entries are never deleted. " + "".join(
        f"Ledger entry {at} is kept with its date. " for at in range(9)
    )
    found = passage(exchange(("user", rule), ("agent", "Understood.")), {"ledger": 1.0, "deleted": 1.0})
    assert found.text.startswith("Ledger entries are never deleted. Ledger entry 0 is kept") and len(found.text) > 300


@pytest.mark.parametrize(
    ("said", "is_refuted"),
    [
        ("It still fails with the same error. Here is the log", True),
        ("That didn’t work", True),
        ("ça ne marche toujours pas", True),
        ("还是不行", True),
        ("Great, it works. Now add a test", False),
        ("", False),
    ],
)
def test_what_the_user_says_next_tells_whether_it_did(said: str, is_refuted: bool) -> None:
    assert refutes(said) is is_refuted
    assert bool(reply(exchange(("user", "fix it"), ("agent", "It is fixed.")), said, {})) is is_refuted


def test_what_the_user_answered_stands_below_what_the_agent_asked() -> None:
    account = exchange(("user", "Add the share menu"), ("agent", "Which ones?\na) WhatsApp\nb) Reddit\nBoth?"))
    assert reply(account, "Reddit alone", {}) == "Reddit alone"
    assert reply(account, "Now something else. " * 30, {"share": 1.0}) == ""
    long = f"{'Let us wait with the others. ' * 20}Share to Reddit alone."
    assert "Share to Reddit alone." in reply(account, long, {"share": 1.0})


def test_what_the_agent_offers_and_announces_is_left_out() -> None:
    account = exchange(
        ("user", "Why is the export slow?"),
        ("agent", "Checking the export first.\nReading its settings:"),
        ("agent", "The export reads every row.\n\nWould you like me to:\n1. Add an index?\n2. Read less?"),
    )
    assert passage(account, {"export": 1.0}).text == "Why is the export slow?\n→ The export reads every row."


def test_a_list_is_told_line_by_line_and_without_most_of_what_nobody_asked_for() -> None:
    text = (
        "The lease changed:\n- the lease\n- colours\n- fonts\n- borders\n- icons\n- the lease's owner\nAll tests pass."
    )
    assert (
        shown(text, "lease")
        == "The lease changed:\n- the lease\n- colours\n- fonts\n- the lease's owner\nAll tests pass."
    )


def test_a_line_broken_to_fit_a_screen_goes_on() -> None:
    assert shown("Set the lease\nto ten minutes.", "lease") == "Set the lease to ten minutes."


def test_a_fence_of_prose_is_read_and_one_inside_of_it_is_not() -> None:
    text = (
        "```markdown\nThe lease is renewed.\n```sql\nCREATE TABLE a (\nid int\n);\n```\nIt is checked.\n```\nDone here."
    )
    assert texts(text) == ["The lease is renewed.", "It is checked.", "Done here."]


def test_the_words_of_a_template_are_not_the_users() -> None:
    found = passage(
        exchange(("user", "Implement the plan as specified."), ("agent", "The menu is there.")), {"menu": 1.0}
    )
    assert found.text == "The menu is there."
