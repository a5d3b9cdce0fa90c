"""Which sentences of a memory a newer saying ends, and which it leaves alone."""

from __future__ import annotations

import pytest

from nous.kernel.learn.parts import ROWS, VALUE, PlainWord, puts_away, rest, untouched_part
from nous.language.compare.differences import split


@pytest.mark.parametrize("row", [*ROWS, VALUE], ids=lambda row: row.name)
def test_every_row_fits_its_example_and_not_the_other(row: PlainWord) -> None:
    assert row.ends(*row.fits)
    assert not row.ends(*row.unlike)


TWO = "The price changes only when adding a custom amount. Discounts and refunds are given by the manager of the shop."


def test_the_rest_goes_on_without_the_sentence_that_ended() -> None:
    left = rest("Let's remove the possibility to add custom amounts altogether.", TWO)
    assert left is not None
    assert left.content == "Discounts and refunds are given by the manager of the shop."
    assert left.reason == "it was put away"


def test_another_value_by_the_user_ends_the_one_sentence_that_gives_it() -> None:
    rules = "Function names start with 'a_'. Every handler of the service logs its own request id."
    left = rest("Function names start with 'b_'.", rules, by_user=True)
    assert left is not None and left.content == "Every handler of the service logs its own request id."
    assert rest("Function names start with 'b_'.", rules) is None


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("hopper got renamed to funnel yesterday", "The worker service is called `hopper`."),
        ("jenkins was retired last week", "CI runs on jenkins."),
    ],
)
def test_a_name_alone_is_enough(new: str, old: str) -> None:
    left = rest(new, old)
    assert left is not None and left.content == ""


def test_nothing_is_left_of_a_single_sentence() -> None:
    left = rest("Let's remove the custom amounts.", "The price changes only when adding a custom amount. Say so.")
    assert left is not None and left.content == "", "too little is left to go on"
    left = rest("we got rid of the payment gateway", "Refunds go to the payment gateway first.")
    assert left is not None and left.content == ""


@pytest.mark.parametrize(
    "new",
    [
        "I couldn't remove the custom amount",
        "don't remove the custom amount",
        "should we remove the custom amount?",
        "if you remove the custom amount it breaks",
        "I deleted the custom amount by accident",
        "the custom amount was empty",
        "remove the amount",
        "move the discounts from guests to bookings",
        "remove the default styling and pass the custom amount props to it",
    ],
)
def test_what_puts_nothing_away_ends_nothing(new: str) -> None:
    assert rest(new, TWO) is None


def test_what_is_put_away_for_another_use_goes_on() -> None:
    assert rest("we drop redis for the job queue and use SQS instead", "We use redis for sessions.") is None
    assert rest("we removed the custom amount on staging", "Production shows the custom amount.") is None


def test_what_was_put_away_before_is_not_ended_by_saying_so_again() -> None:
    assert rest("let's turn off local models entirely", "Disable continuous monitoring and local models.") is None


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("it works now", "The bullet editor fails on the second line."),
        ("the bullet editor is not working now", "The bullet editor fails on the second line."),
        ("the bullet editor works when I restart", "The bullet editor fails on the second line."),
        ("the bullet editor is working now", "The bullet editor has two modes."),
        ("our node version is 22.1.0", "The app version is 3.0.1."),
        ("maybe the next version is 0.9.0", "This version should be 0.8.5."),
    ],
)
def test_other_words_leave_it_alone(new: str, old: str) -> None:
    assert rest(new, old) is None


def test_an_order_that_puts_something_away_says_so() -> None:
    assert puts_away("Let's remove the continuous monitoring entirely.")
    assert not puts_away("Let's remove it.")


def test_a_text_is_split_only_where_its_parts_say_all_of_it() -> None:
    assert split(TWO) == (
        "The price changes only when adding a custom amount.",
        "Discounts and refunds are given by the manager of the shop.",
    )
    table = "| a | b |\n|---|---|\n| port | 4000 |"
    assert " ".join(split(table)).split() == table.split() or split(table) == (table,)


def test_of_a_joined_text_what_nobody_spoke_of_is_untouched() -> None:
    joined = "The dev server runs on port 4000. Invoices have eight digits."
    assert untouched_part("the dev server runs on port 4600 now", joined) == "Invoices have eight digits."


def test_of_two_orders_about_one_name_the_other_goes_on() -> None:
    known = "End function argument names with '_h' and include a single digit in the names."
    left = rest("Always end function argument names with '_g'.", known, by_user=True)
    assert left is not None and left.content == "Include a single digit in function argument names."
