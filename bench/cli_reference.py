"""The reference of commands, made from their help: `python -m bench.cli_reference` writes docs/reference/cli.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from nous.shells.cli import PARTS, load
from nous.shells.cli import nous as command_line

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"
BEGIN = "<!-- From here on made by `python -m bench.cli_reference`. -->\n"
SHARED = {"as_json", "project", "all_projects"}


def commands(group: click.Group = command_line, path: str = "nous") -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it, in the order of the help."""
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        elif command:
            yield f"{path} {name}", command


def section(name: str, command: click.Command) -> Iterator[str]:
    """What the page says of one command."""
    context = click.Context(command, info_name=name)
    words = " ".join(
        parameter.make_metavar(context) for parameter in command.params if isinstance(parameter, click.Argument)
    )
    yield f"\n## `{name}`\n\n"
    if words:
        yield f"`{name} {words}`\n\n"
    yield "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n")) + "\n"
    own = [one for one in command.params if isinstance(one, click.Option) and not one.hidden and one.name not in SHARED]
    if own:
        yield "\n| option | meaning |\n| --- | --- |\n"
    for option in own:
        flag = ", ".join([*option.opts, *option.secondary_opts])
        value = "" if option.is_flag else " " + option.make_metavar(context)
        default = f" ({option.default})" if option.show_default and not option.is_flag else ""
        yield f"| `{flag}{value}`".replace("|", "\\|").replace("\\|", "|", 1) + f" | {option.help or ''}{default} |\n"


def page(written: str) -> str:
    """The page: what a person wrote at its top, then a section for each command."""
    parts = [(f"nous {name}", load(name)) for name in PARTS if name in ("hook", "mcp")]
    made = "".join(line for name, command in (*commands(), *parts) for line in section(name, command))
    return written.partition(BEGIN)[0] + BEGIN + re.sub(r"\n{3,}", "\n\n", made)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
