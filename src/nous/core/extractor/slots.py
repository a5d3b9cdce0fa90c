# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How files, symbols and single-valued facts are written, as patterns."""

from __future__ import annotations

import re

# -- asked by names --------------------------------------------------------------------------------

EXT = r"py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|rb|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|php|ex|exs|erl|hs|ml|scala|clj|lua|r|jl|dart|vue|svelte|sh|bash|zsh|fish|ps1|sql|html?|css|scss|less|md|mdx|rst|txt|json|jsonl|jsonc|ya?ml|toml|ini|cfg|conf|env|xml|plist|proto|graphql|tf|hcl|nix|lock|csv|tsv|ipynb|gradle|sqlite|db|log|epub|pdf|svg|png|wasm|cmake|mk|bazel|bzl|zig|nim|sol|tex|j2|tmpl|service|dockerfile"
FILE = re.compile(
    rf"(?<![\w@])(?:~|\.{{1,2}})?/?(?:[\w.@+-]+/)*[\w.@+-]*\.(?:{EXT})\b(?![\w(])|(?<![\w./:])(?:[\w.@+-]+/){{1,8}}[\w.@+*-]*(?=[\s,.;:)`'\"!?]|$)|\b(?:Makefile|Dockerfile|Justfile|justfile|Procfile|Jenkinsfile|Rakefile|Gemfile|Vagrantfile|CODEOWNERS)\b",
)
SYMBOL = re.compile(
    r"\b[A-Za-z_][\w.]*\(\)|\b[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+\b|\b[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
)
DIGIT = re.compile(r"\d")
TICKED = re.compile(r"`([^`\n]{1,80})`")
PROPER = re.compile(r"(?<=[a-z,;)] )(?:[A-Z][\w.+-]*(?:\s[A-Z][\w.+-]*){0,2})|\b[A-Z]{2,}[A-Za-z0-9]*\b")
WORD = re.compile(r"[^\W_][\w.+#/-]*[^\W_]|[^\W_]")
NAMES_VERB = r"(?:is|are|=|:|was renamed to|is called|equals|must be|should be|has to be|is set to|is fixed at|is capped at|is limited to|is pinned to|goes (?:up |down )?to|went (?:up |down )?to|drops to|changes to|changed to|becomes|ist|lautet|est|es|será|è|é|является|это|是|为|は)"
NOW = r"(?:\s+(?:now|currently|always|still|only|jetzt|nun|maintenant|ahora|теперь))?"
OF = re.compile(r"\b(?:of|for|in|on|der|des|für|von|du|de|para|для)\b", re.I)
COPULA = re.compile(
    rf"^(?P<np>[^,.;:!?]{{2,70}}?)\s*(?:\s{NAMES_VERB}\b|[=:是为は]){NOW}\s+(?P<value>\S.{{0,80}})$", re.I
)
PORT = re.compile(
    r"^(?:.{0,60}?[,.:] )?(?P<np>[^,.;:!?]{2,60}?)\s+(?:(?:is|are|runs?|listens?|sits?|lives?|serves?|now|läuft|lauscht|hört|écoute|tourne|escucha|corre|слушает|работает)\s+){1,3}"
    r"(?:now |jetzt |maintenant |ahora |теперь )?(?:on|at|auf|sur|en|на)\s+(?:the )?(?:port |le port |el puerto |порту )?(?P<value>\d{2,5})\b",
    re.I,
)
OWNED = re.compile(
    r"\b(?P<np>[\w /-]{2,40}?) (?:is|are) (?:now )?(?:owned|maintained|run|managed) by (?P<value>[\w ]{2,40})|(?P<value2>team [\w-]+|[A-Z]\w+) (?:now )?owns (?:the )?(?P<np2>[\w /-]{2,40})|(?P<value3>[A-Z]\w+) (?:takes|took|has taken) over (?:the )?(?P<np3>[\w /-]{2,40}?)(?= from| now|$)|(?:^|[.,] )(?P<np4>[\w /-]{2,40}?) (?:is|are) (?P<value4>[A-Za-z]+)(?:'s|') now\b",
    re.I,
)
DECIDED_FOR = re.compile(
    r"^(?:for|in) (?:the |our )?(?P<np>[\w /-]{2,40}?),? (?:we|we've|i) (?:\w+ )?(?:decided on|go with|went with|use|chose|settled on|picked|take|agreed on)\b(?P<value>.*)",
    re.I,
)
USE_FOR = re.compile(
    r"\b(?:use|using|go with|going with|switch(?:ed|ing)? to|move(?:d)? to|chose|settled on|decided on|stick with|keep|adopt)\s+(?P<value>[\w .+#/-]{2,50}?) (?:for|as) (?:the |our |all )?(?P<np>[\w -]{2,40}?)(?=[,.;:(]| instead| now| because| since| from|$)",
    re.I,
)
RUN_WITH = re.compile(
    r"\b(?:(?P<what>tests?|specs?|unit tests|integration tests|test suite|linter|lint|formatter|build|builds|deploy(?:ment|s)?|release|migrations?|dev server|docs|app|server|service|type ?check(?:s|er)?|benchmarks?)\b[^.;]{0,25}?\b(?:run|runs|is run|are run|started?|starts|built|deployed|released|executed)(?: \w+)? (?:with|via|through|using|by)|"
    r"(?:run|start|build|deploy|execute|launch) (?:the |all |our )?(?P<what2>tests?|specs?|unit tests|integration tests|test suite|linter|formatter|build|deploy(?:ment)?|migrations?|dev server|docs|app|server|service|type ?check(?:s|er)?|benchmarks?) (?:with|via|through|using|by))\s+(?P<value>`[^`]+`|\S+)",
    re.I,
)
DETERMINER = re.compile(
    r"^(?:the|our|my|your|a|an|this|that|here|in this repo|also|now|der|die|das|unser\w*|le|la|les|el|los|notre|nuestr\w+)\s+",
    re.I,
)
LITERAL = re.compile(
    r"^(?:the |a |an |at |to )?(?:[`'\"]|\d|v\d|[A-Z]{2,}|[\w-]+[._/:@]\S|\S+$|team \w+|\S+ \S+$|\S+ (?:now|here|instead|from|since|because|\()|\w+,)",
    re.I,
)
VERSION = re.compile(
    r"^(?:[^,.;:]{0,40}[,:] )?(?P<np>[^,.;:]{0,40}?)\s?(?:\bis|\bare|'re|\bruns?|\buses?|\bneeds?|\brequires?|\btargets?|\bsupports?|\bhas|\bhave|'ve|\bbeen|\bbuilds?|\bcompiles?|\bships?|\bdeploys?|\btests?|\b(?:is|are) \w+ed (?:with|on|by|in|against)|\bupgraded|\bmoved|\bswitched|\bbumped)(?: (?:now|still|only|been|on|at|pinned|locked|stuck|to|with|using|against|for|the))* (?P<what>[A-Za-z][\w+#.-]{1,20}(?: (?-i:[A-Z])[\w+#.-]{1,20}){0,2})(?: version)? v?(?P<value>\d+(?:[.-]\d+)*)\b(?! ?%| (?!hours|days)[a-z]+s\b| (?:times|percent|days|hours|minutes|seconds)\b)",
    re.I,
)

