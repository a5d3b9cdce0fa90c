"""ResolveContext: what a session should be told, as a hook would tell it. It reads only and leaves no receipt."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.app import Nous
from nous.errors import Misuse
from nous.hookstore import HookStore
from nous.identity import Project, context_keys, identify
from nous.shells.answers import NOTHING, Budgets, Delivery, HookContext, at_prompt, at_start
from nous.shells.preview import preview


class Resolving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is about to work, where, and perhaps on what."""

    project: Annotated[str | None, Meta(description="a project's id")] = None
    cwd: Annotated[str | None, Meta(description="the directory that is worked in, in the place of `project`")] = None
    session: Annotated[str, Meta(description="the session; what it was shown already is left out")] = ""
    prompt: Annotated[
        Annotated[str, Meta(max_length=100_000)] | None,
        Meta(description="what the user asks; without it the brief for a session that begins"),
    ] = None
    branch: Annotated[str | None, Meta(description="the branch, where it is not that of the directory")] = None


def resolve(nous: Nous, asked: Resolving) -> dict[str, Any]:
    """What a session should know: the brief when it begins, or what a prompt calls for."""
    if not asked.project and not asked.cwd:
        raise Misuse("say where: `project` or `cwd`")
    place = _place(nous, asked)
    settings = nous.settings
    budgets = Budgets(settings.session_start_tokens, settings.prompt_tokens, settings.tool_tokens)
    desk = HookContext(HookStore(nous.work.connection), nous.clock(), nous.work.unasked, budgets, True)
    payload = {"session_id": asked.session, "cwd": place.root, "prompt": asked.prompt or ""}
    said: Delivery = at_prompt(payload, place, desk) if asked.prompt else at_start(payload, place, desk)
    return {
        "additional_context": said.packet.text,
        "memories": list(said.packet.memory_ids),
        "fingerprint": said.key if said is not NOTHING else context_keys(place)[0],
        "project_id": place.id,
    }


class Previewing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prompt to try in a project."""

    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None
    prompt: Annotated[Annotated[str, Meta(max_length=20_000)] | None, Meta(description="what a session would ask")] = (
        None
    )


def preview_session(nous: Nous, asked: Previewing) -> dict[str, Any]:
    """What a session that begins now would be shown, and what a first prompt would bring, as `nous preview` says it."""
    if not asked.project:
        raise Misuse("say of which project: `project`")
    place = _place(nous, Resolving(project=asked.project))
    seen = next((row["branch"] for row in nous.stores.cache.projects() if row["project_id"] == place.id), None)
    found: dict[str, Any] = msgspec.to_builtins(preview(nous, place._replace(branch=seen or ""), asked.prompt or ""))
    return {"project_id": place.id} | found


def _place(nous: Nous, asked: Resolving) -> Project:
    if asked.cwd:
        found = identify(asked.cwd, nous.settings.data_dir)
    else:
        known = nous.project(asked.project)
        root = nous.stores.cache.root(known.id)
        found = Project(known.id, root or nous.settings.data_dir, "")
    return found._replace(branch=asked.branch) if asked.branch else found
