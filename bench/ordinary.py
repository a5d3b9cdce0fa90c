"""Write the list of everyday words (`language/ordinary.txt`): what is on it is nobody's name.

python -m bench.ordinary     words that stand twice or more in the labelled messages, the test data, the docs
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from nous.language.likeness import stem

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ("tests/data/learning/*.txt", "docs/**/*.md", "README.md")
TARGET = ROOT / "src" / "nous" / "language" / "ordinary.txt"
LONGEST = 14


def words() -> list[str]:
    """The stems of all words that occur at least twice, in order."""
    files = sorted(path for pattern in TEXTS for path in ROOT.glob(pattern))
    found = Counter(word for path in files for word in re.findall(r"[^\W\d_]{4,}", path.read_text("utf-8").lower()))
    return sorted({stem(word) for word, count in found.items() if count > 1 and len(word) <= LONGEST})


if __name__ == "__main__":
    TARGET.write_text("\n".join(words()) + "\n", "utf-8")
