"""A start tells once what a command is for: in the whole project, or in each folder of it."""

from __future__ import annotations

import pytest

from nous.language.standing import in_folder, is_same_rule, is_same_task

BUILD, ENVIRONMENT = (
    "Build with `make all`",
    "Python runs from the environment `.kiln`: `.kiln/bin/python -m glaze check`.",
)


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        (BUILD, ""),
        ("Build with `make` in tools/kiln.", "tools/kiln"),
        ("Build the project with `cd tools/kiln && make`.", "tools/kiln"),
        ("Run the tests with `make check` (plain `pytest` fails: no module named glaze) in tools/kiln", "tools/kiln"),
    ],
)
def test_the_folder_of_a_command_is_read(text: str, folder: str) -> None:
    assert in_folder(text) == folder


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Build the project with `make -B`.", BUILD),
        ("Build with `make` in tools/kiln.", BUILD),
        ("Check the style with `make lint`.", "Lint with `glazelint`"),
        ("`python -m glaze check` fails in this project; `.kiln/bin/python -m glaze check` works.", ENVIRONMENT),
    ],
)
def test_what_is_told_already_is_not_told_again(text: str, told: str) -> None:
    assert is_same_task(text, [told])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Run the tests with `make check`", BUILD),
        ("Build with `make` in tools/kiln.", "Build with `make` in tools/wheel."),
        ("Build with `make`", "Build with `make` in tools/wheel."),
        ("Check the types with `mypy`", "Lint with `glazelint`"),
        ("`glaze fire` fails in this project; `glaze fire --slow` works.", ENVIRONMENT),
        ("The wrapper `fast` always fails for `npm` (no such command): run plain `npm test` instead.", BUILD),
        ("Never build with `make` on the shared kiln.", BUILD),
    ],
)
def test_what_differs_is_told(text: str, told: str) -> None:
    assert not is_same_task(text, [told])


def test_a_wrapper_that_fails_is_told_beside_the_command_that_works() -> None:
    wrapper = "The wrapper `fast` always fails for `npm` (no such command): run plain `npm run test` instead."
    assert not is_same_rule("Run the tests with `npm run test`", wrapper)
