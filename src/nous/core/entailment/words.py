"""The words the judge knows: opposites, things of which one takes the place of another, and words for place and time.

Every table is rows of plain words, so that a row can be added without reading the code. Words are looked up by their
stem, hence one form of each is enough.
"""

from __future__ import annotations

from functools import lru_cache

from nous.core.likeness import stem

# Left against right: any word of one side is the opposite of any word of the other.
_OPPOSITES = """
    always, every, all, each, everyone, everybody, everything : never, none, nobody, nothing
    enable, on, active, activate : disable, off, inactive, deactivate
    allow, permit, okay, fine : forbid, ban, prohibit, disallow, block, deny
    require, mandatory, obligatory, compulsory : optional
    include, inclusive : exclude, exclusive
    public : private, internal
    synchronous, synchronously, sync : asynchronous, asynchronously, async
    ascending : descending
    soft : hard
    pass, succeed, work, green : fail, break, broken, red
    commit : ignore, gitignored, uncommitted
    before : after, afterward, afterwards
    open : close, closed, restrict
    keep, stay, retain, remain, support : drop, remove, delete, split, abandon, retire, scrap, leave
    start, begin : stop, end, finish
    finish, finished, complete, completed : start, started, begun, unfinished, pending
    pure : impure
    manual, manually, hand : automatic, automatically, generate, generated, auto
    first : last
    oldest, old : newest, new, young
    old, elderly : young
    upper, uppercase : lower, lowercase
    singular : plural
    absolute : relative
    static : dynamic
    mutable : immutable
    local : remote, global
    short, short-lived, brief, concise : long, long-lived, detailed, lengthy, verbose
    fast, quick, quickly, rapid : slow, slowly
    small, little, tiny : large, big, huge, giant
    high, higher, tall : low, lower
    more, increase, rise, grow, gain : less, fewer, decrease, fall, shrink, decline
    many, several, lots, abundant, plenty : few, no
    same, identical : different, differ
    cheap, inexpensive : expensive, costly
    easy, simple, easily : hard, difficult, complex, complicated
    good, great, excellent, better, best : bad, terrible, awful, worse, worst, poor
    like, love, enjoy, adore : hate, dislike, detest
    agree, accept, approve : disagree, refuse, reject, oppose
    happy, glad, pleased, smiling, smile, laugh : sad, unhappy, angry, upset, cry, frown, miserable
    true, right, correct : false, wrong, incorrect
    inside, indoors, indoor, home, house : outside, outdoors, outdoor
    up, upstairs : down, downstairs
    sit, seated, sitting : stand, standing, run, running, walk, walking, jump, dance
    awake : asleep, sleep, sleeping, nap
    walk, run, play, work, swim, jump, dance, read, eat, ride, climb, talk, cook : sleep, asleep, sleeping, nap
    alone, lone, single, solo : together, crowd, group, crowded
    empty, deserted, vacant : full, crowded, packed, busy
    full, crowded : empty
    day, daytime, sunny, morning, daylight : night, nighttime, midnight, evening
    hot, warm, summer : cold, freezing, winter, snow
    wet, rain, rainy : dry, sunny
    dead, died : alive, living
    rich, wealthy : poor
    win, won, victory : lose, lost, defeat
    buy, purchase : sell
    push : pull
    arrive, enter, come : depart, leave, exit
    man, boy, male, guy, gentleman, father, husband, he, his : woman, girl, female, lady, mother, wife, she, her
    adult, grown : child, kid, baby, toddler
    dog, puppy : cat, kitten
    quiet, silent : loud, noisy
    clean : dirty
    early : late
    near, close : far, distant
    safe : dangerous, unsafe
    reversible : irreversible
    unique : duplicate
    strict : lenient, loose
    direct, directly : indirect, indirectly
    net : gross
    root : unprivileged
    supported : unsupported
    available, exist, present : removed, gone, missing, unavailable, absent
    parallel, concurrently : serial, serially, sequential, sequentially
    success, successful : failure, unsuccessful
    possible, can : impossible, cannot
    known, familiar, famous : unknown, unfamiliar
    necessary, needed : unnecessary, needless
    love : hate
    remember : forget
    lead, ahead : behind
    support : oppose, against
    dressed, clothed, wear, wearing : naked, nude
"""

