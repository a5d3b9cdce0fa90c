"""`python -m nous` and the `nous` command. Hooks go past the command line: they must start fast."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line; its exit status."""
    if len(sys.argv) == 3 and sys.argv[1] == "hook" and not sys.argv[2].startswith("-"):
        from nous.shells.hooks import main as hook

        return hook(sys.argv[2])
    from nous.shells.quick import ask_daemon

    if ask_daemon(sys.argv[1:], os.environ):
        return 0
    from nous.shells.cli import main as cli

    return cli()


if __name__ == "__main__":
    sys.exit(main())
