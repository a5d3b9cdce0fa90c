"""What the commands of a session teach: which ones work, and what made a failing one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from nous.core.compare.relate import SEEN
from nous.core.extraction import RULE
from nous.core.extractor import cues, tools
from nous.core.extractor.compose import shorten
from nous.core.extractor.replaced import replaced_words
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.language.sentences import sentences
from nous.core.outside import ORDERS, hosts
from nous.core.session import Change, Run, Story, core, directory


@lru_cache(maxsize=4096)
def purpose(command: str) -> str | None:
    """What a command is for: test, lint, format, deploy, migrate, build, install, run, or nothing known."""
    if _tool(command) in tools.OTHER_TOOLS:
        return None
    found = next((name for name, pattern in tools.PURPOSES if pattern.search(command)), None)
    return "install" if found and tools.INSTALLER.match(command) else found


def from_deeds(story: Story) -> Iterator[PlacedLearning]:
    """Error patterns with their fix, and the commands that are known to work."""
    yield from _fixes(story)
    yield from _working(story)


# -- error and fix --------------------------------------------------------------------------------------------------


def _fixes(story: Story) -> Iterator[PlacedLearning]:
    """A command that failed for a reason outside the code under test, and what made it pass."""
    taken: set[str] = set()
    for place, failed in enumerate(story.runs):
        error = (
            (_error(failed.output) or _settings_error(story, place) or _call_error(story, place))
            if failed.failed
            else ""
        )
        if not error or _kind(error) in taken:
            continue
        passed = _same_passing(story, place)
        if passed:
            draft = _fix(story, failed, passed, error)
            if draft:
                taken.add(_kind(error))
                yield draft


def _kind(error: str) -> str:
    """What makes two errors of a session one lesson: all hooks that refuse a commit teach the same."""
    return "hook" if error.startswith("the hook") else error


def _settings_error(story: Story, place: int) -> str:
    """Any error of a command that a change of settings, and of nothing else, made pass."""
    failed = story.runs[place]
    found = tools.ERROR_LINE.search(failed.output)
    passed = _same_passing(story, place) if found else None
    changes = [change.path for change in story.changes if passed and failed.done < change.at < passed.at]
    if not found or not changes or not all(tools.SETTINGS_FILE.search(path) for path in changes):
        return ""
    return shorten(tools.NUMBERS.sub(" ", found[1]).strip(), 160)


def _call_error(story: Story, place: int) -> str:
    """Any error of a command that passed at once when it was called in another way."""
    failed, following = story.runs[place], story.runs[place + 1 : place + 2]
    found = tools.ERROR_LINE.search(failed.output)
    if not found or not following or following[0].failed or not _is_variant(failed, following[0]):
        return ""
    between = (change for change in story.changes if failed.done < change.at < following[0].at)
    return "" if next(between, None) else shorten(tools.NUMBERS.sub(" ", found[1]).strip(), 160)


def _is_variant(one: Run, other: Run) -> bool:
    """Whether two commands run the same program for the same end in different ways."""
    mine, theirs = core(one.command).split(), core(other.command).split()
    if len(mine) < 2 or mine[:2] != theirs[:2] or mine == theirs or _tool(core(one.command)) in tools.OTHER_TOOLS:
        return False
    return "--help" not in theirs and "-h" not in theirs


def _error(output: str) -> str:
    """The line of an output that says what is wrong, when it is the kind of wrong that comes back."""
    if hook := tools.HOOK_FAILED.search(output):
        return f"the hook “{hook[1].strip()}” failed"
    found = tools.INTERESTING.search(output)
    if not found:
        return ""
    line = output[output.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0].strip()
    if "...." in line:
        return ""
    precise = tools.ERROR_LINE.search(output)
    if precise and tools.INTERESTING.search("\n" + precise[1]):
        line = precise[1]
    line = re.sub(r"^(?:E\s+|Error: |Exit code \d+\s*|\(eval\):\d+: |\w*sh: (?:line )?\d*:? ?)+", "", line.strip())
    return shorten(tools.NUMBERS.sub(" ", line), 160)


def _same_passing(story: Story, place: int) -> Run | None:
    """The next run of the same command, or of one that contains it, that passed."""
    failed = story.runs[place]
    wanted = core(failed.command)
    if not wanted:
        return None
    for later in story.runs[place + 1 : place + 25]:
        now = core(later.command)
        same = now == wanted or (
            len(wanted) > 3
            and (
                now.endswith(wanted)
                or (_tool(now) == _tool(wanted) and purpose(now) == purpose(wanted) and purpose(now))
            )
        )
        if (same or _is_variant(failed, later)) and not later.failed:
            return later
    return None


def _tool(command: str) -> str:
    """The program a command runs, after activation and wrappers."""
    command = tools.SETUP.sub("", command)
    words = [word for word in command.split() if "=" not in word or word.startswith("-")]
    return words[0].rsplit("/", 1)[-1] if words else ""


def _fix(story: Story, failed: Run, passed: Run, error: str) -> PlacedLearning | None:
    changes = [change for change in story.changes if failed.done < change.at < passed.at and _can_cure(error, change)]
    between = [
        run for run in story.runs if failed.done < run.at < passed.at and not run.failed and _is_remedy(run.command)
    ]
    prepared = _preparation(failed, passed) if tools.ABSENT_PROGRAM.search(error) else ""
    remedy = (
        f"`{prepared} && {_tool(core(passed.command))}` works"
        if prepared
        else _remedy(failed, passed, changes[-1] if changes else None, [core(run.command) for run in between])
    )
    if not remedy:
        return None
    why = "" if prepared else _explanation(story, failed.done, passed.done + 3, error)
    what = "git commit" if core(failed.command).startswith("git commit") else shorten(_plain(failed.command), 70)
    what = _tool(core(failed.command)) if prepared else what
    content = f"`{what}` failed with “{error}”; {remedy}"
    if why and len(content) + len(why) < 370:
        content = f"{content.rstrip('.')}. {why}"
    evidence = tuple(
        dict.fromkeys(
            story.turns[at].uuid for at in (failed.done, *(c.at for c in changes[-1:]), passed.at, passed.done)
        )
    )
    files = tuple(dict.fromkeys(change.path for change in changes[-3:]))
    return learn(
        story,
        passed.done,
        content,
        "error_pattern",
        0.75,
        files=files,
        evidence=evidence,
        slot=f"{prepared}|preparation" if prepared else None,  # one lesson, whichever program was not found
        reasons=(f"{RULE}a command failed, and passed after this",),
        tainted=_recent_outside(story, failed.at, passed.done) or _is_told(story, failed, passed, error, remedy, why),
    )


def _can_cure(error: str, change: Change) -> bool:
    """Whether an edit can be what cured an error, rather than the work that went on meanwhile.

    A missing program is not cured by editing code, and a checker that objects to a source file only did its work.
    """
    if tools.ABSENT_PROGRAM.search(error):
        return False
    if tools.SETTINGS_FILE.search(change.path):
        return True
    if error.startswith("the hook"):
        return False
    return not (tools.LOCATED.match(error) and change.path.rsplit("/", 1)[-1] in error)


def is_no_error(line: str) -> bool:
    """Whether a line that a failing command printed speaks to its reader instead of naming what is wrong."""
    return bool(hosts(line) or ORDERS.search(line.lower())) or (
        len(line.split()) > 8 and not tools.ERROR_WORDS.search(line)
    )


def _is_told(story: Story, failed: Run, passed: Run, error: str, remedy: str, why: str) -> bool:
    """Whether a lesson repeats what somebody else wrote: in what was read, or in the very error, if it gives orders."""
    if is_no_error(error):
        return True
    return bool(
        story.taint(passed.done, remedy, proven=True) or (why and story.taint(passed.done, why, besides=failed.done))
    )


def _recent_outside(story: Story, start: int, end: int) -> bool:
    return any(start <= came <= end for came in story.outside)


def _preparation(failed: Run, passed: Run) -> str:
    """What prepared the shell for the command that passed and was missing before: "source .venv/bin/activate"."""
    found = tools.SETUP.match(core(passed.command))
    prepared = found[0].rstrip("&; ") if found else ""
    return prepared if prepared and prepared not in failed.command else ""


def _is_remedy(command: str) -> bool:
    return bool(tools.REMEDY.search(command)) and purpose(core(command)) not in ("test", "lint", "format", "build")


def _remedy(failed: Run, passed: Run, change: Change | None, commands: list[str]) -> str:
    """The words for what was done between the failure and the success."""
    parts: list[str] = []
    if core(passed.command) != core(failed.command) and not change and not commands:
        return f"`{shorten(core(passed.command), 90)}` works"
    if change is not None:
        parts.append(_edit_words(change.old, change.new, change.path))
    restaged = any(command.startswith("git add") for command in commands)
    parts += [f"`{shorten(command, 80)}`" for command in commands[-2:] if not command.startswith("git add")]
    if restaged and core(failed.command).startswith("git commit"):
        parts.append("staging the files again (`git add`)")
    return "fixed by " + " and ".join(parts) if parts else ""


def _edit_words(old: str, new: str, path: str) -> str:
    old, new = tools.NUMBERS.sub(" ", old).strip(), tools.NUMBERS.sub(" ", new).strip()
    if old and new and len(old) + len(new) < 140:
        return f"changing `{old}` to `{new}` in {path}"
    if new and len(new) < 100:
        return f"adding `{new}` in {path}"
    return f"editing {path}"


def _explanation(story: Story, start: int, end: int, error: str) -> str:
    """The assistant's sentence, said on the way, that explains the error best."""
    words = {word.lower() for word in re.findall(r"[\w.]{4,}", error)}
    best, score = "", 0
    for turn in story.turns[start : min(end, len(story.turns))]:
        if turn.kind != "reply":
            continue
        for one in sentences(turn.text):
            points = (
                sum(word in one.text.lower() for word in words)
                + 2 * bool(cues.INSIGHT.search(one.text))
                + bool(tools.EXPLAINS.search(one.text))
            )
            if points > score and points >= 2 and 20 < len(one.text) < 200 and not one.text.endswith(":"):
                best, score = one.text, points
    return best


