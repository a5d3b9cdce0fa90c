"""Methods that live in a module of their own, which is loaded when one of them is called first."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class MethodsOf:
    """The functions of a module, to be named in the body of a class: `pin = MethodsOf("nous.features…").pin`."""

    def __init__(self, module: str):
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return _Late(self.module, name)


class _Late:
    """Takes itself out when it is asked for: the function stands in its place from then on."""

    def __init__(self, module: str, name: str):
        self.module = module
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.called = name

    def __get__(self, one: object, owner: type) -> Any:
        found = self._load()
        setattr(owner, self.called, found)
        return found.__get__(one, owner)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._load()(*given, **named)

    def _load(self) -> Any:
        return getattr(import_module(self.module), self.name)
