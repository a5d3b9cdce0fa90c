"""Nous: long-term memory for coding agents. Importing this imports nothing else."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` alone costs a hook more than everything it does
if TYPE_CHECKING:
    from nous.app import Nous as Nous

__version__ = "0.1.0"
__all__ = ["Nous", "__version__"]


def __getattr__(name: str) -> object:
    """`from nous import Nous` loads the application only when somebody asks for it."""
    if name == "Nous":
        from nous.app import Nous

        return Nous
    raise AttributeError(name)
