"""Exchanges: what was said and done before is found by words, error, file and time, and leaves with its transcript."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from nous import Nous
from nous.features.erasure import purge
from nous.features.exchanges import search
from nous.features.exchanges.indexing import index_waiting
from nous.features.exchanges.model import PASSAGE, accounts, around, passage, pieces
from nous.features.exchanges.search import ask, cosines, small
from nous.features.exchanges.store import ExchangeEntry, ExchangeFile, Exchanges
from nous.kernel.capture.transcript import Turn
from nous.kernel.recall.search import Query
from sessions import ERROR, World, shop


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def found(nous: Nous, world: World, query: str, **more: object) -> list[str]:
    hits = nous.recall(query, project=str(world.work_dir), records="exchanges", **more)  # type: ignore[arg-type]
    return [hit.content for hit in hits]


def test_what_was_said_is_found_with_what_came_of_it(world: World) -> None:
    with shop(world) as nous:
        [hit] = nous.recall("invoice rounding accountant", project=str(world.work_dir), records="exchanges", limit=1)
        assert hit.content.startswith("Make the invoice totals round half up")
        assert "→ I changed rounding in billing.py" in hit.content
        assert hit.exchange and hit.exchange.evidence == ("session-0001-0000", "session-0001-0001")
        assert hit.id == "session-0001-0000"


def test_recall_gives_both_and_memories_first(world: World) -> None:
    with shop(world) as nous:
        nous.remember("Invoice totals are rounded half up", project=str(world.work_dir))
        hits = nous.recall("how are invoice totals rounded?", project=str(world.work_dir))
        kinds = ["memory" if hit.memory else "exchange" for hit in hits]
        assert kinds[0] == "memory" and "exchange" in kinds
        only = nous.recall("how are invoice totals rounded?", project=str(world.work_dir), records="memories")
        assert all(hit.memory for hit in only)


def test_a_reply_and_what_it_replies_to_are_one_hit_and_what_was_refuted_is_not_told(world: World) -> None:
    world.session(
        ("user", "Why does the gasket report lose its last column?"),
        ("agent", "The gasket report loses its column because the page is too narrow."),
        ("user", "That is wrong, the gasket report still loses its column with a wide page"),
        ("agent", "The gasket report loses its last column because the query leaves out the weight."),
    )
    with world.learn() as nous:
        [hit] = nous.recall("gasket report last column", project=str(world.work_dir), records="exchanges")
        assert "query leaves out the weight" in hit.content and "too narrow" not in hit.content
        assert hit.content.index("Why does") < hit.content.index("then the user: “That is wrong")
        assert hit.exchange and len(hit.exchange.evidence) == 3


def test_a_short_prompt_says_what_it_followed(world: World) -> None:
    world.session(
        ("user", "Draw the flywheel of the engine page in three rings and animate the outermost of them"),
        ("agent", "It is drawn."),
        ("user", "make it blue"),
        ("agent", "The sprocket is painted cobalt now."),
    )
    with world.learn() as nous:
        [text] = found(nous, world, "sprocket cobalt")
        assert text.startswith("(after: “Draw the flywheel") and "make it blue" in text


def test_of_two_that_match_as_well_in_one_session_the_later_comes_first(world: World) -> None:
    for name, day in (("lathe", 1), ("lathe", 2)):
        world.session(
            ("user", f"Set the {name} of the workshop to speed {day} in its settings file, and keep its name as it is"),
            ("agent", f"The {name} of the workshop runs at speed {day}."),
            ("user", f"Set the {name} of the workshop to speed {day + 7} in its settings file, and keep its old name"),
            ("agent", f"The {name} of the workshop runs at speed {day + 7}."),
            day=day,
        )
    with world.learn() as nous:
        texts = [text.partition("→ ")[2] for text in found(nous, world, "speed of the workshop lathe")]
        first = [next(digit for digit in text if digit.isdigit()) for text in texts]
        assert first.index("9") < first.index("2") and first.index("8") < first.index("1")


def test_a_question_in_another_language_finds_the_english_talk_if_nothing_says_its_words(world: World) -> None:
    with shop(world) as nous:
        [first, *_] = found(nous, world, "qui est pour les factures ?")
        assert first.startswith("Make the invoice totals round half up")
        assert not found(nous, world, "qui est pour la girafe ?")


def test_the_same_error_finds_where_it_came_up_and_how_it_ended(world: World) -> None:
    with shop(world) as nous:
        [first, *_] = nous.recall(ERROR.format(line=99), project=str(world.work_dir), records="exchanges")
        assert "importer" in first.content and first.shares["error"] > 0
        marks = nous.stores.exchanges.by_error([row[0] for row in _errors(nous)], None, 5)
        assert "`python importer.py` passed after a change in requirements.txt" in marks[0][2]


def _errors(nous: Nous) -> list[tuple[str]]:
    return list(nous.work.connection.execute("SELECT mark FROM exchange_errors"))


@pytest.mark.parametrize("query", ["zebra crossing unicorn", "purple giraffe opera"])
def test_what_nobody_spoke_of_is_not_found(world: World, query: str) -> None:
    with shop(world) as nous:
        assert nous.recall(query, project=str(world.work_dir)) == []


def test_filters_narrow_exchanges_too(world: World) -> None:
    with shop(world) as nous:
        assert found(nous, world, "importer", file="requirements.txt")
        assert not found(nous, world, "importer", file="billing.py")
        assert not found(nous, world, "importer", before="2026-10-02")
        assert found(nous, world, "importer", after="2026-10-02", branch="main")
        assert not nous.recall("importer", project=str(world.work_dir), type="decision")


def test_another_project_sees_nothing_of_it(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with shop(world) as nous:
        assert nous.recall("invoice rounding", project=str(tmp_path / "other")) == []
        assert nous.recall("invoice rounding", project=str(tmp_path / "other"), all_projects=True)


def test_a_session_that_goes_on_is_read_on_and_not_again(world: World) -> None:
    name = world.session(("user", "start the parser rewrite"), ("agent", "I sketched the grammar."))
    world.learn().close()
    world.session(("agent", "The tokenizer is finished as well."), ("user", "now the printer"), name=name, day=2)
    with world.learn() as nous:
        assert nous.stores.exchanges.size() == 2
        [hit] = nous.recall("tokenizer finished", project=str(world.work_dir), records="exchanges", limit=1)
        assert hit.content.startswith("start the parser rewrite")
        assert index_waiting(nous.stores.exchanges) == 0


def test_everything_can_be_built_again_from_the_transcripts(world: World) -> None:
    with shop(world) as nous:
        before = found(nous, world, "importer database"), nous.stores.exchanges.size()
        nous.stores.exchanges.drop_stale(everything=True)
        assert nous.stores.exchanges.size() == 0
        index_waiting(nous.stores.exchanges)
        assert (found(nous, world, "importer database"), nous.stores.exchanges.size()) == before


def test_without_kept_transcripts_there_are_no_exchanges(tmp_path: Path) -> None:
    with shop(World(tmp_path, NOUS_KEEP_TRANSCRIPTS="false")) as nous:
        assert nous.stores.exchanges.size() == 0
        assert all(hit.memory for hit in nous.recall("importer", all_projects=True))


def test_a_paste_of_megabytes_is_found_by_its_beginning(world: World) -> None:
    paste = "please read this log about the flux capacitor\n" + "line of noise 12345\n" * 300_000
    world.session(("user", paste), ("agent", "It is broken at its end."))
    with world.learn() as nous:
        [hit] = nous.recall("flux capacitor log", project=str(world.work_dir), records="exchanges", limit=1)
        assert "flux capacitor" in hit.content and len(hit.content) <= PASSAGE


PAGE = "<!DOCTYPE html>\n<html>\n<head>\n" + '<link rel="icon" href="/gasket.svg" />\n' * 20 + "</head>\n</html>"


def test_a_prompt_that_is_only_a_paste_is_about_what_the_agent_says_to_it(world: World) -> None:
    world.session(
        ("user", PAGE), ("agent", "The voucher interface answers with a page because the proxy takes every GET.")
    )
    with shop(world) as nous:
        [hit] = nous.recall("why does the voucher interface answer with a page?", project=str(world.work_dir), limit=1)
        assert hit.content == "The voucher interface answers with a page because the proxy takes every GET."
        [place] = [one.exchange.place for one in [hit] if one.exchange]
        assert place.label.startswith("The voucher interface")


def test_what_a_client_adds_to_an_order_is_not_told_as_the_users_words(world: World) -> None:
    order = (
        "Cache the voucher list.\n\nImplement the plan as specified. Do NOT edit the plan file itself.\n"
        "To-do's from the plan have already been created. Do not create them again. Mark them as in_progress as you "
        "work, starting with the first one. Don't stop until you have completed all the to-dos."
    )
    world.session(("user", order), ("agent", "The voucher list is cached for five minutes."))
    with shop(world) as nous:
        [hit] = nous.recall("plan of the voucher list cache", project=str(world.work_dir), limit=1)
        assert hit.content == "Cache the voucher list.\n→ The voucher list is cached for five minutes."


def test_a_session_without_prompts_and_an_empty_one_do_no_harm(world: World) -> None:
    world.session(("agent", "Nobody asked, yet the watchdog restarted the scheduler."))
    world.session(("user", ""))
    with world.learn() as nous:
        assert any("watchdog" in text for text in found(nous, world, "watchdog scheduler"))


def test_a_purge_leaves_no_exchange_in_any_byte(world: World) -> None:
    secret = "operation nightingale begins at the old lighthouse"
    world.session(("user", f"note that {secret}"), ("agent", "Understood, nightingale it is."))
    with shop(world) as nous:
        assert found(nous, world, "nightingale lighthouse")
        gone = nous.work.purge(purge.Selection(match="nightingale"), str(world.home / "data" / "backups"), "test")
        assert gone.turns and not gone.remaining
        assert not found(nous, world, "nightingale lighthouse")
        assert found(nous, world, "importer database")
    for file in (world.home / "data").rglob("*"):
        if file.is_file():
            assert b"nightingale" not in file.read_bytes().lower(), file


def test_a_purged_session_leaves_nothing(world: World) -> None:
    with shop(world) as nous:
        nous.work.purge(purge.Selection(session="session-0002"), str(world.home / "data" / "backups"), "test")
        assert not any("importer" in text for text in found(nous, world, "importer cannot connect"))
        assert list(nous.work.connection.execute("SELECT * FROM exchange_errors")) == []


def turns(*said: tuple[str, str]) -> list[Turn]:
    kinds = {"user": "prompt", "agent": "reply"}
    return [
        Turn(uuid=f"u{at}", kind=kinds[who], at="2026-10-01T10:00:00.000Z", session_id="s", text=text)  # type: ignore[arg-type]
        for at, (who, text) in enumerate(said)
    ]


def test_a_long_exchange_is_shown_as_the_passage_that_matches() -> None:
    filler = "\n".join(f"Step {n}: something ordinary happened here." for n in range(200))
    [account] = accounts(
        turns(("user", "explain the build"), ("agent", filler + "\nThe kiln needs cobalt glaze.\n" + filler))
    )
    shown = passage(account, {"cobalt": 1.0, "glaze": 1.0}).text
    assert shown.startswith("explain the build\n→ ") and "cobalt glaze" in shown and len(shown) <= PASSAGE


def test_parts_hold_every_word_once() -> None:
    text = "".join(f"Sentence number {n} is here. " for n in range(500))
    assert "".join(text[start:end] for start, end in pieces(text)) == text


def test_a_record_leads_to_its_exchange() -> None:
    said = turns(("user", "one"), ("agent", "first answer"), ("user", "two"), ("agent", "second answer"))
    assert [turn.text for turn in around(said, "u3")] == ["two", "second answer"]
    assert around(said, "nowhere") == []


def test_a_topic_narrows_memories_and_exchanges_and_asks_for_itself(world: World) -> None:
    with shop(world) as nous:
        rounded = nous.remember("Invoice totals are rounded half up", project=str(world.work_dir))
        nous.remember("The changelog is sorted by date", project=str(world.work_dir))
        hits = nous.recall("", topic="invoices", project=str(world.work_dir))
        assert [hit.id for hit in hits] == [rounded, "session-0001-0000"]
        assert found(nous, world, "what was done", topic="changelog") == found(nous, world, "", topic="changelog") != []
        assert nous.recall("invoice", topic="giraffes", project=str(world.work_dir)) == []


def test_the_words_of_a_memory_lead_to_their_exchange(world: World) -> None:
    world.session(
        ("user", "the deploy is slow"),
        ("agent", "I will look at it."),
        ("user", "We always deploy with make ship, never by hand."),
        ("agent", "Understood."),
    )
    with world.learn() as nous:
        [memory] = [one for one in nous.list(project=str(world.work_dir)) if "make ship" in one.content]
        [said] = nous.said(memory)
        assert (said.exchange, said.session_id) == ("session-0001-0002", "session-0001")
        assert "never by hand" in said.text


def test_a_half_written_session_is_read_as_far_as_it_goes_and_then_on(world: World) -> None:
    name = world.session(("user", "paint the gazebo turquoise"), ("agent", "The gazebo is turquoise now."))
    path = next((world.home / "claude").rglob(f"{name}.jsonl"))
    whole = path.read_text()
    path.write_text(whole[:-40])
    with world.learn() as nous:
        [said] = found(nous, world, "gazebo turquoise")
        assert said == "paint the gazebo turquoise"
    path.write_text(whole)
    with world.learn() as nous:
        assert found(nous, world, "gazebo turquoise") == ["paint the gazebo turquoise\n→ The gazebo is turquoise now."]


def test_a_session_in_an_ignored_folder_has_no_exchanges(tmp_path: Path) -> None:
    with shop(World(tmp_path, NOUS_IGNORE=str(tmp_path / "work"))) as nous:
        assert nous.stores.exchanges.size() == 0


def test_a_session_of_weeks_costs_what_is_new_in_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(1, 15):
        world.session(("user", f"note of day {day}: kiosk {day}"), ("agent", "Noted."), name="session-0001", day=day)
        world.learn().close()
    with world.learn() as nous:
        assert nous.stores.exchanges.size() == 14 and len(nous.episodes("session-0001")) == 14
    reads: list[str] = []
    original = Exchanges.add

    def add(self: Exchanges, file: ExchangeFile, one: ExchangeEntry) -> int:
        reads.append(one.uuid)
        return original(self, file, one)

    monkeypatch.setattr(Exchanges, "add", add)
    world.session(("user", "note of day 15: kiosk 15"), ("agent", "Noted."), name="session-0001", day=15)
    world.learn().close()
    assert len(reads) == 2, "the last one, which may have grown, and the new one"


def test_vectors_are_as_near_with_numpy_as_without(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy

    assert numpy
    chance = random.Random(3)
    asked = struct.pack("16f", *(chance.uniform(-1, 1) for _ in range(16)))
    kept = [small(struct.pack("16f", *(chance.uniform(-1, 1) for _ in range(16)))) for _ in range(5)] + [bytes(16)]
    fast = cosines(asked, kept)
    monkeypatch.delitem(sys.modules, "numpy")
    assert cosines(asked, kept) == pytest.approx(fast, abs=1e-5)
    assert fast[-1] == 0.0 and cosines(asked, []) == []


def test_a_word_that_stands_nearly_everywhere_is_not_searched_by(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        world.session(("user", f"the warehouse has a problem{number} with pallets"), ("agent", f"Mended {number}."))
    with world.learn() as nous:
        query = Query(text="warehouse problem3", project_id=None, now=nous.clock())
        assert [term.word for term in ask(nous.stores.exchanges, query).known] == ["warehouse", "problem3", "problem"]
        monkeypatch.setattr(search, "FEW_PARTS", 3)
        asked = ask(nous.stores.exchanges, query)
        assert [term.word for term in asked.known] == ["problem3"] and asked.frequency["warehouse"] == 3
        assert found(nous, world, "warehouse problem3")[0].startswith("the warehouse has a problem3")
        assert [term.word for term in ask(nous.stores.exchanges, replace(query, text="warehouse")).known] == [
            "warehouse"
        ]


def test_a_name_narrows_exchanges_in_whatever_spelling(world: World) -> None:
    world.session(("user", "move the orders of the shop to PostgreSQL"), ("agent", "They are moved."), day=1)
    world.session(("user", "the orders of the shop are slow in the browser"), ("agent", "An index was missing."), day=2)
    with world.learn() as nous:
        assert len(found(nous, world, "orders of the shop")) == 2
        assert [one[:15] for one in found(nous, world, "orders of the shop", entity="postgres")] == ["move the orders"]
        assert found(nous, world, "orders of the shop", entity="Redis") == []
