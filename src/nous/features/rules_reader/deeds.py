"""What the commands of a session teach: which ones work, and what made a failing one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from nous.features.rules_reader.replaced import replaced_words
from nous.kernel.capture.session import Change, Run, Story, core, folder_of
from nous.kernel.learn.compose import shorten
from nous.kernel.learn.relate import SEEN
from nous.kernel.learn.story import PlacedLearning, learn
from nous.kernel.log.extraction import RULE, VOUCHED
from nous.language import cues
from nous.language.lexicon import compile_row, pattern, row, words
from nous.language.provenance import ORDERS, hosts
from nous.language.sentences import sentences

_PARTS = re.compile(r"&&|\|\||[;|]")  # commands in one line
_SAID = re.compile(r"'[^'\n]*\s[^'\n]*'|\"[^\"\n]*\s[^\"\n]*\"")
CHECKS = ("test", "types", "lint", "format", "build")


@cache
def _purposes() -> list[tuple[str, re.Pattern[str]]]:
    return [(one.get("name", ""), compile_row(one)) for one in row("tools.purposes")]


@lru_cache(maxsize=4096)
def purpose(command: str) -> str | None:
    """What a command is for: test, types, lint, format, deploy, migrate, build, install, run, or nothing known."""
    if _tool(command) in words("tools.other"):
        return None
    bare = (
        command if pattern("tools.carrier").match(command) else _SAID.sub(" ", command)
    )  # what it is told, it may not run
    met = ((name, found) for name, way in _purposes() if (found := way.search(bare)))
    name = next((name or found.lastgroup for name, found in met), None)
    return "install" if name and pattern("tools.installer").match(command) else name


def from_deeds(story: Story) -> Iterator[PlacedLearning]:
    """Error patterns with their fix, and the commands that are known to work."""
    yield from _fixes(story)
    yield from _working(story)


# -- error and fix --------------------------------------------------------------------------------------------------


def _fixes(story: Story) -> Iterator[PlacedLearning]:
    """A command that failed for a reason outside the code under test, and what made it pass."""
    taken: set[str] = set()
    for place, failed in enumerate(story.runs):
        if not failed.failed:
            continue
        error = _error(failed.output) or _settings_error(story, place) or _call_error(story, place)
        passed = _same_passing(story, place) if error and _kind(error) not in taken else None
        if passed and (draft := _fix(story, failed, passed, error)):
            taken.add(_kind(error))
            yield draft


def _kind(error: str) -> str:
    """What makes two errors of a session one lesson: all hooks that refuse a commit teach the same."""
    return "hook" if error.startswith("the hook") else error


def _settings_error(story: Story, place: int) -> str:
    """Any error of a command that a change of settings, and of nothing else, made pass."""
    failed = story.runs[place]
    found = pattern("tools.error_line").search(failed.output)
    passed = _same_passing(story, place) if found else None
    changes = [change.path for change in story.changes if passed and failed.done < change.at < passed.at]
    if not found or not changes or not all(pattern("tools.settings_file").search(path) for path in changes):
        return ""
    return shorten(" ".join(found[1].split()), 160)


def _call_error(story: Story, place: int) -> str:
    """Any error of a command that passed at once when it was called in another way."""
    failed, following = story.runs[place], story.runs[place + 1 : place + 2]
    found = pattern("tools.error_line").search(failed.output)
    if not found or not following or following[0].failed or not _is_variant(failed, following[0]):
        return ""
    between = (change for change in story.changes if failed.done < change.at < following[0].at)
    return "" if next(between, None) else shorten(" ".join(found[1].split()), 160)


def _is_variant(one: Run, other: Run) -> bool:
    """Whether two commands run the same program for the same end in different ways."""
    mine, theirs = core(one.command).split(), core(other.command).split()
    is_same = len(mine) > 1 and mine[:2] == theirs[:2] and _end(mine) == _end(theirs)
    if not is_same or mine == theirs or _tool(core(one.command)) in words("tools.other"):
        return False
    return "--help" not in theirs and "-h" not in theirs


def _end(command: list[str]) -> list[str]:
    """What a command is called for: `npm run lint` and `npm run lint:fix`, `uv pip index` and `uv pip add` differ."""
    whole = " ".join(command)
    if pattern("tools.carrier").match(whole):
        return command  # it only carries what it runs
    named = [word for word in command if not word.startswith("-")]
    return named[: 3 if pattern("tools.runner").match(whole) else 2]


def _error(output: str) -> str:
    """The line of an output that says what is wrong, when it is the kind of wrong that comes back."""
    if hook := pattern("tools.hook_failed").search(output):
        return f"the hook “{hook[1].strip()}” failed"
    found = cues.INTERESTING.search(output)
    if not found:
        return ""
    line = output[output.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0].strip()
    if "...." in line:
        return ""
    precise = pattern("tools.error_line").search(output)
    if precise and cues.INTERESTING.search("\n" + precise[1]):
        line = precise[1]
    line = re.sub(r"^(?:E\s+|Error: |Exit code \d+\s*|\(eval\):\d+: |\w*sh: (?:line )?\d*:? ?)+", "", line.strip())
    return shorten(re.sub(r"\s+", " ", line), 160)


def _same_passing(story: Story, place: int) -> Run | None:
    """The next run of the same command, or of one that contains it, that passed."""
    failed = story.runs[place]
    passed = (run for run in story.runs[place + 1 : place + 25] if core(failed.command) and not run.failed)
    return next((run for run in passed if _serves(core(run.command), failed) or _is_variant(failed, run)), None)


def _serves(command: str, failed: Run) -> bool:
    """Whether a command does what another failed to do: the same, more, or the same program for the same purpose."""
    wanted = core(failed.command)
    if command == wanted or len(wanted) <= 3:
        return command == wanted
    is_alike = _tool(command) == _tool(wanted) and purpose(command) == purpose(wanted)
    return command.endswith(wanted) or (is_alike and purpose(command) is not None)


def _tool(command: str) -> str:
    """The program a command runs, after activation and wrappers."""
    command = pattern("tools.setup").sub("", command)
    parts = [word for word in command.split() if "=" not in word or word.startswith("-")]
    return parts[0].rsplit("/", 1)[-1] if parts else ""


def _fix(story: Story, failed: Run, passed: Run, error: str) -> PlacedLearning | None:
    changes = [change for change in story.changes if failed.done < change.at < passed.at and _can_cure(error, change)]
    between = [run for run in story.runs if failed.done < run.at < passed.at and not run.failed]
    remedies = [core(run.command) for run in between if _is_remedy(run.command)]
    prepared = _preparation(failed, passed) if pattern("tools.absent_program").search(error) else ""
    if prepared:
        remedy = f"`{prepared} && {_tool(core(passed.command))}` works"
    else:
        remedy = _remedy(failed, passed, changes[-1] if changes else None, remedies)
    if not remedy:
        return None
    why = "" if prepared else _explanation(story, failed.done, passed.done + 3, error)
    what = "git commit" if core(failed.command).startswith("git commit") else shorten(_plain(failed.command), 70)
    what = _tool(core(failed.command)) if prepared else what
    content = f"`{what}` failed with “{error}”; {remedy}"
    if why and len(content) + len(why) < 370:
        content = f"{content.rstrip('.')}. {why}"
    places = (failed.done, *(change.at for change in changes[-1:]), passed.at, passed.done)
    outside = any(failed.at <= came <= passed.done for came in story.outside)
    names = " ".join(f"`{one}`" for one in (what, *(change.path for change in changes[-3:])))
    return learn(
        story, passed.done, content, "error_pattern", 0.75,
        files=tuple(dict.fromkeys(change.path for change in changes[-3:])),
        evidence=tuple(dict.fromkeys(story.turns[at].uuid for at in places)),
        slot=f"{prepared}|preparation" if prepared else None,  # one lesson, whichever program was not found
        reasons=(f"{RULE}a command failed, and passed after this",),
        tags=(VOUCHED,) if story.is_vouched(content, passed.done) else (),
        tainted=outside or _is_told(story, failed, passed, error, remedy, why, names),
    )  # fmt: skip


def _can_cure(error: str, change: Change) -> bool:
    """Whether an edit can be what cured an error, rather than the work that went on meanwhile.

    A missing program is not cured by editing code, and a checker that objects to a source file only did its work.
    """
    if pattern("tools.absent_program").search(error):
        return False
    if pattern("tools.settings_file").search(change.path):
        return True
    if error.startswith("the hook"):
        return False
    return not (pattern("tools.located").match(error) and change.path.rsplit("/", 1)[-1] in error)


_REMARK = re.compile(r"(?://|/\*|<!--|#) ?[A-Z]{4,12}\b[(:]")  # a remark of who wrote the code, and no error


def is_no_error(line: str) -> bool:
    """Whether a line that a failing command printed speaks to its reader instead of naming what is wrong."""
    return bool(hosts(line) or ORDERS.search(line.lower()) or _REMARK.search(line)) or (
        len(line.split()) > 8 and not pattern("tools.error_words").search(line)
    )


def _is_told(story: Story, failed: Run, passed: Run, error: str, remedy: str, why: str, names: str) -> bool:
    """Whether a lesson repeats what somebody else wrote: in what was read, or in the very error, if it gives orders."""
    if is_no_error(error):
        return True
    return bool(
        story.doubt(passed.done, remedy, besides=failed.done, names=names)
        or (why and story.taint(passed.done, why, besides=failed.done))
    )


def _preparation(failed: Run, passed: Run) -> str:
    """What prepared the shell for the command that passed and was missing before: "source .venv/bin/activate"."""
    found = pattern("tools.setup").match(core(passed.command))
    prepared = found[0].rstrip("&; ") if found else ""
    return prepared if prepared and prepared not in failed.command else ""


def _is_remedy(command: str) -> bool:
    is_look = all(pattern("tools.look").match(part.strip()) for part in _PARTS.split(core(command)))
    return bool(pattern("tools.remedy").search(command)) and not is_look and purpose(core(command)) not in CHECKS


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
    old, new = " ".join(old.split()), " ".join(new.split())
    if old and new and len(old) + len(new) < 140:
        return f"changing `{old}` to `{new}` in {path}"
    if new and len(new) < 100:
        return f"adding `{new}` in {path}"
    return f"editing {path}"


def _explanation(story: Story, start: int, end: int, error: str) -> str:
    """The assistant's sentence, said on the way, that explains the error best."""
    named = {word.lower() for word in re.findall(r"[\w.]{4,}", error)}
    best, score = "", 0
    for turn in story.turns[start : min(end, len(story.turns))]:
        if turn.kind != "reply":
            continue
        for one in sentences(turn.text):
            points = (
                sum(word in one.text.lower() for word in named)
                + 2 * bool(cues.INSIGHT.search(one.text))
                + bool(pattern("tools.explains").search(one.text))
            )
            if points > score and points >= 2 and 20 < len(one.text) < 200 and not one.text.endswith(":"):
                best, score = one.text, points
    return best


