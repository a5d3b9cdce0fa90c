# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How a rule, a wish or a standing order is built, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

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
NOT_MINE = re.compile(r"\bi want (?-i:YOU)\b|\bi don'?t want to (?:lose|loose|miss|bother)\b", re.I)
NOT_RULE = re.compile(
    r"^(?:i(?:'ve| have)? (?:noticed|thought|see|saw|burn\w*|read|found|said before|agree)|i(?:'m| am) (?:wor+\w+|reading|not sure|a?f+raid|starting)|if (?:yes|so|not|i understand)\b|let'?s first|you can|comments?:|[\w ]{2,30} (?:is|are) an? (?:total |complete |real )?(?:mess|nightmare|joke|disaster|pain)|it (?:was|looks)|this (?:looks|is violating|was)|that last|looking|currently)\b|^we(?:'re| are)? (?:don'?t|dont|do not) (?:know|have)\b",
    re.I,
)
RULES_AHEAD = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|principles?|preferences?|standards?|requirements?|style|policy|policies|remember|always|never|keep in mind|from now on|in this (?:repo(?:sitory)?|project)|how we work|regeln|konventionen|règles|reglas|правила)\b|规则|规范|约定|ルール|規約",
    re.I,
)
SHOULD = re.compile(r"\bwe should (?:\w+ly |also |probably |really |always |never |not )*[a-z]+", re.I)
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
CLAUSE = re.compile(r"(?:[,;:]| because| since| as) +(?=we\b|our |all |every |\w+s (?:are|must|need|go|have))", re.I)
HABITUAL = re.compile(
    r"^(?:before|after|prior to|whenever|when|to|for) (?:\w+ing|you|every|each|any|run|build|test|deploy|start)\b.*(?:QUOTED|\bmust\b|\bneeds? to\b)|^(?:please |pls )?(?:write|answer|use|keep|name|format|document|prefix|describe|indent|sort|wrap|squash|rebase|sign|quote|speak|reply|respond|ask) (?:me |all |your |every )?(?:\w+ )?(?:\w+s|code|text|prose|english|german|french)\b",
    re.I,
)
ORDER = re.compile(
    r"\b(?:always|never|from now on|must|remember|ignore (?:all|previous)|as (?:an|the) (?:ai|assistant|agent)|you (?:should|must)|system prompt|instructions?)\b",
    re.I,
)
I_RATHER = re.compile(
    r"i(?:'d| would)? (?:rather|prefer|hate|like)\b",
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
STANDING = Cue(
    {
        "any": (
            r"\b(?:always|never|from now on|going forward|every time|whenever|must|forbidden|(?:in|of|for|across) (?:this|our|the (?:whole|entire)) (?:repo(?:sitory)?|project|code ?base|app|team)|(?:in|for|across|on|at) (?:all|every|each|any) \w+|everywhere|throughout|consistently|by default|auf (?:englisch|deutsch|französisch)|in inglese|en anglais|en inglés|before (?:committing|pushing|every|each|you|any|a)|after (?:every|each))\b"
        )
    }
)
MANNERS = re.compile(
    r"\b(?:commit messages?|answers?|repl(?:y|ies)|responses?|emojis?|tone|explanations?)\b",
    re.I,
)
LETS_DO = re.compile(
    r"let'?s |lets ",
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
EVERYTHING = re.compile(
    r"^(?!show|list|print|find|delete|remove|rename|check|run|read)(?:please )?[a-z]+ (?:everything|all [\w-]+|every [\w-]+|each [\w-]+)\b",
    re.I,
)
# An order with the standing fact behind it: "use the slim image, the full one has no curl".
USE_REASON = re.compile(
    r"^(?:please )?(?:use|avoid|stick to|stay with|prefer) (?:the |our |a )?\w.{2,60}, (?:the|our|all|because|since) \w.{3,60}\b(?:is|are|has|have|does|doesn'?t|do|don'?t|can'?t|cannot|needs?|breaks?|fails?|lacks?|leaks?)\b",
    re.I,
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
    r"(?:no (?:action|problems?|worries|idea|ideas|thanks?|need|rush|luck|changes?|errors?|difference|matter|way|doubt|one|comment|hurry|pressure|reason|clue|news|tests? (?:ran|failed)|longer|it|that|this|you|i|we|the)\b|[\w`./+#-]+ ?(?:for now|right now)|(?:run|check|read|do|show|test|fix|commit|change|push|look|use|try|add|it|this|that) )",
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
# What makes an order one about a single thing: a pronoun, a file, a figure, a place in the work at hand.
SINGLE = re.compile(
    r"\b(?:this|that|it|these|those|them|here|now|again|another|next|above|below|yet|both|same|the \w+(?! \w* ?first)|how|what|why|where|which|a (?:new|test|quick|short|small|summary|plan|list)|my|some|more|again|out)\b|\d|QUOTED|=|\w\(\)|\w\.\w",
    re.I,
)
FOR_ME = re.compile(
    r"(?:i(?:'d| would)? (?:really )?(?:want|need|expect|like) you to |you (?:should|need to|have to|must|are supposed to|'?re supposed to|can) |you'll (?:need|have) to )",
    re.I,
)
# Two things set against each other and nothing else: "tabs not spaces", "lat lon, not lon lat", "nein, X, nicht Y".
BARE_CONTRAST = Cue(
    {
        "any": (
            r"^(?!(?:it|that|this|why|maybe|perhaps|still|of course|ok|sure|probably|certainly|definitely|absolutely|i|we|you|or|if|but|and|just|also|really|better|looks?|hopefully|apparently)\b)[\w`./+#-]+(?: [\w`./+#-]+){0,2},? not (?!yet\b|bad\b|now\b|sure\b|working\b|that\b|this\b|it\b|really\b|always\b|only\b|just\b|again\b|found\b|good\b|so\b|too\b)[\w`./+#-]+(?: [\w`./+#-]+)?\W*$|\b\d[\w.]*(?: [a-z]+){0,3},? not \d|, (?:nicht|pas|non|não|а не|kein(?:e|en)?) (?:in |im |auf |mit |le |la |les |en |il |lo |o |a )?[\w`./+#-]+\W*$|(?<=[a-z]), no (?:en |con |el |la |los |las )?[a-z`./+#-]+[oaes]?\W*$(?<!, no\.)"
        )
    },
    (" not ", ", n", ", pas ", ", а не ", ", kein"),
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
INDIRECT = Cue(
    {
        "any": (
            r"\b(?:would be (?:nice|great|good|lovely|helpful|cool|better)|i(?:'d| would) (?:appreciate|love|like|prefer)(?: it)?|be (?:happy|grateful|glad))(?: though| however| actually)?,? if (?:you|we|those|these|new|tests?|all|every|the \w+s|\w+s)\b|\bwe could agree (?:that|to|on)\b|\b(?:can|could|shall) we agree (?:that|to|on)\b"
        )
    },
    (" if ", "agree"),
)
DECIDED = re.compile(r"(?:decided|decision|agreed|settled|final)[:,] ?\w", re.I)
# Where an order goes on with a way of working: "add an endpoint, pls keep controllers thin".
RULE_AFTER = re.compile(
    r"[,;] (?:and |but |also |pls |please )*(?=(?:keep [\w ]{3,40} (?:short|small|thin|simple|clean|pure|flat|minimal)\b|(?:avoid|always|never|we (?:use|never|always|don'?t)|stick to) \w))",
    re.I,
)
# What the user does not want in the assistant's answers and edits: "skip the praise", "way too many comments".
UNWANTED = Cue(
    {
        "any": (
            r"^(?:please |pls )?(?:don'?t|dont|do not|no need to|stop|quit|never) (?:always )?(?:explain|apologi[sz]|summari[sz]|repeat|narrat|justify|prais|thank|greet|recap|rambl|congratulat|flatter)\w*\b|\b(?:skip|cut|drop|spare me|leave out|no|less|fewer|stop|enough|too many|too much|way too|without|lose) (?:\w+ ){0,3}?(?:praise|flattery|recaps?|comments?|intros?|introductions?|apolog\w+|explanations?|emojis?|preambles?|fluff|filler|chatter|small talk|boilerplate|caveats?|disclaimers?|pleasantries|politeness|docstrings?|jokes?|adjectives|exclamation marks?|buzzwords?)\b|^(?:[\w-]+ ){0,2}[\w-]+s (?:please|pls|plz)\b|[, ][\w%-]+ style,? (?:please|pls|plz)\b|\bi find .{3,50}\b(?:ugly|confusing|unreadable|hard to read|distracting|noisy)\b"
        )
    }
)
# A thing taken out for good, with the reason: "kill the graphql endpoint, rest is enough".
TAKES_OUT = re.compile(
    r"(?:please |pls |ok |and )?(?:kill|drop|remove|rip out|throw out|delete|get rid of|ditch) (?:the |our |all )?[\w./ -]{2,40}, .{0,60}\b(?:enough|overkill|nobody|no one|never|not worth|unused|obsolete|too|don'?t need|doesn'?t|instead)\b",
    re.I,
)
# Two things given their places, and nothing else: "tabs in C, spaces in yaml", "_at for timestamps, _on for dates".
PARALLEL = re.compile(
    r"^(?:[\w`./+#-]+ ){1,3}(?P<by>for|in|on|to) (?:the )?[\w`./+#-]+(?: [\w`./+#-]+){0,2}, (?:and |but )?(?:[\w`./+#-]+ ){1,3}(?P=by) (?:the )?[\w`./+#-]+",
    re.I,
)
# A thing and where it is used, and nothing else: "podman on these machines".
PLACED = re.compile(
    r"^(?!no\b|not\b|nothing\b|first\b|new\b)[\w`./+#-]+(?: [\w`./+#-]+){0,2} (?:on|in|for|at) (?:these|this|our|all|every) (?P<where>\w+)\W*$",
    re.I,
)
