"""`nous mcp`: the memory as tools for a model."""

from __future__ import annotations

import click

from nous.shells import mcp as server


@click.command()
def mcp() -> None:
    """Serve the memory as MCP tools on stdin and stdout, for the project of the current directory."""
    server.main()