# Rows of things of which a project has one for a purpose: naming another is naming a replacement.
_ALTERNATIVES = """
    npm pnpm yarn bun
    pip uv poetry pipenv pip-tools conda hatch pdm rye
    pytest unittest nose nose2
    jest vitest mocha jasmine ava
    playwright cypress selenium puppeteer
    ruff flake8 pylint pyflakes
    eslint biome tslint standard
    black yapf autopep8
    prettier dprint
    mypy pyright pyre pytype
    webpack vite rollup parcel esbuild turbopack
    mkdocs sphinx docusaurus vitepress
    postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb cassandra oracle cockroachdb
    redis memcached
    rabbitmq kafka sqs nats celery
    redux zustand mobx recoil pinia vuex jotai
    react vue svelte angular solid
    rest graphql grpc soap
    jwt cookie cookies oauth saml session
    s3 gcs disk filesystem
    mailgun ses sendgrid postmark
    elasticsearch opensearch solr meilisearch typesense
    structlog loguru logging
    httpx requests aiohttp urllib
    d3 echarts chart.js highcharts plotly
    jenkins circleci travis buildkite
    github gitlab bitbucket
    main master develop dev next trunk release production staging
    tab space
    single double
    function class
    named default
    kebab-case camelcase snake_case pascalcase
    rebase squash merge
    singular plural
    json yaml toml xml ini csv protobuf
    json text
    debug info warning error
    mit apache gpl bsd mpl agpl lgpl isc
    uuid integer ulid auto-increment
    utc local
    english german french spanish italian portuguese japanese chinese russian polish dutch swedish turkish korean
    en de fr es it ja zh ru
    python ruby java go rust typescript javascript kotlin swift
    docker podman
    kubernetes nomad ecs
    gke eks aks
    aws gcp azure
    terraform pulumi cloudformation
    make just bazel gradle maven ninja
    bash zsh fish
    vim emacs vscode
    django flask fastapi rails express
    sqlalchemy django-orm peewee prisma drizzle typeorm
    cursor offset
    composition inheritance
    monolith microservice
    alembic manage.py flyway liquibase
    throw return
    raise return
    foreground background
    monday tuesday wednesday thursday friday saturday sunday
    montag dienstag mittwoch donnerstag freitag samstag sonntag
    lundi mardi mercredi jeudi vendredi samedi dimanche
    lunes martes miércoles jueves viernes sábado domingo
    feet foot meter metre inch centimeter millimeter yard mile kilometer
    celsius fahrenheit kelvin
    eur usd gbp chf jpy
    slack teams discord mattermost zulip
    hugo jekyll astro eleventy gatsby
    1password bitwarden lastpass keepass vault
    circleci jenkins travis buildkite teamcity
    twilio messagebird vonage plivo
    msgpack cbor protobuf avro thrift
    jira linear trello asana youtrack clickup
    datadog newrelic grafana prometheus sentry honeycomb splunk kibana
    vercel netlify heroku fly.io railway
    hetzner digitalocean linode ovh scaleway
    auth0 okta keycloak cognito
    stripe adyen braintree paypal mollie
    launchdarkly unleash flagsmith
    contentful strapi sanity wordpress drupal
    confluence notion wiki sharepoint
    ubuntu debian alpine fedora centos nixos
    tailwind bootstrap bulma sass
    handlebars mustache jinja ejs pug
    rspec minitest
    junit testng
    tokio async-std
    npm-workspaces lerna turborepo nx
    webpack vite rollup parcel esbuild turbopack rspack
    tensorflow pytorch jax keras
    pandas polars
    airflow dagster prefect luigi cron
    spark flink
    snowflake bigquery redshift databricks
    clickhouse timescaledb influxdb
    pinecone qdrant weaviate pgvector chroma milvus faiss
    nginx caddy traefik haproxy apache
    gunicorn uvicorn uwsgi hypercorn
    wireguard openvpn tailscale openconnect
    ansible chef puppet saltstack
    helm kustomize
    argocd spinnaker
    svn git mercurial perforce
    gerrit phabricator
    mapbox maplibre leaflet openlayers
    moment dayjs date-fns luxon
    enzyme testing-library
    xcode appcode
    cocoapods spm carthage
    png webp jpeg avif gif
    mp3 ogg opus flac wav aac
    parquet orc arrow
    tcp udp quic
    mqtt amqp websocket sse
    md5 sha1 sha256 sha512 bcrypt argon2 scrypt
    serif sans-serif
    crlf lf
    waterfall scrum kanban
    hourly daily nightly weekly monthly quarterly yearly
    january february march april may june july august september october november december
    red blue green yellow white black orange purple pink brown gray grey
    north south east west
    car bus train plane boat bicycle bike motorcycle truck horse
    beach mountain city forest street park kitchen office restaurant church school store
    football soccer basketball baseball tennis hockey golf volleyball rugby
    guitar piano violin drum
    coffee tea beer wine water
    breakfast lunch dinner
"""

