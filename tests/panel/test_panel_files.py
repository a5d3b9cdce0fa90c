"""The panel's files: what is vendored is what the manifest says, small, and from nowhere else."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

PANEL = Path(__file__).resolve().parents[2] / "src" / "nous" / "shells" / "panel"
VENDOR = PANEL / "vendor"
OWN = sorted(PANEL.glob("js/**/*.js"))
MANIFEST = json.loads((VENDOR / "manifest.json").read_text("utf-8"))
LICENCES = {"MIT", "ISC", "Apache-2.0", "MPL-2.0"}
TRANSFER = 200_000
IMPORTED = re.compile(r"""^import .*?from "([^"]+)";|import\("([^"]+)"\)""", re.M)
# What Trusted Types forbid, and what would leave this machine.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www\.w3\.org)"
)


@pytest.mark.parametrize("name", MANIFEST["files"])
def test_a_vendored_file_is_the_one_of_the_manifest(name: str) -> None:
    data = (VENDOR / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == MANIFEST["files"][name]["sha256"]
    assert len(data) == MANIFEST["files"][name]["bytes"]


def test_every_vendored_package_has_a_version_and_a_licence_that_may_be_shipped() -> None:
    for name, package in MANIFEST["packages"].items():
        assert re.match(r"\d+\.\d+\.\d+$", package["version"]), name
        assert package["licence"] in LICENCES, name
    shipped = {part for name, file in MANIFEST["files"].items() if ".." not in name for part in file["from"]}
    terms = (VENDOR / "LICENSES.txt").read_text("utf-8")
    assert all(f"== {name} {MANIFEST['packages'][name]['version']} " in terms for name in shipped)


def test_nothing_is_vendored_that_the_manifest_does_not_name() -> None:
    known = {*MANIFEST["files"], "manifest.json", "LICENSES.txt", "refresh"}
    assert {path.name for path in VENDOR.iterdir()} <= known


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_a_module_imports_files_that_exist(path: Path) -> None:
    for one, other in IMPORTED.findall(path.read_text("utf-8")):
        name = one or other
        assert name.startswith("."), f"{name} is no file of the panel"
        assert (path.parent / name).resolve().is_file(), name


@pytest.mark.parametrize("path", [*OWN, PANEL / "index.html", PANEL / "style.css"], ids=lambda path: path.name)
def test_no_file_makes_markup_of_text_or_names_another_machine(path: Path) -> None:
    assert not FORBIDDEN.search(path.read_text("utf-8"))


def test_the_page_has_nothing_inline() -> None:
    page = (PANEL / "index.html").read_text("utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|<style", page)


def test_the_whole_panel_is_smaller_than_what_may_be_sent() -> None:
    files = [path for path in PANEL.rglob("*") if path.suffix in {".html", ".css", ".js", ".svg"}]
    assert sum(len(gzip.compress(path.read_bytes(), 6)) for path in files) < TRANSFER
