"""Settings: defaults, then the config file, then the environment. Read at the edge and passed in."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Meta

from nous import paths
from nous.errors import ConfigError

# Settings of earlier versions: a config file that still has one is read without it.
RETIRED = frozenset(
    {
        "interventions",
        "intervention_confidence",
        "intervention_days",
        "intervention_hours",
        "intervention_cooldown_hours",
        "archive_below",
        "archive_days",
        "max_memories",
        "hyde",
        "force_polling",
        "prune_days",
        "weights",
        "entailment",
        "reranker",
        "histories",
        "reconcile_seconds",
        "max_attempts",
        "reextract_on_version_change",
        "decay_curve",
    }
)
PLACES = ("db_path", "archive_dir", "socket_path")  # settings that name a file or a folder of ours


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. Each field's description is also its documentation."""

    data_dir: Annotated[str, Meta(description="where Nous keeps its database, logs and socket")]
    db_path: Annotated[str, Meta(description="the database: a file, or its URL (`sqlite:///path`, `postgresql://…`)")]
    archive_dir: Annotated[str, Meta(description="where `nous admin archive` puts what old events say")]
    socket_path: Annotated[str, Meta(description="the daemon's Unix socket")]
    claude_config_dir: Annotated[str, Meta(description="the configuration directory of Claude Code")]
    project_glob: Annotated[str, Meta(description="which transcripts are read")]
    enable_userpromptsubmit: Annotated[bool, Meta(description="answer the UserPromptSubmit hook")] = False
    read_since: Annotated[
        str,
        Meta(description="the daemon reads only transcripts changed since then (`nous backfill` reads all)"),
    ] = ""
    no_autostart: Annotated[bool, Meta(description="hooks never start the daemon")] = False
    session_start_tokens: Annotated[int, Meta(description="budget of the SessionStart packet", gt=0)] = 1500
    prompt_tokens: Annotated[int, Meta(description="budget of the UserPromptSubmit packet", gt=0)] = 600
    tool_tokens: Annotated[int, Meta(description="budget of a warning after a tool call", gt=0)] = 200
    announce: Annotated[bool, Meta(description="tell you in Claude Code how many lines a session was shown")] = True
    quiet_seconds: Annotated[
        float, Meta(description="seconds without a new line after which a session is learned", ge=0)
    ] = 2.0
    keep_transcripts: Annotated[bool, Meta(description="keep a redacted, compressed copy of what sessions said")] = True
    transcript_days: Annotated[int, Meta(description="days after which such a copy is dropped, 0 for never", ge=0)] = 0
    ignore: Annotated[
        str,
        Meta(
            description="paths whose contents are never stored: globs between colons, such as `~/private:*.pem`",
            max_length=10_000,
        ),
    ] = ""
    redact_contacts: Annotated[
        bool, Meta(description="also remove e-mail addresses and phone numbers from what sessions said")
    ] = False
    embedder: Annotated[str, Meta(description="what makes vectors: `builtin`, `none`, or a provider and its model")] = (
        "builtin"
    )
    llm_provider: Annotated[
        str,
        Meta(
            description="the model that reads sessions: `none`, `claude`, `anthropic`, `openai` (also Ollama, "
            "by its `llm_base_url`), or `recorded:FOLDER`",
            pattern=r"^(none|claude|anthropic|openai|recorded:.+)$",
        ),
    ] = "none"
    llm_excluded: Annotated[
        str,
        Meta(
            description="projects whose words are sent to no model: ids between commas; "
            "`nous config set llm_provider none --project PATH` adds one"
        ),
    ] = ""
    llm_model: Annotated[str, Meta(description="the model's name; empty for the provider's usual small one")] = ""
    llm_base_url: Annotated[str, Meta(description="where the provider is reached, if not at its usual address")] = ""
    llm_timeout_seconds: Annotated[
        float, Meta(description="seconds that an answer may take; a model on your own processor may need more", gt=0)
    ] = 600.0
    llm_command: Annotated[str, Meta(description="the client that `llm_provider = claude` runs")] = "claude"
    llm_input_usd: Annotated[
        float, Meta(description="dollars per million tokens sent; below 0 for the list price")
    ] = -1.0
    llm_output_usd: Annotated[
        float, Meta(description="dollars per million tokens received; below 0 for the list price")
    ] = -1.0
    daily_tokens: Annotated[int, Meta(description="tokens a model may take in one day (UTC)", ge=0)] = 150000
    daily_usd: Annotated[float, Meta(description="dollars a model may cost in one day (UTC)", ge=0)] = 0.15
    sync_dir: Annotated[
        str, Meta(description="a folder that your devices share; each puts there what it learned and takes the rest")
    ] = ""
    sync_passphrase_file: Annotated[
        str, Meta(description="the file with the passphrase that seals it, or `plain` for text that can be read")
    ] = ""
    hub: Annotated[str, Meta(description="the address of a hub: `https://hub.example.org`")] = ""
    serve_hub: Annotated[
        bool, Meta(description="this database is a hub: devices exchange events with it (`nous admin hub` sets it)")
    ] = False
    hub_token_file: Annotated[str, Meta(description="the file with the token that the hub asks for")] = ""
    hub_sealed: Annotated[
        bool, Meta(description="the hub is for your own devices: everything, sealed; else for a team")
    ] = False
    hub_ca_file: Annotated[str, Meta(description="who vouches for the hub, where the system does not know it")] = ""
    hub_cert_file: Annotated[str, Meta(description="the certificate and key that this device shows the hub")] = ""
    team_projects: Annotated[
        str, Meta(description="projects whose memories a team's hub gets: ids between commas, `*` for all")
    ] = ""
    disputes: Annotated[
        Literal["doubt", "discuss"],
        Meta(description="what a dispute does: `doubt` stops showing a memory, `discuss` keeps it with a badge"),
    ] = "doubt"
    log_format: Annotated[
        Literal["text", "json"],
        Meta(description="how the daemon's log is written: lines to read, or one JSON object each"),
    ] = "text"
    serve_http: Annotated[
        bool, Meta(description="the daemon also answers on HTTP, on this machine alone: the panel and the API")
    ] = True
    http_port: Annotated[
        int,
        Meta(
            description="the port of the panel and the API; the daemon takes a free one when it is taken, or for 0",
            ge=0,
            le=65535,
        ),
    ] = 4317
    http_bind: Annotated[
        str,
        Meta(description="where `nous serve` and `nous admin hub` listen; only this machine can reach it"),
    ] = "127.0.0.1"
    http_hosts: Annotated[
        str, Meta(description="other names under which the server is asked for, between commas: `hub.example.org`")
    ] = ""
    tls_cert_file: Annotated[str, Meta(description="the server's certificate, for https")] = ""
    tls_key_file: Annotated[str, Meta(description="its key, where it is not in the same file")] = ""
    tls_client_ca_file: Annotated[
        str, Meta(description="who vouches for clients: with it nobody comes in without a certificate of theirs")
    ] = ""
    tls_elsewhere: Annotated[
        bool, Meta(description="something in front of the server speaks https (a proxy, a private network)")
    ] = False