# Words of the same meaning; the first stands for all. Verbs of place, of use and of duty say little by themselves.
_SAME = """
    production prod live
    development dev local locally
    configuration config configs settings setting
    directory folder dir
    repository repo
    database db datastore
    documentation docs doc
    application app
    authentication auth authenticate
    authorization authorize
    dependency dependencies dependent
    deployment deploy deployments
    formatting format
    indentation indent
    argument parameter parameters
    function func
    environment env
    pull-request pr mr
    variable var
    email mail
    picture photo image
    postgres postgresql pg
    kubernetes k8s
    javascript js
    typescript ts
    every all each any
    need require
    user customer
    caching cache
    logging log
    linting lint linter
    people person persons human humans
    kid child children kids toddler
    woman women lady female
    man men guy gentleman male
    bike bicycle
    road street
    big large huge
    small little tiny
    talk speak chat converse
    look watch observe view
    near beside next
    outside outdoors outdoor
    car automobile vehicle
    jump leap
    smile grin
    carry hold
    begin start
    finish end complete
    buy purchase
    help assist aid
    show display
    get receive obtain
    several many multiple
    exclude ignore
    error exception
    raise throw
    forbid ban prohibit disallow
"""

# Words that carry the sentence and not its subject. They are not compared.
_IDLE = """
    a an the this that these those it its our my your their his her we us you they i he she there here what which who
    whom whose where is are was were be been being am do does did done have has had having will would shall should may
    might can could must to of and or so as by with via through using use used uses under at from into in on for up
    out about than then also just now currently still always never not no only already yet please make sure go goes
    going get gets let lets decided decide agreed agree chose choose pick picked want wants prefer prefers
    instead rather both repo repository project codebase code base when if while because since
    until before after once need needs needed require requires required allowed allow doing run runs running
    live lives lie lies stored store stores kept keep keeps located found sit sits hold holds contain contains
    written write writes put set called named serve served serves listen listens listening expose exposed exposes
    available reachable handle handled handles managed manage come comes take takes
    defined define apply applied port version pinned pin
    usually generally everywhere anyway too very really quite well even one some any all every each everything
    most more much many way thing things except unless apart but however
"""

_PLACES = """
    production staging development test tests ci local locally sandbox preview qa canary macos linux windows android
    ios wsl docker container python typescript javascript java go rust ruby yaml json sql css html bash kotlin swift
    backend frontend legacy package repo folder branch branches ui cli api website ide browser mobile desktop weekend
    unit integration e2e upload download debug release nightly hotfix
"""
NEGATIONS = frozenset(
    """not never no none nobody nothing nowhere neither nor without cannot avoid hardly barely refuse
    lack lacks nicht kein keine nie jamais pas nunca не никогда""".split()  # noqa: SIM905
)
PAST = frozenset("previously formerly originally earlier yesterday once formerly historically".split())  # noqa: SIM905
FUTURE = frozenset("will plan plans planned planning going soon tomorrow eventually".split())  # noqa: SIM905
_COUNTED = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
}
# Unit: what it measures, how many of the smallest.
UNITS: dict[str, tuple[str, float]] = {
    word: (measure, factor)
    for measure, factor, words in (
        ("time", 0.001, "ms millisecond milliseconds"),
        ("time", 1.0, "s sec secs second seconds"),
        ("time", 60.0, "min mins minute minutes"),
        ("time", 3600.0, "h hr hrs hour hours"),
        ("time", 86400.0, "d day days"),
        ("time", 604800.0, "week weeks"),
        ("time", 2592000.0, "month months"),
        ("time", 31536000.0, "year years"),
        ("size", 1.0, "byte bytes"),
        ("size", 1024.0, "kb kib kilobyte kilobytes"),
        ("size", 1048576.0, "mb mib megabyte megabytes"),
        ("size", 1073741824.0, "gb gib gigabyte gigabytes"),
        ("share", 1.0, "percent %"),
    )
    for word in words.split()
}
# Verbs of which several objects hold at once: supporting CSV says nothing against supporting JSON.
MANY = frozenset(
    stem(word)
    for word in """has have had support depend expose cover include contain import export fix fixed add added use
    asked was were need require see saw know log test edit touch mention review reviewed upgrade""".split()  # noqa: SIM905
)
SEVERAL = MANY - {stem(word) for word in ("use", "need", "require", "has", "have", "had", "was", "were")}
IRREGULAR = {
    "sent": "send",
    "built": "build",
    "kept": "keep",
    "written": "write",
    "wrote": "write",
    "made": "make",
    "ran": "run",
    "drawn": "draw",
    "held": "hold",
    "chose": "choose",
    "chosen": "choose",
    "bought": "buy",
    "sold": "sell",
    "sat": "sit",
    "stood": "stand",
    "ate": "eat",
    "went": "go",
    "gone": "go",
    "came": "come",
    "took": "take",
    "taken": "take",
    "gave": "give",
    "given": "give",
    "lost": "lose",
    "won": "win",
    "slept": "sleep",
    "ridden": "ride",
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "wore": "wear",
    "worn": "wear",
    "forbidden": "forbid",
    "shown": "show",
    "left": "leave",
    "said": "say",
    "told": "tell",
    "found": "find",
    "thought": "think",
}


