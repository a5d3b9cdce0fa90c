"""The Compose files are what Compose understands; the image builds, runs as nobody in particular, and is healthy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from compose_spec import PyCompose

from nous.config import Settings, variable
from nous.shells.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
FILES = ("compose.yaml", "common.yaml", "sqlite.yaml")
GIVEN = re.compile(r"\$\{(\w+)(?::([-?])((?:[^{}]|\$\{[^{}]*\})*))?\}")


def resolved(text: str, **environ: str) -> str:
    """A file as Compose reads it: variables in their places, from the inside out."""

    def value(found: re.Match[str]) -> str:
        if given := environ.get(found[1]):
            return given
        if found[2] == "?":
            raise KeyError(found[3])
        return resolved(found[3] or "", **environ)

    return GIVEN.sub(value, text)


def read(name: str) -> str:
    return resolved((DEPLOY / name).read_text(encoding="utf-8"), NOUS_DB_PASSWORD="secret", HOME="/home/dev")


def services(name: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.yaml.decode(read(name))["services"]
    return found


@pytest.mark.parametrize("name", FILES)
def test_compose_understands_the_files(name: str) -> None:
    assert PyCompose.from_yaml(read(name))
    with pytest.raises(ValueError, match="restrt"):
        PyCompose.from_yaml(read(name).replace("restart:", "restrt:", 1))


def test_a_password_has_to_be_set() -> None:
    with pytest.raises(KeyError, match="set it in"):
        resolved((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def test_the_services_are_ours_and_every_setting_in_them_exists() -> None:
    found, shared = services("compose.yaml"), services("common.yaml")["nous"]
    assert set(found) == {"nous-api", "nous-worker", "nous-watcher", "postgres"}
    known = {variable(field) for field in Settings.__struct_fields__} | {"CLAUDE_CONFIG_DIR", "NOUS_DATA_DIR"}
    for name, one in found.items():
        if name == "postgres":
            continue
        [command] = one["command"]
        assert command in COMMANDS and one["healthcheck"]["test"] == ["CMD", "nous", command, "--check"]
        assert set(one.get("environment", {})) | set(shared["environment"]) <= known
    [port] = found["nous-api"]["ports"]
    assert port.startswith("127.0.0.1:")  # whoever wants more puts something in front that speaks https
    assert found["nous-watcher"]["volumes"][0].endswith(":/claude:ro")
    assert shared["read_only"] and shared["cap_drop"] == ["ALL"]


def test_one_container_with_a_file_needs_no_password_and_no_other_service() -> None:
    [one] = msgspec.yaml.decode(resolved((DEPLOY / "sqlite.yaml").read_text("utf-8"), HOME="/home/dev"))[
        "services"
    ].values()
    assert one["command"] == ["up", "--foreground"] and one["read_only"] and one["cap_drop"] == ["ALL"]
    assert "NOUS_DB_PATH" not in one["environment"] and one["ports"][0].startswith("127.0.0.1:")


def test_the_image_is_built_in_stages_and_runs_as_a_user_of_its_own() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    assert len(re.findall(r"^FROM ", text, re.M)) == 2 and "USER 10001:10001" in text and "HEALTHCHECK" in text
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
        assert all((ROOT / name).exists() for name in copied.split()), copied


# -- the real thing ---------------------------------------------------------------------------------------------------


def buildah(*words: str, seconds: int = 1200) -> str:
    """What buildah says; it needs no daemon and no registry."""
    done = subprocess.run(["buildah", *words], capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    """An image with Python, made of the system's packages: nothing is pulled from a registry."""
    missing = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if missing or not os.environ.get("NOUS_THOROUGH") or os.geteuid() != 0:
        pytest.skip(f"an image is built as root in thorough runs, with buildah and mmdebstrap; missing: {missing}")
    rootfs = os.environ.get("NOUS_TEST_ROOTFS") or str(tmp_path / "root.tar")
    if not os.path.exists(rootfs):
        wanted = "--include=python3,python3-venv,ca-certificates"
        subprocess.run(["mmdebstrap", "-q", "--variant=minbase", wanted, "bookworm", rootfs], check=True, timeout=1200)
    made = buildah("from", "scratch")
    buildah("add", "-q", made, rootfs, "/")
    buildah("commit", "-q", "--rm", made, "localhost/nous-test-base")
    yield "localhost/nous-test-base"
    buildah("rmi", "-f", "localhost/nous-test-base")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_image_builds_serves_and_is_healthy(base: str) -> None:
    shown = [word for path in ("/etc/pip.conf", "/etc/ssl/certs") if os.path.exists(path) for word in _volume(path)]
    how = ["-q", "--format", "docker", "--isolation", "chroot", "--network", "host", "--pull-never", *shown]
    place = ["-f", str(DEPLOY / "Containerfile"), "-t", "localhost/nous-test", str(ROOT)]
    buildah("build", *how, "--build-arg", f"BASE={base}", *place)
    made = buildah("from", "--pull-never", "localhost/nous-test")
    try:
        assert "healthcheck" in buildah("inspect", "--type", "image", "localhost/nous-test").lower()

        def nous(*words: str) -> str:
            return buildah("run", "--isolation", "chroot", "--network", "host", made, "--", "nous", *words)

        assert nous("--version").startswith("nous")
        assert (
            buildah("run", "--isolation", "chroot", made, "--", "python3", "-c", "import os; print(os.getuid())")
            == "10001"
        )
        command = ["buildah", "run", "--isolation", "chroot", "--network", "host", "--env", "NOUS_HTTP_PORT=0", made]
        with subprocess.Popen([*command, "--", "nous", "serve"], stderr=subprocess.DEVNULL) as server:
            try:
                deadline = time.monotonic() + 120
                while time.monotonic() < deadline:
                    done = subprocess.run(
                        [*command, "--", "nous", "serve", "--check"], capture_output=True, timeout=300
                    )
                    if done.returncode == 0:
                        break
                    time.sleep(1)
                assert done.returncode == 0
            finally:
                server.terminate()
    finally:
        buildah("rm", made)
        buildah("rmi", "-f", "localhost/nous-test")


def _volume(path: str) -> list[str]:
    return ["-v", f"{path}:{path}:ro"]
