# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How a statement of fact is built: its subject, its verb, its figures, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

CONCRETE = re.compile(r"`|QUOTED|\d|[A-Z]{2,}|\w[._/]\w|[a-z][A-Z]|--\w|\w/|_")
STATE_VERB = re.compile(
    r"\b(?:is|are)(?: (?:now|only|always|never|all|also|not|still))* [a-z]{2,}(?:ed|wn|lt|pt|ten|ken|sen) (?:with|in|as|by|to|from|on|at|before|after|via|through|into|without|against|per)\b|\b(?:is|are|gets?|must be|has to be|have to be|should be)(?: (?:now|only|always|never|currently|still|all|usually|automatically|also|not))* (?:stored|deployed|hosted|written|generated|owned|managed|maintained|capped|limited|prefixed|suffixed|kept|located|built|served|created|added|named|called|released|shipped|signed|encoded|formatted|mounted|cached|run|installed|configured|pinned|locked|versioned|tested|handled|reviewed|reachable|available|read|loaded|compiled|rendered|paginated|indexed|sharded|replicated|backed|protected|encrypted|hashed|measured|expressed|logged|sorted|ordered|keyed|validated|parsed|exposed|proxied|routed|mirrored|synced|scheduled|triggered|required|expected|supported|deprecated|frozen|excluded|ignored|disabled|enabled|documented|tracked|numbered|tagged|licensed|published|based|written|implemented|shared|copied|vendored|patched|forked|authenticated|done with|done by|done in|handled by|rate[- ]limited|throttled|processed|queued|batched|read-only|immutable|naive|idempotent|case[- ]sensitive|off|closed|down)\b"
    r"|\b(?:runs?|lives?|listens?|sits?|depends?|needs?|requires?|expects?|accepts?|returns?|supports?|goes|go|talks?|comes?|deploys?|belongs?|uses?|reads?|writes?|stores?|sends?|points?|maps?|holds?|contains?|serves?|starts?|expires?|rotates?|syncs?|connects?|authenticates?|emits?|publishes|consumes?|polls?|retries|caches?|takes|fires|limits?|allows?|costs?|ships?|targets?|inherits?|wraps?|owns?|tests?|speaks?|understands?|rejects?|ignores?|drops?|collides?|conflicts?|shares?|builds?|applies|works) (?:only |itself |automatically |always |never )*(?:on|in|at|by|with|via|through|under|from|to|against|behind|as|for|into|the|a|an|only|no|all|every|up|after|before|when|if|itself|\d|QUOTED|[A-Z]|(?:amounts?|files?|values?|\w+s)\b)"
    r"|\b(?:only|never|always|can(?:not|'?t)|doesn'?t|does not|don'?t|do not|won'?t|may not) (?:accept|allow|run|work|support|have|has|return|see|read|write|reach|start|know|exist|handle|use|talk|touch|call|contain|include|expose|take|go|come|fit|scale|apply|build|compile|speak|understand)s?\b"
    r"|\b(?:is|are|come|comes|arrive|arrives) (?:all |always |only |now |given |stored |measured )*(?:in )?(?:celsius|fahrenheit|kelvin|met(?:er|re)s|millimet(?:er|re)s|centimet(?:er|re)s|kilomet(?:er|re)s|feet|inches|mm|cm|km|miles|seconds|milliseconds|microseconds|minutes|ms|utc|gmt|cents|euros?|dollars|percent|radians|degrees|bytes|bits|pixels|px|kg|grams|pounds|hz|local time|unix time|iso[ -]?\d*)\b|\b(?:is|are|happens?|takes? place|go out|goes out|ship|run|runs) (?:only |always |now |every |all )*(?:on |every )(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays|weekends?)\b|\bonly (?:has|have|reachable|available|works?|accepts?|runs?|supports?|allows?|exists?|takes?|reads?|valid|on|in|from|via|through)\b|\b(?:has|have) (?:only |no |a |an |the |two|three|several|\d)|\b(?:can|may) (?:only |also )?have \w|\b(?:must|can|may) (?:only )?be \w+ed\b|\b(?:wipes|rejects|truncates|overwrites|rounds|retries|strips|returns|blocks|forbids|wants|kills|limits|throttles|caps|knows|lacks|locks|reuses|ignores) \w",
    re.I,
)
IDENTITY = re.compile(r"\b(?:is|are|means?|stands for|equals|ist|sind|bedeutet|est|sont|es|son|是|は)\b", re.I)
DEFINITE = re.compile(
    r"^(?:in [\w ]{2,30}?,? )?(?:the|our|my|all|every|each|an? (?!few|lot|bit|good|great|nice|problem|bug|test|tests)[a-z-]+ (?:\w+ )?(?:can|may|must|has|is|belongs|consists|needs)|one \w+ (?:\w+ )?(?:can|may|must|has|belongs)|this (?:repo(?:sitory)?|project|service|app|code|package|library|module|team|machine|server|box)|both|only|der|die|das|unser\w*|le|la|les|notre|nos|el|los|las|nuestr\w+|мо[йяеи]|наш\w*|(?:[\w.-]+ ){0,2}\w+s (?:are|get|live|go|belong|need|come|stay|use|have)|[\w-]+ (?:\w+ )?(?:is|are|runs|lives|uses|needs|requires|ids?|tests?))\b|^`|^[\u3040-\u9fff]|^(?-i:[A-Z][\w.+-]*[A-Z_./\d-]|[A-Z][a-z]+ (?:is|are|runs|uses|needs|has|only|does|can|must))",
    re.I,
)
HABIT = re.compile(
    r"^(?:in my day job,? |normally,? |usually,? )?i(?:'m| am|'ll be)? (?:(?:usually|manually|always|only|mostly|normally|typically|also|still|personally) )?(?:stor(?:e|ing)|keep(?:ing)?|commit(?:t?ing)?|maintain(?:ing)?|manag(?:e|ing)|copy(?:ing)?|deploy|review (?:every|all|each)|work(?:ing)? (?:on|with|from|in|at|as)|pay(?:ing)?|own|host|develop(?:ing)?|use (?!it|this|that)\w+|an? (?:\w+ ){0,3}(?:developer|guy|girl|dev|person|newbie|hobbyist|engineer|designer|owner|manager|student|scientist|analyst|admin\w*|beginner|novice|lead|architect|researcher|teacher|founder|expert|user))\b|^i (?:write|speak|read) (?:\w+ )?(?:english|german|french|spanish|russian|chinese|japanese|\w+ish)\b|^i(?:'m| am) on (?!it\b|the\b|my\b|this\b|that\b|to\b|call\b|holiday|vacation|lunch|break|board|top|track|time|fire|page|line|step|your|their|a\b|an\b|it$)[\w.-]+\b(?!s\b)(?: \d[\d.]*)?(?:[,.;]|$| and\b| so\b)|\bi(?:'m| am) on (?:windows|mac\w*|linux|ubuntu|debian|fedora|arch|nixos|wsl\w*|an? )|\bi(?:'m| am) (?:unfamiliar|not familiar|new to|colou?r ?-?blind|dyslexic|based in|(?:very |quite )?(?:inexperienced|experienced|opinionated))",
    re.I,
)
JOINTS = re.compile(r",\s+|;\s+|\s+(?:and|but|und|aber|et|mais|y|pero|и|но)\s+")
OTHERWISE = re.compile(
    r"[,;.] (?:otherwise|or else|else(?= \w)|sonst|sinon|si no|de lo contrario|иначе)\b|否则|さもないと", re.I
)
# Where the grammar is not ours to read, a statement has to name something: a number, a Latin name, or a copula.
VERB_ELSEWHERE = re.compile(
    r"\b(?:wird|werden|wurde|heißt|nimmt|va|van|vanno|restano|teniamo|chiama|chama|salvano|guardam|são|ist|sind|hat|haben|braucht|brauchen|läuft|laufen|liegt|gehört|est|sont|utilise|tourne|a besoin|s'appelle|se llama|heißt|es|son|está|están|usa|tiene|corre|necesita|é|são)\b|[\u4e00-\u9fff]{1,8}(?:用|是|在|放在|使用|需要|由)[\u4e00-\u9fffA-Za-z]|\d|[\u0400-\ud7af][^A-Za-z]*[A-Za-z]{2,}|[A-Za-z]{2,}[^A-Za-z]*[\u0400-\ud7af]",
    re.I,
)
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|can't|will|won't|must|may|gets?|goes?|go|do|does|don't|doesn't|need|use|live|run|take|come|stay|keep|work|\w{3,}(?:s|ed))\b",
    re.I,
)
CAMEL = re.compile(r"[a-z][A-Z]")
PLACEMENT = re.compile(
    r"\bbelongs?\b|\b(?:lives?|go(?:es)?|created?|live) (?:only )?(?:in|under)\b|\b(?:module|layer|package|service|component)s? (?:never|only|must|always|talks?)\b",
    re.I,
)
RECURS = re.compile(
    r"\b(?:every|each|always|nightly|daily|weekly) \w+",
    re.I,
)
WARNING = Cue(
    {
        "any": (
            r"\b(?:careful|beware|watch out|gotcha|pitfall|footgun|caveat|heads[- ]up|be aware|mind the|don'?t be fooled|achtung|vorsicht|pass auf|attention|fais gaffe|cuidado|ojo|осторожно|внимание)\b|小心|当心|注意|気をつけ"
        )
    }
)
# Where a sentence goes on with a statement of its own: ", the scale is ...", "; all ids are ...".
DEFINITE_CLAUSE = re.compile(r"[,;] (?:and |but |because |since )?(?=(?:the|our|all|every|each) \w)", re.I)
MEASURE = re.compile(
    r"\b\d+(?:[.,]\d+)? ?(?:[kmg]?hz|[kmgt]i?b|[kmgt]bit|ms|[nµu]s|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|days?|weeks?|months?|px|r?em|pt|mm|cm|m|km|in|inch(?:es)?|ft|%|percent|fps|dpi|bits?|bytes?|chars?|characters|columns?|lines?|items?|rows?|kg|g|v|volts?|°c|eur|usd|cents?)\b",
    re.I,
)
# A value as people and files write it: a number of two digits or more, a version, a date, a port.
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.:]\d+)*(?![\w.]*\w)")
VALUE = re.compile(r"(?<![\w.-])v?\d[\d.:_-]*\d(?![\w-])|(?<![\w.-])v\d+(?![\w.-])")
NO_SUBJECT = re.compile(
    r"\b(?:lines?|rows?|steps?|pages?|tests?|files?|items?|commits?|errors?|seconds?|minutes?|passed|failed|code)\b",
    re.I,
)
# Something got another value: "upload limit was raised to 25 MB", "prod moved to eu-central-1", "Jonas took over billing".
CHANGE = re.compile(
    r"^(?:the |our |all )?[\w/#. -]{2,50}?\b(?:was|were|got|has|have|been|is|are|just|now|recently|also| )*(?:moved|raised|lowered|increased|reduced|bumped|upgraded|downgraded|changed|switched|migrated|relicensed|transferred|cut) (?:[\w.-]+ ){0,3}?(?:over )?to (?:the )?(?:(?-i:[A-Z])\w|QUOTED|\S*[\d#/_.-]\w|[\w.+-]+ v?\d)|^(?-i:[A-Z])\w+ (?:takes|took|has taken) over \w|^we (?:renamed|relicensed) \S+ (?:\S+ )?to \S",
    re.I,
)
# What happens by the clock, or how every one of a kind begins and ends.
ROUTINE = re.compile(
    r"\b(?:starts?|begins?|ends?|resets?|reboots?|restarts?|refresh(?:es)?|renews?|rolls? over|runs?|closes|opens|fires?|rotates?|syncs?) (?:\w+ )?(?:every (?:night|day|hour|week|month|morning|evening|\d+|mon|tues|wednes|thurs|fri|satur|sun)|at (?:midnight|noon|\d)|(?:nightly|daily|hourly|weekly)|with (?:the|an?|their|its) \w)|^our [\w-]+(?: \w+)? (?:is|are) [\w./-]+\.?$",
    re.I,
)
CONTRAST = re.compile(r", (?:and )?not (?:an? |the )?\w+", re.I)
NO_KIND = re.compile(
    r"(?:(?:i|kill|stop|start|run|you|he|she|they|my|your|his|her|their|so|if|when|while|after|because|since|maybe|perhaps|make|let|have|help|ensure|see|hope|guess|looks?|sounds?|seems?|feels?|works?|thanks?|yes|always|sometimes|less|unless|two|three|some|several|many|most|few|\d+)\b|(?:this|these|those|that|it|there|here|what|who|let)\b)",
    re.I,
)
PLURAL = re.compile(
    r"[`\w/+.-]*[a-z`](?<![sui])s$(?<!\bthis)(?<!\bhas)(?<!\bwas)(?<!\bdoes)(?<!\bits)(?<!\bless)|(?:data|metadata|people|money|logging|software)$",
    re.I,
)
# A plural's verb: any plain word that is no joint, no judgement and no report of how things just went.
BASE_VERB = re.compile(
    r"(?!(?:a|an|the|and|or|but|nor|for|from|with|without|within|of|on|in|into|onto|to|at|as|by|over|under|than|then|that|which|who|whose|when|where|while|until|since|because|if|so|not|no|like|per|via|plus|vs|are|were|was|is|be|been|will|would|could|might|may|can|should|green|red|ok|okay|fine|good|bad|great|better|worse|broken|done|ready|again|now|still|there|here|please|first|next|too|already|yet|just|back|out|up|down|away|look|seem|feel|sound|appear|fail|pass|crash|hang|break|work|get|keep|happen|disappear|complain|say|think|agree|everywhere|anyway|either|both|instead|between|before|after|about|above|below|across|around)\b)"
    r"(?:(?!\w*(?:ed|ing|ly)\b)[a-z]{3,}|go|do|use)(?:n't|'t)?$"
)
# A statement that sets a thing against what it is not: "readings are in Plato, not SG", "it's `main`, not `master`".
CONTRASTS = re.compile(
    r"(?:\b(?:is|are|in|with|on|to|as|from|via|by|use|uses|using|at)|'s|'re) (?:an? |the |in |on |with )*(?!not\b|just\b|still\b|all\b|only\b)[\w`./+#-]+(?: [\w`./+#-]+)?,? not (?:an? |the |in |on |with |to |by )*(?!yet\b|kidding\b|joking\b|just\b|only\b|the case\b|sure\b|yet|working|so\b|too\b|that\b|what\b|how\b|very\b|really\b|ready\b|done\b|me\b|you\b)[\w`./+#'-]+(?:[,.;:!)]|$| (?:in|for|because|since|thats|here)\b)",
    re.I,
)
KNOWN_RIGHT = re.compile(r"^(?:you (?:do )?(?:know|realize|realise|are aware)(?: that)?|surely) .{12,}, right\b", re.I)
DESPITE = re.compile(r"\b(?:although|even though|despite) (?:the|its|their|it) \w+", re.I)
# What "this" may point to and still be known tomorrow: "this host", "these nodes".
PLACES = frozenset(
    """host machine box server cluster node nodes repo repository project app product company team office lab board chip
    device devices machines codebase monorepo network vlan vm site carts units laptop mac pc workspace tenant crate package library service api database db tool toolchain firm shop""".split()  # noqa: SIM905
)
# How a thing is at the moment, or what somebody thinks of it.
MOODS = frozenset(
    """red green ok okay fine good bad great nice better worse broken done ready missing empty wrong weird odd slow fast
    late stuck up down off open closed there here pending running clear right correct perfect cool funny nonsense ugly
    huge big small long short too so very pretty quite really just enough gone back alive dead annoying sad happy busy
    sick tired sure aware afraid sorry interesting important easy hard difficult possible impossible likely unlikely
    going gonna about not due supposed like because""".split()  # noqa: SIM905
)
# What says when a mishap is to be expected, and so makes a trait of it: "only works on ...", "fails above 2 GB".
BOUNDS = re.compile(
    r"\b(?:only|never|always|unless|without|every|each|if (?!i\b|you\b)|when (?!i\b)|(?:above|below|over|under|after|before|within) (?:\d|[a-z]+ ?\d))",
    re.I,
)
DEFECTS = frozenset("broken dead stuck slow gone off down missing".split())  # noqa: SIM905  what explains, said of a named thing
# That there is such a thing: "there's a macro fiscal_week()".
EXISTS = re.compile(r"there(?:'s| is| are) (?:also |already |only )?(?:no|an?|the|one|two)\b", re.I)
LAW = re.compile(
    r"\b(?:rule|convention|policy|limit|requirement|contract|agreement|helper|script|macro|wrapper|tool)\b", re.I
)
