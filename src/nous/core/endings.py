# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What a later saying of the user ends: a thing it says is over, a value it gives anew, a ban it lifts.

Each reason needs more than a shared word: the later saying has to speak of a change, and of nothing narrower than what
the earlier one speaks of. What only adds, asks, supposes, or holds for a while ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from nous.core.entailment import words as known
from nous.core.likeness import STOP_WORDS, tokens

SHORT = 16  # words that say something, up to which a saying is about one thing
LONG = 40  # words of a saying that tells of a change
BRIEF = 14  # and of the clause that tells it

# -- words ------------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"(?<![\w])[.-]{0,2}[^\W_][\w.+#@/:-]*[\w+#/]|[^\W_]")
_EDGE = re.compile(r"(?<=[A-Za-z0-9])(?=[\u3040-\u9fff])|(?<=[\u3040-\u9fff])(?=[A-Za-z0-9])")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
_COMPOUND = re.compile(r"[._/@+=:-]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
# Words that many sentences share: alone they do not make two of them speak of one thing.
_COMMON = frozenset(
    map(
        known.root,
        """
        test build code file run change branch release deploy server service app api data user error version page team
        work machine box box time day week month year morning new old last first second thing place part people please
        step line number value name type list item set size limit timeout port key default make add fix update look want
        like keep need write read open check call go come take put get give see say know think talk office one two three
        repo project module tool job script command function class field table column row request response event message
        pr ticket config setting docs local prod staging everything nothing anything something today yesterday friday
        monday tuesday wednesday thursday saturday sunday finally already really actually longer anymore again instead
        directly back over off gone dead still even per max min maximum minimum customer decide agree choose pick prefer vote
        mind wrong right good bad better best convert send use idea plan way start stop end finish
        """.split(),  # noqa: SIM905
    )
)
_LITTLE = STOP_WORDS | {"the", "s", "t", "re", "ve", "ll", "d", "m", "pls", "btw", "lol", "etc", "hi", "hey"}


class Words(NamedTuple):
    """The words of a text by their roots, and those of them that can hardly mean two things."""

    all: frozenset[str]
    telling: frozenset[str]


@lru_cache(maxsize=8192)
def words(text: str) -> Words:
    """The words that say something; of a compound such as FEATURE_CART=1 its parts too."""
    found: dict[str, bool] = {}
    plain = _EDGE.sub(" ", text.replace("’", "'").replace("`", " "))
    for at, raw in enumerate(_WORD.findall(plain)):
        bare = raw.strip("./-:")
        low = bare.lower()
        is_compound = bool(_COMPOUND.search(bare)) or raw.endswith("/")
        if low and low not in _LITTLE:
            form = known.root(low)
            is_name = bare[:1].isupper() and at > 0 and bare[1:2].islower() is False
            found[form] = found.get(form, False) or is_compound or is_name or _is_product(form)
        for part in _PART.findall(bare) if is_compound else ():
            if len(part) > 1 and part.lower() not in _LITTLE and not part.isdigit():
                found.setdefault(known.root(part.lower()), False)
    if not text.isascii():
        found = found | {word: found.get(word, False) for word in tokens(text) if not word.isascii()}
    return Words(frozenset(found), frozenset(word for word, named in found.items() if named))


def _is_product(form: str) -> bool:
    return form in known.TOOLS and not known.CHOICES.isdisjoint(known.ALTERNATIVES.get(form, ()))


# -- clauses ----------------------------------------------------------------------------------------------------------

_JOINT = re.compile(
    r"[,;!?。，；]+(?:\s|$|(?<=[。，；]))|\.\s|\.$|\s[-–—]+>?\s|\(|\)|\s(?:so|because|but|while|cause|cuz|weil|aber|denn|parce que|mais|porque|pero|потому что|но|так что|unless|except|without)\s"
    r"|\s(?:and|und|et|y|и)\s(?=(?:\S+ ){1,4}?(?:is|are|was|were|has|have|goes|go|got|ist|sind|est|sont|es|son)\s)",
    re.I,
)
_VERB = re.compile(
    r"(?:is|are|was|were|be|been|has|have|had|do|does|did|can|may|must|should|shall|will|would|could|got|gets?|goes|go|went|runs?|ran|uses?|reads?|lives?|sits?|needs?|takes?|took|comes?|came|wants?|says?|said|keeps?|kept|works?|makes?|made|happens?|returns?|lets?|allows?|expects?|sends?|sent|stores?|holds?|hits?|does|owns?|shows?|posts?|exports?|files?|serves?|listens?|talks?|writes?|builds?|built|starts?|ends?|stops?|becomes?|became|won|lost|left|quit|died|dies|cut|put|set|drops?|looks?|points?|belongs?|handles?|=|(?![a-z]*(?:based|need|seed|feed|speed|shared|embed|red|bed|fed|sped|unused|fixed|mixed|signed|hosted|limited|managed|generated|required)$)[a-z]{3,}ed"
    r"|ist|sind|war|wird|werden|hat|haben|est|sont|a|ont|es|son|está|va|van|fue|是|在)",
    re.I,
)
_AGENT = frozenset(
    """we i you they he she it that this these those there who ops infra devops qa legal marketing sales finance security
    management company team boss product design support customer customers client vendor somebody someone everybody
    everyone nobody dba cto ceo hr intern platform upstream people us wir sie er es man on nous ils elle il nosotros ellos
    мы они он она doch leider endlich jetzt nun hemos habéis avons ya everything all both anyone just finally now ok okay yes no well yay then also actually today yesterday
    turns out the our my your a an new current old former proper last big good whole entire same other""".split()  # noqa: SIM905
)


class Clause(NamedTuple):
    """A piece of a sentence: its text, the words ahead of its verb, whether it denies, whether it only adds."""

    text: str
    subject: frozenset[str]
    denies: bool
    is_beside: bool


_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|cannot|without|stop|avoid|forbidden|banned|prohibited|taboo|tabu|off[- ]limits|hands off|refuse|against|nicht|kein\w*|nie|niemals|pas|jamais|nunca|ne|не|нельзя|никогда|only|nur|solo|uniquement|только|freeze|frozen)\b|n['’]?t\b|不|别|勿|禁止|ない|ません",
    re.I,
)


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """The pieces of a text, each with its subject."""
    return tuple(
        Clause(piece.strip(), _subject(piece.strip()), bool(_DENIES.search(piece)), bool(_BESIDE.search(piece)))
        for piece in _JOINT.split(text)
        if piece and piece.strip(" .")
    )


