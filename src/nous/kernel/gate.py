"""What each speaker may write: one table, asked by every door (command, tool, route) before anything is written.

A person and the daemon may do everything. An agent's word is capped or refused, row by row. Whoever comes with a token
needs the right of the row, a project it was given, and for a team or the organisation the right to write for them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from nous.errors import Forbidden
from nous.kernel.access import Right
from nous.kernel.sharing import WRITES, scope_of
from nous.kernel.speaker import Speaker
from nous.kernel.types import Scope

# Of an agent: `capped` is kept as its own word, `quoted` needs a sentence of the user in its session.
AgentMay = Literal["yes", "capped", "quoted", "no"]
# A remark is everybody's, a word needs the right to speak for its team, a decision settles what a team discusses.
Gravity = Literal["remark", "word", "decision"]


class WriteRule(NamedTuple):
    """One row: what is done, what an agent may of it, the right a token needs, how much it weighs, and where a person
    does it."""

    does: str
    agent: AgentMay
    right: Right
    weight: Gravity = "decision"
    in_panel: bool = False


RULES: dict[str, WriteRule] = {
    # what is said
    "read": WriteRule("read the memory", "yes", "read", "remark"),
    "remember": WriteRule("remember something", "capped", "write", "word", True),
    "feedback": WriteRule("say what came of a memory", "yes", "write", "remark", True),
    "dispute": WriteRule("dispute a memory", "no", "write", "remark", True),
    "correct": WriteRule("correct a memory", "quoted", "write", in_panel=True),
    "forget": WriteRule("forget a memory", "quoted", "write", in_panel=True),
    "repeat": WriteRule("confirm a memory", "quoted", "write", in_panel=True),  # the user said it again in the session
    "confirm": WriteRule("confirm a memory", "no", "write", in_panel=True),
    "pin": WriteRule("pin a memory", "no", "write", in_panel=True),
    "restore": WriteRule("bring a memory back", "no", "write", in_panel=True),
    "rescope": WriteRule("change where a memory holds", "no", "write", in_panel=True),
    "review": WriteRule("decide in a review", "no", "write", in_panel=True),
    "undo": WriteRule("undo a decision", "no", "write", in_panel=True),
    "brief": WriteRule("change what sessions begin with", "no", "write", in_panel=True),
    "edge": WriteRule("decide about relations", "no", "write", in_panel=True),
    "entity": WriteRule("decide about names", "no", "write"),
    # what is learned from
    "import": WriteRule("import a file", "no", "write", "word", True),
    "ingest": WriteRule("hand in a text to learn from", "no", "write", "word"),
    "index": WriteRule("index code", "yes", "write", "word"),
    "learn": WriteRule("have sessions read", "no", "admin"),
    "observe": WriteRule("write what Nous itself observes", "no", "admin"),
    "tend": WriteRule("tend the memory", "yes", "admin"),
    # the installation
    "trust": WriteRule("choose how far memories are trusted", "no", "admin"),
    "config": WriteRule("change settings", "no", "admin"),
    "project": WriteRule("rename or merge projects", "no", "admin"),
    "team": WriteRule("change teams", "no", "admin"),
    "token": WriteRule("give out or end tokens", "no", "admin"),
    "serve": WriteRule("open the panel or a server", "no", "admin"),
    "sync": WriteRule("sync with other devices", "no", "sync", "word"),
    "archive": WriteRule("move events in or out of archives", "no", "admin"),
    "overwrite": WriteRule("write over a file", "no", "admin"),
    "replace": WriteRule("replace the database", "no", "admin"),
    "purge": WriteRule("erase for good", "no", "admin"),
    "uninstall": WriteRule("uninstall Nous", "no", "admin"),
    "setup": WriteRule("set Nous up", "yes", "admin"),
    "run": WriteRule("start and stop Nous", "yes", "admin"),
}
Action = str  # a key of RULES

# What an event of the log does, for whoever appends one: only a remark about a memory weighs no more than that.
_EVENTS_BY_ACTION: dict[Action, str] = {
    "remember": "LearningExtracted",
    "confirm": "LearningValidated LearningConfirmed",
    "review": "LearningReinforced LearningWeakened LearningContradicted LearningDisputed"
    " LearningReviewed LearningPlaced",
    "correct": "LearningSuperseded",
    "forget": "LearningArchived",
    "restore": "LearningRestored",
    "pin": "LearningPinned LearningUnpinned",
    "dispute": "LearningContested",
    "purge": "LearningErased EntityErased",
    "rescope": "LearningRescoped",
    "edge": "EdgeProposed EdgeAccepted EdgeRejected",
    "undo": "EventsUndone",
    "entity": "EntityMerged EntityRenamed EntitySplit EntityRejected",
    "observe": "SessionObserved SessionRead BriefWritten ProjectTidied InterventionNoted RulesApplied",
    "brief": "BriefLineKept BriefLineEdited BriefLineDropped BriefLinePinned BriefLinePlaced",
    "trust": "ProjectTrusted",
}
EVENT_ACTIONS: dict[str, Action] = {
    event: does for does, events in _EVENTS_BY_ACTION.items() for event in events.split()
}


class Target(msgspec.Struct, frozen=True):
    """What a write is about: a project, team or organisation, how far it reaches, whether a team discusses it, and on a
    hub whether it is somebody else's."""

    project: str = ""
    scope: Scope = "project"
    is_contested: bool = False
    is_others: bool = False


