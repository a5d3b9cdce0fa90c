# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""The shapes of sentences: how a rule, a wish, a fact, a complaint or a report of the moment is built, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

# -- asked by speech --------------------------------------------------------------------------------

STRONG = Cue(
    {
        "any": (
            r"\b(?:always|never(?! mind)|must(?:n'?t| not)?|from now on|going forward|henceforth|not allowed|forbidden|prohibited|mandatory|under no circumstances|at all times|no exceptions|nowhere else|off[- ]limits|belongs? (?:in|under|to|into)|by convention|our (?:convention|policy|rule|standard)|as a rule|don'?t ever|hands off)\b|\ball (?:our|my|of our) [\w-]+ (?:\w+ )?(?:is|are|use|live|go)\b"
            r"|\b(?:rule|convention|policy|guideline|style)(?: here| (?:for|in|of) [\w -]{2,40})?:|\bin (?:this|our) (?:repo(?:sitory)?|project|code ?base|monorepo|team|company|code)\b"
            r"|\bwe (?:only|always|never|prefer|avoid|stick to)\b|\bwe (?:don'?t|do not) (?!know|have|need|see|understand|remember|think|care|believe|yet|really)\w|\bwe use\b(?! (?:it|this|that|them)\b)|\bwe(?:'re| are) (?:using|not using|only)\b"
        )
    }
)
WEAK_DONT = re.compile(r"^(?:please |pls )?(?:dont|don'?t|do not)\b", re.I)
POLITE = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|hmm+|well|also|wait|w8|ugh|ehm|hey|btw|eg|as)[,. ]+)*(?:shouldn'?t|don'?t you think|do we (?:really|even) need|why (?:do|are|is|did|does) (?:you|we|the|these|this)|can'?t (?:we|you)|couldn'?t (?:we|you)|isn'?t (?:it|that|this))\b|[,.…]+ ?(?:right|no|correct|isn'?t it|agreed|yes|ja|oder|non|verdad|да)\s*\?+$",
    re.I,
)
CRITIC = Cue(
    {
        "any": (
            r"\b(?:should(?:n'?t)?|belongs?|redundant|empty|unused|duplicat\w+|needed?|necessary|private|instead|convention|require[sd]?|outside|inside|called|consistent|we use|follow)\b"
        )
    }
)
CONCRETE = re.compile(r"`|QUOTED|\d|[A-Z]{2,}|\w[._/]\w|[a-z][A-Z]|--\w|\w/|_")
SELF = re.compile(
    r"^(?:i|i'm|i've|i'll|i'd|you|you're|you've|he|she|they|ich|du|je|tu|yo|я|ты|我|你|私)\b(?! (?:always|never|prefer|want|hate|like (?!what|the|your|how|this|that|it\b|option|\d)|dislike|don'?t (?:like|want)|use|generally|usually|expect|need|would|only|run|work|commit|keep|manually|deploy))",
    re.I,
)
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
TRANSIENT = Cue(
    {
        "any": (
            r"\b(?:i see|i saw|i got|i get|i ran|i'?ve (?:run|tried|got|read|verified|pulled|logged)|i tried|i think|i guess|i suspect|i feel|looks like|seems|apparently|it (?:works|worked|passes)|(?<!since )yesterday|tonight|today|earlier|this weekend|just now|this morning|last (?:night|week)|again|already (?:done|fixed)|here'?s|here is|see (?:above|below|the)|(?:is|are) still (?!on\b|at\b|using\b|running (?:on|with)\b|required\b|supported\b|in use\b)|(?:is|are) (?:running|building|deploying|loading|compiling|waiting|happy|sad|angry|tired|asleep)(?! (?:on|in|with|at|as|under|behind|every|against)\b)|took (?:\d+|ages|forever|a while)|the right one|the wrong one|(?:called|phoned|pinged|texted|emailed)(?: me| us)?(?=,))\b"
        )
    }
)
PASTED_LINE = re.compile(r"\S@\S+ \S* ?[%$#] |^\S+ % |^\s*[\w.]+ = |\bline \d+, in \b|\b\d+ (?:passed|failed)\b")
HABIT = re.compile(
    r"^(?:in my day job,? |normally,? |usually,? )?i(?:'m| am|'ll be)? (?:(?:usually|manually|always|only|mostly|normally|typically|also|still|personally) )?(?:stor(?:e|ing)|keep(?:ing)?|commit(?:t?ing)?|maintain(?:ing)?|manag(?:e|ing)|copy(?:ing)?|deploy|review (?:every|all|each)|work(?:ing)? (?:on|with|from|in|at|as)|pay(?:ing)?|own|host|develop(?:ing)?|use (?!it|this|that)\w+|an? (?:\w+ ){0,3}(?:developer|guy|girl|dev|person|newbie|hobbyist|engineer|designer|owner|manager|student|scientist|analyst|admin\w*|beginner|novice|lead|architect|researcher|teacher|founder|expert|user))\b|^i (?:write|speak|read) (?:\w+ )?(?:english|german|french|spanish|russian|chinese|japanese|\w+ish)\b|^i(?:'m| am) on (?!it\b|the\b|my\b|this\b|that\b|to\b|call\b|holiday|vacation|lunch|break|board|top|track|time|fire|page|line|step|your|their|a\b|an\b|it$)[\w.-]+\b(?!s\b)(?: \d[\d.]*)?(?:[,.;]|$| and\b| so\b)|\bi(?:'m| am) on (?:windows|mac\w*|linux|ubuntu|debian|fedora|arch|nixos|wsl\w*|an? )|\bi(?:'m| am) (?:unfamiliar|not familiar|new to|colou?r ?-?blind|dyslexic|based in|(?:very |quite )?(?:inexperienced|experienced|opinionated))",
    re.I,
)
COMPLAINT = Cue(
    {
        "any": (
            r"\b(?:doesn'?t|does not|didn'?t|did not|don'?t|isn'?t|is not|not) (?:\w+ly )?(?:reflect|match|follow|respect|honou?r|verify|comply|conform|obey|adhere)\w*\b|\bviolat(?:e[sd]?|ing|ions?)\b|\b(?:totally |completely |too |so |very |rather |needlessly |unnecessar\w+ |un+ecessarily )?(?:redundant|superfluous|pointless|wasteful|bloated|overkill|over-?engineered|convoluted|sloppy|verbose|long-winded|noisy)\b|\bwaste[sd]? (?:of )?(?:\w+ )?(?:tokens?|time|money|space|credits?|reader\w*)\b|\bwasting\b|\bslop\b|\bhallucinat\w+|\bsilently\b|\btoo (?:much|many|long|complex|complicated|eager|clever|fragile) \w+|\bwent (?:a bit |totally )?(?:crazy|overboard|too far)\b|\bwithout (?:asking|my permission|being asked|telling|checking|approval)\b|\byou (?:burned|burnt|wasted)\b|\byou \w+ed\b.{0,60}\bagain\b|\brush(?:ing|ed)? (?:in)?to\b|\bran ahead|\brunning ahead\b|\bsneak(?:ed|ing)?\b|\bsmells\b"
        )
    }
)
SELF_REPORT = re.compile(r"^(?:at your last|when i|i (?:opted|said before|thought|assumed))\b", re.I)
NOT_MINE = re.compile(r"\bi want (?-i:YOU)\b|\bi don'?t want to (?:lose|loose|miss|bother)\b", re.I)
NOT_RULE = re.compile(
    r"^(?:i(?:'ve| have)? (?:noticed|thought|see|saw|burn\w*|read|found|said before|agree)|i(?:'m| am) (?:wor+\w+|reading|not sure|a?f+raid|starting)|if (?:yes|so|not|i understand)\b|let'?s first|you can|comments?:|[\w ]{2,30} (?:is|are) an? (?:total |complete |real )?(?:mess|nightmare|joke|disaster|pain)|it (?:was|looks)|this (?:looks|is violating|was)|that last|looking|currently)\b|^we(?:'re| are)? (?:don'?t|dont|do not) (?:know|have)\b",
    re.I,
)
OPENS_BACK = re.compile(
    r"^(?:re:|[a-z]+ing\b(?! (?:is|are|must|goes|needs|uses|lives))|let|lets|let's|loose|lose|recall|process|play|thanks?|follows|sequentially|given|by|to|if|compressing|please|pleas|next|now|first|still|again|only|also|could|\W|let me|or|about|after that|before that|then|it|this|that|these|those|they|there|here|\d+|one|another|other|maybe|perhaps|just|more|less|why|what|ok|so)\b",
    re.I,
)
SCREEN = Cue(
    {
        "any": (
            r"\b(?:is|are) (?:still |now |all |almost )?(?:pending|done|finished|complete|ready|alive|fine|green|up|open|merged)\b|\bwe(?:'ve| have) (?:completed|finished|done|fixed|added|already|made)\b|\bwe(?:'re| are) (?:also |still )?(?:missing|lacking)\b|\b(?:this|that|these|it) (?:looks?|sounds?|is|feels?|seems?|reads?) (?:very |really |much |all |so |pretty )?(?:good|great|fine|ok|okay|better|nice|perfect|wrong|weird|complex|right|bad|cool|interesting)\b"
        )
    }
)
ANNOUNCES = re.compile(
    r"^\W*(?:sure[,.!]? |ok(?:ay)?[,.!]? |right[,.!]? )?(?:let me|let'?s|i'?ll (?!keep|remember|use|stick|leave|follow)|i will|i'?m going to|looking|checking|on it|working|starting|one moment|ich schaue|je regarde|voy a|сейчас|我来|確認)\b",
    re.I,
)
JOINTS = re.compile(r",\s+|;\s+|\s+(?:and|but|und|aber|et|mais|y|pero|и|но)\s+")
NORMATIVE = Cue(
    {
        "any": (
            r"\b(?:should(?:n'?t)?|must(?:n'?t)?|need(?:s|ed)? to|didn'?t|did not|wrong(?:ly)?|mistake|instead|rather than|unnecessar\w+|redundant|violat\w+|properly|not|without|only|incorrect(?:ly)?|oversight|forgot|overlooked|too|never|always|because|ignored|missed|confus\w+)\b"
        )
    }
)
PLANS = re.compile(
    r"^(?:let me|let'?s|i'?ll|i will|now|here'?s|here is|looking|what would|would you|do you|could you|please|this is (?:a|an) (?:great|good|excellent|important|crucial|critical))\b",
    re.I,
)
FAULT = Cue(
    {
        "any": (
            r"\b(?:not|n'?t|never|no|forgot|wrong|missing|instead|again|still|without|did you|have you|are you|too|lost|ignored|skipped)\b|n't\b|!"
        )
    }
)
RULES_AHEAD = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|principles?|preferences?|standards?|requirements?|style|policy|policies|remember|always|never|keep in mind|from now on|in this (?:repo(?:sitory)?|project)|how we work|regeln|konventionen|règles|reglas|правила)\b|规则|规范|约定|ルール|規約",
    re.I,
)
ASKS_TO_STOP = re.compile(
    r"^(?:(?:please|and|also|ok|hey)[, ]+)*(?:can|could|would|will) you (?:please |maybe )?(?:stop|always|never(?! mind)|not|avoid|quit|refrain)\b",
    re.I,
)
NOUN_OR_VERB = re.compile(
    r"^(?:load|test|build|log|cache|import|export|release|deploy|search|check|commit|format|store|display|port|list|backup|print|report|merge|cover|stage) [\w-]+ [a-z]+s (?!from|in|to|for|with|and|on|of|by|at|into|as|before|after|or|that|which)\w+|^(?:log|test|build|deploy|release|cache|format|store|style|lint|mock|port|label|import|export|plan|commit|merge|tag|set|run|read|look|change|check|list|search|start|support|load|save|print|report|draft|cover|stage|display|benchmark|measure|sort|split|document|open|use|help|get|make)s? (?:[\w`/.-]+ ){0,4}?(?:is|are|must|has|have|should|runs?|lives?|needs?|never|always|only|goes|go|belongs?|=)\b",
    re.I,
)
STEP = re.compile(
    r"^(?:we|i think we|i think|so we|then we) should (?:\w+ly |also |probably |first |now |just |then )*(?:commit|push|start|try|check|look|do|go|continue|run|discuss|see|proceed|get|think|consider|stop|end|wait|verify|review|read|talk|be able)\b",
    re.I,
)
SHOULD = re.compile(r"\bwe should (?:\w+ly |also |probably |really |always |never |not )*[a-z]+", re.I)
ORDERED = re.compile(
    r"^(?:please|pls|let'?s|lets|reading|i think|i feel|i guess|think|review|can|could|now)\b|.*\bprobably (?:re)?\w+ it\b",
    re.I,
)
GENERAL = re.compile(
    r"^you (?:can'?t|cannot|may not|mustn'?t|must not) (?!see|tell|imagine|know|believe|miss|expect me)\w+ \w.{3,}|^(?:you|one|everybody|everyone) (?:have|has|need|needs) to .{4,160}\b(?:before|first|each time|every time)\b"
    r"|^(?:please )?(?:always )?ask (?:me |us |first )?before\b"
    r"|^(?:all |our )?[a-z][\w-]*(?: [a-z][\w-]*)?s (?:should|must|have to|need to) (?:be|have|use|stay|follow|contain|never|not|always|go)\b",
    re.I,
)
WISH = re.compile(
    r"^i(?:'d| would) like (?!you to|to (?:see|know|ask|hear|discuss|try|understand|start|continue|get|do|go|learn|first|make sure|review|add)\b)\w",
    re.I,
)
SEEN = re.compile(
    r"^(?:i (?:see|get|got|saw|have) (?:an?|the|this|that)? ?(?:\w+ )?(?:error|message|warning|exception|popup)|it says|error\b(?! (?:messages|codes|handling|responses|pages|types|classes|boundaries|reporting|handlers)\b)|the (?:log|error|output|console|compiler|linter|message)s? (?:says?|shows?|prints?|is|was))\b",
    re.I,
)
LOOK_OF = re.compile(
    r"^(?:(?:the|this|that) (?:\w+ ){1,3}|(?!code|everything|nothing|nobody|logging|documentation|output|state|it|we|you|one|each|every|no|any|all)(?:[a-z-]+ )?[a-z-]*[a-rt-z] )should (?:be|have|look|show|say|go|get|come|move|start|open|not)\b",
    re.I,
)
CLAUSE = re.compile(r"(?:[,;:]| because| since| as) +(?=we\b|our |all |every |\w+s (?:are|must|need|go|have))", re.I)
HABITUAL = re.compile(
    r"^(?:before|after|prior to|whenever|when|to|for) (?:\w+ing|you|every|each|any|run|build|test|deploy|start)\b.*(?:QUOTED|\bmust\b|\bneeds? to\b)|^(?:please |pls )?(?:write|answer|use|keep|name|format|document|prefix|describe|indent|sort|wrap|squash|rebase|sign|quote|speak|reply|respond|ask) (?:me |all |your |every )?(?:\w+ )?(?:\w+s|code|text|prose|english|german|french)\b",
    re.I,
)
OTHERWISE = re.compile(r"[,;.] (?:otherwise|or else|sonst|sinon|si no|de lo contrario|иначе)\b|否则|さもないと", re.I)
# Where the grammar is not ours to read, a statement has to name something: a number, a Latin name, or a copula.
VERB_ELSEWHERE = re.compile(
    r"\b(?:wird|werden|wurde|heißt|nimmt|va|van|vanno|restano|teniamo|chiama|chama|salvano|guardam|são|ist|sind|hat|haben|braucht|brauchen|läuft|laufen|liegt|gehört|est|sont|utilise|tourne|a besoin|s'appelle|se llama|heißt|es|son|está|están|usa|tiene|corre|necesita|é|são)\b|[\u4e00-\u9fff]{1,8}(?:用|是|在|放在|使用|需要|由)[\u4e00-\u9fffA-Za-z]|\d|[\u0400-\ud7af][^A-Za-z]*[A-Za-z]{2,}|[A-Za-z]{2,}[^A-Za-z]*[\u0400-\ud7af]",
    re.I,
)
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|can't|will|won't|must|may|gets?|goes?|go|do|does|don't|doesn't|need|use|live|run|take|come|stay|keep|work|\w{3,}(?:s|ed))\b",
    re.I,
)
POINTS = re.compile(
    r"\b(?:it|this(?! (?:is an?|repo(?:sitory)?|code ?base|monorepo|project|service|app|module|package|library|crate|workspace|team|company|branch|machine|server|box)\b)|that|these|those|them|they|there|ones|(?:that|this|the|which|other|new|old|first|second|last) one|both|same)\b",
    re.I,
)
PREPOSITION = re.compile(
    r"^(?:on|in|at|with|via|from|by|under|through|to|every|only|auf|im|in|mit|bei|sur|dans|avec|en|con|на|в|через)\b",
    re.I,
)
ALTERNATIVES = re.compile(r"([\w .+#/-]{2,40}?),? (?:or|oder|ou|o|или|还是) ([\w .+#/-]{2,40}?)\s*\?", re.I)
THING = r"(?P<old>`[^`]+`|(?-i:[A-Z])[\w.+#/@-]*(?-i:(?: [A-Z0-9][\w.+#/@-]*)*)|\w[\w.+#/@-]*)"
SMALL = r"(?:use |using |with |in |the |a |an |from |to |on |at |of |our |as )*"
REPLACES = re.compile(
    r"\b(?:drop(?:s|ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|retir(?:e|ed|ing)|replac(?:e|ed|ing)|kill(?:ed|ing)?|cancel(?:l?ed|ing)?|terminat(?:e|ed|ing)|decommission(?:ed|ing)?|sunset(?:ted|ting)?|scratch|scrap(?:ped|ping)?|kick(?:ed|ing)? out|rip(?:ped|ping)? out|throw(?:ing)? out|threw out|g[eo]t(?:ten|ting)? rid of|forget(?: about)?|no (?:longer|more)|stop(?:ped)? using|instead of|rather than|mov(?:e|ed|ing) (?:\w+ )?(?:away )?(?:from|off)|switch(?:ed|ing)? (?:away )?from|migrat(?:e|ed|ing) (?:\w+ )?(?:away )?(?:from|off)|renamed? from|renam(?:e|ed|ing)(?= \S+ (?:to|into)\b)|statt|anstatt|kein(?:e|en)?(?= \w+ mehr)|nicht mehr|au lieu de|on abandonne|plus de|en vez de|ya no usamos|dejamos(?: de usar)?|вместо|больше не(?: в)?|отказались от|отказываемся от) "
    + SMALL
    + THING
    + r"|(?:, (?:and |but |а )?|\bbut |^(?=not |nicht |pas ))(?:not|never|nicht|nie|pas|jamais|nunca|не) "
    + SMALL.replace("(?:use", "(?:(?:any more|anymore) |use")
    + THING.replace("old", "old2")
    + r"|\b(?:don'?t|doesn'?t|do not|does not|aren'?t|isn'?t|not) (?:\w+ ){0,3}?(?:to|in|on|with|use|using|via|from) "
    + THING.replace("old", "old3")
    + r" (?:anymore|any more|any longer)\b|(?:不再是|不再用|不再使用|放弃|弃用|不用)(?P<old4>[A-Za-z\d][\w.+-]*)|(?P<old5>[A-Za-z][\w.+-]*)をやめて",
    re.I,
)
OLD_FIRST = re.compile(
    r"\b(?P<old>`[^`]+`|[\w][\w.+#/@-]+) (?:is|was|are|were) (?:the old (?:way|one|thing)|outdated|obsolete|wrong|deprecated|gone|dead|out|history|no longer|not used|dropped|replaced|renamed|old|retired|a (?:mistake|bad idea|dead end)|too \w+|(?:going |thrown |kicked )?out)\b|\b(?P<old3>[\w.+#/@-]+) (?:goes|is going|went) (?:out|away)\b|\b(?P<old2>[\w.+#/@-]+) (?:collides|conflicts|breaks|floods|clashes)\b",
    re.I,
)
_OLD = [THING.replace("<old>", f"<old{place}>") for place in range(12)]
# Further ways to name what was given up: "moved the state from redux to zustand", "vault was shut down".
LEFT = re.compile(
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
    + r" (?:was|were|is|are|got|has been|have been) (?:now |finally |just )?(?:shut down|turned off|switched off|removed|killed|cancell?ed|decommissioned|sunset|abandoned|ditched|scrapped|superseded|thrown out)\b|\b"
    + _OLD[5]
    + r" (?:has )?left (?:the|our) (?:company|team)\b|\b"
    + _OLD[6]
    + r" (?:wurde|wird|ist) [^,.;]{0,30}?(?:umbenannt|ersetzt|abgeschafft|abgeschaltet|abgelöst)\b|\b"
    + _OLD[7]
    + r" (?:a été|est|fue|ha sido) (?:remplac|supprim|abandonn|reemplaz|sustitu|elimin|retirad)\w+|\b(?:forget what (?:i|we) (?:said|told you|wrote) about|vergiss,? was ich (?:über|zu)|oublie ce que j'ai dit (?:sur|de)|olvida lo que (?:te )?dije (?:de|sobre)) "
    + SMALL
    + _OLD[8]
    + r"|\b(?:back to|reverted? to|stays?|reversed|taken back)\b[^.;]*?,? (?:no|not|without) "
    + _OLD[9]
    + r"|\b"
    + _OLD[10]
    + r" (?:took|got|proved|turned out) too \w+|\bplus (?:dans|sur|avec|chez) /?"
    + _OLD[11],
    re.I,
)
WHENEVER = re.compile(r"\b(?:when(?:ever)?|if|once|until|unless|while|wenn|falls|quand|cuando|si)\b", re.I)
CAMEL = re.compile(r"[a-z][A-Z]")
# A change that is only hinted at; a hint makes nothing of a sentence that is nothing without it.
TURNED = re.compile(
    r"\b(?:as of (?:today|now|this|mon|tues|wednes|thurs|fri)\w*|from today|from (?:this|next) (?:week|month|year|sprint|release)|back to|after all|again|reversed|umgestellt|umgestiegen|umbenannt|gewechselt|ab (?:sofort|heute)|künftig|dorénavant|à partir d|a partir de|mejor|est passé|hemos cambiado)\b",
    re.I,
)
# What the assistant just said is no longer so.
NO_LONGER_SO = re.compile(
    r"\b(?:that|this|it|which)(?:'s| is| was) (?:outdated|old|stale|obsolete|no longer|out of date|not (?:true|right|the case|valid|correct) any ?more)\b|\bno longer (?:true|the case|valid|correct|applies)\b|^\W*(?:no,? )?not any ?more\b|\bthat (?:has )?changed\b|\b(?:stimmt|gilt) (?:so )?nicht mehr\b|\bist (?:veraltet|überholt)\b|\bplus (?:vrai|le cas|valable|d'actualité)\b|\bya no (?:vale|es así|es cierto|aplica|sirve)\b|\bdesactualizad|больше не так|устарел|过时|もう古い",
    re.I,
)
CHANGED = Cue(
    {
        "any": (
            r"\b(?:now|from now on|no longer|anymore|any more|instead|change of plans?|renamed|switched|moved|changed|upgraded|bumped|raised|lowered|migrated|relicensed|new(?:ly)?|outdated|obsolete|since (?:today|yesterday|monday|last)|jetzt|ab jetzt|statt(?:dessen)?|nicht mehr|désormais|maintenant|plus|ahora|ya no|теперь|больше не|вместо|went (?:up|down) to|(?:raised|lowered|bumped|upgraded|increased|reduced) to|from (?:this|today|here|monday) (?:\w+ )?on|took over|ersetzt)\b|现在|改为|改成|换成|不再|今後|変更|に変わ"
        )
    }
)