def describe_settings(environ: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every setting with its value, its default, what it means and where the value comes from."""
    path = config_file(environ)
    now, usual = load_settings(environ, path), load_settings(_bare(environ), os.devnull)
    in_file, in_environment = _from_file(path), _from_environment(environ)
    hints = _types()
    found = []
    for field in Settings.__struct_fields__:
        origin = "environment" if field in in_environment else "file" if field in in_file else "default"
        if field == "data_dir" and environ.get("NOUS_DATA_DIR"):
            origin = "environment"
        found.append(
            {
                "name": field,
                "value": msgspec.to_builtins(getattr(now, field)),
                "from": origin,
                "default": msgspec.to_builtins(getattr(usual, field)),
                "variable": variable(field),
                "description": get_args(hints[field])[1].description,
            }
        )
    return found


def _bare(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which nothing is set but where things are."""
    kept = ("HOME", "USERPROFILE", "XDG_DATA_HOME", "LOCALAPPDATA")
    return {name: environ[name] for name in kept if name in environ}


# Settings by which words leave, somebody is let in or other text is read; and the values that do the opposite.
OUTWARD = (
    *("llm_provider", "llm_model", "llm_base_url", "llm_command", "embedder", "archive_dir"),
    *("sync_dir", "sync_passphrase_file", "hub", "serve_hub", "hub_token_file", "hub_sealed", "hub_ca_file"),
    *("hub_cert_file", "team_projects", "http_bind", "http_hosts", "tls_cert_file", "tls_key_file"),
    *("tls_client_ca_file", "tls_elsewhere", "project_glob"),
)
CLOSED = {"llm_provider": ("none",), "hub_sealed": ("1", "true"), "serve_hub": ("0", "false")}


def without_choices(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment that opens nothing: for a daemon that an agent or a hook starts, which takes from the config file
    alone where words go and who is let in. What closes stays, such as `ignore`.

    Where it names another address of a model, no model is asked: neither that address nor the usual one was chosen.
    """
    opened = {variable(field) for field in OUTWARD}
    opened -= {
        variable(field) for field, values in CLOSED.items() if environ.get(variable(field), "").lower() in values
    }
    kept = {name: value for name, value in environ.items() if name not in opened and not name.endswith("_BASE_URL")}
    is_redirected = any(name.endswith("_BASE_URL") and value for name, value in environ.items())
    return kept | ({variable("llm_provider"): "none"} if is_redirected else {})


def ignored_paths(settings: Settings) -> list[str]:
    """The globs of `ignore`, with the home directory spelled out."""
    return [os.path.expanduser(glob) for glob in settings.ignore.split(os.pathsep) if glob]


def excluded_projects(settings: Settings) -> frozenset[str]:
    """The ids of projects whose words are sent to no model."""
    return frozenset(part.strip() for part in settings.llm_excluded.split(",") if part.strip())


def variable(field: str) -> str:
    """The environment variable of a setting."""
    return field.upper() if field == "claude_config_dir" else f"NOUS_{field.upper()}"


def config_file(environ: Mapping[str, str]) -> str:
    """Where the config file is looked for."""
    return os.path.join(paths.data_dir(environ), "config.toml")


def load_settings(environ: Mapping[str, str], path: str | None = None) -> Settings:
    """The settings in force; a malformed one is named in the error."""
    path = path or config_file(environ)
    values: dict[str, Any] = _defaults(environ) | _from_file(path) | _from_environment(environ)
    values["db_path"] = _file_of(str(values["db_path"]))
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as wrong:
        raise ConfigError(f"a setting is malformed: {wrong}", hint=f"see {path} and the NOUS_ variables") from None


def _file_of(given: str) -> str:
    """The database as a path, also of `sqlite:///path`; the URL of another engine stays as it is."""
    given = given.removeprefix("sqlite:///")
    return given if "://" in given else os.path.abspath(os.path.expanduser(given))


def mask_password(url: str) -> str:
    """A database as it may be named to anybody: a path as it is, a URL without its password."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    who, mark, where = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=who.partition(":")[0] + mark + where, query="", scheme="postgresql"))


def with_overrides(settings: Settings, given: Mapping[str, str]) -> Settings:
    """Settings with some of them given anew as text; those that make no sense stay as they were."""
    types = _types()
    for field, value in given.items():
        with suppress(msgspec.ValidationError):
            made = msgspec.convert(value, types[field], strict=False)
            settings = msgspec.structs.replace(settings, **{field: made})
    return settings


@cache
def _types() -> dict[str, Any]:
    """The type of each setting with what it allows; worked out once, since hooks ask for it."""
    return get_type_hints(Settings, include_extras=True)


def _defaults(environ: Mapping[str, str]) -> dict[str, Any]:
    claude = paths.claude_dir(environ)
    return {
        "data_dir": paths.data_dir(environ),
        "db_path": paths.database_path(environ),
        "archive_dir": os.path.join(paths.data_dir(environ), "archive"),
        "socket_path": paths.socket_path(environ),
        "claude_config_dir": claude,
        "project_glob": os.path.join(claude, "projects", "**", "*.jsonl"),
    }


def _from_file(path: str) -> dict[str, Any]:
    try:
        if path == os.devnull or not os.path.exists(path):
            return {}
        if stat.S_ISFIFO(os.stat(path).st_mode):  # whoever opens a pipe waits for ever
            raise OSError("it is a pipe, no file")
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (OSError, ValueError) as problem:
        raise ConfigError(f"cannot read {path}: {problem}") from None
    if "data_dir" in found:
        raise ConfigError(f"{path} cannot move the folder it lies in: NOUS_DATA_DIR says where that is, not data_dir")
    kept = {field: value for field, value in found.items() if field not in RETIRED}
    return kept | {name: _beside(path, kept[name]) for name in PLACES if isinstance(kept.get(name), str)}


def _beside(path: str, place: str) -> str:
    """A place that a config file names: from the folder of that file on, not from wherever somebody stands."""
    place = place.removeprefix("sqlite:///")
    if not place or "://" in place:
        return place
    return os.path.join(os.path.dirname(os.path.abspath(path)), os.path.expanduser(place))


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    given = {field: environ.get(variable(field)) for field in Settings.__struct_fields__}
    return {field: value for field, value in given.items() if value and field != "data_dir"}
