"""The pictures of the panel in the documentation: a filled memory, the real daemon, a real browser.

    .venv/bin/python samples/pictures.py [NAME]...

They are drawn in the typeface of the system, so they look best where it has a good one (the committed ones: Inter).
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import stage

SHELL = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDE, PHONE = (1280, 800), (390, 844)
# name: where, size, light or dark
PICTURES: dict[str, tuple[str, tuple[int, int], str]] = {
    "start": ("start?project={project}", WIDE, "light"),
    "memory": ("memories/{decision}?q=delayed+jobs", WIDE, "light"),
    "phone": ("start?project={project}", PHONE, "dark"),
}


def nous(environ: dict[str, str], *arguments: str) -> str:
    """What a command printed."""
    done = subprocess.run(
        [sys.executable, "-m", "nous", *arguments], env=environ, check=True, capture_output=True, text=True, timeout=90
    )
    return done.stdout


def take(browser: Any, url: str, name: str, numbers: dict[str, Any]) -> bytes:
    """One page as a WebP picture."""
    where, (width, height), scheme = PICTURES[name]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1.5, locale="en-GB"
    )
    page = context.new_page()
    page.goto(url)
    page.locator(".brief").first.wait_for()
    page.goto(f"{url.split('#')[0]}?{name}#/{where.format(**numbers)}")
    page.locator("h1").wait_for()
    page.wait_for_timeout(1200)
    asked = {"format": "webp", "quality": 80}
    found = context.new_cdp_session(page).send("Page.captureScreenshot", asked)["data"]
    context.close()
    return base64.b64decode(found)


def main(names: list[str]) -> None:
    """Draw them all, or those that are named."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        root = Path(folder) / "dev"
        stage.fill(root)
        environ = stage.environment(root)
        nous(environ, "up")
        asked = ("recall", "delayed jobs postgres", "--in", "memories", "--all-projects", "--json")
        found = json.loads(nous(environ, *asked))["hits"][0]
        browser = driver.chromium.launch(executable_path=SHELL)
        for name in names or PICTURES:
            url = json.loads(nous(environ, "panel", "--no-browser", "--json"))["url"]
            path = FOLDER / f"{name}.webp"
            path.write_bytes(take(browser, url, name, {"decision": found["id"], "project": quote(found["project_id"])}))
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
        browser.close()
        nous(environ, "down")


if __name__ == "__main__":
    main(sys.argv[1:])
