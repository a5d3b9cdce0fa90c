"""The panel in a real browser with many memories: what is sent, when the first paint is, how long a search takes."""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from samples import stage

from bench.machine import promises
from bench.maintain import fill
from bench.material import WORDS
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.capture.transcript import Turn
from nous.moments import later

MEMORIES, SESSIONS, FULL_MEMORIES = 10_000, 1_000, 50_000
LOADS, SEARCHES = 12, 12
SHELL = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FIRST = "2025-11-01T09:00:00.000Z"
# When the first memory is there: noted by the page itself, since asking would be late.
NOTE = """new MutationObserver((_, seen) => {
    if (!document.querySelector('.item, .card, .section, .tile')) return;
    seen.disconnect();
    requestAnimationFrame(() => (window.shownAt = performance.now()));
}).observe(document, { childList: true, subtree: true })"""
PAINTS = """() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    shown: window.shownAt,
    sent: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter((entry) => entry.name.includes('/panel/')).reduce((sum, entry) => sum + entry.transferSize, 0),
})"""
TYPED = """async (words) => {
    const field = document.querySelector('input[type=search]');
    const taken = [];
    for (let end = 1; end <= words.length; end++) {
        const text = words.slice(0, end);
        if (text.endsWith(' ')) continue;
        const begun = performance.now();
        field.value = text;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await new Promise((done) => {
            const shown = () => document.querySelector('[data-for]')?.dataset.for === text;
            const look = () => (shown() ? done() : requestAnimationFrame(look));
            look();
        });
        taken.push(performance.now() - begun);
        await new Promise((done) => setTimeout(done, 90));
    }
    return taken;
}"""


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Times in milliseconds over many loads and searches, and the bytes of one load."""
    size = FULL_MEMORIES if full else MEMORIES
    if SHELL is None:
        raise SystemExit("error: no browser here: install Debian's chromium-headless-shell")
    with tempfile.TemporaryDirectory() as folder:
        environ = _environment(Path(folder))
        say(f"learning {size} memories")
        _fill(environ, size)
        _nous(environ, "up")
        try:
            say("opening the panel")
            found = _measure(Path(environ["NOUS_DATA_DIR"]))
        finally:
            _nous(environ, "down")
    limits = (
        ("first paint with memories, p50 ms", "at most", 300.0, found["memories"]["paint"]["p50"]),
        ("search as you type, p95 ms", "at most", 100.0, found["search"]["p95"]),
        ("kB sent before data", "at most", 200.0, found["sent"] / 1000),
    )
    load = os.getloadavg()[0]
    return (
        {"memories_kept": size, "sessions_kept": SESSIONS, "load": round(load, 1)}
        | found
        | {"targets": promises(limits)}
    )


def table(found: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    lines = [f"{found['memories_kept']} memories, {found['sessions_kept']} sessions; load {found['load']}"]
    for page in ("start", "memories", "sessions", "time", "health"):
        paint, shown = found[page]["paint"], found[page]["shown"]
        said = (
            f"{name} p50 {row['p50']:.0f} p95 {row['p95']:.0f} ms"
            for name, row in (("first paint", paint), ("with its data", shown))
        )
        lines.append(f"{page:<10} {'; '.join(said)}")
    search = found["search"]
    lines.append(f"search     p50 {search['p50']:.0f} p95 {search['p95']:.0f} ms over {search['count']} keystrokes")
    lines.append(f"sent       {found['sent'] / 1000:.1f} kB before data")
    return lines


def _environment(root: Path) -> dict[str, str]:
    for name in ("home", "tmp"):
        (root / name).mkdir()
    return stage.environment(root)


def _nous(environ: dict[str, str], *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "nous", *arguments], env=environ, check=True, capture_output=True, timeout=90)


def _fill(environ: dict[str, str], size: int) -> None:
    """Memories of a year in ten projects, with vectors; and sessions to page through."""
    with Nous.open(settings=load_settings(environ)) as nous:
        fill(nous.stores, size)
        nous.embed()
        for number in range(SESSIONS):
            at = later(FIRST, number * 30_000.0)
            turn = Turn(
                uuid=f"u{number}",
                session_id=f"session-{number:05}",
                kind="prompt",
                at=at,
                text="Go on.",
                cwd="/home/dev",
            )
            nous.stores.transcripts.see_session(f"p{number % 10}", f"/none/{number}.jsonl", [turn])


def _measure(data: Path) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    url = json.loads((data / "http.json").read_text("utf-8"))["url"]
    token = (data / "http.token").read_text("utf-8").strip()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=SHELL)
        found: dict[str, Any] = {}
        _load(browser, url, token, "health")  # whatever is opened for the first time
        for page in ("start", "memories", "sessions", "time", "health"):
            times = [_load(browser, url, token, page) for _ in range(LOADS)]
            found[page] = {name: _spread([row[name] for row in times]) for name in ("paint", "shown")}
            found["sent"] = max(found.get("sent", 0), *(row["sent"] for row in times))
        found["search"] = _search(browser, url, token)
        browser.close()
    return found


def _opened(browser: Any, url: str, token: str, page: str) -> Any:
    """A page in a browser that has seen nothing yet, let in with a one-time code as `nous panel` does."""
    asked = Request(f"{url}/v1/auth/codes", b"{}", {"Authorization": f"Bearer {token}"}, method="POST")
    with urlopen(asked, timeout=10) as answer:
        code = json.load(answer)["code"]
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(f"{url}/panel/#code={code}")
    opened.locator(".section, .tile").first.wait_for()
    context.add_init_script(NOTE)
    fresh = context.new_page()
    fresh.route("**/panel/**", lambda route: route.continue_())  # a page whose requests are looked at uses no cache
    fresh.goto(f"{url}/panel/#/{page}")
    fresh.locator(".item, .card, .section, .tile").first.wait_for()
    return fresh


def _load(browser: Any, url: str, token: str, page: str) -> dict[str, float]:
    opened = _opened(browser, url, token, page)
    opened.wait_for_timeout(150)
    found: dict[str, float] = opened.evaluate(PAINTS)
    opened.context.close()
    return found


def _search(browser: Any, url: str, token: str) -> dict[str, float]:
    opened = _opened(browser, url, token, "memories")
    chance = random.Random(4)
    opened.evaluate(TYPED, "warm up")
    taken = [each for _ in range(SEARCHES) for each in opened.evaluate(TYPED, " ".join(chance.choices(WORDS, k=2)))]
    opened.context.close()
    return _spread(taken) | {"count": len(taken)}


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    cut = statistics.quantiles(ordered, n=20) if len(ordered) > 1 else ordered * 19
    return {"p50": round(statistics.median(ordered), 1), "p95": round(cut[18], 1), "worst": round(ordered[-1], 1)}


if __name__ == "__main__":
    begun = time.time()
    print("\n".join(table(run("--full" in sys.argv, print))), f"\n{time.time() - begun:.0f} s")
