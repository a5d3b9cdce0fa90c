# ruff: noqa: E501, SIM905  a row of a table is one pattern and reads best unbroken
"""The words and patterns by which sayings are read: whom and what they name, what tells of a change, what is over."""

from __future__ import annotations

import re

from nous.core.entailment import words as known
from nous.core.likeness import STOP_WORDS


def roots(listed: str) -> frozenset[str]:
    """The roots of words listed with blanks between them."""
    return frozenset(map(known.root, listed.split()))


# -- lists of words ---------------------------------------------------------------------------------------------------

# Words that many sentences share: alone they do not make two of them speak of one thing.
COMMON = roots(
    """
    test build code file run change branch release deploy server service app api data user error version page team
    work machine box time day week month year morning new old last first second thing place part people please
    step line number value name type list item set size limit timeout port key default make add fix update look want
    like keep need write read open check call go come take put get give see say know think talk office one two three
    repo project module tool job script command function class field table column row request response event message
    pr ticket config setting docs local prod staging everything nothing anything something today yesterday friday
    monday tuesday wednesday thursday saturday sunday finally already really actually longer anymore again instead
    directly back over off gone dead still even per max min maximum minimum customer decide agree choose pick prefer vote
    mind wrong right good bad better best convert send use idea plan way start stop end finish
    """
)
LITTLE = STOP_WORDS | {"the", "s", "t", "re", "ve", "ll", "d", "m", "pls", "btw", "lol", "etc", "hi", "hey"}
# Who acts in a sentence, and what leads up to it: never what the sentence is about.
AGENT = frozenset(
    """we i you they he she it that this these those there who ops infra devops qa legal marketing sales finance security
    management company team boss product design support customer customers client vendor somebody someone everybody
    everyone nobody dba cto ceo hr intern platform upstream people us wir sie er es man on nous ils elle il nosotros ellos
    мы они он она doch leider endlich jetzt nun hemos habéis avons ya everything all both anyone just finally now ok okay yes no well yay then also actually today yesterday
    turns out the our my your a an new current old former proper last big good whole entire same other""".split()
)
AGENT_ROOTS = frozenset(map(known.root, AGENT))
# What anything may have: it makes no sentence one about something else.
ATTRIBUTES = roots(
    "ip address port host url path name key version limit timeout size date time value default level day price layout"
)
PEOPLE = roots("ops company finance legal marketing management qa security product platform infra")
# What stands behind "in" and "for" without being a place or a use.
OCCASION = roots(
    """
    retro meeting standup review call morning afternoon evening night weekend week month year sprint quarter end
    general fact case place addition full january february march april may june july august september october
    november december monday tuesday wednesday thursday friday saturday sunday christmas easter summer winter spring
    autumn good purpose team company all everyone both us me you them customer security performance cost compliance
    moment favor favour machine world code text everything repo project here there time way
    """
)
# What may follow the name of a thing without narrowing it.
HARMLESS = roots(
    """
    flag recipe subscription thing stuff server service account config workaround hack rule limit contract plan repo job
    script target task command folder box machine device board host resolver support requirement restriction ban policy
    wrapper instance license side business approach idea file check step argument objection setup day nonsense
    """
)
VAGUE = roots("allow touch edit change use add do directly straight ever please bitte")
SPEAKERS = frozenset("we i you they he she wir ich sie on nous ils мы я они".split())
FORMERLY = frozenset("old former previous alte alten alter altes ancien ancienne viejo vieja старый старая".split())
ARTICLES = frozenset("the our my a an this that der die das den dem unser unsere le la les el los las".split())
IDLE_UNIT = frozenset(
    """and or is are for in on at to the a of from with by per as since now if so then that it we but because when not be
    will was were has have please everywhere too und oder für auf im seit et ou pour depuis y o para desde""".split()
)

# -- how a sentence is parted -----------------------------------------------------------------------------------------