# Attributes of which a thing has one at a time. The key is the word people say, the value its normal form.
ATTRIBUTES: dict[str, str] = {
    word: row[0]
    for row in (
        ("port", "ports", "puerto", "porta", "порт", "端口", "ポート"),
        ("version", "versions", "versión", "версия", "版本", "バージョン"),
        ("branch", "zweig", "branche", "rama", "ветка", "分支", "ブランチ"),
        ("owner", "maintainer", "besitzer", "eigentümer", "propriétaire", "dueño", "владелец", "负责人", "オーナー"),
        ("host", "hostname", "server", "machine", "box"),
        ("url", "endpoint", "address", "adresse", "domain", "uri"),
        ("region", "zone"),
        ("level", "stufe", "niveau", "nivel", "уровень", "级别", "レベル"),
        ("timeout", "zeitlimit"),
        ("limit", "cap", "quota", "maximum", "max", "grenze", "límite", "лимит", "上限"),
        ("size", "größe", "taille", "tamaño", "размер", "大小", "サイズ"),
        ("license", "licence", "lizenz"),
        ("path", "directory", "folder", "location", "pfad", "verzeichnis", "chemin", "carpeta", "путь", "目录", "路径"),
        ("database", "db", "datenbank"),
        ("language", "sprache", "langue", "idioma", "язык", "语言", "言語"),
        ("currency", "währung"),
        ("timezone", "zeitzone"),
        ("encoding",),
        ("format",),
        ("prefix",),
        ("suffix",),
        ("name", "username", "user"),
        ("runtime", "interpreter"),
        ("backend", "framework"),
        ("interval", "frequency", "schedule"),
        ("ttl", "retention"),
        ("deadline", "date", "day", "frist"),
        ("width", "length"),
        ("color", "colour", "farbe"),
        ("indentation", "indent"),
        ("threshold", "schwelle"),
        ("default",),
        ("queue",),
        ("registry",),
        ("bucket",),
        ("package manager",),
    )
    for word in row
}

