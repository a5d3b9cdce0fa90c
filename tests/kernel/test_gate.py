"""The gate: what each kind of speaker may do, row by row."""

from __future__ import annotations

import pytest

from nous.errors import Forbidden
from nous.kernel.access import ROLES, Bearer, TeamRole
from nous.kernel.gate import EVENT_ACTIONS, RULES, Target, judge, require
from nous.kernel.log.events import EVENT_TYPES
from nous.kernel.speaker import DAEMON, PERSON, Speaker

AGENT = Speaker("agent", place="/work")
WIDER = (Target("team:a", "team"), Target("organisation", "organisation"))


def token(role: TeamRole, *projects: str) -> Speaker:
    seen = frozenset(projects) or None
    return Speaker("device" if role == "device" else "token", Bearer("ann", frozenset(ROLES[role]), seen, "1"))


def test_every_event_has_its_action() -> None:
    assert set(EVENT_ACTIONS) == set(EVENT_TYPES)
    assert set(EVENT_ACTIONS.values()) <= set(RULES)


@pytest.mark.parametrize("action", RULES)
def test_a_person_and_the_daemon_may_do_everything(action: str) -> None:
    for speaker in (PERSON, DAEMON):
        for target in (Target(), Target("shop", "global"), *WIDER):
            assert judge(speaker, action, target).answer == "allowed"


@pytest.mark.parametrize("action", RULES)
def test_an_agent_gets_its_answer_and_where_a_person_does_it(action: str) -> None:
    verdict = judge(AGENT, action)
    expected = {"yes": "allowed", "capped": "capped", "quoted": "capped", "no": "refused"}
    assert verdict.answer == expected[RULES[action].agent]
    if verdict.answer == "refused":
        assert verdict.sentence.startswith("only a person can ") and "in a terminal outside" in verdict.sentence
        with pytest.raises(Forbidden, match="only a person can"):
            require(AGENT, action)


def test_what_an_agent_may_at_all_is_a_short_list() -> None:
    assert {name for name, rule in RULES.items() if rule.agent == "yes"} == {
        "read",
        "feedback",
        "index",
        "tend",
        "setup",
        "run",
    }
    assert {name for name, rule in RULES.items() if rule.agent in ("capped", "quoted")} == {
        "remember",
        "correct",
        "forget",
        "repeat",
    }
    assert all(judge(AGENT, "remember", target).answer == "refused" for target in WIDER)


@pytest.mark.parametrize("action", RULES)
@pytest.mark.parametrize("role", ROLES)
def test_a_token_needs_the_right_the_project_and_the_word_for_a_team(role: TeamRole, action: str) -> None:
    rule, here = RULES[action], token(role, "shop", "team:a", "organisation")
    has_right = here.may(rule.right)

    def is_allowed(target: Target) -> bool:
        return judge(here, action, target).answer == "allowed"

    assert is_allowed(Target("shop")) is has_right
    assert not is_allowed(Target("vault"))
    weighs = rule.weight != "remark"
    assert is_allowed(WIDER[0]) is (has_right and (not weighs or here.may("steward")))
    assert is_allowed(WIDER[1]) is (has_right and (not weighs or here.may("admin")))
    assert is_allowed(Target("shop", "global")) is (has_right and (not weighs or here.may("admin")))
    settles = rule.weight == "decision"
    assert is_allowed(Target("shop", is_contested=True)) is (has_right and (not settles or here.may("steward")))