# -- asked by outcomes --------------------------------------------------------------------------------

ORDER = re.compile(
    r"\b(?:always|never|from now on|must|remember|ignore (?:all|previous)|as (?:an|the) (?:ai|assistant|agent)|you (?:should|must)|system prompt|instructions?)\b",
    re.I,
)
EMPTY_TALK = re.compile(
    r"^(?:what we|you want|we still|notice|here'?s|you'?re|you are|great|perfect|excellent|good|sorry|line \d+|step \d+)\b",
    re.I,
)
BUSY = re.compile(
    r"^(?:let me|i'?ll|i will|now i|i need to|i'?m going to|next,? i|going to|checking|looking|running|trying)\b|:$",
    re.I,
)
OPEN_QUESTION = re.compile(
    r"\b(?:which|what|where|who|how (?:many|long|often|much|should)|when should|should (?:we|i|it|the) .{3,80} or )\b|\b(?:welche[rsn]?|wo|wer|wie (?:viele|lange|oft)|quel(?:le)?s?|où|cu[aá]l|dónde|какой|какая|где)\b|哪|什么|どの|どこ",
    re.I,
)
MOMENTARY = re.compile(
    r"\b(?:want me|would you like|shall i|should i (?:continue|proceed|go|do|also|run|commit|push|start|fix|add|show|open|try)|do you mean|do you see|next|first|file|line|error|message|output|now|else|think|happens?|happened)\b",
    re.I,
)
UNDECIDED = re.compile(
    r"\b(?:not sure|don'?t (?:know|care)|no idea|whatever|you (?:decide|choose|pick)|up to you|unsure|later|egal|weiß nicht|peu importe|no sé|не знаю)\b|不知道|わからない",
    re.I,
)
PICK = re.compile(
    r"^(?:\W*(?:option |number |the |#)?(?:\d+|first|second|third|last|former|latter|both|neither|either|one|two|all|none|[abc])\b[\s\w]{0,12}|\W*)$",
    re.I,
)
DRAWBACK = re.compile(
    r"\b(?:because|since|slower|worse|more than|needs?|fails?|failed|doesn'?t|does not|didn'?t|cannot|can'?t|breaks?|broke|out of|too|instead of|no (?:gain|improvement|effect|difference)|weil|langsamer|car|porque|потому)\b|因为|ため",
    re.I,
)

