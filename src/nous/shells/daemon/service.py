"""The daemon as a service of the user's session: the file that systemd or launchd reads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple
from xml.sax.saxutils import escape

from nous import paths
from nous.errors import NousError

LABEL = "nous"
# The daemon must find the same directories as the shell that installed it.
CARRIED = ("NOUS_DATA_DIR", "NOUS_DB_PATH", "NOUS_SOCKET_PATH", "NOUS_PROJECT_GLOB", "CLAUDE_CONFIG_DIR", "PYTHONPATH")

UNIT = """\
[Unit]
Description=Nous, long-term memory for coding agents

[Service]
ExecStart={command}
Restart=on-failure
RestartSec=10
Nice=10
{environment}
[Install]
WantedBy=default.target
"""

AGENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{label}</string>
  <key>ProgramArguments</key><array>{command}</array>
  <key>EnvironmentVariables</key><dict>{environment}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ProcessType</key><string>Background</string>
</dict>
</plist>
"""


class Service(NamedTuple):
    """Where the service's file is, whether it is there, and what the system said."""

    path: str
    installed: bool
    said: str = ""


def path_of(environ: Mapping[str, str], platform: str = sys.platform) -> str:
    """Where the system looks for a user's services."""
    home = paths.home(environ)
    if platform == "darwin":
        return os.path.join(home, "Library", "LaunchAgents", f"{LABEL}.plist")
    if platform.startswith("linux"):
        config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        return os.path.join(config, "systemd", "user", f"{LABEL}.service")
    raise NousError("services are known for Linux (systemd) and macOS (launchd) only", hint="`nous up` works anywhere")


def text_of(environ: Mapping[str, str], platform: str = sys.platform, python: str = sys.executable) -> str:
    """What the service's file says."""
    command = [python, "-m", "nous", "up", "--foreground"]
    carried = {name: environ[name] for name in CARRIED if environ.get(name)}
    if platform == "darwin":
        return AGENT.format(
            label=LABEL,
            command="".join(f"<string>{escape(word)}</string>" for word in command),
            environment="".join(
                f"<key>{name}</key><string>{escape(value)}</string>" for name, value in carried.items()
            ),
        )
    settings = "".join(f"Environment={_quote(f'{name}={value}')}\n" for name, value in carried.items())
    return UNIT.format(command=" ".join(_quote(word) for word in command), environment=settings)


def _quote(word: str) -> str:
    """A word as systemd reads it."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def install(environ: Mapping[str, str], *, tell: bool = True) -> Service:
    """Write the file and start the service."""
    path = path_of(environ)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of(environ))
    return Service(path, True, _tell(_starting(path)) if tell else "")


def uninstall(environ: Mapping[str, str], *, tell: bool = True) -> Service:
    """Stop the service and remove its file."""
    path = path_of(environ)
    if not os.path.exists(path):
        return Service(path, False)
    said = _tell(_stopping(path)) if tell else ""
    os.unlink(path)
    return Service(path, False, said)


def status(environ: Mapping[str, str]) -> Service:
    """Whether the file is there."""
    path = path_of(environ)
    return Service(path, os.path.exists(path))


def _starting(path: str) -> list[list[str]]:
    if sys.platform == "darwin":
        return [["launchctl", "load", "-w", path]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", f"{LABEL}.service"]]


def _stopping(path: str) -> list[list[str]]:
    if sys.platform == "darwin":
        return [["launchctl", "unload", "-w", path]]
    return [["systemctl", "--user", "disable", "--now", f"{LABEL}.service"]]


def _tell(commands: list[list[str]]) -> str:
    """Tell the system; what it answered where it refused. The file is right either way."""
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return f"{command[0]} could not be asked: {problem}"
        if done.returncode:
            return f"`{' '.join(command)}` said: {(done.stderr or done.stdout).strip()}"
    return ""
