"""Secrets and private spans leave a text before anything is stored.

`tokens.txt` and `rules` say what a secret looks like, `values` what is none, `blocks` which pieces of text hold nothing
else, `commands` what prints nothing else; `engine` runs them, `turns` and `answers` apply them to what was said,
`session` keeps one from being repeated.
"""

from nous.redact.commands import secret_output
from nous.redact.engine import redact_text
from nous.redact.session import Discretion, without
from nous.redact.turns import redact_contacts, redact_turn, without_contacts

__all__ = [
    "Discretion",
    "redact_contacts",
    "redact_text",
    "redact_turn",
    "secret_output",
    "without",
    "without_contacts",
]