I_RATHER = re.compile(
    r"i(?:'d| would)? (?:rather|prefer|hate|like)\b",
    re.I,
)
NUMBERED = re.compile(
    r"(?:re: )?\d|(?:now |currently |so )?we(?:'re| are) (?:in|at|on|still|almost|done|now)\b",
    re.I,
)
PLACEMENT = re.compile(
    r"\bbelongs?\b|\b(?:lives?|go(?:es)?|created?|live) (?:only )?(?:in|under)\b|\b(?:module|layer|package|service|component)s? (?:never|only|must|always|talks?)\b",
    re.I,
)
OUR_WAY = re.compile(
    r"we (?:have|use|got|need) \w|we(?:\'re| are) an? \w+ (?:shop|team|house|company|project)\b",
    re.I,
)
KIND_OF_PROJECT = re.compile(
    r"this is an? \w[\w. +-]* (?:project|repo(?:sitory)?|app|package|service|code ?base)\b",
    re.I,
)
PAST = re.compile(
    r"\b(?:was|were|had)\b",
    re.I,
)
NEXT_STEP = re.compile(
    r"(?:let'?s|lets) (?:not )?(?:also )?(?:verify|check|clean|make|write|run|update|review|lose|loose|forget|see|try|start|continue|do|look|think|discuss|move on|go on|get|first|put)\b",
    re.I,
)
STANDING = Cue(
    {
        "any": (
            r"\b(?:always|never|from now on|going forward|every time|whenever|must|forbidden|(?:in|of|for|across) (?:this|our|the (?:whole|entire)) (?:repo(?:sitory)?|project|code ?base|app|team)|(?:in|for|across|on) (?:all|every|each|any) \w+|everywhere|throughout|consistently|by default|auf (?:englisch|deutsch|französisch)|in inglese|en anglais|en inglés|before (?:committing|pushing|every|each|you|any|a)|after (?:every|each))\b"
        )
    }
)
MANNERS = re.compile(
    r"\b(?:commit messages?|answers?|repl(?:y|ies)|responses?|emojis?|tone|explanations?)\b",
    re.I,
)
I_TRIED = re.compile(
    r"(?:when )?i (?:tried|ran|got)\b",
    re.I,
)
LETS_DO = re.compile(
    r"let'?s |lets ",
    re.I,
)
INSTRUCTS = re.compile(
    r"(?:use|we use|put|it (?:goes|belongs)|keep|leave|call|name|run|stay|stick|the \w+ (?:is|goes|lives)|only|not)\b",
    re.I,
)
RECURS = re.compile(
    r"\b(?:every|each|always|nightly|daily|weekly) \w+",
    re.I,
)
REASONED = re.compile(
    r"[:,;] \w|\b(?:because|since|instead|weil|denn|car|porque)\b",
    re.I,
)
LETS = re.compile(
    r"let'?s|lets",
    re.I,
)
WE_USE = re.compile(
    r"we use\b",
    re.I,
)
PASTED = ('File "', "Traceback", "SHA256:", "......", "^C", "site-packages", "-----", "=====")

