"""Puts the table of the built-in embedder into the package while it is built.

Only two files of the `wordllama` wheel are read and none of its code. As a dependency it would bring nineteen packages
and 100 MB into every installation; here it is installed into the build's own environment, which pip throws away.
"""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/nous/providers/table"  # ignored by git
FILES = (
    "wordllama/weights/l2_supercat_256.safetensors",
    "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    "licenses/LICENSE",
)


class CopyTable(BuildHookInterface):
    """Copies table, tokenizer and licence."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the wheel, also the editable one, is put together."""
        try:
            wheel = distribution("wordllama")
        except PackageNotFoundError:
            self.app.display_warning("wordllama has no wheel for this Python: the hashed embedder is used instead")
            return
        folder = Path(self.root, FOLDER)
        folder.mkdir(exist_ok=True)
        for file in wheel.files or ():
            if file.as_posix().endswith(FILES):
                shutil.copyfile(str(file.locate()), folder / file.name)
        build_data["artifacts"].append(f"{FOLDER}/*")