# -- commands that work ---------------------------------------------------------------------------------------------


def _working(story: Story) -> Iterator[PlacedLearning]:
    """For each purpose the command that served it best in this session."""
    passed: dict[tuple[str, str, str], list[Run]] = {}
    refused = _refused_tools(story)
    folders = [folder_of(run.command, story.turns[run.at].cwd, story.turns[0].cwd) for run in story.runs]
    elsewhere = {core(run.command) for run, folder in zip(story.runs, folders, strict=True) if folder != ""}
    for run, folder in zip(story.runs, folders, strict=True):
        command = core(run.command)
        doubtful = _tool(command) in refused or _was_corrected(story, run) or _was_for_once(story, run)
        is_lost = folder == "" and command in elsewhere  # an earlier `cd` may still have held
        name = None if doubtful or is_lost or run.failed else purpose(command)
        if (
            folder is not None
            and name
            and _is_plain(command)
            and not pattern("tools.rewrites").search(run.output[:1_000])
            and not (name == "install" and pattern("tools.one_package").search(command))
        ):
            passed.setdefault((name, command, folder), []).append(run)
    for name in row("tools.wording"):
        rows = [(command, folder, runs) for (kind, command, folder), runs in passed.items() if kind == name]
        if rows:
            yield _works(story, name, *max(rows, key=lambda row: (len(row[2]), -len(row[0]))))


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
    if not pattern("tools.refuses").search(said):
        return set()
    used = {_tool(core(run.command)) for run in story.runs}
    doubted = [one for one in sentences(said[:20_000]) if any(tool and tool in one.text for tool in used)]
    return {word for one in doubted for word in (replaced_words(one.text, (one,), 0) or "").split()}


