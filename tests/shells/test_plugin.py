"""The registration of the plugin: what it writes, what it leaves alone, and how it is undone."""

from __future__ import annotations

import ast
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import nous
from nous.errors import ConfigError, NousError
from nous.kernel.hooks import responses
from nous.shells.cli.plugin import plugin as command
from nous.shells.plugin import jsontext, registration

SHIPPED = registration.source_dir()
Environ = dict[str, str]


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    """An environment in which nothing is installed and the Claude Code directory is there."""
    (tmp_path / "claude").mkdir()
    places = {"HOME": "home", "CLAUDE_CONFIG_DIR": "claude", "NOUS_DATA_DIR": "data"}
    return {**os.environ, **{name: str(tmp_path / folder) for name, folder in places.items()}}


@pytest.fixture
def settings(environ: Environ) -> Path:
    return Path(environ["CLAUDE_CONFIG_DIR"], "settings.json")


def tree(*roots: str | Path) -> dict[str, bytes | str]:
    """Every file below these directories, with its content (or what it links to)."""
    found: dict[str, bytes | str] = {}
    for path in (path for root in roots for path in Path(root).rglob("*")):
        if path.is_symlink():
            found[str(path)] = str(path.readlink())
        elif path.is_file():
            found[str(path)] = path.read_bytes()
    return found


ODD_SETTINGS = {
    "compact": '{"model":"haiku","env":{"A":"1"}}',
    "no last newline": '{\n    "theme":   "dark",\n    "model": "haiku"\n}',
    "tabs and CRLF": '{\r\n\t"b": [1,\r\n\t\t2],\r\n\t"a": {}\r\n}\r\n',
    "other plugins": '{\n  "enabledPlugins": {\n    "x@y": true\n  },\n  "z": 1\n}\n',
    "empty objects": '{ "extraKnownMarketplaces": { },\n  "enabledPlugins": {}}',
    "empty object": "{ \n }",
    "empty file": "",
    "blank file": " \n\n",
    "byte order mark": '\ufeff{"a": "ü\\ud83d"}\n',
    "a key twice": '{"enabledPlugins": {"p@q": false}, "k": null, "enabledPlugins": {"x@y": true} }',
}


@pytest.mark.parametrize("text", ODD_SETTINGS.values(), ids=ODD_SETTINGS.keys())
def test_uninstalling_gives_every_byte_back(environ: Environ, settings: Path, text: str) -> None:
    settings.write_bytes(text.encode())
    before = tree(environ["CLAUDE_CONFIG_DIR"])

    assert registration.install(environ).state == "installed"
    installed = json.loads(settings.read_text("utf-8-sig"))
    assert installed["enabledPlugins"][registration.PLUGIN_ID] is True
    assert registration.uninstall(environ).state == "not installed"

    assert tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"]) == before


def test_where_there_was_nothing_nothing_stays(environ: Environ, settings: Path) -> None:
    settings.parent.rmdir()
    registration.install(environ)
    assert settings.is_file()
    registration.uninstall(environ)
    assert not settings.parent.exists() and not Path(environ["NOUS_DATA_DIR"], "plugin").exists()


def test_a_second_install_writes_nothing(environ: Environ) -> None:
    assert registration.install(environ).changed
    before = tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"])
    assert registration.install(environ).changed == ()
    assert tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"]) == before


def test_uninstalling_what_is_not_installed_changes_nothing(environ: Environ, settings: Path) -> None:
    settings.write_text('{"a":1}')
    report = registration.uninstall(environ)
    assert (report.state, report.changed) == ("not installed", ())
    assert settings.read_text() == '{"a":1}'


def test_what_others_changed_meanwhile_stays(environ: Environ, settings: Path) -> None:
    settings.write_text('{"model": "haiku"}')
    registration.install(environ)
    now = json.loads(settings.read_text())
    now["enabledPlugins"]["other@market"] = True
    settings.write_text(json.dumps({"theme": "dark", **now}, indent=4))

    registration.uninstall(environ)

    assert settings.read_text() == json.dumps(
        {"theme": "dark", "model": "haiku", "enabledPlugins": {"other@market": True}}, indent=4
    )