JOINT = re.compile(
    r"[,;!?。，；]+(?:\s|$|(?<=[。，；]))|\.\s|\.$|\s[-–—]+>?\s|\(|\)|\s(?:so|because|but|while|cause|cuz|weil|aber|denn|parce que|mais|porque|pero|потому что|но|так что|unless|except|without)\s"
    r"|\s(?:and|und|et|y|и)\s(?=(?:\S+ ){1,4}?(?:is|are|was|were|has|have|goes|go|got|ist|sind|est|sont|es|son)\s)",
    re.I,
)
VERB = re.compile(
    r"(?:is|are|was|were|be|been|has|have|had|do|does|did|can|may|must|should|shall|will|would|could|got|gets?|goes|go|went|runs?|ran|uses?|reads?|lives?|sits?|needs?|takes?|took|comes?|came|wants?|says?|said|keeps?|kept|works?|makes?|made|happens?|returns?|lets?|allows?|expects?|sends?|sent|stores?|holds?|hits?|does|owns?|shows?|posts?|exports?|files?|serves?|listens?|talks?|writes?|builds?|built|starts?|ends?|stops?|becomes?|became|won|lost|left|quit|died|dies|cut|put|set|drops?|looks?|points?|belongs?|handles?|=|(?![a-z]*(?:based|need|seed|feed|speed|shared|embed|red|bed|fed|sped|unused|fixed|mixed|signed|hosted|limited|managed|generated|required)$)[a-z]{3,}ed"
    r"|ist|sind|war|wird|werden|hat|haben|est|sont|a|ont|es|son|está|va|van|fue|是|在)",
    re.I,
)
LEAD = re.compile(
    r"^(?:(?:since|as of|from|after|with) (?:the )?\S+(?: (?:cut|bump|rollout|move|switch|release|update|on|onwards?))?|(?:and|so|then|also|ok|well|yay|ojo que|actually|finally)|\S+(?: \S+){0,3} (?:says?|said|told (?:me|us)|confirmed|wrote|called)(?: that|:)?|[^:]{2,20}:)\s+(?=\S+ \S)",
    re.I,
)
DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|cannot|without|stop|avoid|forbidden|banned|prohibited|taboo|tabu|off[- ]limits|hands off|refuse|against|nicht|kein\w*|nie|niemals|pas|jamais|nunca|ne|не|нельзя|никогда|only|nur|solo|uniquement|только|freeze|frozen)\b|n['’]?t\b|不|别|勿|禁止|ない|ません",
    re.I,
)
WITHIN = re.compile(
    r"\b(?:in|on|for|within|inside|under|at|im|in der|dans|en|para|pour|für|в|на) (?:(?:the|our|all|a|my|this|that|der|die|das|los|las|el|la|le|les) )?(?P<where>[^\W\d][\w-]*(?: [a-z][\w-]*)?)",
    re.I,
)

# -- whether anything changed -----------------------------------------------------------------------------------------

