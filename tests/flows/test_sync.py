"""Devices that share a folder, however badly it is shared, end up believing the same, and nobody else can read it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from factories import NOW, Home, extracted, sized
from flows.simulation import simulate
from flows.test_devices import known, plain, say
from nous.errors import ConfigError, NousError
from nous.kernel.log.events import Erased, Payload
from nous.kernel.log.integrity import verify
from nous.kernel.stores import Stores, open_stores
from nous.moments import later
from nous.teams import sync as syncing
from nous.teams.sync import PLAIN, Shared, sync

WORD = "qzxvkanary"


@pytest.fixture
def passphrase(tmp_path: Path) -> str:
    file = tmp_path / "passphrase"
    file.write_text("correct horse battery")
    file.chmod(0o600)
    return str(file)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "shared").mkdir()
    return str(tmp_path / "shared")


@pytest.fixture
def pair() -> Iterator[tuple[Stores, Stores]]:
    here, there = open_stores(":memory:"), open_stores(":memory:")
    yield here, there
    here.close()
    there.close()


def _bytes(folder: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file())


def test_what_one_device_learned_is_known_to_the_other(
    pair: tuple[Stores, Stores], folder: str, passphrase: str
) -> None:
    here, there = pair
    say(here, extracted("l1", f"Use {WORD} here."))
    say(there, extracted("l2", "Ports start at 8000."))
    assert sync(here, folder, passphrase, NOW).went == 1
    found = sync(there, folder, passphrase, NOW)
    assert (found.came, found.went) == (1, 1)
    assert sync(here, folder, passphrase, NOW).came == 1
    assert plain(here) == plain(there)
    assert sync(here, folder, passphrase, NOW)[:2] == (0, 0)
    assert verify(here).ok and verify(there).ok


def test_nobody_else_can_read_the_folder(pair: tuple[Stores, Stores], folder: str, passphrase: str) -> None:
    here, there = pair
    say(here, extracted(f"learning-{WORD}", f"Use {WORD} here."))  # a short id stands in random bytes by chance
    sync(here, folder, passphrase, NOW)
    assert WORD.encode() not in _bytes(folder) and b"learning-" not in _bytes(folder)
    Path(passphrase).write_text("another passphrase")
    with pytest.raises(NousError, match="another passphrase"):
        sync(there, folder, passphrase, NOW)
    with pytest.raises(ConfigError, match="sealed with a passphrase"):
        sync(there, folder, PLAIN, NOW)
    with pytest.raises(ConfigError, match="no passphrase is set"):
        sync(there, folder, "", NOW)
    assert there.events.count() == 0


def test_plain_text_is_asked_for(pair: tuple[Stores, Stores], folder: str, passphrase: str) -> None:
    here, there = pair
    say(here, extracted("l1"))
    sync(here, folder, PLAIN, NOW)
    assert sync(there, folder, PLAIN, NOW).came == 1
    with pytest.raises(ConfigError, match="plain text"):
        sync(there, folder, passphrase, NOW)


def test_what_is_erased_leaves_the_folder_and_does_not_come_back(
    pair: tuple[Stores, Stores], folder: str, passphrase: str
) -> None:
    here, there = pair
    third = open_stores(":memory:")
    say(here, extracted("l1", f"Use {WORD} here."))
    for stores in (here, there):
        sync(stores, folder, PLAIN, NOW)
    older = Path(folder).parent / "older"
    shutil.copytree(folder, older)
    numbers = [number for number, _, _ in there.events.payloads(["l1"])]
    there.events.erase(numbers)
    gone = Erased(reason="asked for", erased_events=tuple(numbers))
    say(there, replace(extracted("l1", key="erase"), event_type="LearningErased", payload=gone, source="user_review"))
    assert sync(there, folder, PLAIN, NOW).rewritten == 1
    shared = Shared.open(folder, PLAIN)
    assert not any(WORD in event.payload_json for batch in shared.batches() for event in shared.read(batch))
    assert sync(here, folder, PLAIN, NOW).erased
    sync(third, str(older), PLAIN, NOW)  # a device that was away has the old files
    assert known(third).status == "active"
    shutil.copytree(folder, older, dirs_exist_ok=True)
    sync(third, str(older), PLAIN, NOW)
    assert known(third).status == known(here).status == "erased"
    assert sync(here, folder, PLAIN, NOW).rewritten == 0
    third.close()


def test_files_that_are_not_whole_stop_nobody(pair: tuple[Stores, Stores], folder: str, passphrase: str) -> None:
    here, there = pair
    third = open_stores(":memory:")
    say(here, extracted("l1"))
    say(there, extracted("l2"))
    for stores in (here, there):
        sync(stores, folder, passphrase, NOW)
    mine = next(Path(folder, here.events.own_device()).glob("*.events"))
    whole = mine.read_bytes()
    mine.write_bytes(whole[: len(whole) // 2])
    (Path(folder) / here.events.own_device() / "0000000002-0000000009.events.123.partial").write_bytes(b"half")
    (Path(folder) / "readme.txt").write_text("not ours")
    found = sync(third, folder, passphrase, NOW)
    assert found.came == 1 and "cannot be read" in found.troubles[0]
    mine.write_bytes(whole)
    assert sync(third, folder, passphrase, NOW).came == 1
    third.close()


def test_a_device_that_was_copied_is_refused_and_the_others_go_on(tmp_path: Path, folder: str) -> None:
    first = open_stores(str(tmp_path / "first.db"))
    say(first, extracted("l1"))
    first.close()
    shutil.copy(tmp_path / "first.db", tmp_path / "copy.db")
    first, copied = open_stores(str(tmp_path / "first.db")), open_stores(str(tmp_path / "copy.db"))
    other = open_stores(":memory:")
    say(first, extracted("l2"))
    say(copied, extracted("l3"), extracted("l4"))
    say(other, extracted("l5"))
    sync(first, folder, PLAIN, NOW)
    sync(other, folder, PLAIN, NOW)
    sync(copied, folder, PLAIN, NOW)
    found = sync(other, folder, PLAIN, NOW)
    assert "one is a copy of the other" in " ".join(found.troubles)
    assert known(other, "l5").status == "active" and verify(other).ok
    for stores in (first, copied, other):
        stores.close()


def test_many_small_files_become_one(pair: tuple[Stores, Stores], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = pair
    monkeypatch.setattr(syncing, "SCRAPS", 4)
    for number in range(6):
        say(here, extracted(f"l{number}"), now=later(NOW, number))
        sync(here, folder, PLAIN, NOW)
    files = sorted(path.name for path in Path(folder, here.events.own_device()).glob("*.events"))
    assert len(files) <= 2 and files[0].startswith("0000000001-")
    assert sync(there, folder, PLAIN, later(NOW, 100)).came == 6


def test_a_large_log_goes_in_several_files(
    pair: tuple[Stores, Stores], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = pair
    monkeypatch.setattr(syncing, "BATCH", 10)
    say(here, *(extracted(f"l{number}") for number in range(35)))
    assert sync(here, folder, PLAIN, NOW).went == 35
    assert len(list(Path(folder, here.events.own_device()).glob("*.events"))) == 4
    assert sync(there, folder, PLAIN, NOW).came == 35


# -- the simulation -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(sized(5, 1000)))
def test_five_devices_through_partitions_skew_crashes_and_erasures_agree(seed: int, tmp_path: Path) -> None:
    simulate("folder", seed, tmp_path)


def test_the_command(home: Home, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    file = tmp_path / "passphrase"
    file.write_text("correct horse battery")
    file.chmod(0o600)
    home.nous("remember", f"The api speaks {WORD}.")
    said = home.nous("sync", str(tmp_path / "shared"), "--passphrase-file", str(file))
    assert said.returncode == 0 and "received " in said.stdout
    other = Home(tmp_path / "other")
    other.nous("sync", str(tmp_path / "shared"), "--passphrase-file", str(file))
    assert WORD in other.nous("recall", WORD, "--all-projects").stdout
    assert home.nous("sync").returncode == 2
    missing = home.nous("sync", str(tmp_path / "nowhere"), "--passphrase-file", str(file))
    assert missing.returncode == 1 and "there is no folder" in missing.stderr


def test_payloads_of_marks_travel_as_well(pair: tuple[Stores, Stores], folder: str) -> None:
    here, there = pair
    say(here, extracted("l1"))
    say(here, replace(extracted("l1", key="pin"), event_type="LearningPinned", payload=Payload(), source="user_review"))
    sync(here, folder, PLAIN, NOW)
    sync(there, folder, PLAIN, NOW)
    assert known(there).pinned