_LEAD = re.compile(
    r"^(?:(?:since|as of|from|after|with) (?:the )?\S+(?: (?:cut|bump|rollout|move|switch|release|update|on|onwards?))?|(?:and|so|then|also|ok|well|yay|ojo que|actually|finally)|\S+(?: \S+){0,3} (?:says?|said|told (?:me|us)|confirmed|wrote|called)(?: that|:)?|[^:]{2,20}:)\s+(?=\S+ \S)",
    re.I,
)


def _subject(clause: str) -> frozenset[str]:
    """The words ahead of the verb, without those who merely act; none when a clause begins with its verb."""
    ahead: list[str] = []
    clause = _LEAD.sub("", clause)
    for raw in clause.replace("'s ", " is ").replace("’s ", " is ").split():
        if _VERB.fullmatch(raw.strip("`\"'.")) and (ahead or raw.lower() in ("is", "are")):
            break
        ahead.append(raw)
    else:
        ahead = []
    return words(" ".join(one for one in ahead if one.lower() not in _AGENT)).all


# -- whether anything changed -----------------------------------------------------------------------------------------

SIGN = re.compile(
    r"\b(?:now|nowadays|these days|no longer|any ?more|instead|again|back (?:to|on|off)|after all|as of|from (?:today|now|monday|next|this|\d[\d.]*) ?(?:on)?|since|already|finally|actually|turns out|changed|changes|moved|moves|moving|switched|switching|migrated|migrating|renames?|renamed|replaced|replaces|raised|lowered|bumped|upgraded|downgraded|increased|reduced|cut|pushed|extended|shortened|doubled|halved|became|becoming|becomes|converted|ported|dropped|drops|killed|kill|scrap\w*|scratch|forget|ditch\w*|dump\w*|retired?|abandon\w*|cancel\w*|terminated|decommissioned|deprecated|removed|deleted|revoked|unplugged|gone|dead|died|dies|history|obsolete|moot|void|superseded|outdated|stale|frozen|closed|stolen|expired|ended|over|off|out|took|taken|takes over|handed|left|quit|lifted|signed off|approved|agreed|won|lost|settled|decided|fixed|solved|resolved|repaired|works?|fine|recompiled|rebuilt|reindexed|rewrote|rewritten|folded|merged|split|no need|need(?:n'?t| not)|don'?t (?:need|have) to|(?:you |we )?(?:can|may)|allowed|welcome|as you like|ok(?:ay)?|changed my mind|new|pls|please|i want|enough|destroyed|kicked|put out|got|innocent|enabled|disabled|former|previous|wrong)\b"
    r"|\b(?:jetzt|nun|nicht mehr|stattdessen|ab sofort|ab heute|seit|inzwischen|mittlerweile|raus|weg|doch|wieder|umgestellt|umgezogen|abgeschafft|abgeschaltet|ersetzt|désormais|maintenant|plus|viré|passé|remplacé|supprimé|finalement|ahora|ya no|desde|cambi\w+|quita\w+|jubil\w+|dej\w+|теперь|больше|перевели|удал\w+|списали|переехал\w*|ладно)\b"
    r"|现在|已经|改成|改为|换成|不再|了|今後|変更|移しました|解約|にします|になりました|やめ",
    re.I,
)
# What makes a whole sentence no word about a change: a case, a question, somebody else's view, a plan nobody made.
_NO_CHANGE = re.compile(
    r"\?\s*$|^(?:if|when|whenever|unless|imagine|suppose|would|could|should we|what if|is|are|does|do|did|can|who|why|how)\b.*\?|\b(?:imagine|suppose[d]?|supposing|would be|some ?day|thinking (?:about|of)|nothing is decided|undecided|might|maybe|perhaps|hypothetical\w*|came out|got released|was released|looks? prettier|not switching|not moving|not going to (?:switch|change|move)|same answer|told them no|says? \"|the (?:blog|article|docs?|readme|book|tutorial|video) says?)\b|^(?:if|falls|wenn|si|если)\b|\bif (?:the|you|your|it|a|we)\b|^(?:i|i['’]m|i['’]ve|i['’]d|i['’]ll|you)\b(?! (?:\w+ly |just |also |have |['’]ve )?(?:switched|moved|converted|dropped|removed|deleted|killed|replaced|renamed|changed|migrated|ported|took|want you|can (?!see|tell|imagine)|may|bumped|raised|lowered|no longer|don['’]t run|have an? \w+))",
    re.I,
)
# What makes a clause add to what is known, or hold for a while or in one place only.
_BESIDE = re.compile(
    r"\b(?:also|as well|additionally|besides|in addition|plus|both|stays?|stayed|remains?|remained|continues?|still|keeps? (?:its|their)|until|till|during|right now|at the moment|for now|for (?:that|this) (?:long|one|once)|temporar\w+|meanwhile|this (?:throwaway|script|once|time|branch|pr)|throwaway|today only|hold on|on my machine|auch|zusätzlich|bleibt|aussi|reste|également|también|sigue|тоже|также|пока)\b",
    re.I,
)