SIGN = re.compile(
    r"\b(?:now|nowadays|these days|no longer|any ?more|instead|again|back (?:to|on|off)|after all|as of|from (?:today|now|monday|next|this|\d[\d.]*) ?(?:on)?|since|already|finally|actually|turns out|changed|changes|moved|moves|moving|switched|switching|migrated|migrating|renames?|renamed|replaced|replaces|raised|lowered|bumped|upgraded|downgraded|increased|reduced|cut|pushed|extended|shortened|doubled|halved|became|becoming|becomes|converted|ported|dropped|drops|killed|kill|scrap\w*|scratch|forget|ditch\w*|dump\w*|retired?|abandon\w*|cancel\w*|terminated|decommissioned|deprecated|removed|deleted|revoked|unplugged|gone|dead|died|dies|history|obsolete|moot|void|superseded|outdated|stale|frozen|closed|stolen|expired|ended|over|off|out|took|taken|takes over|handed|left|quit|lifted|signed off|approved|agreed|won|lost|settled|decided|fixed|solved|resolved|repaired|works?|fine|recompiled|rebuilt|reindexed|rewrote|rewritten|folded|merged|split|no need|need(?:n'?t| not)|don'?t (?:need|have) to|(?:you |we )?(?:can|may)|allowed|welcome|as you like|ok(?:ay)?|changed my mind|new|pls|please|i want|enough|destroyed|kicked|put out|got|innocent|enabled|disabled|former|previous|wrong)\b"
    r"|\b(?:jetzt|nun|nicht mehr|stattdessen|ab sofort|ab heute|seit|inzwischen|mittlerweile|raus|weg|doch|wieder|umgestellt|umgezogen|abgeschafft|abgeschaltet|ersetzt|désormais|maintenant|plus|viré|passé|remplacé|supprimé|finalement|ahora|ya no|desde|cambi\w+|quita\w+|jubil\w+|dej\w+|теперь|больше|перевели|удал\w+|списали|переехал\w*|ладно)\b"
    r"|现在|已经|改成|改为|换成|不再|了|今後|変更|移しました|解約|にします|になりました|やめ",
    re.I,
)
# What makes a whole sentence no word about a change: a case, a question, somebody else's view, a plan nobody made.
NO_CHANGE = re.compile(
    r"\?\s*$|^(?:if|when|whenever|unless|imagine|suppose|would|could|should we|what if|is|are|does|do|did|can|who|why|how)\b.*\?|\b(?:imagine|suppose[d]?|supposing|would be|some ?day|thinking (?:about|of)|nothing is decided|undecided|might|maybe|perhaps|hypothetical\w*|came out|got released|was released|looks? prettier|not switching|not moving|not going to (?:switch|change|move)|same answer|told them no|says? \"|the (?:blog|article|docs?|readme|book|tutorial|video) says?)\b|^(?:if|falls|wenn|si|если)\b|\bif (?:the|you|your|it|a|we)\b|^(?:i|i['’]m|i['’]ve|i['’]d|i['’]ll|you)\b(?! (?:\w+ly |just |also |have |['’]ve )?(?:switched|moved|converted|dropped|removed|deleted|killed|replaced|renamed|changed|migrated|ported|took|want you|can (?!see|tell|imagine)|may|bumped|raised|lowered|no longer|don['’]t run|have an? \w+))",
    re.I,
)
# What makes a clause add to what is known, or hold for a while or in one place only.
BESIDE = re.compile(
    r"\b(?:also|as well|additionally|besides|in addition|plus|both|stays?|stayed|remains?|remained|continues?|still|keeps? (?:its|their)|until|till|during|right now|at the moment|for now|for (?:that|this) (?:long|one|once)|temporar\w+|meanwhile|this (?:throwaway|script|once|time|branch|pr)|throwaway|today only|hold on|on my machine|auch|zusätzlich|bleibt|aussi|reste|également|también|sigue|тоже|также|пока)\b",
    re.I,
)
TURNED = re.compile(
    r"\b(?:now|nowadays|these days|no longer|any ?more|instead|back (?:to|on|in)|as of (?:today|now|monday|this)|from (?:today|now|next|this) ?(?:on|week|month|release)?|changed|moved|switched|migrated|replaced|became|becoming|handed|took over|taken over|jetzt|nun|nicht mehr|stattdessen|ab sofort|désormais|maintenant|ahora|ya no|теперь|больше не)\b|现在|改成|改为|换成|不再|変更",
    re.I,
)

# -- things that are over ---------------------------------------------------------------------------------------------

