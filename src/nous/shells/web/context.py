"""ResolveContext: what a session should see, as a hook would tell it. It reads only and leaves no receipt."""

from __future__ import annotations

from typing import Any

import msgspec

from nous.app import Nous
from nous.errors import Misuse
from nous.features.brief.operations import Previewing, Resolving
from nous.identity import Project, context_keys, identify
from nous.kernel.hooks.hookstore import HookStore
from nous.kernel.hooks.responses import NOTHING, Budgets, Delivery, HookContext, at_prompt, at_start
from nous.kernel.viewer import Viewer
from nous.shells.preview import preview


def resolve(nous: Nous, viewer: Viewer, asked: Resolving) -> dict[str, Any]:
    """What a session should know: the brief when it begins, or what a prompt calls for."""
    if not asked.project and not asked.cwd:
        raise Misuse("say where: `project` or `cwd`")
    place = _place(nous, asked)
    settings = nous.settings
    budgets = Budgets(settings.session_start_tokens, settings.prompt_tokens, settings.tool_tokens)
    desk = HookContext(HookStore(nous.work.connection), nous.clock(), budgets, True)
    payload = {"session_id": asked.session, "cwd": place.root, "prompt": asked.prompt or ""}
    said: Delivery = at_prompt(payload, place, desk) if asked.prompt else at_start(payload, place, desk)
    return {
        "additional_context": said.packet.text,
        "memories": list(said.packet.memory_ids),
        "fingerprint": said.key if said is not NOTHING else context_keys(place)[0],
        "project_id": place.id,
    }


def preview_session(nous: Nous, viewer: Viewer, asked: Previewing) -> dict[str, Any]:
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
