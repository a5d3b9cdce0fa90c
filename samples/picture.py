"""Draw the demo as a terminal that fills line by line: `python samples/picture.py > docs/demo.svg`, then commit it."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from pathlib import Path

KEPT = ("Learn from them", "Ask", "What the next session")
LINES = {"What the next session": 14}  # so much of a long part
WIDTH, STEP, GLYPH = 104, 19, 7.85
COLOURS = {"==": "#7fb4ff", "  $": "#9ece6a", "  |": "#e0c890"}


def parts(text: str) -> list[str]:
    """The parts of the demo that make the picture, the first of each kind."""
    found, seen = [], set()
    for part in re.split(r"^(?=== )", text, flags=re.MULTILINE):
        name = next((name for name in KEPT if part.startswith(f"== {name}")), None)
        if name and name not in seen:
            seen.add(name)
            lines = part.rstrip().splitlines()
            most = LINES.get(name, len(lines))
            found += [*lines[:most], *(["  | …"] if len(lines) > most else []), ""]
    return found[:-1]


def drawn(lines: list[str]) -> str:
    """The lines as an SVG."""
    height = 44 + STEP * len(lines)
    width = round(WIDTH * GLYPH + 40)
    rows = "\n".join(
        f'<text x="20" y="{52 + STEP * number}" fill="{_colour(line)}" style="animation-delay:{at:.1f}s">'
        f"{escape(line[:WIDTH])}</text>"
        for number, (line, at) in enumerate(zip(lines, _times(lines), strict=True))
    )
    dots = "".join(f'<circle cx="{22 + 18 * n}" cy="18" r="5.5" fill="{c}"/>' for n, c in enumerate(DOTS))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="The demo of Nous in a terminal" xml:space="preserve" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#1a1b26"/>{dots}\n{STYLE}\n{rows}\n</svg>\n'
    )


# Everything is visible where nothing moves: in a viewer without animations, or for who asked for no motion.
STYLE = (
    "<style>@media (prefers-reduced-motion: no-preference) { text { animation: line 0.2s both } }"
    "@keyframes line { from { opacity: 0 } }</style>"
)
DOTS = ("#ff5f57", "#febc2e", "#28c840")


def _times(lines: list[str]) -> list[float]:
    """When each line appears: a command after a pause, what it prints at once."""
    now, times = 0.0, list[float]()
    for line in lines:
        now += 1.2 if line.startswith(("==", "  $")) else 0.12
        times.append(now)
    return times


def _colour(line: str) -> str:
    return next((colour for start, colour in COLOURS.items() if line.startswith(start)), "#c8cfe6")


if __name__ == "__main__":
    demo = Path(__file__).with_name("demo.py")
    said = subprocess.run([sys.executable, demo], capture_output=True, text=True, check=True).stdout
    sys.stdout.write(drawn(parts(said)))
