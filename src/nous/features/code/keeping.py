"""Files kept as code and prose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nous.features.code.pairing import Paired, pair, why_archived
from nous.identity import work_tree
from nous.kernel import projects
from nous.kernel.learn.discretion import BY_PERSON
from nous.kernel.learn.introduce import AGENT

if TYPE_CHECKING:
    from nous.app import Nous

LARGEST = 64_000  # characters of a file that are looked at for words from outside


def index_code(nous: Nous, file: str) -> Paired:
    """Keep a file as code and prose: each piece as it is, and a sentence about it that searches find."""
    real, tree = os.path.realpath(file), work_tree(os.getcwd())
    if not real.startswith(tree + os.sep):
        tree = work_tree(os.path.dirname(real))
    path = os.path.relpath(real, tree).replace(os.sep, "/")
    where = nous.project(tree)
    with nous.decision() as now:
        projects.see(nous.stores.cache, nous.stores.projects, where, nous.settings.data_dir, now)
        who = nous.code.callers(tree)
        is_agent = nous.speaker.kind == "agent"
        doubt = is_agent and _doubt(nous, real, where.id)
        done = pair(nous.stores, tree, path, nous.code.ignored, where.id, nous.session_id, now, who, is_agent, doubt)
        nous.mark(done.gone, "LearningArchived", why_archived(path), source=AGENT if is_agent else BY_PERSON)
    nous.changed.add(where.id)
    return done


def _doubt(nous: Nous, path: str, project_id: str) -> bool:
    """Whether an agent's session may have the words of a file from outside, which it can write before it indexes."""
    from nous.kernel.learn.witness import find_in_session  # reads transcripts, which a person's index need not

    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(LARGEST)
    return bool(find_in_session(os.environ, nous.speaker.place, text, project_id).doubt)