def _rows(table: str) -> list[list[str]]:
    return [line.replace(",", " ").split() for line in table.strip().splitlines()]


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _OPPOSITES.strip().splitlines():
        left, right = ({root(word) for word in side.replace(",", " ").split()} for side in line.split(" : "))
        for word in left:
            found.setdefault(word, set()).update(right)
        for word in right:
            found.setdefault(word, set()).update(left)
    return {word: frozenset(others) for word, others in found.items()}


def _alternatives() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, row in enumerate(_rows(_ALTERNATIVES)):
        for word in row:
            found.setdefault(root(word), set()).add(number)
    return {word: frozenset(rows) for word, rows in found.items()}


SAME = {stem(word): stem(IRREGULAR.get(row[0], row[0])) for row in _rows(_SAME) for word in row}
IDLE = frozenset(word for row in _rows(_IDLE) for word in row)


def root(word: str) -> str:
    """The canonical form of a plain word: its stem, or that of the word that stands for it."""
    found = stem(IRREGULAR.get(word, word))
    return SAME.get(found, found)


PLACES = frozenset(root(word) for word in _PLACES.split())
OPPOSITES = _opposites()
ALTERNATIVES = _alternatives()


_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis")


@lru_cache(maxsize=16384)
def opposites_of(form: str) -> frozenset[str]:
    """The stems that say the opposite of one, by the table or by a prefix: reversible, irreversible."""
    prefixed = {prefix + form for prefix in _PREFIXES} if len(form) > 3 else set()
    bare = {
        form.removeprefix(prefix) for prefix in _PREFIXES if form.startswith(prefix) and len(form) > len(prefix) + 3
    }
    return OPPOSITES.get(form, frozenset()) | prefixed | bare


def are_opposite(one: str, other: str) -> bool:
    """Whether two stems are opposites."""
    return other in opposites_of(one)


@lru_cache(maxsize=16384)
def are_alternatives(one: str, other: str) -> bool:
    """Whether two stems name things of which one takes the place of the other."""
    return one != other and not ALTERNATIVES.get(one, frozenset()).isdisjoint(ALTERNATIVES.get(other, frozenset()))


# -- what tells a fact of a project from plain text -------------------------------------------------------------------

_TECHNICAL = """
    api app argument auth backend backup batch branch browser bucket bug build bundle cache callback cli client code
    column command commit compiler component config constant constructor container cookie coverage cron css database
    debug decorator dependency deploy deployment docker docs docstring email endpoint enum env error event exception
    export fallback field file fixture flag folder format frontend function gateway generated git handler header hook
    hotfix html http import indentation index init input install integer interface json key lambda library lint linter
    localhost lockfile log login logout loop main make merge method metric middleware migration mock module monolith
    monorepo namespace node null object onboarding option orm output package page paginated parser patch path payload
    pipeline plugin port process production prompt prod proxy pull push query queue rebase redirect refactor region
    registry regex release repo repository request response retry role rollback root route router schema script sdk
    seed semicolon server service session shell snapshot snippet socket sql squash ssh stack staging string subprocess
    suite symbol sync syntax tab table tag template terminal test tests thread thread-safe timeout timestamp timezone
    token transaction type types ui unit upload url user uuid validation variable vendored version warning webhook
    websocket widget worker workflow workspace yaml inheritance composition checkout cors async quote quotes
    parameter scheduler sorted tests toggle importer exporter deletes default defaults locale component
"""


# -- for plain text ---------------------------------------------------------------------------------------------------