DISMISSAL = re.compile(
    r"^\W*(?:as if|whatever|yeah,? right|nonsense|rubbish|no way|lol|haha\w*|ha|go figure|ridiculous|bollocks|sure,? sure|right\.\.\.|who cares|als ob|quatsch|n'importe quoi|tonterías|ага,? конечно|ерунда|才怪|まさか)\b[\s.!?…)]*$|^\W*🙄",
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
EVERYTHING = re.compile(
    r"^(?!show|list|print|find|delete|remove|rename|check|run|read)(?:please )?[a-z]+ (?:everything|all [\w-]+|every [\w-]+|each [\w-]+)\b",
    re.I,
)
MEASURE = re.compile(
    r"\b\d+(?:[.,]\d+)? ?(?:[kmg]?hz|[kmgt]i?b|[kmgt]bit|ms|[nµu]s|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|days?|weeks?|months?|px|r?em|pt|mm|cm|m|km|in|inch(?:es)?|ft|%|percent|fps|dpi|bits?|bytes?|chars?|characters|columns?|lines?|items?|rows?|kg|g|v|volts?|°c|eur|usd|cents?)\b",
    re.I,
)
DROPS = Cue(
    {
        "any": (
            r"^(?:scratch|scrap|forget|drop|dump|kill|no more|no longer)\b|\b(?:dropp(?:ed|ing)|ditch(?:ed|ing)|abandon(?:ed|ing)|scrapp(?:ed|ing)|goes out|going out|is out|are out|goes away|got rid of|getting rid of|is gone|are gone|back to the old)\b"
        )
    }
)

NEXT_MOVE = re.compile(
    r"^(?:(?:now|next|first|then|ok(?:ay)?|great|perfect|excellent|good|alright)[,!.]? )*(?:let me|let'?s|i'?ll|i will|i'?m going to|i need to|i should|here'?s|here is|this is (?:a |an )?(?:great|good|excellent|perfect))\b|^(?:you'?re (?:absolutely )?right|excellent|perfect|great|(?:good|great|excellent) (?:point|catch|idea|question|call)|done|sure|of course|absolutely)[\s!.:]*$|:$",
    re.I,
)
# A value as people and files write it: a number of two digits or more, a version, a date, a port.
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.:]\d+)*(?![\w.]*\w)")
VALUE = re.compile(r"(?<![\w.-])v?\d[\d.:_-]*\d(?![\w-])|(?<![\w.-])v\d+(?![\w.-])")
# An answer that is nothing but a choice by place: "yes, do the second one", "option 2 then", "die zweite bitte".
PICK_ONE = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|alright|hmm+|well|so|then|please|let'?s|lets|do|go|going|with|for|take|use|pick|choose|try|i|i'd|i'll|we|we'll|would|prefer|like|want|think|love|vote|ja|gut|nimm|nehmen|wir|bitte|oui|va|pour|prends|on|prend|sí|vale|vamos|con|usa|да|ок|давай|бери|我们?|选|用|就|好的?)[\s,.!:;—-]*)*"
    r"(?:(?:the|option|number|nr|no|choice|variant|variante|die|den|das|der|le|la|el|опция|вариант)[\s.#]*)*#?"
    r"(?P<which>first|second|third|fourth|last|latter|former|1st|2nd|3rd|[1-5]|(?<=option )[a-e]|(?<=variant )[a-e]|erste|zweite|dritte|letzte|premi[eè]re?|deuxi[eè]me|seconde?|troisi[eè]me|derni[eè]re?|primer[ao]?|segund[ao]|tercer[ao]?|últim[ao]|перв|втор|трет|последн|第[一二三]|[一二三])(?:[nrsm]|\w{1,3})?"
    r"(?:[\s,.!;:—-]+(?:one|option|way|approach|choice|variant|idea|please|then|it is|sounds?|looks?|is|good|great|best|fine|better|nice|for me|now|bitte|klingt|gut|s'il te plaît|por favor|пожалуйста|вариант))*(?:个|种|案|番目)?[\s.!)。]*$",
    re.I,
)
OFFERS = re.compile(
    r"\b(?:options?|ways|alternatives?|approaches|possibilit\w+|choices?|candidates?|either|which (?:one|do|would|should)|you (?:could|can)|we (?:could|can)|prefer|optionen|möglichkeiten|varianten|choix|possibilités|opciones|alternativas|вариант\w*)\b|[:：]\s*$|方案|选择|選択肢|案",
    re.I | re.M,
)
ORDINALS = {
    word: place
    for place, row in enumerate(
        (
            "first former 1st 1 a erste premier première premiere primer primera primero перв 一",
            "second latter 2nd 2 b zweite deuxième deuxieme seconde secondo segundo segunda втор 二",
            "third 3rd 3 c dritte troisième troisieme tercero tercera tercer трет 三",
            "fourth 4 d",
            "5 e",
        )
    )
    for word in row.split()
}
ABSENT = re.compile(
    r"\b(?:there(?:'s| is| are)|we (?:have|got)|i (?:have|got)|has|have) no \w|\bno \w+ (?:on|in) (?:this|my|our|the)\b|\b(?:isn'?t|aren'?t|not) (?:installed|available|allowed)\b|\bes gibt kein\w*\b|\bil n'y a pas de\b|\bno hay\b|\bнет \w+ на\b|没有",
    re.I,
)
NO_SUBJECT = re.compile(
    r"\b(?:lines?|rows?|steps?|pages?|tests?|files?|items?|commits?|errors?|seconds?|minutes?|passed|failed|code)\b",
    re.I,
)