@lru_cache(maxsize=2048)
def is_change(text: str) -> bool:
    """Whether a sentence may say that something is no longer as it was."""
    return bool(SIGN.search(text)) and not _NO_CHANGE.search(text)


_WITHIN = re.compile(
    r"\b(?:in|on|for|within|inside|under|at|im|in der|dans|en|para|pour|für|в|на) (?:(?:the|our|all|a|my|this|that|der|die|das|los|las|el|la|le|les) )?(?P<where>[^\W\d][\w-]*(?: [a-z][\w-]*)?)",
    re.I,
)
_OCCASION = frozenset(
    map(
        known.root,
        """
        retro meeting standup review call morning afternoon evening night weekend week month year sprint quarter end
        general fact case place addition full january february march april may june july august september october
        november december monday tuesday wednesday thursday friday saturday sunday christmas easter summer winter spring
        autumn good purpose team company all everyone both us me you them customer security performance cost compliance
        moment favor favour machine world code text everything repo project here there march time way
        """.split(),  # noqa: SIM905
    )
)


def _is_narrower(clause: Clause, older: str) -> bool:
    """Whether a clause speaks of a place or a use that the older saying does not know: "in the search service"."""
    held = words(older).all
    return any(
        where - held and not any(known.ALTERNATIVES.get(word) or _knows(word, older) for word in where)
        for where in _places(clause.text)
    )


@lru_cache(maxsize=2048)
def _places(text: str) -> tuple[frozenset[str], ...]:
    """The places and uses that a clause names, each by the first of its words."""
    found = (words(hit["where"].split()[0]).all for hit in _WITHIN.finditer(text))
    return tuple(where for where in found if where - _OCCASION)


# -- things that are over ---------------------------------------------------------------------------------------------