# The general word first, then words of which each is one.
_KINDS = """
    animal : dog cat puppy kitten horse bird cow sheep goat elephant monkey lion bear pelican duck rabbit
    person : man woman boy girl child baby adult guy lady player worker surgeon doctor nurse teacher student musician
    person : artist skateboarder biker cyclist runner dancer singer chef cook surfer swimmer athlete soldier officer
    person : firefighter policeman couple crowd group team family friend mother father son daughter toddler teenager
    person : hiker climber skier snowboarder golfer gymnast rider performer guitarist vendor customer carpenter
    child : boy girl baby toddler
    vehicle : car truck bus taxi van motorcycle train boat buggy jeep tractor
    food : fruit bread meat rice pizza sandwich cake vegetable salad soup apple meal noodle cookie
    instrument : guitar piano violin drum bass flute trumpet saxophone cello
    clothes : shirt pants jacket coat hat dress shorts jeans suit sweater scarf sweatshirt cardigan overalls
    clothing : shirt pants jacket coat hat dress shorts jeans suit sweater scarf
    building : house church school store hospital restaurant tower castle
    water : river lake ocean sea pool pond stream beach
    outside : field park street beach mountain road trail sidewalk garden forest tree grass river lake ocean sand snow
    outside : boat bench rock dock hill desert track pier market bicycle horse surf ski hike
    inside : kitchen room office bedroom hallway gym classroom
    sport : soccer football basketball baseball tennis hockey rugby golf volleyball
    game : soccer football basketball baseball tennis hockey rugby golf volleyball chess
    play : soccer football basketball baseball tennis hockey rugby
    doctor : surgeon nurse
    music : guitar piano violin drum bass song sing concert band
    walk : stroll hike march
    move : walk run ride jump swim drive travel dance climb
    drink : coffee tea beer wine water
    plant : tree flower grass bush
    look : watch stare gaze inspect examine
    money : dollar cost price pay fund
    hair : blond brunette haired
    group : crowd team people many
    two : couple pair both
"""
# What a second sentence says when it makes something up: reasons, feelings, relations, praise.
_GUESSED = """
    because first favorite best friend sibling brother sister husband wife family owner owned tall sad happy win won
    winning competition race contest vacation birthday wedding married couple date love hoping hope trying try wants
    want waiting wait about preparing practice professional famous popular expensive beautiful new old young rich poor
    tired hungry late job boss home school college lunch dinner breakfast tourist party celebrate money buy buying sell
    selling catch rain raining probably likely maybe often usually many most several lot lots also only very
    morning night afternoon summer weekend year years ago later soon before after next last since until angry
    scared afraid excited bored busy important dangerous difficult success successful secret enjoy enjoying fun
    vacationing christmas holiday prize championship tournament lesson learn learning show impress training
"""
# What a second sentence says when it holds more generally.
_GENERAL = """
    person people human someone somebody something outside outdoors inside indoors animal near least there move moving
    activity group multiple some object clothes clothing wear wearing vehicle food water touching performing involved
    exist possible one two area place item things thing instrument holding
"""
# What a second sentence says when it tells another story altogether.
_CLASHING = """
    sleep sleeping asleep nobody nothing none never no alone empty naked cat cats tv television couch sofa moon mars
    bed nap eat eating sit sitting bathroom dead swim swimming pool fly flying alien dinosaur movie movies video
    everyone everybody all always refused only naked bald office desk basement ignoring ignore silent silence inside
    indoors crying frown hate hated impossible failed unable cannot opposite same identical unlike ignored lacked
    unrelated useless wrong simply completely entirely anything any
"""


def _kinds() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _KINDS.strip().splitlines():
        general, special = line.split(" : ")
        for word in special.split():
            found.setdefault(root(word), set()).add(root(general.strip()))
    return {word: frozenset(kinds) for word, kinds in found.items()}


TOOLS = frozenset(root(word) for row in _rows(_ALTERNATIVES)[:48] for word in row) - frozenset(
    root(word)
    for word in ("single", "double", "space", "class", "standard", "solid", "session", "next", "disk", "text", "local")
)
# Rows of uses, places, ways to write code and plain text; of the words of every other row a thing has one at a time.
_NO_CHOICE = """
    main single function named rebase debug en python cursor composition monolith throw raise foreground red north car
    beach football guitar coffee breakfast january
"""
CHOICES = frozenset(number for number, row in enumerate(_rows(_ALTERNATIVES)) if row[0] not in _NO_CHOICE.split())
TECHNICAL = frozenset(root(word) for word in _TECHNICAL.split()) | TOOLS
KINDS = _kinds()
GUESSED = frozenset(root(word) for word in _GUESSED.split())
GENERAL = frozenset(root(word) for word in _GENERAL.split())
CLASHING = frozenset(root(word) for word in _CLASHING.split())