# -- commands that work ---------------------------------------------------------------------------------------------


def _working(story: Story) -> Iterator[PlacedLearning]:
    """For each purpose the command that served it best in this session."""
    passed: dict[tuple[str, str], list[Run]] = {}
    refused = _refused_tools(story)
    for run in story.runs:
        command = core(run.command)
        doubtful = _tool(command) in refused or _was_corrected(story, run) or _was_for_once(story, run)
        name = None if doubtful else purpose(command)
        if (
            name
            and not run.failed
            and len(command) <= 90
            and not tools.NARROW.search(command.partition(" ")[2])
            and "[secret:" not in command
            and _is_plain(command)
            and not (name == "install" and tools.ONE_PACKAGE.search(command))
        ):
            passed.setdefault((name, command), []).append(run)
    for name in tools.WORDING:
        rows = [(command, runs) for (kind, command), runs in passed.items() if kind == name]
        if rows:
            command, runs = max(rows, key=lambda row: (len(row[1]), -len(row[0])))
            yield _works(story, name, command, runs)


def _was_corrected(story: Story, run: Run) -> bool:
    """Whether the user's next words refused this command, the last that was run before them."""
    following = story.next_prompt(run.done)
    if following == run.done or story.next_run(run.done):
        return False
    return any(cues.CORRECTION.search(one.text) for one in sentences(story.turns[following].text)[:1])