_FILLER = r"(?:is|are|was|were|be|got|gets|has been|have been|had been|has|have|been|just|now|finally|all|already|officially|completely|totally|long|pretty much|'s|’s|ist|sind|wurde|est|a été|est désormais)"
_ENDED = r"(?:gone|dead(?! (?:code|end|lock|letter))|history|obsolete|moot|void|removed|deleted|dropped|killed|retired|scrapped|ditched|dumped|abandoned|cancell?ed|terminated|decommissioned|sunset(?:ted)?|deprecated|superseded|replaced|revoked|unplugged|shut(?: down)?|switched off|turned off|thrown out|kicked out|frozen|stolen|put out of its misery|lifted|archived|no longer (?:needed|used|necessary|there|maintained|supported)|not (?:needed|used|necessary) any ?more|out of the picture|unnecessary|raus|weg|abgeschaltet|abgeschafft|tot|supprimé|mort|удал[её]н\w*)"
_ENDED_LAST = r"(?:out|over|off|through|closed|done|void|lost|down for good)"
_DIES = r"(?:died|dies|dies in \w+|ended(?: with \S+)?|expired|ran out|went away|went in the bin|bit the dust|quit|retired|passed away|got stolen|se jubiló|is no more|left|left (?:us|the (?:company|team|project)))"
_OVER_FIRST = re.compile(
    rf"^(?P<np>.{{1,60}}?)(?:(?<=\w)['’]s)?(?: {_FILLER})+ {_ENDED}\b|^(?P<np2>.{{1,60}}?)(?:(?<=\w)['’]s| {_FILLER})(?: {_FILLER})* {_ENDED_LAST}(?: again| for good)?\W*$|^(?P<np3>.{{1,40}}?)(?: finally| just| has| support| subscription)* {_DIES}\b(?! (?:the|a|it|my|your|behind|over|to|for|in|on|with)\b)|^(?P<np4>.{{1,40}}?) (?:no longer|doesn['’]?t|does not|don['’]?t|isn['’]?t|aren['’]?t) \w+.{{0,40}}\b(?:anymore|any more|any longer|at all)\b|^(?P<np5>[\w.+#-]+) (?:is|was|are) (?:a mistake|a bad idea|innocent)\b|^(?P<np6>[A-Za-z]+) (?:handed|passed|gave) .{2, 50} (?:over |on )?to\b|^(?P<np7>.{1, 40}?) (?:got|was|is|has been|were|are) (?:now )?(?:renamed|moved|relocated)\b",
    re.I,
)
_KILLS = re.compile(
    r"\b(?:kill(?:s|ed|ing)?|dropp?(?:s|ed|ing)?|dump(?:s|ed|ing)?|ditch(?:es|ed|ing)?|scrap(?:s|ped|ping)?|scratch|remov(?:es?|ed|ing)|delet(?:es?|ed|ing)|retir(?:es?|ed|ing)|replac(?:es?|ed|ing)|renam(?:es?|ed|ing)|abandon(?:s|ed|ing)?|cancell?(?:s|ed|ing)?|terminated|decommissioned|deprecated|revoked|unplugged|destroyed|axed|nuked|got rid of|get rid of|threw out|throw out|ripped out|rip out|no longer (?:use|uses|need|needs|have|run|runs)|stop(?:ped)? using|don['’]?t (?:use|need|run)|not using|forget(?: what i said)? about|forget(?= (?:the|our|all|that \w{3,}))|mov(?:ed|ing) (?:\w+ )?(?:away )?(?:from|off)|switch(?:ed|ing) (?:\w+ )?(?:away )?from|migrat(?:ed|ing) (?:\w+ )?(?:away )?(?:from|off)|lost|instead of|rather than|on a viré|viré|abandonné|supprimé|plus de|quitamos|dejamos(?: de usar)?|cancelamos|отказались от|убрали|удалили|abgeschafft|rausgeworfen|kein(?:e|en)?) (?:that |the |our |all |this |any |old |whole |entire |de |les |la |le |los |das |die |den )*(?P<np>[^\s,;:.!?()][^,;:!?()]{0,60})"
    r"|\b(?:took|taken|take|kick(?:ed)?|rip(?:ped)?|threw|throw|pull(?:ed)?|g[eo]t|put) (?:the |our |all )?(?P<np2>[\w./+#@-]+(?: [\w./+#@-]+)?) (?:out|away|down)\b|\b(?:took|takes) (?P<np3>[\w.+#-]+)['’]s place\b|\bno (?:more )?(?P<np4>[\w.+#-]+(?: [\w.+#-]+)?) (?:any ?more|any longer)\b|\b(?P<np5>[\w.+#-]+) (?:was|is|got) (?:replaced|superseded)\b",
    re.I,
)
_OVER_ELSEWHERE = re.compile(
    r"(?P<np>[A-Za-z][\w.+#-]*)\s*(?:已经|全部|都|现在)*\s*(?:换成|改成|改为|弃用|下线|停用|不用了)|(?P<np2>[A-Za-z][\w.+#-]*)(?:を|は|が)(?:解約|廃止|やめ|削除|停止|使わなく)|(?:弃用|放弃|去掉|删掉|不再用|不再使用)了?\s*(?P<np3>[A-Za-z][\w.+#-]*)|lo de (?:los |las |el |la )?(?P<np4>\w+) lo quit|(?P<np5>[А-ЯA-Z]?[\w-]+),? (?:её|его|их) (?:списали|убрали|удалили|выключили)",
    re.I,
)
_NP_END = re.compile(
    r"\s?(?:->|→|=>).*$|\s(?:for|in|on|to|with|by|from|at|of|into|as|and|or|since|because|when|where|that|which|who|last|this|next|yesterday|today|now|finally|completely|again|everywhere|already|it's|its|we|so|then|en|sur|par|pour|por|para|durch|mit|auf|la semaine|any|has|have|is|are|was|were)\b.*$",
    re.I,
)
# What may follow the name of a thing without narrowing it.
_HARMLESS = frozenset(
    map(
        known.root,
        """flag recipe subscription thing stuff server service account config workaround hack rule limit contract plan repo job
        script target task command folder box machine device board host resolver support requirement restriction ban policy
        wrapper instance license side business approach idea file check step argument objection setup day nonsense""".split(),  # noqa: SIM905
    )
)
_RENAMES = re.compile(r"\b(?:renamed|moved|moves|relocated|umbenannt|umgezogen|renommé|renombrado|переехал\w*)\b", re.I)
_PLACED = re.compile(
    r"\b(?:called|named|name|lives?|located|is (?:in|at|on|under)|are (?:in|at|on|under)|sits?|repo|folder|path|branch|host|heißt|s'appelle|se llama|we call)\b|/",
    re.I,
)


