#!/usr/bin/env -S python3 -IS
"""What the client starts for a hook: hook.py NAME [PACKAGE_DIR PYTHON]. All of it is in `pipe.py`."""

import sys

# `nous plugin install` fills these in: where the package is, and the Python that has what it needs.
PACKAGE = ""
PYTHON = ""

sys.path.insert(0, __file__.rpartition("/")[0])  # an isolated interpreter does not look beside its script
try:
    import pipe

    pipe.run(PACKAGE, PYTHON)
except Exception:
    pass  # a session must never wait for, or break on, its memory