def _is_plain(command: str) -> bool:
    """Whether a command is one step that somebody would type again, rather than a script of the moment."""
    if len(command) > 90 or "[secret:" in command or pattern("tools.narrow").search(command.partition(" ")[2]):
        return False
    parts = [part for part in re.split(r"&&|;|\|", pattern("tools.setup").sub("", command)) if part.strip()]
    return len(parts) == 1 and not pattern("tools.script").search(command)


def _works(story: Story, name: str, command: str, where: str, runs: list[Run]) -> PlacedLearning:
    loser = _failed_before(story, name, runs[0])
    content = f"{row('tools.wording')[name]} `{command}`"
    if loser:
        content += f" (plain `{shorten(_plain(loser.command), 40)}` fails: {_error(loser.output)})"
    if where:
        content += f" in {where}"
    confidence = 0.5 + (0.15 if loser else 0.0) + (0.1 if len(runs) > 1 else 0.0)
    evidence = tuple(dict.fromkeys([story.turns[run.at].uuid for run in runs[:3]] + [story.turns[runs[0].done].uuid]))
    slot = f"{SEEN}{name}{' ' + where if where else ''}|command"
    told = f"`{command}` {_error(loser.output)}" if loser else f"`{command}`"
    names = f"`cd {where}`" + (f" `{_plain(loser.command)}`" if loser else "")
    tainted = bool(story.doubt(runs[-1].done, told, names=names) or (loser and is_no_error(_error(loser.output))))
    return learn(
        story, runs[0].done, content, "procedure", confidence, evidence=evidence, slot=slot, tainted=tainted,
        tags=(VOUCHED,) if story.is_vouched(content, runs[-1].done) else (),
        reasons=(f"{RULE}the command that served this most often",),
    )  # fmt: skip


def _plain(command: str) -> str:
    """A command without what only prepares the shell for it."""
    return pattern("tools.setup").sub("", core(command)) or core(command)


def _failed_before(story: Story, name: str, run: Run) -> Run | None:
    """A different command for the same purpose that had failed on the way to this one."""
    failed = [one for one in story.runs if one.at < run.at and one.failed and purpose(core(one.command)) == name]
    others = [one for one in failed if core(one.command) != core(run.command) and _is_setting(_error(one.output))]
    return others[-1] if others else None


def _is_setting(error: str) -> bool:
    """Whether an error lies in how a command was called, and not in the code that it looked at."""
    return bool(error) and not error.startswith("the hook") and not pattern("tools.located").match(error)