AT_ONCE = re.compile(r"\b(?:now|right away|at this point|first|next)\b", re.I)
CLIENT_COMMAND = re.compile(r"^\s*/[a-z][\w:-]*(?:\s|$)")
STATE_LINE = re.compile(
    r"^(?:next(?: up| step)?|(?:still )?open|done|to-?do|left|remaining|wip|status|blocked|pending|als nächstes|offen|erledigt|ensuite|reste|siguiente|pendiente|далее|осталось|готово|下一步|待办|次|残り)\s?[:：]",
    re.I,
)

# What stands where a dropped thing would stand without being one: a release that is out, a verb.
NO_NAME = re.compile(
    r"(?:v\d[\d.]*|add|adds|update|upgrade|modify|rename|install|use|run|edit|touch|commit|push|write|do|make|put|call|change|create|delete|remove|merge|deploy|install|import|log|store|read|skip|mock|set|start|stop|keep|need|want|have|be|go|get|just|only|even|really|yet|\w+ly)$",
    re.I,
)
# Something got another value: "upload limit was raised to 25 MB", "prod moved to eu-central-1", "Jonas took over billing".
CHANGE = re.compile(
    r"^(?:the |our |all )?[\w/#. -]{2,50}?\b(?:was|were|got|has|have|been|is|are|just|now|recently|also| )*(?:moved|raised|lowered|increased|reduced|bumped|upgraded|downgraded|changed|switched|migrated|relicensed|transferred|cut) (?:[\w.-]+ ){0,3}?(?:over )?to (?:the )?(?:(?-i:[A-Z])\w|QUOTED|\S*[\d#/_.-]\w|[\w.+-]+ v?\d)|^(?-i:[A-Z])\w+ (?:takes|took|has taken) over \w|^we (?:renamed|relicensed) \S+ (?:\S+ )?to \S",
    re.I,
)
# An order with the standing fact behind it: "use the slim image, the full one has no curl".
USE_REASON = re.compile(
    r"^(?:please )?(?:use|avoid|stick to|stay with|prefer) (?:the |our |a )?\w.{2,60}, (?:the|our|all|because|since) \w.{3,60}\b(?:is|are|has|have|does|doesn'?t|do|don'?t|can'?t|cannot|needs?|breaks?|fails?|lacks?|leaks?)\b",
    re.I,
)
# What happens by the clock, or how every one of a kind begins and ends.
ROUTINE = re.compile(
    r"\b(?:starts?|begins?|ends?|resets?|reboots?|restarts?|refresh(?:es)?|renews?|rolls? over|runs?|closes|opens|fires?|rotates?|syncs?) (?:\w+ )?(?:every (?:night|day|hour|week|month|morning|evening|\d+|mon|tues|wednes|thurs|fri|satur|sun)|at (?:midnight|noon|\d)|(?:nightly|daily|hourly|weekly)|with (?:the|an?|their|its) \w)|^our [\w-]+(?: \w+)? (?:is|are) [\w./-]+\.?$",
    re.I,
)
CONTRAST = re.compile(r", (?:and )?not (?:an? |the )?\w+", re.I)

