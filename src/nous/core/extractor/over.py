# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How people say that something is no longer so, and what it was, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue
from nous.core.language.lowered import Folded

THING = r"(?P<old>`[^`]+`|(?-i:[A-Z])[\w.+#/@-]*(?-i:(?: [A-Z0-9][\w.+#/@-]*)*)|\w[\w.+#/@-]*)"
SMALL = r"(?:use |using |with |in |the |a |an |from |to |on |at |of |our |as )*"
REPLACES = Folded(
    r"\b(?:drop(?:s|ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|retir(?:e|ed|ing)|replac(?:e|ed|ing)|kill(?:ed|ing)?|cancel(?:l?ed|ing)?|terminat(?:e|ed|ing)|decommission(?:ed|ing)?|sunset(?:ted|ting)?|scratch|scrap(?:ped|ping)?|kick(?:ed|ing)? out|rip(?:ped|ping)? out|throw(?:ing)? out|threw out|g[eo]t(?:ten|ting)? rid of|forget(?: about)?|no (?:longer|more)|stop(?:ped)? using|instead of|rather than|mov(?:e|ed|ing) (?:\w+ )?(?:away )?(?:from|off)|switch(?:ed|ing)? (?:away )?from|migrat(?:e|ed|ing) (?:\w+ )?(?:away )?(?:from|off)|renamed? from|renam(?:e|ed|ing)(?= \S+ (?:to|into)\b)|statt|anstatt|kein(?:e|en)?(?= \w+ mehr)|nicht mehr|au lieu de|on abandonne|plus de|en vez de|ya no usamos|dejamos(?: de usar)?|вместо|больше не(?: в)?|отказались от|отказываемся от) "
    + SMALL
    + THING
    + r"|(?:, (?:and |but |а )?|\bbut |^(?=not |nicht |pas ))(?:not|never|nicht|nie|pas|jamais|nunca|не) "
    + SMALL.replace("(?:use", "(?:(?:any more|anymore) |use")
    + THING.replace("old", "old2")
    + r"|\b(?:don'?t|doesn'?t|do not|does not|aren'?t|isn'?t|not) (?:\w+ ){0,3}?(?:to|in|on|with|use|using|via|from) "
    + THING.replace("old", "old3")
    + r" (?:anymore|any more|any longer)\b|(?:不再是|不再用|不再使用|放弃|弃用|不用)(?P<old4>[A-Za-z\d][\w.+-]*)|(?<![A-Za-z])(?P<old5>[A-Za-z][\w.+-]*)をやめて",
)
OLD_FIRST = Folded(
    r"\b(?P<old>`[^`]+`|[\w][\w.+#/@-]+) (?:is|was|are|were) (?:the old (?:way|one|thing)|outdated|obsolete|wrong|deprecated|gone|dead|out|history|no longer|not used|dropped|replaced|renamed|old|retired|a (?:mistake|bad idea|dead end)|too \w+|(?:going |thrown |kicked )?out)\b|\b(?P<old3>[\w.+#/@-]+) (?:goes|is going|went) (?:out|away)\b|\b(?P<old2>[\w.+#/@-]+) (?:collides|conflicts|breaks|floods|clashes)\b",
)
_OLD = [THING.replace("<old>", f"<old{place}>") for place in range(8)]
# Further ways to name what was given up: "moved the state from redux to zustand", "vault was shut down".
LEFT = Folded(
    r"\b(?:mov|switch|migrat|chang|convert|port|transition|upgrad|bump|went|go|renam)\w*\b(?: [\w-]+){0,5}? from "
    + SMALL
    + _OLD[0]
    + r" (?:over )?(?:to|into|onto)\b|\bvo[nm] "
    + _OLD[1]
    + r" (?:auf|zu|zum|nach) [^,.;]{2,40}?\b(?:umgestiegen|gewechselt|migriert|umgestellt|umgezogen)\b|\b(?:pass|migr|chang)(?:é|és|ée|ons|e) d(?:e |')"
    + _OLD[2]
    + r" (?:à|vers|pour)\b|\b(?:cambi|pasa|migra)\w+ de "
    + _OLD[3]
    + r" a\b|\b"
    + _OLD[4]
    + r" (?:(?:was|were|is|are|got|has been|have been) (?:now |finally |just )?(?:shut down|turned off|switched off|removed|killed|cancell?ed|decommissioned|sunset|abandoned|ditched|scrapped|superseded|thrown out)\b"
    r"|(?:has )?left (?:the|our) (?:company|team)\b"
    r"|(?:wurde|wird|ist) [^,.;]{0,30}?(?:umbenannt|ersetzt|abgeschafft|abgeschaltet|abgelöst)\b"
    r"|(?:a été|est|fue|ha sido) (?:remplac|supprim|abandonn|reemplaz|sustitu|elimin|retirad)\w+"
    r"|(?:took|got|proved|turned out) too \w+)|\b(?:forget what (?:i|we) (?:said|told you|wrote) about|vergiss,? was ich (?:über|zu)|oublie ce que j'ai dit (?:sur|de)|olvida lo que (?:te )?dije (?:de|sobre)) "
    + SMALL
    + _OLD[5]
    + r"|\b(?:back to|reverted? to|stays?|reversed|taken back)\b[^.;]*?,? (?:no|not|without) "
    + _OLD[6]
    + r"|\bplus (?:dans|sur|avec|chez) /?"
    + _OLD[7],
)
# A change that is only hinted at; a hint makes nothing of a sentence that is nothing without it.
TURNED = Folded(
    r"\b(?:as of (?:today|now|this|mon|tues|wednes|thurs|fri)\w*|from today|from (?:this|next) (?:week|month|year|sprint|release)|back to|after all|again|reversed|umgestellt|umgestiegen|umbenannt|gewechselt|ab (?:sofort|heute)|künftig|dorénavant|à partir d|a partir de|mejor|est passé|hemos cambiado)\b",
)
# What the assistant just said is no longer so.
NO_LONGER_SO = Cue(
    {
        "any": (
            r"\b(?:that|this|it|which)(?:'s| is| was) (?:outdated|old|stale|obsolete|no longer|out of date|not (?:true|right|the case|valid|correct) any ?more)\b|\bno longer (?:true|the case|valid|correct|applies)\b|^\W*(?:no,? )?not any ?more\b|\bthat (?:has )?changed\b|\b(?:stimmt|gilt) (?:so )?nicht mehr\b|\bist (?:veraltet|überholt)\b|\bplus (?:vrai|le cas|valable|d'actualité)\b|\bya no (?:vale|es así|es cierto|aplica|sirve)\b|\bdesactualizad|больше не так|устарел|过时|もう古い"
        )
    }
)
CHANGED = Cue(
    {
        "any": (
            r"\b(?:now|from now on|no longer|anymore|any more|instead|change of plans?|renamed|switched|moved|changed|upgraded|bumped|raised|lowered|migrated|relicensed|new(?:ly)?|outdated|obsolete|since (?:today|yesterday|monday|last)|jetzt|ab jetzt|statt(?:dessen)?|nicht mehr|désormais|maintenant|plus|ahora|ya no|теперь|больше не|вместо|went (?:up|down) to|(?:raised|lowered|bumped|upgraded|increased|reduced) to|from (?:this|today|here|monday) (?:\w+ )?on|took over|ersetzt)\b|现在|改为|改成|换成|不再|今後|変更|に変わ"
        )
    }
)
# What stands where a dropped thing would stand without being one: a release that is out, a verb.
NO_NAME = re.compile(
    r"(?:v\d[\d.]*|add|adds|update|upgrade|modify|rename|install|use|run|edit|touch|commit|push|write|do|make|put|call|change|create|delete|remove|merge|deploy|install|import|log|store|read|skip|mock|set|start|stop|keep|need|want|have|be|go|get|just|only|even|really|yet|\w{3,}ly)$",
    re.I,
)