EMPTY = frozenset(
    "repo repository project codebase here module new current now careful actually been version sure".split()  # noqa: SIM905
)
# What stands before a number without having versions.
NO_VERSION = frozenset(
    "worth only about almost around least most over up down version versions page pages step line lines row rows issue ticket pr chapter part day week test tests file files option error errors exactly under between after before roughly nearly".split()  # noqa: SIM905
)
# Where a thing lies: "the schema lives in db/schema.sql", "fixtures moved to testdata/".
LIVES = re.compile(
    r"^(?P<np>[^,.;:!?]{2,50}?) (?:(?:is|are|was|were|has|have|been|now|all|only|still) )*(?:lives?|sits?|stays?|goes|go|located|stored|kept|moved|found|defined|is|are|resides?) (?:now |only |over )*(?:in|at|under|to|into|on) (?:the )?(?P<value>[\w-]+\.[\w-]+\.[\w.-]+|`?[~.]?[\w@.-]*/[\w@./*-]*`?|`?[\w-]+\.[a-z]{1,5}\b`?)",
    re.I,
)
# "we upgraded staging to postgres 16"
UPGRADED = re.compile(
    r"\b(?:upgraded|bumped|moved|switched|migrated|updated|went|jumped) (?:the |our )?(?:(?P<np>[\w -]{2,30}?) )?to (?P<what>[A-Za-z][\w+#.-]{1,20}) v?(?P<value>\d+(?:\.\d+)*)\b",
    re.I,
)
# "postgres 14 runs in production"
RUNS_IN = re.compile(
    r"^(?P<what>[A-Za-z][\w+#.-]{1,20}) v?(?P<value>\d+(?:\.\d+)*) (?:now )?(?:runs|is (?:used|deployed|installed)) (?:in|on) (?P<np>[\w -]{2,30})$",
    re.I,
)
# A figure of a thing: "retries: 5 attempts max", "the pool size is 20"; and the word that it changed.
FIGURE = re.compile(
    r"^(?!(?:there|it|this|that|these|those|we|i|you|they|he|she|minimum|maximum|step|line|page|point|note|today|now|status|contains|includes)\b)(?:the |our )?(?P<np>[A-Za-z][\w/-]*(?: [\w/-]+){0,3}?)(?:: | (?:is|are|=) )(?:now |at most |max(?:imum)? |only |capped at |limited to |valid for |only good for |good for )*(?P<value>\d+(?:[.,]\d+)*)(?![\w./-]*[./-]\w)\b",
    re.I,
)
RAISED = re.compile(
    r"\b(?:raised|lowered|bumped|increased|reduced|changed|set|dropped|cut|raise|lower|bump|increase|reduce|change|set) (?:the |our )?(?P<np>[A-Za-z][\w/-]*(?: [\w/-]+){0,3}?) (?:from \S+ )?to (?P<value>\d+(?:[.,]\d+)*)\b",
    re.I,
)
# Names that people write in lower case: programs, libraries, services, languages.
PRODUCTS = frozenset(
    """
    airflow alembic android angular ansible apache argocd asyncpg auth0 aws axios azure babel bash bazel biome black
    bun bundler cargo cassandra celery circleci clang clickhouse cloudflare cmake composer consul cypress dagster
    datadog debian deno django docker dynamodb ecs eks elasticsearch elixir electron elm esbuild eslint expo express
    fastapi fastly figma firebase fish flake8 flask flutter fly.io gatsby gcc gcp gerrit git github gitlab go golang
    gradle grafana graphql grpc gunicorn hadoop haproxy haskell helm heroku hetzner homebrew htmx hugo ingress
    insomnia ios istio java javascript jenkins jest jira jq jupyter k3s k6 k8s kafka keycloak kibana knex kotlin
    kubernetes kubectl kustomize lambda laravel launchdarkly linear linkerd linux llvm lua macos mariadb maven memcached
    mercurial meson metabase minio mix mkdocs mocha mongo mongodb msw mypy mysql nats neovim netlify next.js nextjs
    nginx ninja nix node nodejs npm npx nuget numpy nuxt nvim okta openapi opentelemetry oracle pandas parquet pdm
    perl pgbouncer php phpunit pip pipx pipenv playwright pnpm podman poetry polars postgres postgresql postman powershell
    pre-commit prettier prisma prometheus pulumi puppeteer pylint pyright pytest python pytorch rabbitmq rails rake react redis
    redshift redux remix renovate rollup rq rspec rubocop ruby ruff rust rustup s3 sbt scala selenium sentry shopify
    sidekiq slack snowflake solidity solr spark splunk spring sql sqlalchemy sqlc sqlite ssh storybook stripe
    supabase svelte swift swagger systemd tailwind tauri temporal tensorflow terraform tmux tox traefik travis
    trino turborepo twilio typescript ubuntu unity uv uvicorn uwsgi vagrant vault vercel vim vite vitest vue webpack
    windows wsl xcode yarn zig zod zsh zustand
    """.split()  # noqa: SIM905
)
# Where something runs, by the names that teams give it.
PLACE = re.compile(r"\b(?:prod(?:uction)?|staging|preprod|pre-production|sandbox|localhost|ci)\b", re.I)
HOST = re.compile(r"(?<![\w@/.-])(?:[a-z0-9-]+\.){2,}[a-z]{2,}(?![\w(])|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
# People, where the sentence gives them something to do: "ask Mira", "owned by petra", "Jonas took over".
PERSON = re.compile(
    r"\b(?:ask|ping|tell|owned by|maintained by|reviewed by|from|with) ([A-Z][a-z]{2,})\b|\b(?:owned|maintained|run) by (?!the\b|a\b|an\b|our\b|team\b)([a-z]{3,})\b|\b(?:ask|ping) (?!me\b|us\b|the\b|for\b|before\b|first\b|if\b|him\b|her\b|you\b|them\b|about\b|your\b|which\b|what\b)([a-z]{3,}) (?:before|first|for|about|if|when)\b"
)
HOSTED = re.compile(
    r"^(?P<np>[\w /-]{2,40}?) (?:is|=|is now|is at|is on) (?P<value>(?:[a-z0-9-]+\.){2,}[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3})\b",
    re.I,
)