def test_the_books_of_the_client_are_cleaned(environ: Environ, settings: Path) -> None:
    """The client notes a plugin it has loaded; that note is ours to remove, its neighbours are not."""
    registration.install(environ)
    books = settings.parent / "plugins" / "installed_plugins.json"
    other: dict[str, Any] = {"version": 2, "plugins": {"other@market": []}}
    books.write_text(
        json.dumps({**other, "plugins": {**other["plugins"], registration.PLUGIN_ID: [{"scope": "user"}]}})
    )
    (settings.parent / "plugins" / "data" / "nous-nous-local").mkdir(parents=True)

    registration.uninstall(environ)

    assert json.loads(books.read_text()) == other
    assert list((settings.parent / "plugins" / "data").iterdir()) == []


def test_a_link_stays_a_link_and_a_private_file_private(environ: Environ, settings: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text('{"env": {"KEY": "sk-secret"}}')
    target.chmod(0o600)
    settings.symlink_to(target)

    registration.install(environ)
    assert settings.is_symlink() and stat.S_IMODE(target.stat().st_mode) == 0o600
    assert registration.PLUGIN_ID in target.read_text()
    registration.uninstall(environ)
    assert settings.is_symlink() and target.read_text() == '{"env": {"KEY": "sk-secret"}}'


def test_no_foreign_setting_is_copied_elsewhere(environ: Environ, settings: Path) -> None:
    settings.write_text('{"env": {"KEY": "sk-secret"}, "enabledPlugins": {"a@b": true}, "x": "sk-secret"}')
    registration.install(environ)
    copies = [path for path, data in tree(environ["NOUS_DATA_DIR"]).items() if b"sk-secret" in data]
    assert copies == []


MALFORMED = {
    "comment": b'// mine\n{"a": 1}',
    "trailing comma": b'{"a": 1,}',
    "cut off": b'{"a": ',
    "not JSON's": b'{"a": NaN}',
    "a list": b"[]",
    "not text": b'{"a": "\xff"}',
    "deep": b'{"a": ' + b"[" * 200_000,
    "plugins are a list": b'{"enabledPlugins": []}',
    "marketplaces are null": b'{"extraKnownMarketplaces": null}',
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_settings_are_refused_and_nothing_is_written(environ: Environ, settings: Path, data: bytes) -> None:
    settings.write_bytes(data)
    with pytest.raises(ConfigError, match=r"settings\.json") as caught:
        registration.install(environ)
    assert "\n" not in str(caught.value)
    assert tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"]) == {str(settings): data}


def test_settings_that_broke_meanwhile_are_not_touched(environ: Environ, settings: Path) -> None:
    registration.install(environ)
    settings.write_text("{")
    before = tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"])
    with pytest.raises(ConfigError):
        registration.uninstall(environ)
    assert tree(environ["CLAUDE_CONFIG_DIR"], environ["NOUS_DATA_DIR"]) == before
    assert registration.status(environ).state == "broken"


def test_a_place_that_cannot_be_written_is_named(environ: Environ, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a directory must be")
    with pytest.raises(NousError, match=r"cannot (read|write) .*data"):
        registration.install(environ)
    assert tree(environ["CLAUDE_CONFIG_DIR"]) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_named(environ: Environ, settings: Path) -> None:
    settings.parent.chmod(0o500)
    with pytest.raises(NousError, match=r"cannot write .*settings\.json: Permission denied"):
        registration.install(environ)
    settings.parent.chmod(0o700)


def test_a_plugin_that_was_switched_off_is_broken_until_it_is_installed_again(environ: Environ, settings: Path) -> None:
    settings.write_text('{"a": 1}')
    registration.install(environ)
    settings.write_text(settings.read_text().replace("true", "false"))
    report = registration.status(environ)
    assert report.state == "broken" and "enabledPlugins" in report.reasons[0]
    assert registration.install(environ).state == "installed"
    registration.uninstall(environ)
    assert settings.read_text() == '{"a": 1}'


def test_hooks_switched_off_for_all_are_reported(environ: Environ, settings: Path) -> None:
    settings.write_text('{"disableAllHooks": true}')
    report = registration.install(environ)
    assert report.state == "broken" and "disableAllHooks" in report.reasons[0]


def test_another_version_is_outdated(environ: Environ) -> None:
    registration.install(environ)
    manifest = Path(environ["NOUS_DATA_DIR"], "plugin/nous/.claude-plugin/plugin.json")
    manifest.write_text(manifest.read_text().replace(nous.__version__, "0.0.1"))
    report = registration.status(environ)
    assert (report.state, report.installed_version) == ("outdated", "0.0.1")
    assert registration.install(environ).state == "installed"


@pytest.mark.parametrize("lost", ["nous/hooks/hook.py", "nous/hooks/pipe.py", "nous/hooks/hooks.json"])
def test_a_copy_that_lost_a_file_is_broken_and_installing_heals_it(environ: Environ, lost: str) -> None:
    registration.install(environ)
    path = Path(environ["NOUS_DATA_DIR"], "plugin", lost)
    path.unlink()
    assert registration.status(environ).state == "broken"
    assert registration.install(environ).changed == (str(path),)
    assert registration.status(environ).state == "installed"


def test_an_interpreter_that_is_gone_is_broken(environ: Environ) -> None:
    registration.install(environ)
    script = Path(environ["NOUS_DATA_DIR"], "plugin/nous/hooks/hook.py")
    script.write_text(script.read_text().replace(f"#!{registration.interpreter()}", "#!/nowhere/python3"))
    report = registration.status(environ)
    assert report.state == "broken" and "/nowhere/python3" in report.reasons[0]


def test_files_of_an_older_version_go(environ: Environ) -> None:
    registration.install(environ)
    old = Path(environ["NOUS_DATA_DIR"], "plugin/nous/skills/gone/SKILL.md")
    old.parent.mkdir()
    old.write_text("old")
    assert registration.install(environ).changed == (str(old),)
    assert not old.parent.exists()


def test_a_second_nous_is_refused(environ: Environ, settings: Path) -> None:
    settings.write_text('{"enabledPlugins": {"nous@nous": true}}')
    with pytest.raises(ConfigError, match="nous@nous"):
        registration.install(environ)


def test_two_claude_directories_share_one_copy(environ: Environ, tmp_path: Path) -> None:
    second = {**environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "second")}
    registration.install(environ)
    registration.install(second)
    registration.uninstall(environ)
    assert registration.status(environ).state == "not installed"
    assert registration.status(second).state == "installed"
    registration.uninstall(second)
    assert not (tmp_path / "second").exists() and not Path(environ["NOUS_DATA_DIR"], "plugin").exists()


def test_without_a_receipt_our_entries_still_go(environ: Environ, settings: Path) -> None:
    settings.write_text('{"a": 1}')
    registration.install(environ)
    Path(environ["NOUS_DATA_DIR"], "plugin", registration.RECEIPT).write_text("garbage")
    registration.uninstall(environ)
    assert json.loads(settings.read_text()) == {"a": 1, "extraKnownMarketplaces": {}, "enabledPlugins": {}}


def test_the_shipped_plugin_has_the_version_of_the_package() -> None:
    manifest = json.loads((SHIPPED / ".claude-plugin/plugin.json").read_text())
    assert manifest["version"] == nous.__version__


def test_hooks_need_no_shell_and_little_time() -> None:
    hooks = json.loads((SHIPPED / "hooks/hooks.json").read_text())["hooks"]
    told = {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"}
    assert set(hooks) == told | {"PreCompact", "Stop", "SubagentStop", "SessionEnd"}
    assert hooks["PostToolUse"][0]["matcher"].split("|") == [*responses.FILE_TOOLS, "Grep", "Glob"]
    # Of commands only those that search: the client starts no process for the others.
    searches = [entry["if"] for entry in hooks["PostToolUse"][1]["hooks"]]
    assert hooks["PostToolUse"][1]["matcher"] == "Bash" and searches == [
        "Bash(grep *)",
        "Bash(rg *)",
        "Bash(git grep *)",
    ]
    # No matcher: a list of sources would miss the next one, as lists without `fork` do.
    assert all("matcher" not in group for group in hooks["SessionStart"])
    for name, entry in (
        (name, entry) for name, groups in hooks.items() for group in groups for entry in group["hooks"]
    ):
        # The client shows the command with its arguments to the user.
        assert [entry["command"], *entry["args"]] == ["${CLAUDE_PLUGIN_ROOT}/hooks/hook.py", name]
        assert entry["timeout"] <= 2
    assert os.access(SHIPPED / "hooks/hook.py", os.X_OK)


@pytest.mark.parametrize("skill", sorted((SHIPPED / "skills").iterdir()), ids=lambda path: path.name)
def test_a_skill_says_when_to_use_it_and_when_not(skill: Path) -> None:
    [described] = [line for line in (skill / "SKILL.md").read_text().splitlines() if line.startswith("description: ")]
    said = described.removeprefix("description: ")
    assert "Use " in said and ("Do not use" in said or "Not for" in said)
    assert ": " not in said and " #" not in said  # YAML would read something else there
    assert f"`/nous:{skill.name}`" in (SHIPPED / "README.md").read_text()


def test_the_installed_server_is_this_installation(environ: Environ) -> None:
    registration.install(environ)
    server = json.loads(Path(environ["NOUS_DATA_DIR"], "plugin/nous/.mcp.json").read_text())["mcpServers"]["memory"]
    assert Path(server["command"]).is_absolute() and server["args"][-1] == "mcp"


def test_the_installed_hooks_start_this_interpreter_without_a_shim(environ: Environ) -> None:
    registration.install(environ)
    script = Path(environ["NOUS_DATA_DIR"], "plugin/nous/hooks/hook.py")
    python, option = script.read_text().partition("\n")[0].removeprefix("#!").split(" ")
    # A shim is a script that looks the interpreter up; ours is a program.
    assert option == "-IS" and not Path(python).read_bytes().startswith(b"#!")
    version = subprocess.run([python, option, "-c", "import sys; print(sys.version_info[:2])"], **RUN)
    assert version.stdout.strip() == str(sys.version_info[:2])
    filled = dict(line.split(" = ") for line in script.read_text().splitlines() if line.startswith(("PACKAGE", "PYTH")))
    assert Path(ast.literal_eval(filled["PACKAGE"]), "nous", "__init__.py").is_file()
    assert ast.literal_eval(filled["PYTHON"]) == sys.executable


@pytest.mark.parametrize("folder", ["with a space", "it's", "x" * 150])
def test_an_interpreter_in_an_odd_place_runs_the_hook(tmp_path: Path, folder: str) -> None:
    python = tmp_path / folder / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    script = tmp_path / "hook.py"
    script.write_text(registration.first_line(str(python)) + "import sys\nprint(sys.argv[1:], sys.flags.isolated)\n")
    script.chmod(0o755)
    assert subprocess.run([script, "Stop"], **RUN).stdout == "['Stop'] 1\n"


def test_the_installed_skills_find_the_command(environ: Environ) -> None:
    registration.install(environ)
    wrapper = Path(environ["NOUS_DATA_DIR"], "plugin/nous/bin/nous")
    package = str(Path(nous.__file__).parent.parent)
    done = subprocess.run([wrapper, "--help"], env={"PATH": "/usr/bin:/bin", "PYTHONPATH": package}, **RUN)
    assert done.returncode == 0, done.stderr
    assert "recall" in done.stdout


RUN: Any = {"capture_output": True, "text": True, "timeout": 60}


def test_the_command_speaks_json_and_sentences(environ: Environ) -> None:
    run = CliRunner().invoke
    assert json.loads(run(command, ["status", "--json"], env=environ).output)["state"] == "not installed"
    assert json.loads(run(command, ["install", "--json"], env=environ).output)["state"] == "installed"
    assert run(command, ["status"], env=environ).stdout == f"plugin: installed (version {nous.__version__})\n"
    assert "nothing to do" in run(command, ["install"], env=environ).stderr
    assert json.loads(run(command, ["uninstall", "--json"], env=environ).output)["state"] == "not installed"


def test_the_command_fails_with_one_sentence(environ: Environ, settings: Path) -> None:
    settings.write_text("{")
    done = subprocess.run([sys.executable, "-m", "nous", "plugin", "install"], env=environ, **RUN)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]


# Laws, for any object in any formatting.

SPACE = st.text(" \t\n", max_size=3) | st.sampled_from(["", " ", "\n  ", "\r\n\t"])
WORDS = st.text('aé☃𝄞 "\\{}[]:,\n\x00', max_size=6)
KEYS = st.sampled_from(["model", "enabledPlugins", "a@b", registration.MARKET, registration.PLUGIN_ID]) | WORDS
SCALARS = st.none() | st.booleans() | st.integers(-9, 9**20) | st.sampled_from([0.5, -1e300]) | WORDS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "model": SCALARS,
        "enabledPlugins": st.dictionaries(
            st.sampled_from(["a@b", "c@d", registration.PLUGIN_ID]), st.booleans(), max_size=3
        ),
        "extraKnownMarketplaces": st.dictionaries(st.sampled_from(["x", "y"]), VALUES, max_size=2),
        "hooks": VALUES,
        'quo"ted{': VALUES,
    },
)