class Verdict(NamedTuple):
    """What the gate says, and why in one sentence."""

    answer: Literal["allowed", "capped", "refused"]
    sentence: str = ""


ALLOWED = Verdict("allowed")
HERE = Target()


def judge(speaker: Speaker, action: Action, target: Target = HERE) -> Verdict:
    """Whether a speaker may do something to a target, perhaps with less than it asked for."""
    rule = RULES[action]
    if speaker.kind in ("person", "daemon"):
        return ALLOWED
    if speaker.kind == "agent":
        return _judge_agent(rule, target)
    refusal = _refusal(speaker, rule, target)
    return Verdict("refused", refusal) if refusal else ALLOWED


def require(speaker: Speaker, action: Action, *targets: Target) -> None:
    """Refuse a write that the gate does not let through, whatever of its targets it is about."""
    for target in targets or (HERE,):
        verdict = judge(speaker, action, target)
        if verdict.answer == "refused":
            raise Forbidden(verdict.sentence)


def _judge_agent(rule: WriteRule, target: Target) -> Verdict:
    is_wider = scope_of(target.project) != "project"
    if rule.agent == "no" or is_wider:
        does = f"write for {target.project}" if is_wider else rule.does
        panel = ", or in the panel" if rule.in_panel else ""
        return Verdict("refused", f"only a person can {does}: in a terminal outside the agent's session{panel}")
    if rule.agent == "yes":
        return ALLOWED
    if rule.agent == "capped":
        return Verdict("capped", "an agent's word is kept as such, for its project only, unless the user said it")
    return Verdict("capped", f"an agent can {rule.does} only as the user asked for it in the session")


def _refusal(speaker: Speaker, rule: WriteRule, target: Target) -> str:
    """Why a token may not do something; nothing when it may."""
    wider = [WRITES[scope] for scope in (scope_of(target.project), target.scope) if scope in WRITES]
    lacking = next((right for right in wider if not speaker.may(right)), None)
    if not speaker.may(rule.right):
        return f"this token may not {rule.does}: it lacks the right {rule.right}"
    if target.project and not speaker.bearer.sees(target.project):
        return f"this token is for other projects: {target.project} is not among them"
    if rule.weight != "remark" and lacking:
        return f"only who has the right {lacking} writes for {target.project}; `dispute` adds a remark"
    if target.scope == "global" and rule.weight != "remark" and not speaker.may("admin"):
        return "only the owner says what holds in every project"
    if rule.weight == "decision" and target.is_contested and not speaker.may("steward"):
        return "a team discusses this, and a steward settles it; `dispute` adds a remark"
    if rule.weight == "decision" and target.is_others and not speaker.may("steward"):
        return "only who told it, or a steward, decides about this; `dispute` adds a remark"
    return ""