@lru_cache(maxsize=2048)
def _over(text: str, whole: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What a clause says is over: the phrase, and the words of who or what it is over for."""
    return tuple(_all_over(text, whole))


def _all_over(text: str, whole: str) -> Iterator[tuple[str, frozenset[str]]]:
    if found := _OVER_FIRST.search(text):
        yield next(part for part in found.groups() if part), frozenset()
    for kills in _KILLS.finditer(text):
        if _DENIED.search(text[: kills.start()]):
            continue
        phrase = _NP_END.sub("", next(part for part in kills.groups() if part))
        ahead = text[: kills.start()].lower().split()
        who = () if _SPEAKERS.intersection(ahead) else (one for one in ahead if one not in _AGENT)
        yield phrase, words(" ".join(who)).all
    for found in _OVER_ELSEWHERE.finditer(whole):
        yield next(part for part in found.groups() if part), frozenset()


_SPEAKERS = frozenset("we i you they he she wir ich sie on nous ils мы я они".split())  # noqa: SIM905
_DENIED = re.compile(
    r"(?:\b(?:not|never|no|nicht|pas|ne|no se|не)|n['’]?t)(?: \w+)?\s*$|\b(?:need|needs|have|has|want|able|try|how|should|must|could|would|let['’]?s|to)(?: to)?(?: \w+ly)?\s*$",
    re.I,
)


def _names(phrase: str, older: str) -> bool:
    """Whether a phrase names something that an older saying speaks of, and nothing narrower."""
    named, held = words(phrase), words(older)
    mine = named.all - _AGENT_ROOTS
    if not mine:
        return False
    order = [known.root(word.lower().strip("./-:`'\"")) for word in phrase.split()]
    met = {word for word in mine if word in held.all or _is_short_for(word, held.all) or _is_part(word, older)}
    there = [at for at, word in enumerate(order) if word in met]
    missing = mine - met
    if not met or (len(met) == 1 and met <= _COMMON - held.telling) or missing & named.telling:
        return False
    if not there:
        return bool(met) and not missing - met
    # A word ahead of the name narrows it ("the staging redis"), one behind it seldom does ("the cart flag").
    ahead = {word for word in order[: there[0]] if word in missing}
    behind = {word for word in order[there[0] + 1 :] if word in missing}
    return not ahead and behind <= _HARMLESS


_AGENT_ROOTS = frozenset(map(known.root, _AGENT))


def _kin(word: str, others: frozenset[str]) -> bool:
    """Whether a word is of the family of one of the others: mongo and mongodb, explain and explanation."""
    if len(word) < 4 or not word.isalpha():
        return False
    return any(
        (other.startswith(word) or word.startswith(other) or (len(word) > 5 and other[:5] == word[:5]))
        and abs(len(other) - len(word)) < (5 if len(word) > 4 < len(other) else 4)
        for other in others
        if len(other) > 3 and other.isalpha()
    )


def _is_short_for(word: str, others: frozenset[str]) -> bool:
    """Whether a word is one of the others cut short: mongo for mongodb; not print for printy."""
    return len(word) > 4 and any(other.startswith(word) and 1 < len(other) - len(word) < 4 for other in others)


def _is_part(word: str, older: str) -> bool:
    return bool(_COMPOUND.search(word)) and word in older.lower()


def _knows(word: str, older: str) -> bool:
    """Whether a saying has a word, one of its family, or a compound as a part of a longer one."""
    held = words(older).all
    if word in held or _kin(word, held):
        return True
    return _is_part(word, older)


_ATTRIBUTES = frozenset(
    map(
        known.root,
        """
        ip address port host url path name key version limit timeout size date time value default level day price layout
        """.split(),  # noqa: SIM905
    )
)


def _is_strange(clause: Clause, older: str) -> bool:
    """Whether a clause is about something that the older saying does not speak of."""
    return any(
        not _knows(word, older) and word not in _AGENT_ROOTS and word not in _ATTRIBUTES for word in clause.subject
    )


def _is_foreign(who: frozenset[str], older: str) -> bool:
    return any(not _knows(word, older) for word in who - _AGENT_ROOTS - _PEOPLE)


_MERGED = re.compile(r"^(?:the )?(?:branch )?(?P<name>[\w./-]+)(?: branch)? (?:was|is|got|has been) merged\b", re.I)


def _is_merged(clause: Clause, older: str) -> bool:
    """Whether a clause says that a branch was merged on which something is, by the older saying."""
    found = _MERGED.search(clause.text)
    name = re.escape(found["name"]) if found else ""
    return bool(name) and bool(
        re.search(rf"\b(?:is|are|lives?|sits?) (?:\w+ )?(?:in|on) .{{0,12}}\b{name}\b", older, re.I)
    )


def _is_over(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause says of what an older saying speaks of that it is over."""
    if _is_merged(clause, older):
        return True
    first = " ".join(one.text for one in clauses(older)[:2])
    for phrase, who in _over(clause.text, whole):
        if _is_foreign(who, older):
            continue
        if _RENAMES.search(clause.text) and not _PLACED.search(older):
            continue
        if _names(phrase, first if len(words(older).all) > 14 else older) and not _refuses(older, words(phrase).all):
            return True
    return False


_PEOPLE = frozenset(
    map(
        known.root,
        """
        ops company finance legal marketing management qa security product platform infra
        """.split(),  # noqa: SIM905
    )
)
_REFUSES = re.compile(
    r"\b(?:not|never|don['’]?t|no longer|dropped|drop|instead of|rather than|abandon\w*|forget|without|no|against|nicht|statt|kein\w*|plus|pas|больше не|не)\b|不",
    re.I,
)


def _refuses(older: str, named: frozenset[str]) -> bool:
    """Whether the older saying itself turns down what is named."""
    turned_down = (" ".join(older[found.end() :].split()[:4]) for found in _REFUSES.finditer(older))
    former = (next(part for part in found.groups() if part) for found in _FORMER.finditer(older))
    return any(named & words(phrase).all for phrase in (*turned_down, *former))


_FORMER = re.compile(
    r"\bwas ([\w.+#-]+) before\b|\bused to (?:be|use) ([\w.+#-]+)|([\w.+#-]+) (?:тут |здесь )?нет\b", re.I
)


# -- values that are given anew ---------------------------------------------------------------------------------------

_FIGURE = re.compile(
    r"(?<![\w.:/#-])(?!\d+[.)]\s)(?P<number>\d+(?:[.,]\d+)?)\s?(?P<rate>/\s?)?(?P<unit>%|[^\W\d_]{1,14})?(?![\w]*[.:/-]\w)|\b(?P<word>one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety) (?P<unit2>[a-z]{3,12})\b",
    re.I,
)
_SORTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("clock", re.compile(r"(?<![\w:.])\d{1,2}:\d{2}(?![\w:])")),
    ("host", re.compile(r"(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9-]+\.){2,}[a-z]{2,})(?![\w])", re.I)),
    (
        "date",
        re.compile(
            r"\b(?:\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)\w* \d{1,2})\b",
            re.I,
        ),
    ),
    ("release", re.compile(r"(?<![\w.])v?\d+(?:\.\d+)+(?![\w])|\bv\d+\b|(?<=[a-z]/)\d+(?:\.\d+)+", re.I)),
    (
        "path",
        re.compile(
            r"(?<![\w:/])(?:~?/)?(?:[\w.@*-]+/)+[\w.@*-]*|\b[\w-]+\.(?:ya?ml|toml|json|ini|conf|env|md|sh|py|ts|js|po|csv|xml|cfg|lock)\b"
        ),
    ),
    ("switch", re.compile(r"(?<=is |re )(?:on|off|enabled|disabled)\b|(?<=turned )(?:on|off)\b", re.I)),
    ("zone", re.compile(r"\b(?:UTC|GMT|CET|CEST|EST|PST|local time)\b|\b[A-Z][a-z]+/[A-Z][a-z_]+\b")),
    (
        "frequency",
        re.compile(
            r"\b(?:hourly|daily|nightly|weekly|monthly|quarterly|yearly|every (?:hour|day|night|week|month|quarter|year|morning|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
            re.I,
        ),
    ),
    ("variable", re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")),
)
_IDLE_UNIT = frozenset(
    """and or is are for in on at to the a of from with by per as since now if so then that it we but because when not be
    will was were has have please everywhere too und oder für auf im seit et ou pour depuis y o para desde""".split()  # noqa: SIM905
)


class Value(NamedTuple):
    """Something that a thing has one of at a time: its sort (what it measures, or which list it is from) and itself."""

    sort: str
    value: str
    unit: str = ""

    def rivals(self, other: Value) -> bool:
        """Whether only one of both can be said of one thing."""
        if self.sort != other.sort or self.value == other.value:
            return False
        return self.unit == other.unit or not (self.unit and other.unit)


@lru_cache(maxsize=8192)
def values(text: str) -> frozenset[Value]:
    """The values that a text names."""
    found = {Value(sort, hit.lower().rstrip("./")) for sort, pattern in _SORTS for hit in pattern.findall(text)}
    for hit in _FIGURE.finditer(text):
        number = known.NUMBERS.get((hit["word"] or "").lower()) or hit["number"]
        unit = (hit["unit"] or hit["unit2"] or "").lower()
        unit = unit if unit.isascii() else unit[:1]
        measure, factor = known.UNITS.get(unit, ("", 1.0))
        amount = f"{float(number.replace(',', '.')) * factor:g}"
        idle = unit in _IDLE_UNIT
        found.add(Value(measure or "figure", amount, "" if measure or idle else known.root(unit)))
    for word in words(text).all:
        found |= {Value(f"one of {row}", word) for row in known.ALTERNATIVES.get(word, ()) if row in known.CHOICES}
    return frozenset(found)


_NOT = re.compile(r"\b(?:never|not|nie|jamais|nunca|никогда)\b|n['’]t\b", re.I)


def _revalues(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause gives another value of the same sort to what an older saying speaks of."""
    held = values(older)
    pairs = [
        (new, old)
        for new in values(clause.text)
        for old in held
        if new.rivals(old) and new not in held and not _within(new, clause.subject)
        if new.sort != "path" or _is_moved(new.value, old.value) or (clause.subject and _PLACED.search(older))
    ]
    if not pairs or _NOT.search(clause.text):
        return False
    if any(old.value in whole.lower() and _is_marked(old.value) for _, old in pairs):
        return True  # it names the old value beside the new one
    named = {part for new, old in pairs for one in (new, old) for part in words(one.value).all} | _UNITS
    shared = {word for word in words(whole).all - named if _knows(word, older)}
    if _is_strange(clause, older) or not shared:
        return False
    if all(new.sort == "figure" for new, _ in pairs):
        shared &= words(clause.text).all
    return bool(shared - _COMMON) or len(shared) > 1


def _is_moved(new: str, old: str) -> bool:
    """Whether two paths end in the same name, or one names a file and the other the folder that it is in now."""
    return new.rsplit("/", 1)[-1] == old.rsplit("/", 1)[-1]


_UNITS = frozenset(map(known.root, known.UNITS))


def _is_same_frame(clause: str, older: str) -> bool:
    """Whether both say the same but for their values."""
    mine, theirs = (
        words(one).all - {part for v in values(one) for part in words(v.value).all} for one in (clause, older)
    )
    return len(mine) > 1 and mine == theirs


def _within(value: Value, subject: frozenset[str]) -> bool:
    return bool(words(value.value).all & subject)


def _is_marked(value: str) -> bool:
    return bool(re.fullmatch(r"\d{3,5}|\d+(?:\.\d+)+|\d+:\d+|.*[./_].*", value))


_TO = re.compile(
    r"\b(?:switch|mov|migrat|chang|convert|port|transition|went|back|becom|becam|upgrad|bump|relicens|passé|cambi|pas|перевели|перешли|umgestiegen|gewechselt|umgestellt)\w*(?: \S+){0,5}? (?:over )?(?:to|on|onto|into|under|with|auf|à|sur|a|на)\s(?P<to>(?:the |our |a )?\S+(?: \S+)?)|\b(?:becoming|going) (?P<to2>\S+)|\b(?:it['’]s|it is|it['’]s going to be|we['’]re on|we are on|now on) (?P<to3>\S+(?: \S+)?)|\b(?P<to4>[\w.+#-]+) (?:it is|took|does|instead|now)\b",
    re.I,
)


@lru_cache(maxsize=2048)
def _targets(text: str) -> tuple[frozenset[str], ...]:
    """What a clause goes over to."""
    found = (next(part for part in hit.groups() if part) for hit in _TO.finditer(text))
    return tuple(words(phrase).all - _COMMON for phrase in found)


def _swaps(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause goes over to something, and the older saying is for what it takes the place of, or against it."""
    first = clauses(older)[0].text if clauses(older) else older
    for target in _targets(clause.text):
        if not target or _is_strange(clause._replace(subject=clause.subject - target), older):
            continue
        if _refuses(older, target) and target & words(older).all:
            return True
        rivals = {
            word
            for word in words(first).all
            for one in target
            if known.are_alternatives(word, one) and known.ALTERNATIVES[word] & known.CHOICES
        }
        if rivals and not target & words(first).all:
            return True
    return False


# -- bans and troubles ------------------------------------------------------------------------------------------------

_PERMITS = re.compile(
    r"\b(?:can|may|allowed|okay|ok|fine|welcome|as you like|go ahead|feel free|free to|please|pls|yourself|open for|directly|works?|fixed|solved|resolved|enabled|i want|want you to|has tests|kannst|darfst|ruhig|bitte|peux|puedes|можно|можешь|пушь|可以)\b",
    re.I,
)
_TROUBLE = re.compile(
    r"\b(?:flaky|crash\w*|broken|breaks?|fails?|segfaults?|hangs?|leaks?|dead end|doesn['’]?t work|buggy|ignores|disabled|skip|workaround)\b",
    re.I,
)
_CURED = re.compile(r"\b(?:fixed|works?|fine|solved|resolved|repaired|enabled|innocent|stable|back|green)\b", re.I)
_NEEDLESS = re.compile(
    r"\b(?:no need to|don['’]?t (?:need|have) to|needn['’]?t|not necessary to|you can stop|no reason to)\b(?P<what>[^,;:.]{3,60})",
    re.I,
)


def _lifts(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause permits what an older saying forbids, forbids what it permits, or says that its trouble is over."""
    if _is_strange(clause, older):
        return False
    mine = words(clause.text).all - _COMMON
    shared = {word for word in mine if _knows(word, older)}
    if needless := _NEEDLESS.search(clause.text):
        named = words(needless["what"]).all - _COMMON
        return bool(named) and len([word for word in named if _knows(word, older)]) * 2 > len(named)
    if _TROUBLE.search(older) and _CURED.search(clause.text) and not clause.denies:
        return bool(shared & (words(older).telling | clause.subject))
    banned = next((words(one.text).all - _COMMON for one in clauses(older)[:2] if one.denies), frozenset())
    if banned and not clause.denies and _PERMITS.search(clause.text):
        return all(_knows(word, clause.text) for word in banned - _VAGUE) and bool(banned - _VAGUE)
    first = clauses(older)[0]
    if clause.denies and not first.denies and _PERMITS.search(first.text):
        return bool(mine) and all(_knows(word, first.text) for word in mine)
    return False


_VAGUE = frozenset(map(known.root, "allow touch edit change use add do directly straight ever please bitte".split()))  # noqa: SIM905


# -- the same subject, something else said of it ----------------------------------------------------------------------

_TURNED = re.compile(
    r"\b(?:now|nowadays|these days|no longer|any ?more|instead|back (?:to|on|in)|as of (?:today|now|monday|this)|from (?:today|now|next|this) ?(?:on|week|month|release)?|changed|moved|switched|migrated|replaced|became|becoming|handed|took over|taken over|jetzt|nun|nicht mehr|stattdessen|ab sofort|désormais|maintenant|ahora|ya no|теперь|больше не)\b|现在|改成|改为|换成|不再|変更",
    re.I,
)


def _says_anew(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause with the words of a change says something else of most of what an older saying speaks of."""
    if not clause.subject or not _TURNED.search(whole) or _is_strange(clause, older):
        return False
    mine, theirs = words(clause.text).all - _COMMON, words(older).all - _COMMON
    shared = {word for word in mine if _knows(word, older)}
    left = {word for word in theirs if not _knows(word, clause.text)}
    return len(shared) >= 2 and bool(mine - shared) and bool(left) and 2 * len(shared) >= len(theirs)


# -- all together -----------------------------------------------------------------------------------------------------


def is_for_other(newer: str, older: str) -> bool:
    """Whether a thing that both name is given up by somebody whom the older saying does not speak of.

    "The web build moved off jenkins" leaves "jenkins builds the firmware" alone.
    """
    return any(
        _is_foreign(who, older)
        for clause in clauses(newer)
        for phrase, who in _over(clause.text, newer)
        if words(phrase).all & words(older).all
    )


@lru_cache(maxsize=8192)
def _topics(text: str) -> frozenset[str]:
    """What two sayings have to meet in before they are compared: the beginnings of words, and what words are one of."""
    all_ = words(text).all
    rows = (f"{row} of" for word in all_ for row in known.ALTERNATIVES.get(word, ()) if row in known.CHOICES)
    return frozenset(word[:4] for word in all_) | frozenset(rows) | frozenset(words(text).telling)


def ends(newer: str, older: str) -> str | None:
    """Why a later saying ends an older one: "over", "value", "swap" or "lifted"; None when it does not."""
    if _topics(newer).isdisjoint(_topics(older)) or not (is_change(newer) or _is_same_frame(newer, older)):
        return None
    if len(words(older).all) > SHORT or len(newer.split()) > LONG:
        return None  # who says much at once is not taken at one word
    for clause in clauses(newer):
        if clause.is_beside or len(clause.text.split()) > BRIEF or _is_narrower(clause, older):
            continue
        for reason, judge in (
            ("over", _is_over),
            ("value", _revalues),
            ("swap", _swaps),
            ("lifted", _lifts),
            ("anew", _says_anew),
        ):
            if judge(clause, newer, older):
                return reason
    return None