@st.composite
def texts(draw: st.DrawFn, value: Any = None) -> str:
    """A settings file in somebody's own formatting."""
    value = draw(OBJECTS) if value is None else value

    def pad() -> str:
        return draw(SPACE)

    def render(each: Any) -> str:
        if isinstance(each, dict):
            inner = ",".join(f"{pad()}{json.dumps(k)}{pad()}:{pad()}{render(v)}{pad()}" for k, v in each.items())
            return "{" + (inner or pad()) + "}"
        if isinstance(each, list):
            return "[" + (",".join(f"{pad()}{render(v)}{pad()}" for v in each) or pad()) + "]"
        return json.dumps(each, ensure_ascii=draw(st.booleans()))

    return pad() + render(value) + pad()


AT = registration.Places("/data/plugin", "/claude")
ENTRIES = registration.settings_entries(AT)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One settings file, written anew for each example."""
    return tmp_path_factory.mktemp("laws") / "settings.json"


def registered(file: Path, text: str) -> tuple[str, registration.FileChange | None]:
    """The text of a settings file after the registration, and the record of that."""
    file.write_bytes(text.encode())
    edited = registration.register(str(file), ENTRIES, None)
    if edited:
        file.write_bytes(edited[0].encode())
    return file.read_bytes().decode(), edited[1] if edited else None


def without_ours(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as they must be once nothing of ours is in them."""
    rest = {**settings, "enabledPlugins": dict(settings.get("enabledPlugins", {}))}
    rest["enabledPlugins"].pop(registration.PLUGIN_ID, None)
    return rest if "enabledPlugins" in settings else {k: v for k, v in rest.items() if k != "enabledPlugins"}


