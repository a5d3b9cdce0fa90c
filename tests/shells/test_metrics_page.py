"""Figures for Prometheus, structured logs, and a doctor that looks at all of it."""

from __future__ import annotations

import json
import logging
import re
import sys
from pathlib import Path

from factories import Home
from nous.app import Nous
from nous.shells.daemon.engine import Structured
from nous.shells.web.metrics import family
from shells.web import serving

LINE = re.compile(r'^[a-z_][a-z0-9_]*(\{[a-z_]+="(?:[^"\\]|\\.)*"(,[a-z_]+="(?:[^"\\]|\\.)*")*\})? -?[0-9.e+-]+$')


def test_metrics_are_prometheus_text_and_count_what_happens(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        with Nous.open(settings=site.settings) as nous:
            nous.remember("Use pnpm.", type="preference", project="p")
        site.good("/v1/memories")
        site.get("/v1/memories/99")
        answer = site.get("/metrics")
        assert answer.status == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = answer.body.decode().splitlines()
        assert [line for line in lines if not line.startswith("# ") and not LINE.match(line)] == []
        named = [line.split()[2] for line in lines if line.startswith("# TYPE")]
        assert len(named) == len(set(named)) > 12
        said = "\n".join(lines)
        assert 'nous_memories{type="preference",status="active"} 1' in said
        assert 'nous_http_requests_total{method="GET",route="/v1/memories",status="200"} 1' in said
        assert 'nous_http_requests_total{method="GET",route="/v1/memories/{id}",status="404"} 1' in said
        assert site.get("/metrics", token=None).status == 401


def test_large_figures_are_exact() -> None:
    assert list(family("x_total", "counter", "X.", [({}, 123_456_789)]))[-1] == "x_total 123456789"


def test_a_log_line_can_be_one_json_object() -> None:
    try:
        raise ValueError("a\nb")
    except ValueError:
        record = logging.LogRecord("nous", logging.ERROR, "f", 1, "%s failed", ("it",), sys.exc_info())
    line = Structured().format(record)
    said = json.loads(line)
    assert "\n" not in line and said["message"] == "it failed" and said["level"] == "error"
    assert "ValueError" in said["traceback"]


def test_the_doctor_looks_at_settings_and_at_the_door(home: Home) -> None:
    found = {one["check"]: one for one in json.loads(home.nous("doctor", "--json").stdout)["checks"]}
    assert found["config"]["ok"] and found["http"]["ok"] and "http_port" in found["config"]["found"]
    (home.data / "http.token").write_text("x")
    (home.data / "http.token").chmod(0o644)
    found = {one["check"]: one for one in json.loads(home.nous("doctor", "--json").stdout)["checks"]}
    assert not found["http"]["ok"] and "others can read" in found["http"]["found"]
    (home.data / "config.toml").write_text("htpp_port = 1\n")
    wrong = home.nous("doctor")
    assert wrong.returncode == 1 and "htpp_port" in wrong.stderr
