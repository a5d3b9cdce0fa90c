"""What the contract refuses: it is counted, shown with its reason, and can be erased."""

from __future__ import annotations

import json

from factories import NOW, Home
from nous.features.erasure.purge import Selection, purge
from nous.features.erasure.scan import scan
from nous.kernel.learn.learn import note_refused
from nous.kernel.learn.rejections import Refusal, Rejections
from nous.kernel.log.extraction import Rejection
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores


def refuse(stores: Stores, reason: str, excerpt: str = "Deploy with rockets.", session: str = "s1") -> None:
    note_refused(stores.rejections, Rejection(reason, excerpt), "p", session, "rules-1", NOW)


def test_each_refusal_of_a_session_is_kept_once_and_counted_by_reason(stores: Stores) -> None:
    for _ in range(2):
        refuse(stores, "no evidence")
    refuse(stores, "no evidence", session="s2")
    refuse(stores, "unknown type 'x'")
    assert stores.rejections.reasons("p") == {"no evidence": 2, "unknown type 'x'": 1}
    assert stores.rejections.reasons("other") == {}
    assert [row["reason"] for row in stores.rejections.recent(limit=2)] == ["unknown type 'x'", "no evidence"]


def test_a_secret_in_what_was_refused_is_not_kept(stores: Stores) -> None:
    token = "ghp_" + "a1B2" * 9
    refuse(stores, f"names {token!r}, which the session does not", f"The token is {token}.")
    [row] = stores.rejections.recent()
    assert token not in row["reason"] and token not in row["excerpt"]


def test_the_oldest_refusals_make_room(stores: Stores) -> None:
    kept: Rejections = stores.rejections
    for number in range(5):
        row = Refusal(project_id="p", session_id="s", extractor="x", reason=str(number), excerpt="", created_at=NOW)
        kept.add([row], keep=2)
    assert [row["reason"] for row in kept.recent()] == ["4", "3"]


def test_a_purge_takes_refusals_along_and_a_scan_looks_at_them(home: Home) -> None:
    home.data.mkdir(parents=True)
    stores = open_stores(str(home.data / "cortex.db"))
    refuse(stores, "no evidence", "The vault code is on the fridge.", session="s1")
    refuse(stores, "no evidence", "Something else.", session="s2")
    assert scan(stores, str(home.data)).looked["rejection"] == 2
    purge(stores, Selection(match="vault code"), catch_up, str(home.data / "c"), str(home.data), "asked", NOW)
    assert [row["excerpt"] for row in stores.rejections.recent()] == ["Something else."]
    stores.close()


def test_the_command_lists_reasons_and_excerpts(home: Home) -> None:
    assert "nothing was rejected" in home.nous("rejections", "--all-projects").stdout
    stores = open_stores(str(home.data / "cortex.db"))
    refuse(stores, "no evidence")
    stores.close()
    said = json.loads(home.nous("rejections", "--all-projects", "--json").stdout)
    assert said["reasons"] == {"no evidence": 1}
    assert said["rejections"][0]["excerpt"] == "Deploy with rockets."
    shown = home.nous("rejections", "--all-projects").stdout
    assert "rules-1: no evidence" in shown
