"""The trade's everyday words, by which a plain statement is told from small talk about the weather."""

from __future__ import annotations

import re
from functools import lru_cache

from nous.core.extractor.cue import is_foreign
from nous.core.likeness import stem, tokens

_WORDS = frozenset(
    stem(word)
    for word in """
    access account action adapter address admin agent alert alias analytics android angular annotation api app
    application archive argument array artifact asset async audit auth authentication avatar backend backup bastion
    batch benchmark binary blob board bot box branch browser bucket buffer bug build bundle button byte cache
    calendar call callback card cdn cert certificate changelog channel chart checkout chunk ci class cli client
    clock cloud cluster cms code codebase color column command comment commit compiler component compose config
    configuration connection console constant consumer container context contract controller cookie core cpu crash
    credential cron css csv currency customer daemon dashboard data database dataset date db debug default
    dependency deploy deployment design dev developer device diff directory django doc docker docstring document
    documentation domain driver dto editor element email emulator encoding endpoint engine entity entry enum env
    environment error event exception export expression extension factory feature feed fetch field file filter
    fixture flag folder font form format frame framework frontend function gateway generator git github gitlab go
    golang gpu graph graphql grid handler hash header helper hook host hotfix html http https icon id identifier
    identity image implementation import index infra infrastructure input instance integration interface invoice ios
    iteration java javascript job json key kafka kernel keyword kubernetes label lambda language layer layout lease
    ledger library license limit line linter linux list listener loader locale lock log logger login logic loop
    machine macos mail main manifest mapping markdown master memory menu merge message method metric middleware
    migration mock mode model module monorepo mysql name namespace network nginx node notebook notification null
    object offset ops order organization orm os output owner package packet page pagination parameter parser
    partition password patch path pattern payload payment pdf permission pipeline pixel plugin png pod policy pool
    port postgres postgresql pr price printer process prod product production profile project prompt property
    protocol provider proxy publish pull push python qa query queue quota rails react readme record redis refactor
    reference region registry regex release remote render repo report repository request requirement resource
    response rest restart retry review role rollback root route router row rule runner runtime rust sandbox scanner
    scheduler schema scope script sdk search secret seed segment selector sentry server service session setting
    shard shell signal signup snapshot socket software source spec sprint sql sqlite ssh ssl stack staging standup
    state statement static storage store stream string struct style stylesheet subdomain submodule subscription
    suite support svg symbol sync syntax system tab table tag target task team template tenant terminal terraform
    test text theme thread ticket tier timeout timestamp timezone token tool toolchain topic trace traffic
    transaction transport trigger tunnel type typescript ui unit update upgrade upload url user username utc utility
    validation validator value variable vendor version vm volume vpn vue warning webhook website webpack wheel
    widget window windows worker workflow workspace wrapper xml yaml zone datenbank tabelle dienst umgebung
    schnittstelle datei ordner zweig entwickler serveur base données fichier dossier branche servicio servidor datos
    archivo carpeta rama pruebas prueba sensor reading measurement unit celsius fahrenheit kelvin metre meter millimetre
    millimeter inch feet radian degree second millisecond angle distance temperature weight duration amount sprint call
    sku patient shipment measurement linter commit ts js py css ui ux vat tax discount parser tokenizer crate gem
    cron seed gravity counter endian checksum bundle chart widget
    on-call rotation license image video audio backup invoice locale
    """.split()  # noqa: SIM905
)
_WORDS |= {word + "s" for word in _WORDS if len(word) < 3}  # too short to be stemmed: ids, prs, vms
_CODE_LIKE = re.compile(r"`|\b[A-Za-z]+-?\d+\b|\w\(\)|\w[._/]\w|\w_\w|--\w|QUOTED|[a-z][A-Z]\w*[a-z]|\w/(?:\s|$)")


@lru_cache(maxsize=1024)
def is_trade(text: str) -> bool:
    """Whether a sentence speaks of software and the work on it: a word of the trade, or something spelt like code."""
    if _CODE_LIKE.search(text) or not text.isascii() or not _WORDS.isdisjoint(tokens(text)):
        return True
    return is_foreign(text)  # whose trade words are not listed


def is_code_like(text: str) -> bool:
    """Whether something in a sentence is spelt like code."""
    return bool(_CODE_LIKE.search(text))
