"""`nous config`: every value with where it comes from; what makes no sense is named and changes nothing."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nous.config import load_settings
from nous.shells.cli.config import config

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("NOUS_HTTP_PORT", raising=False)
    return lambda *args: CliRunner().invoke(config, list(args))


def setting(run: Run, name: str) -> Any:
    return json.loads(run("get", name, "--json").output.splitlines()[0])


def test_values_say_where_they_come_from(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert setting(run, "http_port")["from"] == "default"
    assert "http_port is now 5000 [file]" in run("set", "http_port", "5000").output
    assert (setting(run, "http_port")["value"], setting(run, "http_port")["from"]) == (5000, "file")
    monkeypatch.setenv("NOUS_HTTP_PORT", "6000")
    assert (setting(run, "http_port")["value"], setting(run, "http_port")["from"]) == (6000, "environment")
    assert "overrides the file" in run("set", "http_port", "7000").output
    listed = {row["name"]: row for row in json.loads(run("list", "--json").output)["settings"]}
    assert listed["http_port"]["value"] == 6000 and listed["http_port"]["default"] == 4317
    assert [row["name"] for row in json.loads(run("list", "--set", "--json").output)["settings"]] == [
        "data_dir",
        "http_port",
    ]
    assert (tmp_path / "config.toml").stat().st_mode & 0o777 == 0o600


def test_the_file_keeps_its_lines_and_its_comments(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\nprompt_tokens = 700 # few\n\n[weights]\n# words first\ntext = 0.5\n")
    run("set", "serve_http", "off")
    run("set", "prompt_tokens", "800")
    said = file.read_text()
    assert "# mine" in said and "# words first" in said
    assert tomllib.loads(said) == {"prompt_tokens": 800, "serve_http": False, "weights": {"text": 0.5}}
    run("unset", "prompt_tokens")
    assert tomllib.loads(file.read_text()) == {"serve_http": False, "weights": {"text": 0.5}}
    file.unlink()
    run("set", "embedder", 'odd "one" = 2')
    assert tomllib.loads(file.read_text())["embedder"] == 'odd "one" = 2'


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("http_prot", "1", "did you mean 'http_port'?"),
        ("zebra", "1", "there is no setting 'zebra'"),
        ("http_port", "many", "http_port"),
        ("http_port", "70000", "http_port"),
        ("serve_http", "maybe", "serve_http"),
        ("disputes", "quarrel", "disputes"),
        ("weights", "1", "there is no setting"),
        ("data_dir", "/x", "NOUS_DATA_DIR"),
    ],
)
def test_what_makes_no_sense_is_named_and_changes_nothing(
    run: Run, tmp_path: Path, name: str, value: str, said: str
) -> None:
    (tmp_path / "config.toml").write_text("prompt_tokens = 700\n")
    done = run("set", name, value)
    assert done.exit_code and said in f"{done.exception} {getattr(done.exception, 'hint', '')}"
    assert (tmp_path / "config.toml").read_text() == "prompt_tokens = 700\n"


def test_a_setting_of_an_earlier_version_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        "interventions = 1\nintervention_days = 3.5\nprompt_tokens = 300\n[weights]\nphase = 0.2\ntext = 0.3\n"
    )
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path)})
    assert settings.prompt_tokens == 300
