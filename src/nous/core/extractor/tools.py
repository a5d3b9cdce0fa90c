# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""The programs of the trade and the marks of their failures, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

# -- asked by deeds --------------------------------------------------------------------------------

# What a command is for, by the words in it; the first row that matches decides.
PURPOSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (purpose, re.compile(pattern, re.I))
    for purpose, pattern in (
        (
            "test",
            r"\b(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|karma|cypress|playwright|rspec|minitest|phpunit|pest|ctest|nextest|gotestsum|bats|busted|ginkgo)\b|\b(?:make|just|task|npm(?: run)?|pnpm(?: run)?|yarn(?: run)?|bun(?: run)?|cargo|go|mix|dotnet|gradlew?|mvnw?|mvn|swift|deno|rake|lein|sbt|zig|flutter|dart|bazel|composer|rails|invoke|inv|nx|turbo|hatch run|uv run|poetry run|pdm run|\./\S+)\s+(?:\S+[: ])?(?:test|tests|check|spec|specs|verify|ci)\b",
        ),
        (
            "lint",
            r"\b(?:ruff check|flake8|pylint|eslint|golangci-lint|clippy|rubocop|shellcheck|stylelint|biome|mypy|pyright|tsc|pre-commit|ktlint|detekt|swiftlint|hadolint|credo|phpstan|psalm)\b|\b(?:make|just|task|npm(?: run)?|pnpm(?: run)?|yarn(?: run)?|bun(?: run)?)\s+\S*(?:lint|typecheck|type-check|types)\S*\b",
        ),
        (
            "format",
            r"\b(?:ruff format|black|prettier|gofmt|rustfmt|cargo fmt|clang-format|isort|mix format|dart format)\b|\b(?:make|just|task|npm run|pnpm(?: run)?|yarn(?: run)?)\s+\S*(?:fmt|format)\S*\b",
        ),
        (
            "deploy",
            r"\b(?:make|just|task|npm run|pnpm(?: run)?|yarn(?: run)?|fly|flyctl|vercel|netlify|helm|kubectl apply|terraform apply|cap|ansible-playbook|serverless|sls|cdk|pulumi|gcloud|eb|heroku|\./\S+)\s*\S*(?:deploy|ship|release|publish|rollout|up)\b",
        ),
        (
            "migrate",
            r"\b(?:alembic upgrade|manage\.py migrate|rails db:migrate|prisma migrate|knex migrate|flyway|liquibase|diesel migration|sqlx migrate|goose up|dbmate)\b|\b(?:make|just|task|npm run|pnpm(?: run)?)\s+\S*migrat\S*\b",
        ),
        (
            "build",
            r"\b(?:cargo build|go build|dotnet build|mvn package|gradlew? (?:build|assemble)|cmake --build|docker(?: compose)? build|python3? -m build|npm pack|tsc -b|vite build|webpack|bazel build|swift build|xcodebuild|zig build|mix compile|ninja|meson compile)\b|\b(?:make|just|task|npm run|pnpm(?: run)?|yarn(?: run)?|bun run)\s+\S*build\S*\b|^make$",
        ),
        (
            "install",
            r"\b(?:npm (?:ci|install|i)|pnpm (?:install|i)|yarn install|bun install|pip3? install -|uv (?:sync|pip install -)|poetry install|pdm install|bundle install|composer install|cargo fetch|go mod download|mix deps\.get|pod install|make (?:install|setup|bootstrap|deps)|just (?:setup|install|bootstrap))\b",
        ),
        (
            "run",
            r"\b(?:npm (?:start|run (?:dev|start|serve))|pnpm (?:dev|start)|yarn (?:dev|start)|bun (?:dev|start)|flask run|uvicorn|gunicorn|manage\.py runserver|rails s(?:erver)?|cargo run|go run|dotnet run|docker(?: compose|-compose) up|mix phx\.server|make (?:run|serve|dev|start|up)|just (?:run|serve|dev|start|up)|python3? -m (?!build|pip|pytest|venv|json|http|cProfile)\w)\b",
        ),
        # Any other program whose first words say what it does: `west build -b …`, `./vendor/bin/sail test`.
        ("test", r"^(?:\w+=\S+ )*[\w./@-]+(?: [\w:@-]+){0,2} tests?(?: |$)"),
        ("build", r"^(?:\w+=\S+ )*[\w./@-]+(?: run)? build(?: |$)"),
        ("lint", r"^(?:\w+=\S+ )*[\w./@-]+(?: run)? lint(?: |$)"),
        ("format", r"^(?:\w+=\S+ )*[\w./@-]+(?: run)? (?:fmt|format)(?: |$)"),
        ("deploy", r"^(?:\w+=\S+ )*[\w./@-]+(?: run)? deploy(?: |$)"),
        ("migrate", r"^(?:\w+=\S+ )*[\w./@-]+(?: [\w:@-]+)? migrate(?: |$)"),
    )
)
ERROR_WORDS = re.compile(
    r"error|exception|fail|fatal|panic|abort|not found|no such|no module|cannot|can't|could not|couldn't|unable|denied|refused|"
    r"missing|invalid|unexpected|undefined|unknown|unrecognized|unsupported|conflict|timed? ?out|exceed|expected|required",
    re.I,
)
SETUP = re.compile(r"^(?:(?:source|\.)\s+\S*activate\s*&&\s*|export\s+\S+\s*(?:&&|;)\s*)")
NARROW = re.compile(
    r"::|(?:^|\s)[\w./-]*(?:test|spec)[\w-]*\.\w+|-k\s|--lf\b|--grep|-t\s['\"]|\.(?:py|ts|js|rb|go|rs)\b|--filter|-run\s|--only|/\w+/\w+/"
)
INTERESTING = Cue(
    {
        "any": (
            r"no module named|modulenotfounderror|importerror|cannot find (?:module|package)|command not found|\bnot found\b|not recognized as|no such file or directory|permission denied|eacces|enoent|econnrefused|connection refused|could not connect|eaddrinuse|address already in use|cannot open shared object|undefined (?:symbol|reference)|no matching (?:distribution|version|manifest)|version (?:conflict|mismatch)|incompatible|unsupported|not supported|unknown (?:option|variant|field|argument|flag)|unknown (?:option|argument)|unrecognized (?:option|argument)s?|invalid (?:option|value|configuration|pyproject)|invalid (?:option|value|configuration)|missing (?:required|dependency|environment|peer)|is not set|not installed|must be set|toml parse error|syntaxerror|certificate|ssl|timed? ?out|timeout(?:error)?|out of memory|oom|heap out of memory|disk quota|no space left|lock(?:ed| file)|already (?:exists|allocated|running|bound|in use)|authentication failed|unauthorized|forbidden|rate limit|configerror|configurationerror|operationalerror|dns|getaddrinfo|resolve host|could not resolve|peer dep|eresolve|eperm|segmentation fault|core dumped|collected 0 items|no tests ran|glibc|wrong architecture|exec format"
        )
    }
)
ERROR_LINE = re.compile(
    r"(?:^|\n)\s*(?:E\s+)?((?:[\w.]*(?:Error|Exception|Failure)|error(?:\[\w+\])?|(?i:fatal(?: error)?)|panic|ERROR|FAILED)\b[: ][^\n]{5,200})"
)
HOOK_FAILED = re.compile(r"(?:^|\n)([\w -]{2,40}?)\.{3,}[^\n]*Failed\b")
NUMBERS = re.compile(r"\s+")