def _was_for_once(story: Story, run: Run) -> bool:
    """Whether a command was run for a prompt that asked for it this one time: "skip the flaky test just this once"."""
    asked = story.turns[story.exchange_start(run.at)]
    return asked.kind == "prompt" and len(asked.text) < 300 and bool(cues.ONE_OFF.search(asked.text))


def _refused_tools(story: Story) -> set[str]:
    """The programs that the user said not to use."""
    said = " ".join(story.turns[at].text for at in story.prompts if not story.turns[at].agent_id)
    if not tools.REFUSES.search(said):
        return set()
    used = {_tool(core(run.command)) for run in story.runs}
    doubted = [one for one in sentences(said[:20_000]) if any(tool and tool in one.text for tool in used)]
    return {word for one in doubted for word in (replaced_words(one.text, (one,), 0) or "").split()}


def _is_plain(command: str) -> bool:
    """Whether a command is one step that somebody would type again, rather than a script of the moment."""
    parts = [part for part in re.split(r"&&|;|\|", tools.SETUP.sub("", command)) if part.strip()]
    return len(parts) == 1 and not tools.SCRIPT.search(command)


def _works(story: Story, name: str, command: str, runs: list[Run]) -> PlacedLearning:
    loser = _failed_before(story, name, runs[0])
    content = f"{tools.WORDING[name]} `{command}`"
    if loser:
        content += f" (plain `{shorten(_plain(loser.command), 40)}` fails: {_error(loser.output)})"
    where = _directory(runs[0].command)
    if where:
        content += f" in {where}"
    confidence = 0.5 + (0.15 if loser else 0.0) + (0.1 if len(runs) > 1 else 0.0)
    evidence = tuple(dict.fromkeys([story.turns[run.at].uuid for run in runs[:3]] + [story.turns[runs[0].done].uuid]))
    slot = f"{SEEN}{name}{' ' + where if where else ''}|command"
    told = f"`{command}` {_error(loser.output)}" if loser else f"`{command}`"
    tainted = bool(story.taint(runs[-1].done, told, proven=True) or (loser and is_no_error(_error(loser.output))))
    return learn(
        story, runs[0].done, content, "procedure", confidence, evidence=evidence, slot=slot, tainted=tainted,
        reasons=(f"{RULE}the command that served this most often",),
    )  # fmt: skip


def _plain(command: str) -> str:
    """A command without what only prepares the shell for it."""
    return tools.SETUP.sub("", core(command)) or core(command)


def _failed_before(story: Story, name: str, run: Run) -> Run | None:
    """A different command for the same purpose that had failed on the way to this one."""
    earlier = [
        one
        for one in story.runs
        if one.at < run.at
        and one.failed
        and purpose(core(one.command)) == name
        and core(one.command) != core(run.command)
        and _is_setting(_error(one.output))
    ]
    return earlier[-1] if earlier else None


def _is_setting(error: str) -> bool:
    """Whether an error lies in how a command was called, and not in the code that it looked at."""
    return bool(error) and not error.startswith("the hook") and not tools.LOCATED.match(error)


def _directory(command: str) -> str:
    found = directory(command)
    return "" if found.startswith(("/", "~")) else found
