"""`nous hook NAME`, listed for completeness: `__main__` answers it before this is ever loaded."""

from __future__ import annotations

import click

from nous.shells import hooks


@click.command()
@click.argument("name")
def hook(name: str) -> None:
    """Answer a hook of Claude Code: its payload on stdin, the answer on stdout, exit status 0 always."""
    hooks.main(name)
