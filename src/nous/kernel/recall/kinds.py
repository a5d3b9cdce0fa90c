"""What well-known things are, for questions that ask for the kind and not for the name: "which payment provider?" is
answered by a text about Mollie, which shares no word with it.

A row gives what the kind is called, the names of such things, a question that asks for it and one that does not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class ThingKind(NamedTuple):
    """What a kind of thing is called, which things are of it, and two questions: one that asks for it, one not."""

    called: str  # alternatives, as a pattern of whole words
    names: str
    fits: str
    not_fits: str


KINDS: tuple[ThingKind, ...] = (
    ThingKind(
        r"payment (?:providers?|processors?|services?|gateways?)",
        "stripe mollie paypal adyen braintree klarna paddle razorpay",
        "payment provider",
        "when is the payment due?",
    ),
    ThingKind(
        r"package managers?",
        "npm pnpm yarn bun pip pipenv poetry uv cargo composer conda homebrew",
        "which package manager do we use?",
        "who manages the package?",
    ),
    ThingKind(
        r"(?:databases?|db) (?:engines?|servers?|systems?)|(?:which|what) (?:database|db)\b",
        "postgres postgresql sqlite mysql mariadb mongodb redis dynamodb cockroachdb supabase",
        "which database are we on?",
        "the database is slow",
    ),
    ThingKind(
        r"test(?:ing)? (?:frameworks?|runners?)",
        "pytest unittest jest vitest mocha rspec junit playwright cypress",
        "what is our test runner?",
        "run the tests",
    ),
    ThingKind(
        r"(?:hosting|cloud) (?:providers?|services?|platforms?)|where (?:is it|are we|do we) host(?:ed|ing)?",
        "vercel netlify heroku aws gcp azure cloudflare hetzner railway digitalocean fly",
        "which hosting provider?",
        "who is hosting the meeting?",
    ),
    ThingKind(
        r"message (?:queues?|brokers?)|job queues?",
        "rabbitmq kafka sqs nats celery sidekiq bullmq oban",
        "do we have a message broker?",
        "the message was queued",
    ),
    ThingKind(
        r"orms?", "prisma sqlalchemy drizzle typeorm sequelize ecto hibernate", "which ORM is it?", "the form is wide"
    ),
    ThingKind(
        r"linters?|(?:code )?formatters?",
        "eslint prettier ruff black biome flake8 pylint rubocop clippy",
        "which linter runs in CI?",
        "format the date",
    ),
    ThingKind(
        r"bundlers?|build tools?",
        "vite webpack rollup esbuild turbopack parcel gradle maven",
        "what bundler do we use?",
        "build the image",
    ),
    ThingKind(
        r"(?:error|crash) (?:tracking|reporting|tracker)|monitoring (?:tool|service|provider)s?",
        "sentry datadog grafana prometheus bugsnag honeycomb",
        "where does error tracking go?",
        "track the parcel",
    ),
    ThingKind(
        r"(?:auth|authentication|identity|login) (?:providers?|services?)",
        "auth0 clerk keycloak okta cognito firebase",
        "which auth provider?",
        "the login fails",
    ),
    ThingKind(
        r"e?-?mail (?:providers?|services?)",
        "sendgrid mailgun postmark ses resend mailchimp",
        "what email provider sends the invoices?",
        "send an email",
    ),
    ThingKind(
        r"(?:llm|model|ai) providers?|language models?",
        "openai anthropic gemini claude gpt ollama mistral",
        "which model provider is it?",
        "the data model",
    ),
    ThingKind(
        r"(?:object|file|blob) (?:storage|store)s?",
        "s3 minio r2 gcs",
        "where is our object storage?",
        "store the file",
    ),
    ThingKind(
        r"search engines?",
        "elasticsearch meilisearch algolia opensearch typesense solr",
        "which search engine indexes products?",
        "search for it",
    ),
    ThingKind(
        r"state management|css frameworks?|(?:ui|component) librar(?:y|ies)",
        "redux zustand pinia mobx jotai tailwind bootstrap shadcn mui chakra",
        "what do we use for state management?",
        "manage the state",
    ),
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(rf"\b(?:{kind.called})\b", re.I), tuple(kind.names.split())) for kind in KINDS)


def names_of_kind(text: str) -> dict[str, str]:
    """The names of things that a question asks for by their kind, each with the words that name the kind."""
    found: dict[str, str] = {}
    for pattern, names in _patterns():
        if asked := pattern.search(text):
            found |= dict.fromkeys(names, asked[0].lower())
    return found
