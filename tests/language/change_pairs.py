# ruff: noqa: E501  a table of sentences reads better with one pair a line
"""Pairs of sayings and what the newer one means for the older, made from templates, values and wordings.

The templates stand in two halves. The rules of the comparison were written with the first half in sight; the second was
run when they stood (decision 0200 has the figures of its first run).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Literal, NamedTuple

Expected = Literal["ends", "same", "stays"]
Half = Literal["first", "second"]


class SayingPair(NamedTuple):
    """An older saying, a newer one, and whether the older ends, is said again, or stays."""

    old: str
    new: str
    expected: Expected
    half: Half
    name: str


class Template(NamedTuple):
    """Wordings of one thing with a blank `{}`, and values for it; any two values differ."""

    name: str
    wordings: tuple[str, ...]
    values: tuple[str, ...]


class ThingTemplate(NamedTuple):
    """Wordings with a blank for a thing and one for what is said of it; `has_one_of_each`: both together are another."""

    name: str
    wordings: tuple[str, ...]
    things: tuple[str, ...]
    values: tuple[str, ...]
    has_one_of_each: bool = False


# The thing gets another value: every wording with one value, then every wording with another.
CHANGES: dict[Half, tuple[Template, ...]] = {
    "first": (
        Template("prefix", ("Variable names start with '{}'.", "Always start variable names with '{}'.",
            "From now on, I want you to start all variable names with '{}'."), ("m_", "vr_", "x_")),
        Template("node", ("The project runs on Node {}.", "We are on Node {} now.", "Use Node {}."), ("18", "20", "22")),
        Template("deploy", ("Deploy with `{}`.", "We deploy with `{}`.", "To deploy, run `{}`."),
            ("make deploy", "make ship", "./bin/release --prod")),
        Template("manager", ("Use {} for packages.", "We use {} for packages here.", "Packages are installed with {}."),
            ("npm", "pnpm", "yarn")),
        Template("timeout", ("The API timeout is {} seconds.", "API timeout: {} seconds.",
            "Set the API timeout to {} seconds."), ("30", "45", "90")),
        Template("host", ("The staging host is {}.", "Our staging host is now {}."), ("stg7.example.org", "stg9.example.org")),
        Template("indent", ("Indent with {}.", "Use {} for indentation.", "We indent with {}."), ("tabs", "spaces")),
        Template("commit language", ("Commit messages are in {}.", "Write commit messages in {}."), ("English", "German")),
        Template("components", ("Write {} components.", "We write {} components."), ("class", "functional")),
        Template("praefix", ("Funktionsnamen beginnen mit '{}'.", "Ab jetzt beginnen Funktionsnamen mit '{}'."), ("a_", "b_")),
        Template("prefixe", ("Les noms de fonctions commencent par '{}'.", "Désormais les noms de fonctions commencent par '{}'."),
            ("a_", "b_")),
        Template("前缀", ("函数名以 '{}' 开头", "从现在开始函数名以 '{}' 开头"), ("a_", "b_")),
    ),
    "second": (
        Template("suffix", ("Class attributes end with '{}'.", "I'd like you to end class attributes with '{}'.",
            "Going forward, end all class attributes with the suffix '{}'."), ("_at", "_q", "_s")),
        Template("python", ("We support Python {} only.", "The service runs on Python {}.", "Python {} is required."),
            ("3.11", "3.12", "3.13")),
        Template("tests", ("Run the tests with `{}`.", "The tests are run with `{}`."),
            ("pytest -q", "pytest -n 4", "tox -e py312")),
        Template("chart tool", ("We deploy with {}.", "Deployments are done with {}."), ("Helm", "Kustomize")),
        Template("pool", ("The connection pool size is {}.", "Set the connection pool size to {}."), ("10", "20", "50")),
        Template("fixtures", ("Fixtures live in {}.", "Put fixtures in {}.", "Fixtures are kept in {}."),
            ("tests/data/", "testdata/", "tests/fixtures/")),
        Template("ids", ("Primary keys are {}.", "Use {} for primary keys."), ("UUIDs", "integers")),
        Template("branch", ("The default branch is {}.", "Our default branch is now {}."), ("main", "develop")),
        Template("quotes", ("Use {} quotes in Python.", "Python strings use {} quotes."), ("single", "double")),
        Template("retention", ("Logs are kept for {}.", "Keep logs for {}."), ("30 days", "90 days", "two weeks")),
        Template("zeitlimit", ("Das Zeitlimit der API beträgt {} Sekunden.", "Ab sofort beträgt das Zeitlimit der API {} Sekunden."),
            ("30", "45")),
        Template("puerto", ("El puerto de la API es {}.", "A partir de ahora el puerto de la API es {}."), ("8080", "9090")),
        Template("порт", ("Порт сервера {}.", "Теперь порт сервера {}."), ("8080", "9090")),
    ),
}  # fmt: skip

# The opposite is said: each of the left against each of the right.
OPPOSITES: dict[Half, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "first": (
        (("Never push to main.", "Do not push to main."), ("Always push to main.", "You can push to main directly.")),
        (("Run the linter before committing.",), ("Run the linter after committing.",)),
        (("Strict mode is on.",), ("Strict mode is off.", "Strict mode is disabled.")),
        (("Always write docstrings for public functions.",), ("Never write docstrings for public functions.",
            "Don't write docstrings for public functions.")),
        (("Run the tests with `npm test`.",), ("Plain `npm test` hangs here.", "Don't run `npm test`.",
            "Run the tests with `npm run ci`, not `npm test`.")),
        (("Verwende immer Typannotationen.",), ("Verwende keine Typannotationen.",)),
    ),
    "second": (
        (("Squash commits when merging.", "Always squash commits when merging."), ("Never squash commits when merging.",
            "Do not squash commits when merging.")),
        (("Migrations run before the deploy.",), ("Migrations run after the deploy.",)),
        (("The cache is enabled.",), ("The cache is disabled.", "The cache is off.")),
        (("Error messages are public.",), ("Error messages are private.",)),
        (("Mock the database in unit tests.",), ("Don't mock the database in unit tests.",
            "Never mock the database in unit tests.")),
        (("Start the app with `docker compose up`.",), ("`docker compose up` does not work here.",)),
        (("Utilise toujours des tabulations.",), ("N'utilise jamais de tabulations.",)),
        (("Siempre escribe comentarios en el código.",), ("Nunca escribas comentarios en el código.",)),
    ),
}  # fmt: skip

# Different words for one thing: any two of a row.
PARAPHRASES: dict[Half, tuple[tuple[str, ...], ...]] = {
    "first": (
        ("All functions must have docstrings.", "Always use docstrings in your functions.", "Every function needs a docstring.",
            "I want you to use docstrings in all functions."),
        ("Run the tests before committing.", "Before you commit, run the tests.", "Never commit without running the tests.",
            "Always run the tests before every commit."),
        ("Keep your answers short.", "Replies should be brief.", "Please keep answers short."),
        ("Deploy with `make deploy`.", "We deploy with `make deploy`.", "To deploy, use `make deploy`."),
        ("Remove temp files after each run.", "Delete temporary files after every run."),
        ("Use type hints for all functions.", "Functions must have type hints.", "Always add type hints to functions."),
        ("Never edit generated files.", "Do not edit generated files.", "Generated files must not be edited."),
    ),
    "second": (
        ("Write commit messages in English.", "Commit messages must be in English.", "Commit messages should be written in English."),
        ("Always add a changelog entry for each release.", "Every release needs a changelog entry.",
            "Each release must have a changelog entry."),
        ("Never log passwords.", "Passwords must not be logged.", "Do not log passwords."),
        ("The API listens on port 8080.", "The API port is 8080."),
        ("Ask before deleting files.", "Never delete files without asking.", "Before you delete files, ask."),
        ("Use absolute imports.", "Imports must be absolute.", "We use absolute imports."),
        ("Pictures go to assets/.", "Put images in assets/."),
        ("Start the dev server with `npm run dev`.", "The dev server is started with `npm run dev`."),
        ("Verwende immer Typannotationen.", "Bitte verwende Typannotationen."),
    ),
}  # fmt: skip

# Much alike, and yet two things that both hold: (older, newer).
LOOK_ALIKES: dict[Half, tuple[tuple[str, str], ...]] = {
    "first": (
        *((f"{verb} {one} names with '{a}'.", f"{verb} {other} names with '{b}'.")
            for verb, one, other, a, b in product(("Start", "Always start"), ("function", "variable"),
                ("method", "attribute", "class"), ("a_",), ("a_", "b_"))),
        ("Start function names with 'a_'.", "End function names with '_x'."),
        ("Start function names with 'a_'.", "Start function argument names with 'b_'."),
        ("Always import the 'gzip' module.", "Always import the 'bz2' module."),
        ("Add the '@retry' decorator to all functions.", "Add the '@trace' decorator to all functions."),
        ("The staging host is stg7.example.org.", "The production host is prd7.example.org."),
        ("The API timeout is 30 seconds.", "The worker timeout is 45 seconds."),
        ("We use Redis for caching.", "We use Celery for background jobs."),
        ("Never push to main.", "Never push to release."),
        ("Never edit files in vendor/.", "Never edit files in generated/."),
        ("Run the unit tests with `make unit`.", "Run the end-to-end tests with `make e2e`."),
        ("Use docstrings in functions.", "Use annotations in functions."),
        ("Include try statements in methods.", "Include assert statements in methods."),
        ("Deploy with `make deploy`.", "Maybe we should deploy with `make ship`."),
        ("Commit messages are in English.", "Code comments are in German."),
        ("Use tabs in Go files.", "Use spaces in Python files."),
        ("Retry failed requests 3 times.", "Retry failed uploads 5 times."),
    ),
    "second": (
        *((f"The {one} {what} is {a}.", f"The {other} {what} is {b}.")
            for one, other, what, a, b in product(("admin", "mail"), ("search", "billing"), ("port", "timeout", "limit"),
                ("20",), ("20", "40"))),
        ("Tests for the parser live in tests/parser/.", "Tests for the lexer live in tests/lexer/."),
        ("Ask Mira before changing the schema.", "Ask Jonas before changing the deploy script."),
        ("Support CSV in the importer.", "Support JSON in the importer."),
        ("Production runs Postgres 14.", "Staging runs Postgres 16."),
        ("Do not mock the database.", "Do not mock the clock."),
        ("Use uv for Python packages.", "Use pnpm for frontend packages."),
        ("Log errors with their stack trace.", "Show errors without their stack trace."),
        ("Rebase feature branches.", "Squash hotfix branches."),
        ("The nightly build takes 20 minutes.", "The release build takes 40 minutes."),
        ("Document public methods.", "Document public endpoints."),
        ("Round prices to 2 digits.", "Round weights to 3 digits."),
        ("Use snake_case for functions.", "Use PascalCase for classes."),
        ("Format Python with black.", "Format TypeScript with prettier."),
        ("Never delete migrations.", "Never delete backups."),
        ("Run `make lint` before pushing.", "Run `make test` before pushing."),
        ("Die Tests laufen mit `make test`.", "Der Linter läuft mit `make lint`."),
        ("Nous utilisons Postgres pour les commandes.", "Nous utilisons Redis pour les sessions."),
    ),
}  # fmt: skip

# Different things that are spoken of alike: `{t}` is which one, `{v}` what is said of it.
DIFFERENT_THINGS: dict[Half, tuple[ThingTemplate, ...]] = {
    "first": (
        ThingTemplate("pallet", ("Pallet {t} belongs to lane {v}.", "Put pallet {t} into lane {v}."), ("8", "9", "12"), ("1", "2")),
        ThingTemplate("service", ("The {t} service listens on port {v}.", "The {t} service has port {v}."),
            ("cart", "mail", "search", "login"), ("4001", "4002")),
        ThingTemplate("numbered service", ("Service number {t} has port {v}.", "Service {t} gets port {v}."),
            ("7", "8"), ("5007", "5008")),
        ThingTemplate("test command", ("Tests of {t} run with `make test-{t}{v}`.", "Run the tests of {t} with `make test-{t}{v}`."),
            ("billing", "auth", "payments"), ("", " -j4")),
        ThingTemplate("environment", ("On {t} the log level is {v}.", "Use log level {v} on {t}.", "The log level on {t} is {v}."),
            ("staging", "production", "the sandbox"), ("debug", "info")),
        ThingTemplate("on call", ("{t} is on call on {v}.", "On {v} {t} is on call."), ("Mira", "Jonas", "Petra"),
            ("Monday", "Tuesday"), has_one_of_each=True),
        ThingTemplate("table", ("The table `{t}` has {v} partitions.", "Keep {v} partitions for the table `{t}`."),
            ("orders", "users", "events"), ("12", "24")),
        ThingTemplate("file", ("{t} is generated by `{v}`.", "Generate {t} with `{v}`."),
            ("src/api.ts", "src/routes.ts", "docs/cli.md"), ("make gen", "make all")),
        ThingTemplate("language", ("Use {v} in {t} files.", "{t} files are indented with {v}."), ("Go", "Python", "Ruby"),
            ("tabs", "spaces")),
        ThingTemplate("night", ("The backup on {t} starts at {v}.", "Start the backup on {t} at {v}."),
            ("Monday", "Friday", "Sunday"), ("02:00", "03:30")),
        ThingTemplate("ticket", ("Ticket {t} is worth {v} points.",), ("ABC-12", "ABC-13", "#77", "#78"), ("3", "5")),
    ),
    "second": (
        ThingTemplate("shelf", ("Shelf {t} holds {v} boxes.", "Keep {v} boxes on shelf {t}."), ("3", "4", "40"), ("4", "40")),
        ThingTemplate("queue", ("The {t} queue retries {v} times.", "Retry jobs of the {t} queue {v} times."),
            ("email", "export", "thumbnail"), ("3", "5")),
        ThingTemplate("image", ("Build the {t} image with `docker build -t {t}:{v} .`.", "The {t} image is built with `docker build -t {t}:{v} .`."),
            ("api", "worker", "proxy"), ("latest", "dev")),
        ThingTemplate("region", ("Requests to {t} time out after {v} seconds.", "Set the timeout for {t} to {v} seconds."),
            ("eu-west-1", "us-east-1", "ap-south-2"), ("10", "30")),
        ThingTemplate("team", ("The {t} team meets at {v}.", "Meetings of the {t} team are at {v}."),
            ("design", "platform", "mobile"), ("09:30", "14:00")),
        ThingTemplate("branch", ("Branch {t} is deployed to {v}.", "Deploy {t} to {v}."), ("release/1.2", "release/1.3", "next"),
            ("a.example.org", "b.example.org")),
        ThingTemplate("setting", ("`{t}` defaults to '{v}'.", "The default of `{t}` is '{v}'."), ("API_MODE", "LOG_MODE", "RETRY_MODE"),
            ("slow", "fast")),
        ThingTemplate("customer", ("Invoices for {t} are due in {v} days.", "{t} pays within {v} days."), ("Acme", "Globex", "Initech"),
            ("14", "30")),
        ThingTemplate("opening", ("On {t} the office opens at {v}.", "The office opens at {v} on {t}."), ("Mondays", "Fridays"),
            ("08:00", "10:00")),
        ThingTemplate("role", ("{t} may upload up to {v} files.", "The upload limit for {t} is {v} files."),
            ("Admins", "Guests", "Editors"), ("5", "50")),
        ThingTemplate("flag", ("The flag '{t}' is {v}.",), ("new-cart", "old-cart", "dark-mode"), ("on", "off")),
        ThingTemplate("column", ("Column {t} of the report is {v} characters wide.", "Make column {t} of the report {v} characters wide."),
            ("2", "3", "7"), ("20", "30")),
        ThingTemplate("Dienst", ("Der Dienst {t} läuft auf Port {v}.", "{t} läuft auf Port {v}."), ("Kasse", "Lager", "Versand"),
            ("8081", "8082")),
        ThingTemplate("endpoint", ("{t} returns at most {v} items.", "Return at most {v} items from {t}."),
            ("/users", "/orders", "/invoices"), ("50", "100")),
        ThingTemplate("formatter", ("Format {t} files with {v}.", "{t} files are formatted with {v}."), ("CSS", "Markdown", "YAML"),
            ("prettier", "dprint")),
        ThingTemplate("reviewer", ("{t} reviews changes of the {v} module.", "Changes of the {v} module are reviewed by {t}."),
            ("Ines", "Tomas"), ("tax", "stock"), has_one_of_each=True),
    ),
}  # fmt: skip


def change_pairs(half: Half | None = None) -> Iterator[SayingPair]:
    """All pairs, or those of one half."""
    for one in ("first", "second") if half is None else (half,):
        yield from _changes(one)
        yield from _opposites(one)
        yield from _paraphrases(one)
        yield from (SayingPair(old, new, "stays", one, "look-alike") for old, new in LOOK_ALIKES[one])


def _changes(half: Half) -> Iterator[SayingPair]:
    for template in CHANGES[half]:
        for before, after in product(template.wordings, repeat=2):
            for was, now in product(template.values, repeat=2):
                expected: Expected = "ends" if was != now else "same"
                if was != now or before != after:
                    yield SayingPair(before.format(was), after.format(now), expected, half, template.name)


def _opposites(half: Half) -> Iterator[SayingPair]:
    for left, right in OPPOSITES[half]:
        yield from (SayingPair(one, other, "ends", half, "opposite") for one, other in product(left, right))
        yield from (SayingPair(other, one, "ends", half, "opposite") for one, other in product(left, right))


def _paraphrases(half: Half) -> Iterator[SayingPair]:
    for row in PARAPHRASES[half]:
        yield from (
            SayingPair(one, other, "same", half, "paraphrase") for one, other in product(row, repeat=2) if one != other
        )


def look_alikes(half: Half | None = None) -> Iterator[SayingPair]:
    """Pairs about different things, in each wording and both directions, with one value for both or two."""
    for one in ("first", "second") if half is None else (half,):
        yield from (SayingPair(old, new, "stays", one, "look-alike") for old, new in LOOK_ALIKES[one])
        for template in DIFFERENT_THINGS[one]:
            yield from _different_things(template, one)


def _different_things(template: ThingTemplate, half: Half) -> Iterator[SayingPair]:
    for before, after in product(template.wordings, repeat=2):
        for (thing, other), (was, now) in product(permutations(template.things, 2), product(template.values, repeat=2)):
            if was != now or not template.has_one_of_each:
                old, new = before.format(t=thing, v=was), after.format(t=other, v=now)
                yield SayingPair(old, new, "stays", half, template.name)
