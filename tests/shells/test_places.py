"""Named things over HTTP: what they are called, and what they hang together with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nous.app import Nous
from shells.web import Site, serving


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root: Path = tmp_path_factory.mktemp("places")
    with serving(root) as made:
        with Nous.open(settings=made.settings) as nous:
            nous.remember(
                "Redis loses its keys at restart.", type="gotcha", project="shop", files=["src/cache/store.py"]
            )
            nous.remember("Redis is asked through the pool.", project="shop", files=["src/cache/pool.py", "app.py"])
            nous.remember("Redis and Postgres run in Docker.", project="shop")
        yield made


def test_names_are_found_by_a_part_and_in_every_project(site: Site) -> None:
    found = site.good("/v1/entities?words=redi")
    assert [row["name"] for row in found["items"]] == ["Redis"]
    assert found["items"][0]["mentions"] == 3
    told = site.good("/v1/entities/redis")
    assert told["entity"]["name"] == "Redis" and len(told["memories"]) == 3
    assert site.get("/v1/entities/Nobody").code == "not_found"