_FILLER = r"(?:is|are|was|were|be|got|gets|has been|have been|had been|has|have|been|just|now|finally|all|already|officially|completely|totally|long|pretty much|'s|’s|ist|sind|wurde|est|a été|est désormais)"
_ENDED = r"(?:gone|dead(?! (?:code|end|lock|letter))|history|obsolete|moot|void|removed|deleted|dropped|killed|retired|scrapped|ditched|dumped|abandoned|cancell?ed|terminated|decommissioned|sunset(?:ted)?|deprecated|superseded|replaced|revoked|unplugged|shut(?: down)?|switched off|turned off|thrown out|kicked out|frozen|stolen|put out of its misery|lifted|archived|no longer (?:needed|used|necessary|there|maintained|supported)|not (?:needed|used|necessary) any ?more|out of the picture|unnecessary|raus|weg|abgeschaltet|abgeschafft|tot|supprimé|mort|удал[её]н\w*)"
_ENDED_LAST = r"(?:out|over|off|through|closed|done|void|lost|down for good)"
_DIES = r"(?:died|dies|dies in \w+|ended(?: with \S+)?|expired|ran out|went away|went in the bin|bit the dust|quit|retired|passed away|got stolen|se jubiló|is no more|left|left (?:us|the (?:company|team|project)))"
OVER_FIRST = re.compile(
    rf"^(?P<np>.{{1,60}}?)(?:(?<=\w)['’]s)?(?: {_FILLER})+ {_ENDED}\b|^(?P<np2>.{{1,60}}?)(?:(?<=\w)['’]s| {_FILLER})(?: {_FILLER})* {_ENDED_LAST}(?: again| for good)?\W*$|^(?P<np3>.{{1,40}}?)(?: finally| just| has| support| subscription)* {_DIES}\b(?! (?:the|a|it|my|your|behind|over|to|for|in|on|with)\b)|^(?P<np4>.{{1,40}}?) (?:no longer|doesn['’]?t|does not|don['’]?t|isn['’]?t|aren['’]?t) \w+.{{0,40}}\b(?:anymore|any more|any longer|at all)\b|^(?P<np5>[\w.+#-]+) (?:is|was|are) (?:a mistake|a bad idea|innocent)\b|^(?P<np6>[A-Za-z]+) (?:handed|passed|gave) .{{2,50}} (?:over |on )?to\b|^(?P<np7>.{{1,40}}?) (?:got|was|is|has been|were|are) (?:now )?(?:renamed|moved|relocated)\b",
    re.I,
)
KILLS = re.compile(
    r"\b(?:kill(?:s|ed|ing)?|dropp?(?:s|ed|ing)?|dump(?:s|ed|ing)?|ditch(?:es|ed|ing)?|scrap(?:s|ped|ping)?|scratch|remov(?:es?|ed|ing)|delet(?:es?|ed|ing)|retir(?:es?|ed|ing)|replac(?:es?|ed|ing)|renam(?:es?|ed|ing)|abandon(?:s|ed|ing)?|cancell?(?:s|ed|ing)?|terminated|decommissioned|deprecated|revoked|unplugged|destroyed|axed|nuked|got rid of|get rid of|threw out|throw out|ripped out|rip out|no longer (?:use|uses|need|needs|have|run|runs)|stop(?:ped)? using|don['’]?t (?:use|need|run)|not using|forget(?: what i said)? about|forget(?= (?:the|our|all|that \w{3,}))|mov(?:ed|ing) (?:\w+ )?(?:away )?(?:from|off)|switch(?:ed|ing) (?:\w+ )?(?:away )?from|migrat(?:ed|ing) (?:\w+ )?(?:away )?(?:from|off)|lost|instead of|rather than|on a viré|viré|abandonné|supprimé|plus de|quitamos|dejamos(?: de usar)?|cancelamos|отказались от|убрали|удалили|abgeschafft|rausgeworfen|kein(?:e|en)?) (?:that |the |our |all |this |any |old |whole |entire |de |les |la |le |los |das |die |den )*(?P<np>[^\s,;:.!?()][^,;:!?()]{0,60})"
    r"|\b(?:took|taken|take|kick(?:ed)?|rip(?:ped)?|threw|throw|pull(?:ed)?|g[eo]t|put) (?:the |our |all )?(?P<np2>[\w./+#@-]+(?: [\w./+#@-]+)?) (?:out|away|down)\b|\b(?:took|takes) (?P<np3>[\w.+#-]+)['’]s place\b|\bno (?:more )?(?P<np4>[\w.+#-]+(?: [\w.+#-]+)?) (?:any ?more|any longer)\b|\b(?P<np5>[\w.+#-]+) (?:was|is|got) (?:replaced|superseded)\b",
    re.I,
)
OVER_ELSEWHERE = re.compile(
    r"(?P<np>[A-Za-z][\w.+#-]*)\s*(?:已经|全部|都|现在)*\s*(?:换成|改成|改为|弃用|下线|停用|不用了)|(?P<np2>[A-Za-z][\w.+#-]*)(?:を|は|が)(?:解約|廃止|やめ|削除|停止|使わなく)|(?:弃用|放弃|去掉|删掉|不再用|不再使用)了?\s*(?P<np3>[A-Za-z][\w.+#-]*)|lo de (?:los |las |el |la )?(?P<np4>\w+) lo quit|(?P<np5>[А-ЯA-Z]?[\w-]+),? (?:её|его|их) (?:списали|убрали|удалили|выключили)",
    re.I,
)
DENIED = re.compile(
    r"(?:\b(?:not|never|no|nicht|pas|ne|no se|не)|n['’]?t)(?: \w+)?\s*$|\b(?:need|needs|have|has|want|able|try|how|should|must|could|would|let['’]?s|to)(?: to)?(?: \w+ly)?\s*$",
    re.I,
)
NP_END = re.compile(
    r"\s?(?:->|→|=>).*$|\s(?:for|in|on|to|with|by|from|at|of|into|as|and|or|since|because|when|where|that|which|who|last|this|next|yesterday|today|now|finally|completely|again|everywhere|already|it's|its|we|so|then|en|sur|par|pour|por|para|durch|mit|auf|la semaine|any|has|have|is|are|was|were)\b.*$",
    re.I,
)
RENAMES = re.compile(r"\b(?:renamed|moved|moves|relocated|umbenannt|umgezogen|renommé|renombrado|переехал\w*)\b", re.I)
PLACED = re.compile(
    r"\b(?:called|named|name|lives?|located|is (?:in|at|on|under)|are (?:in|at|on|under)|sits?|repo|folder|path|branch|host|heißt|s'appelle|se llama|we call)\b|/",
    re.I,
)
MERGED = re.compile(r"^(?:the )?(?:branch )?(?P<name>[\w./-]+)(?: branch)? (?:was|is|got|has been) merged\b", re.I)