@given(text=texts())
def test_install_then_uninstall_is_the_identity(file: Path, text: str) -> None:
    change = registered(file, text)[1]
    restored = registration.restore(str(file), ENTRIES, change)
    if registration.PLUGIN_ID in json.loads(text).get("enabledPlugins", {}):
        assert restored is not None and json.loads(restored) == without_ours(json.loads(text))
    else:
        assert restored == text


@given(text=texts())
def test_installing_adds_our_entries_and_keeps_all_others_in_their_order(file: Path, text: str) -> None:
    before, after = json.loads(text), json.loads(registered(file, text)[0])
    for (outer, inner), value in ENTRIES.items():
        assert after[outer].pop(inner) == value
    expected = {"extraKnownMarketplaces": {}, "enabledPlugins": {}} | without_ours(before)
    assert after == expected
    assert [key for key in after if key in before] == list(before)


@given(text=texts(), data=st.data())
def test_whatever_the_client_does_to_the_file_only_our_entries_go(file: Path, text: str, data: st.DataObject) -> None:
    after, change = registered(file, text)
    changed = json.loads(after)
    order = data.draw(st.permutations(list(changed)))
    again = data.draw(texts({**{key: changed[key] for key in order}, "added": [1]}))
    file.write_bytes(again.encode())
    restored = registration.restore(str(file), ENTRIES, change)
    assert restored is not None
    assert {k: v for k, v in json.loads(restored).items() if v != {}} == {
        k: v for k, v in {**without_ours(json.loads(text)), "added": [1]}.items() if v != {}
    }


@given(texts(), st.lists(KEYS, min_size=1, max_size=3), VALUES)
def test_an_edit_puts_the_value_there_and_is_undone_exactly(text: str, path: list[str], value: Any) -> None:
    try:
        edit = jsontext.put(text, path, value)
    except jsontext.NotJson:
        return  # something on the way is no object
    edited = jsontext.apply(text, edit)
    assert jsontext.get(edited, path) == value
    assert jsontext.undo(edited, [edit]) == text
    gone = jsontext.drop(edited, path)
    assert gone is not None and jsontext.get(jsontext.apply(edited, gone), path) is None
