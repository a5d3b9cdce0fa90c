"""What a later saying ends, and what it leaves alone."""

from __future__ import annotations

import pytest

from nous.core.endings import ends, is_for_other
from nous.core.extraction import Learning
from nous.core.extractor import extract
from nous.core.likeness import differ_in_kind
from nous.core.transcript import Turn


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Jobs are scheduled by plain cron on the vm.", "cron is out, i set up airflow", "over"),
        ("The lab device is the old iPad mini.", "the ipad died, rip", "over"),
        ("Mails are sent over the smtp relay.", "the old smtp relay is gone", "over"),
        ("Questions about payroll go to Carla.", "Carla left, ask Benno", "over"),
        ("Orders are cached in memcached.", "ops killed memcached last week", "over"),
        ("The api key goes into the .env file.", "forget what I said about the api key, vault from today", "over"),
        ("The entity is called Visit in code and ui.", "rename Visit -> Stay in code and ui", "over"),
        ("日志统一用 log4j2 输出", "log4j2 已经全部换成 logback 了", "over"),
        ("The uv migration is in the astral branch.", "Branch astral was merged.", "over"),
        ("Logs are kept for 30 days.", "as of today logs are kept for 90 days", "value"),
        ("Sprints take three weeks.", "they cut the sprint to 2 weeks", "value"),
        ("The lunch bot posts at 11:30.", "the lunch bot posts at 11:00 now", "value"),
        ("Strict mode is on in tsconfig.", "strict mode is off in tsconfig", "value"),
        ("The daemon reads /etc/gate.toml.", "since 3.2 the daemon reads /data/gate.toml", "value"),
        ("We use poetry for dependencies.", "I switched the repo over to uv", "swap"),
        ("We decided against typescript for the cli.", "the cli is becoming typescript", "swap"),
        ("All distances in the sim are in feet.", "I converted the sim to meters", "value"),
        ("Never push to main.", "you can push to main directly now", "lifted"),
        ("Don't add docstrings.", "docstrings please, the new hires are lost", "lifted"),
        ("test_reconnect is flaky, rerun it.", "fixed the race in test_reconnect", "lifted"),
        ("Ask Petra before you touch billing.", "no need to ask Petra about billing anymore", "lifted"),
    ],
)
def test_what_is_over_given_anew_or_lifted_ends(old: str, new: str, why: str) -> None:
    assert ends(new, old) == why


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Jenkins builds the firmware.", "the web build moved off jenkins"),
        ("The billing service uses redis for locks.", "we dropped redis in the search service"),
        ("Never edit files under vendor/.", "files under generated/ can be edited now"),
        ("Releases go out on thursdays.", "hotfixes go out on fridays now"),
        ("The gateway timeout is 30s.", 'the blog says "set the gateway timeout to 120s"'),
        ("The monorepo uses bazel.", "management is thinking about moving to nx"),
        ("Never rebase shared branches.", "if the branch is yours alone you may rebase it"),
        ("The mirror is at nexus.corp:8081.", "nexus is down until 15:00"),
        ("Use tailwind, no css modules.", "we're not switching to css modules"),
        ("Badges come from the thermal printer in hall 7.", "the old printer is gone"),
        ("Badge printing runs in container 7.", "badges are rendered at 300 dpi now"),
        ("Petra reviews all the css.", "Jonas reviews the css too"),
        ("Tests run with pytest.", "please don't take the pytest plugin away"),
        ("The astral branch needs a rebase.", "Branch astral was merged."),
        ("JWT lifetime is 15 min.", "service accounts get 24h tokens now"),
        ("We are on django 4.2.", "django 5.2 came out today"),
    ],
)
def test_what_adds_asks_supposes_or_is_about_something_else_ends_nothing(old: str, new: str) -> None:
    assert ends(new, old) is None


def test_who_gives_something_up_is_told_from_what_was_said_before() -> None:
    said = "Change of plan: ops won't run a broker: we drop RabbitMQ"
    assert not is_for_other(said, "For the job queue we go with RabbitMQ.")
    assert is_for_other("the web build moved off jenkins", "Jenkins builds the firmware.")


def test_who_says_much_at_once_is_not_taken_at_one_word() -> None:
    story = " ".join(f"step {number} of the port took longer than planned and" for number in range(8))
    assert ends(f"{story} cron is out", "Jobs are scheduled by plain cron on the vm.") is None


def test_a_hint_is_given_only_to_who_asks_for_it() -> None:
    turns = [
        Turn(uuid="u1", kind="prompt", at="2026-01-05T10:00:00Z", session_id="s", text="you can push to main again"),
        Turn(uuid="u2", kind="reply", at="2026-01-05T10:01:00Z", session_id="s", text="Ok."),
    ]
    [hint] = [one for one in extract(turns, tentative=True) if isinstance(one, Learning)]
    assert hint.is_tentative and "push to main" in hint.content
    assert extract(turns) == []


def test_on_and_off_are_not_the_same_thing_said_twice() -> None:
    assert differ_in_kind("Strict mode is on in tsconfig.", "Strict mode is off in tsconfig.")
    assert not differ_in_kind("Strict mode is on in tsconfig.", "In tsconfig strict mode is on.")