REMEDY = re.compile(
    r"\b(?:install|add|activate|export|chmod|mkdir|brew|apt|uv|pip|npm|pnpm|yarn|cargo|rm|mv|cp|ln|kill|docker|git (?:config|submodule|lfs)|rehash|upgrade|update|migrate\S*|init|sync|restart|start|login|source)\b",
)
REFUSES = re.compile(
    r"\b(?:not|never|instead|don'?t|drop|breaks?|wrong|no|old|dead|gone|retired)\b|nicht|pas|不",
)
SCRIPT = re.compile(
    r"<<|\$\(|for |while |echo |\\$",
)
EXPLAINS = re.compile(
    r"\b(?:because|without|needs?|has to|must|so)\b",
)

OTHER_TOOLS = frozenset(
    "git echo cat grep rg ls find sed awk rm mv cp which type head tail tree touch chmod open gh curl wget pkill kill ps man".split()  # noqa: SIM905
)

WORDING = {
    "test": "Run the tests with",
    "lint": "Lint and type-check with",
    "format": "Format with",
    "deploy": "Deploy with",
    "migrate": "Run migrations with",
    "build": "Build with",
    "install": "Install dependencies with",
    "run": "Start it with",
}

SETTINGS_FILE = re.compile(
    r"(?:^|/)(?:[\w.-]+\.(?:toml|ya?ml|jsonc?|properties|gradle(?:\.kts)?|cfg|ini|conf|env|xml|lock|nix|cmake|tf|plist|mk)|Dockerfile[\w.-]*|Makefile|CMakeLists\.txt|Gemfile|Podfile|Procfile|\.[\w.-]*rc(?:\.\w+)?|\.[\w-]+ignore|\.tool-versions|\.nvmrc|go\.mod|requirements[\w-]*\.txt|[\w.-]+\.config\.[cm]?[jt]s|build\.sbt|mix\.exs|Package\.swift)$"
)
# Getting a program is not running it: `brew install pre-commit` lints nothing.
INSTALLER = re.compile(
    r"(?:sudo )?(?:brew|apt|apt-get|dnf|yum|pacman|choco|pipx?|pip3|python3? -m pip|npm|pnpm|yarn|bun|cargo|gem|go|uv(?: tool| pip)?|poetry|composer|flutter pub) (?:install|add|i|get|global)\b"
)
# An error that the machine or the shell is to blame for, not the code.
ABSENT_PROGRAM = re.compile(r"command not found|not recognized as|pre-commit` not found|exec format", re.I)
# An error that a checker reports of a place in a file.
LOCATED = re.compile(r"\S+\.\w+:\d+")
# An installation of one named thing, which is no way to install what the project needs.
ONE_PACKAGE = re.compile(r"(?:install|add|i|get)(?: -(?![re]\b)\S{1,80}){0,9} (?!-|\.|\"?\.)[\w@]")