# -- what a saying turns down -----------------------------------------------------------------------------------------

REFUSES = re.compile(
    r"\b(?:not|never|don['’]?t|no longer|dropped|drop|instead of|rather than|abandon\w*|forget|without|no|against|nicht|statt|kein\w*|plus|pas|больше не|не)\b|不",
    re.I,
)
FORMER = re.compile(
    r"\bwas ([\w.+#-]+) before\b|\bused to (?:be|use) ([\w.+#-]+)|([\w.+#-]+) (?:тут |здесь )?нет\b", re.I
)

# -- values -----------------------------------------------------------------------------------------------------------

FIGURE = re.compile(
    r"(?<![\w.:/#-])(?!\d+[.)]\s)(?P<number>\d+(?:[.,]\d+)?)\s?(?P<rate>/\s?)?(?P<unit>%|[^\W\d_]{1,14})?(?![\w]*[.:/-]\w)|\b(?P<word>one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety) (?P<unit2>[a-z]{3,12})\b",
    re.I,
)
SORTS: tuple[tuple[str, re.Pattern[str]], ...] = (
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
NOT = re.compile(r"\b(?:never|not|nie|jamais|nunca|никогда)\b|n['’]t\b", re.I)
UNITS = frozenset(map(known.root, known.UNITS))

# -- going over to something ------------------------------------------------------------------------------------------

TO = re.compile(
    r"\b(?:switch|mov|migrat|chang|convert|port|transition|went|back|becom|becam|upgrad|bump|relicens|passé|cambi|pas|перевели|перешли|umgestiegen|gewechselt|umgestellt)\w*(?: \S+){0,5}? (?:over )?(?:to|on|onto|into|under|with|auf|à|sur|a|на)\s(?P<to>(?:the |our |a )?\S+(?: \S+)?)|\b(?:becoming|going) (?P<to2>\S+)|\b(?:it['’]s|it is|it['’]s going to be|we['’]re on|we are on|now on) (?P<to3>\S+(?: \S+)?)|\b(?P<to4>[\w.+#-]+) (?:it is|took|does|instead|now)\b",
    re.I,
)

# -- bans and troubles ------------------------------------------------------------------------------------------------

PERMITS = re.compile(
    r"\b(?:can|may|allowed|okay|ok|fine|welcome|as you like|go ahead|feel free|free to|please|pls|yourself|open for|directly|works?|fixed|solved|resolved|enabled|i want|want you to|has tests|kannst|darfst|ruhig|bitte|peux|puedes|можно|можешь|пушь|可以)\b",
    re.I,
)
TROUBLE = re.compile(
    r"\b(?:flaky|crash\w*|broken|breaks?|fails?|segfaults?|hangs?|leaks?|dead end|doesn['’]?t work|buggy|ignores|disabled|skip|workaround)\b",
    re.I,
)
CURED = re.compile(r"\b(?:fixed|works?|fine|solved|resolved|repaired|enabled|innocent|stable|back|green)\b", re.I)
NEEDLESS = re.compile(
    r"\b(?:no need to|don['’]?t (?:need|have) to|needn['’]?t|not necessary to|you can stop|no reason to)\b(?P<what>[^,;:.]{3,60})",
    re.I,
)