# -- asked by standing --------------------------------------------------------------------------------

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
VERBLESS = re.compile(
    r"(?:please |pls )?(?:absolutely |definitely )?no (?:more |new |direct |raw |default |inline |global |magic )?[\w./+#-]+(?: [\w./+#-]+){0,3}(?:[,.;!:(]|$)|(?:one|a single|at most \w+|max(?:imum)? \w+) [\w-]+(?: [\w-]+)? (?:per \w|for each|in each|at a time)|[\w`./+#-]+(?: [\w`./+#-]+){0,4} only(?:[,.;!:(]| for\b| in\b| here\b|$)",
    re.I,
)
# What gives an order its reach: several things, an occasion, a manner, or what not to do.
REACH = re.compile(
    r"\b(?:before|when|whenever|after|in|with|without|as|for|per|by|under|first|me)\b|\b[a-z-]{3,}[a-rt-z]s\b|, (?:not|don'?t|never)\b",
    re.I,
)
NOTHING_MUCH = re.compile(
    r"(?:no (?:problems?|worries|idea|ideas|thanks?|need|rush|luck|changes?|errors?|difference|matter|way|doubt|one|comment|hurry|pressure|reason|clue|news|tests? (?:ran|failed)|longer|it|that|this|you|i|we|the)\b|[\w`./+#-]+ ?(?:for now|right now)|(?:run|check|read|do|show|test|fix|commit|change|push|look|use|try|add|it|this|that) )",
    re.I,
)
KEEP = re.compile(
    r"(?:(?:please|pls|also|and|always|just) )*(?:keep (?:the |all |your |our )?[\w./ -]{2,40}? (?:short|small|thin|simple|flat|clean|pure|minimal|lean|dumb|under|below|within|sorted|alphabetical\w*|separate|private|consistent|up to date|in sync|to a minimum|out of|away from|free of|free|stateless|immutable|together|tight|readable)\b|avoid (?!it\b|this\b|that\b)\w|prefer \w|stick (?:to|with) \w|favou?r \w)",
    re.I,
)
IMPERATIVE = re.compile(
    r"(?:(?:please|pls|always|also) )*(?:when(?:ever)? [\w ]{2,40}, )?(?:please )?(?:write|answer|reply|respond|give|show|tell|call|name|format|document|indent|wrap|squash|rebase|sign|quote|speak|ask|explain|choose|pick|use|prefix|suffix|sort|commit|push|merge|test|check|run|start|put|store|log|handle|return|throw|raise|validate|wait|stop|leave|treat|follow|respect|talk|address|mention|cite|link|group|order|split|batch|cache|mock|assume|remember|deploy|release|build|review|summari[sz]e|translate|spell|capitali[sz]e|don'?t|do not|dont|never)\b(?! (?:it|them|again|on|now|ahead|back)\b)",
    re.I,
)
# Words that are few but name both sides, or the way to go instead.
SAYS_ENOUGH = re.compile(
    r"\bnot `|, (?:use|we use|put|call) \w+ \w+|\bper \w+\W*$|\bat a time\b|^(?:don'?t|never) \w+ \w+s\b", re.I
)
# What makes an order one about a single thing: a pronoun, a file, a figure, a place in the work at hand.
SINGLE = re.compile(
    r"\b(?:this|that|it|these|those|them|here|now|again|another|next|above|below|yet|both|same|the \w+(?! \w* ?first)|how|what|why|where|which|a (?:new|test|quick|short|small|summary|plan|list)|my|some|more|again|out)\b|\d|QUOTED|=|\w\(\)|\w\.\w",
    re.I,
)
OFF_TOPIC = re.compile(
    r"\b(?:hate mondays|good (?:job|work)|weather|kids?|wife|husband|daughter|dog|cat|coffee|beer|lunch|dinner|breakfast|pizza|holidays|vacation|football|soccer|birthday|gym|dentist|headache|neighbou?rs?|landlord|pleasure|amaz(?:e|ed|ing)|wetter|kinder|kaffee|mittagessen|urlaub|hund|katze|météo|enfants|café|vacances|clima|tiempo libre|niños|vacaciones|погода|дети|кофе|отпуск)\b|天气|孩子|咖啡|天気|子供|コーヒー",
    re.I,
)
# "There are 3 files in the project root": a count of the moment.
COUNTED = re.compile(
    r"there (?:are|is) (?:\d+|an?|one|two|three|four|five|some|several|many|no) [\w -]+ (?:in|under|at|on|inside) (?:the|this|that|my) [\w -]+\W*$",
    re.I,
)
FOR_ME = re.compile(
    r"(?:i(?:'d| would)? (?:really )?(?:want|need|expect|like) you to |you (?:should|need to|have to|must|are supposed to|'?re supposed to|can) |you'll (?:need|have) to )",
    re.I,
)
# A statement that sets a thing against what it is not: "readings are in Plato, not SG", "it's `main`, not `master`".
CONTRASTS = re.compile(
    r"(?:\b(?:is|are|in|with|on|to|as|from|via|by|use|uses|using|at)|'s|'re) (?:an? |the |in |on |with )*(?!not\b|just\b|still\b|all\b|only\b)[\w`./+#-]+(?: [\w`./+#-]+)?,? not (?:an? |the |in |on |with |to |by )*(?!yet\b|just\b|only\b|the case\b|sure\b|yet|working|so\b|too\b|that\b|what\b|how\b|very\b|really\b|ready\b|done\b|me\b|you\b)[\w`./+#'-]+(?:[,.;:!)]|$| (?:in|for|because|since|thats|here)\b)",
    re.I,
)
# Two things set against each other and nothing else: "tabs not spaces", "lat lon, not lon lat", "nein, X, nicht Y".
BARE_CONTRAST = re.compile(
    r"^(?!(?:it|that|this|why|maybe|perhaps|still|of course|ok|sure|probably|certainly|definitely|absolutely|i|we|you|or|if|but|and|just|also|really|better|looks?|hopefully|apparently)\b)[\w`./+#-]+(?: [\w`./+#-]+){0,2},? not (?!yet\b|bad\b|now\b|sure\b|working\b|that\b|this\b|it\b|really\b|always\b|only\b|just\b|again\b|found\b|good\b|so\b|too\b)[\w`./+#-]+(?: [\w`./+#-]+)?\W*$|\b\d[\w.]*(?: [a-z]+){0,3},? not \d|, (?:nicht|pas|non|não|а не|kein(?:e|en)?) (?:in |im |auf |mit |le |la |les |en |il |lo |o |a )?[\w`./+#-]+\W*$|(?<=[a-z]), no (?:en |con |el |la |los |las )?[a-z`./+#-]+[oaes]?\W*$(?<!, no\.)",
    re.I,
)
# A standing fact and the order that follows from it: "CI fails on warnings so treat them as errors".
SO_DO = re.compile(
    r"^(?!i\b|it\b|this\b|that\b|ok\b).{8,140}?,? so (?:please |just |you |we )?(?:don'?t|do not|never|always|avoid|use|run|treat|keep|make sure|check|prefer|expect|stick|must|have to|need to|no \w+)\b",
    re.I,
)
# How something is done, said with the command: "to reset the db: rake db:nuke".
HOW_TO = re.compile(
    r"^(?:to|for) (?!me\b|us\b|now\b|this\b|that\b|it\b)[\w /-]{3,40}(?::|,? (?:just )?(?:run|use|call|type|execute|it'?s|you (?:run|need|have to run)))\s+(?:QUOTED|[a-z][\w./-]* [\w./:-]+)",
    re.I,
)
INDIRECT = re.compile(
    r"\b(?:would be (?:nice|great|good|lovely|helpful|cool|better)|i(?:'d| would) (?:appreciate|love|like|prefer)(?: it)?|be (?:happy|grateful|glad))(?: though| however| actually)?,? if (?:you|we|new|tests?|all|every|the \w+s|\w+s)\b|\bwe could agree (?:that|to|on)\b|\b(?:can|could|shall) we agree (?:that|to|on)\b",
    re.I,
)
KNOWN_RIGHT = re.compile(r"^(?:you (?:do )?(?:know|realize|realise|are aware)(?: that)?|surely) .{12,}, right\b", re.I)
DECIDED = re.compile(r"(?:decided|decision|agreed|settled|final)[:,] ?\w", re.I)
# One word is enough where it is the name of what is used: "we use pnpm here", "no any in ts".
ONE_NAME = re.compile(r"(?:we (?:only )?use|we(?:'re| are) on|no|use|only|decided:) ", re.I)
# Where an order goes on with a way of working: "add an endpoint, pls keep controllers thin".
RULE_AFTER = re.compile(
    r"[,;] (?:and |but |also |pls |please )*(?=(?:keep [\w ]{3,40} (?:short|small|thin|simple|clean|pure|flat|minimal)\b|(?:avoid|always|never|we (?:use|never|always|don'?t)|stick to) \w))",
    re.I,
)
# What a report counts or lists without saying anything about it.
TALLY = re.compile(
    r"\W*(?:there (?:are|is)|i (?:found|counted|see|checked|listed)|found|total(?: of)?|counted|here (?:are|is)|the (?:list|following|files?|result|output|directory|folder) )\b",
    re.I,
)
PLAN_CHANGED = re.compile(
    r"\W*(?:change of plans?|new plan|planänderung|changement de plan|cambio de planes?)\W*$", re.I
)
# What the user does not want in the assistant's answers and edits: "skip the praise", "way too many comments".
UNWANTED = re.compile(
    r"\b(?:skip|cut|drop|spare me|leave out|no|less|fewer|stop|enough|too many|too much|way too|without|lose) (?:\w+ ){0,3}?(?:praise|flattery|recaps?|comments?|intros?|introductions?|apolog\w+|explanations?|emojis?|preambles?|fluff|filler|chatter|small talk|boilerplate|caveats?|disclaimers?|docstrings?|jokes?|adjectives|exclamation marks?|buzzwords?)\b|^(?:[\w-]+ ){0,2}[\w-]+s (?:please|pls|plz)\b|[, ][\w%-]+ style,? (?:please|pls|plz)\b|\bi find .{3,50}\b(?:ugly|confusing|unreadable|hard to read|distracting|noisy)\b",
    re.I,
)
DESPITE = re.compile(r"\b(?:although|even though|despite) (?:the|its|their|it) \w+", re.I)
# A thing taken out for good, with the reason: "kill the graphql endpoint, rest is enough".
TAKES_OUT = re.compile(
    r"(?:please |pls |ok |and )?(?:kill|drop|remove|rip out|throw out|delete|get rid of|ditch) (?:the |our |all )?[\w./ -]{2,40}, .{0,60}\b(?:enough|overkill|nobody|no one|never|not worth|unused|obsolete|too|don'?t need|doesn'?t|instead)\b",
    re.I,
)
# Words about the talk and the work of the moment, or without a subject: nothing that stands alone.
UNSETTLED = re.compile(
    r"(?:\([^)]*$|(?:has|have|follows|uses|makes|provides|supports|is|are|was|of|or|seems?|looks?)\b|(?:this|that|it) (?:looks|sounds|seems|feels) like|(?:the |our )?[\w-]+(?: [\w-]+)? needs (?:an?|another|more|some) [\w-]+(?: [\w-]+)?\W*$|i (?:thought|see|saw|wanted|was) |you can (?!only|always|never)|the [\w./-]+(?: \w+){0,2} you (?:made|dropped|added|wrote|created|put|left|gave|ran)\b)",
    re.I,
)
NAME_ONLY = re.compile(r"[A-Za-z][\w.+#-]{2,}(?: [\w.+#-]+)?$")
