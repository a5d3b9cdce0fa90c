"""The description of the API: it is valid, complete and true: every example in it is sent to a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jsonschema  # type: ignore[import-untyped]
import pytest

from nous.app import Nous
from nous.shells.web.routes import ROUTES, Route
from shells.web import Site, serving

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "http-api.md"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch, serving(root, serve_hub=True) as made:
        patch.setenv("NOUS_DATA_DIR", str(root / "data"))  # an example changes a setting
        with Nous.open(settings=made.settings) as nous:
            nous.remember("The staging database is reset every Monday.", project="shop")
        yield made


@pytest.fixture(scope="module")
def spec(site: Site) -> dict[str, Any]:
    found: dict[str, Any] = site.good("/openapi.json")
    return found


def operations(spec: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, one) for path, each in spec["paths"].items() for method, one in each.items()]


def test_the_description_is_openapi_3_1(spec: dict[str, Any]) -> None:
    assert spec["openapi"].startswith("3.1")
    assert {"title", "version"} <= spec["info"].keys() and spec["components"]["securitySchemes"]
    for _, path, one in operations(spec):
        assert path.startswith("/") and one["responses"] and one["operationId"]
        assert all({"name", "in", "schema"} <= parameter.keys() for parameter in one.get("parameters", ()))
    for _, _, one in operations(spec):
        for place in [*one.get("parameters", ()), *one.get("requestBody", {}).get("content", {}).values()]:
            jsonschema.Draft202012Validator.check_schema(place["schema"])


def test_every_operation_has_a_name_of_its_own_a_summary_and_errors(spec: dict[str, Any]) -> None:
    found = operations(spec)
    names = [one["operationId"] for _, _, one in found]
    assert len(names) == len(set(names)) >= 40
    for method, path, one in found:
        assert one["summary"], (method, path)
        if not path.startswith("/v1/auth") and path not in ("/v1/changes", "/v1/health", "/metrics"):
            assert one["security"] == [{"token": []}] and "401" in one["responses"], path
        for parameter in one.get("parameters", ()):
            assert parameter["description"], (path, parameter["name"])
            assert parameter["in"] != "path" or parameter["required"]
        assert set(re.findall(r"{(\w+)}", path)) == {
            parameter["name"] for parameter in one.get("parameters", ()) if parameter["in"] == "path"
        }


def test_every_reference_in_it_leads_somewhere(spec: dict[str, Any]) -> None:
    for reference in re.findall(r"'\$ref': '#/([^']+)'", str(spec)):
        place: Any = spec
        for part in reference.split("/"):
            place = place[part]


def test_the_examples_fit_what_is_described(spec: dict[str, Any]) -> None:
    for _, _, one in operations(spec):
        for kind in one.get("requestBody", {}).get("content", {}).values():
            if "example" in kind:
                jsonschema.validate(kind["example"], kind["schema"])
        for parameter in one.get("parameters", ()):
            if "example" in parameter:
                jsonschema.validate(parameter["example"], parameter["schema"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_example_is_answered(site: Site, route: Route) -> None:
    told = {"text": f"A thing for {route.method} {route.path}.", "project": "examples"}
    number = str(site.good("/v1/memories", told)["memories"][0]["id"])
    path = route.path.replace("{name}", "nobody").replace("{id}", number).replace("{item}", "disputed%3A1")
    example = route.operation.example | ({"memory_id": number} if "memory_id" in route.operation.example else {})
    given = f"?{urlencode(example)}" if route.method == "GET" else ""
    answer = site.ask(route.method, path + given, example if route.method == "POST" else None)
    nobody = {
        "/v1/impact": 404,
        "/v1/sessions/{id}": 404,
        "/v1/sessions/{id}/transcript": 404,
        "/v1/entities/{name}": 404,
        "/v1/events": 400,
        "/v1/review/{item}": 404,
    }
    assert answer.status == nobody.get(route.path, 200), answer.body


def test_the_page_for_people_names_every_path_and_no_other(spec: dict[str, Any]) -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    written = {path.replace("…", "") for path in re.findall(r"(/v1/[\w/{}-]+)", text)}
    short = {f"/v1/memories/{{id}}/{verb}" for verb in re.findall(r"`/(pin|unpin|restore|dispute)`", text)}
    described = {path for path in spec["paths"] if path.startswith("/v1/")}
    assert described - written - short == set()
    assert written - described == set()


def test_what_is_not_known_is_refused_by_name(site: Site) -> None:
    wrong = {"limit=0": "limit", "nonsense=1": "nonsense", "type=zebra": "zebra", "as_of=then": "then"}
    for asked, named in wrong.items():
        answer = site.get(f"/v1/memories?{asked}")
        assert answer.code == "bad_request" and named in answer.data["error"]["message"]
    assert site.get("/v1/memories?cursor=abc").code == "bad_request"
    assert site.get("/v1/memories/zebra").code == "bad_request"
    assert site.get("/v1/memories/99999").code == "not_found"
    assert site.get("/v1/log?type=Nope").code == "bad_request"


def test_what_a_session_should_be_told_is_the_same_each_time_and_leaves_no_trace(site: Site) -> None:
    told = {"text": "The lighthouse database is reset every Monday.", "project": "brief"}
    number = site.good("/v1/memories", told)["memories"][0]["id"]
    asked = {"project": "brief", "session": "s1"}
    brief = site.good("/v1/context", asked)
    assert "lighthouse database" in brief["additional_context"] and brief["memories"] == [number]
    assert site.good("/v1/context", asked) == brief
    assert site.good(f"/v1/memories/{number}/receipts")["items"] == []
    called = site.good("/v1/context", asked | {"prompt": "When is the lighthouse database reset?"})
    assert called["memories"] == [number]
    nothing = site.good("/v1/context", asked | {"prompt": "What is the weather?"})
    assert nothing["additional_context"] == ""
    assert site.post("/v1/context", {}).code == "bad_request"
