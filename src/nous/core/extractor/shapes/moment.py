# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What belongs to the moment: reports, steps, announcements and small talk, as patterns."""

from __future__ import annotations

import re

from nous.core.extractor.cue import Cue

SELF = re.compile(
    r"^(?:i|i'm|i've|i'll|i'd|you|you're|you've|he|she|they|ich|du|je|tu|yo|я|ты|我|你|私)\b(?! (?:always|never|prefer|want|hate|like (?!what|the|your|how|this|that|it\b|option|\d)|dislike|don'?t (?:like|want)|use|generally|usually|expect|need|would|only|run|work|commit|keep|manually|deploy))",
    re.I,
)
TRANSIENT = Cue(
    {
        "any": (
            r"\b(?:for some reason|i see|i saw|i got|i get|i ran|i'?ve (?:run|tried|got|read|verified|pulled|logged)|i tried|i think|i guess|i suspect|i feel|looks like|seems|apparently|it (?:works|worked|passes)|(?<!since )yesterday|tonight|today|earlier|this weekend|just now|this morning|last (?:night|week)|again|already (?:done|fixed)|here'?s|here is|see (?:above|below|the)|(?:is|are) still (?!\d|on\b|at\b|using\b|running (?:on|with)\b|required\b|supported\b|in use\b)|(?:is|are) (?:running|building|deploying|loading|compiling|waiting|happy|sad|angry|tired|asleep)(?! (?:on|in|with|at|as|under|behind|every|against)\b)|took (?:\d+|ages|forever|a while)|the right one|the wrong one|(?:called|phoned|pinged|texted|emailed)(?: me| us)?(?=,))\b"
        )
    }
)
PASTED_LINE = re.compile(r"\S@\S+ \S* ?[%$#] |^\S+ % |^\s*[\w.]+ = |\bline \d+, in \b|\b\d+ (?:passed|failed)\b")
SELF_REPORT = re.compile(r"^(?:at your last|when i|i (?:opted|said before|thought|assumed))\b", re.I)
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
NOUN_OR_VERB = re.compile(
    r"^(?:load|test|build|log|cache|import|export|release|deploy|search|check|commit|format|store|display|port|list|backup|print|report|merge|cover|stage) [\w-]+ [a-z]+s (?!from|in|to|for|with|and|on|of|by|at|into|as|before|after|or|that|which)\w+|^(?:log|test|build|deploy|release|cache|format|store|style|lint|mock|port|label|import|export|plan|commit|merge|tag|set|run|read|look|change|check|list|search|start|support|load|save|print|report|draft|cover|stage|display|benchmark|measure|sort|split|document|open|use|help|get|make)s? (?:[\w`/.-]+ ){0,4}?(?:is|are|must|has|have|should|runs?|lives?|needs?|never|always|only|goes|go|belongs?|=)\b",
    re.I,
)
STEP = re.compile(
    r"^(?:we|i think we|i think|so we|then we) should (?:\w+ly |also |probably |first |now |just |then )*(?:commit|push|start|try|check|look|do|go|continue|run|discuss|see|proceed|get|think|consider|stop|end|wait|verify|review|read|talk|be able)\b",
    re.I,
)
ORDERED = re.compile(
    r"^(?:please|pls|let'?s|lets|reading|i think|i feel|i guess|think|review|can|could|now)\b|.{0,300}\bprobably (?:re)?\w+ it\b",
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
EMPTY_TALK = re.compile(
    r"^(?:what we|you want|we still|notice|here'?s|you'?re|you are|great|perfect|excellent|good|sorry|line \d+|step \d+)\b",
    re.I,
)
BUSY = re.compile(
    r"^(?:let me|i'?ll|i will|now i|i need to|i'?m going to|next,? i|going to|checking|looking|running|trying)\b|:$",
    re.I,
)
NUMBERED = re.compile(
    r"(?:re: )?\d|(?:now |currently |so )?we(?:'re| are) (?:in|at|on|still|almost|done|now)\b",
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
I_TRIED = re.compile(
    r"(?:when )?i (?:tried|ran|got)\b",
    re.I,
)
PASTED = ('File "', "Traceback", "SHA256:", "......", "^C", "site-packages", "-----", "=====")
DISMISSAL = re.compile(
    r"^\W*(?:as if|whatever|yeah,? right|nonsense|rubbish|no way|lol|haha\w*|ha|go figure|ridiculous|bollocks|sure,? sure|right\.\.\.|who cares|als ob|quatsch|n'importe quoi|tonterías|ага,? конечно|ерунда|才怪|まさか)\b[\s.!?…)]*$|^\W*🙄",
    re.I,
)
NEXT_MOVE = re.compile(
    r"^(?:(?:now|next|first|then|ok(?:ay)?|great|perfect|excellent|good|alright)[,!.]? )*(?:let me|let'?s|i'?ll|i will|i'?m going to|i need to|i should|here'?s|here is|this is (?:a |an )?(?:great|good|excellent|perfect))\b|^(?:you'?re (?:absolutely )?right|excellent|perfect|great|(?:good|great|excellent) (?:point|catch|idea|question|call)|done|sure|of course|absolutely)[\s!.:]*$|:$",
    re.I,
)
AT_ONCE = re.compile(r"(?<![.\w])(?:now(?![.(])|right away|at this point|first|next(?! time))\b", re.I)
CLIENT_COMMAND = re.compile(
    r"^\s*/[a-z][\w:-]*(?:\s(?!(?:is|are|has|was|gets?|needs?|does|must|can|will|in|on|only)\b)|$)"
)
STATE_LINE = re.compile(
    r"^(?:next(?: up| step)?|(?:still )?open|done|to-?do|left|remaining|wip|status|blocked|pending|als nächstes|offen|erledigt|ensuite|reste|siguiente|pendiente|далее|осталось|готово|下一步|待办|次|残り)\s?[:：]",
    re.I,
)
OFF_TOPIC = Cue(
    {
        "any": (
            r"\b(?:hate mondays|good (?:job|work)|weather|kids?|wife|husband|daughter|dog|cat|coffee|beer|lunch|dinner|breakfast|pizza|holidays|vacation|football|soccer|birthday|gym|dentist|headache|neighbou?rs?|landlord|pleasure|amaz(?:e|ed|ing)|wetter|kinder|kaffee|mittagessen|urlaub|hund|katze|météo|enfants|café|vacances|clima|tiempo libre|niños|vacaciones|погода|дети|кофе|отпуск)\b|天气|孩子|咖啡|天気|子供|コーヒー"
        )
    }
)
# "There are 3 files in the project root": a count of the moment.
COUNTED = re.compile(
    r"there (?:are|is) (?:\d+|an?|one|two|three|four|five|some|several|many|no) [\w -]+ (?:in|under|at|on|inside) (?:the|this|that|my) [\w -]+\W*$",
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
# Words about the talk and the work of the moment, or without a subject: nothing that stands alone.
UNSETTLED = re.compile(
    r"(?:\([^)]*$|(?:has|have|follows|uses|makes|provides|supports|is|are|was|of(?! course)|or|seems?|looks?)\b|(?:this|that|it) (?:looks|sounds|seems|feels) like|(?:the |our )?[\w-]+(?: [\w-]+)? needs (?:an?|another|more|some) [\w-]+(?: [\w-]+)?\W*$|i (?:thought|see|saw|wanted|was) |you can (?!only|always|never)|the [\w./-]+(?: \w+){0,2} you (?:made|dropped|added|wrote|created|put|left|gave|ran)\b)",
    re.I,
)
# A time that will be over: "till the evening", "in 10 min", "by 3pm", "next week", "as we speak".
PASSING = Cue(
    {
        "any": r"^now (?:that|it|this|the)\b|(?<!as of )(?<!from )(?<!since )\btoday\b|\b(?:(?:un)?till? (?:the (?:evening|morning|afternoon)|tomorrow|tonight|then|later|i(?:'m| am)|monday|tuesday|wednesday|thursday|friday|noon|lunch|\d{1,2}(?: ?[ap]m|:\d|h)?(?![.\d]))|in (?:\d+|a few|a couple of|five|ten) ?min\w*|by (?:\d+ ?[ap]m|\d{1,2}(?=\W*$)|tonight|tomorrow)|next (?:week|month)|as we speak|(?:back|out|due|ready|over) (?:on |by |at |in )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:last|next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day|meanwhile|for a (?:minute|moment|sec\w*|while)|tomorrow|tmrw|this (?:afternoon|evening|week)|while (?:there|you'?re at it|that runs))\b"
    },
    ("now ", "today", "til", "min", "by ", "next ", "speak", "day", "while", "for a ", "tomorrow", "tmrw", "this "),
)
# What somebody supposes, regrets or has to do themselves, said with the words of a rule.
SUPPOSES = Cue(
    {
        "any": r"^(?:you|somebody|someone|it|that|this|they|he|she)(?:'ve)? must (?:have|be)\b|\b(?:must|could|might|would|should (?:really )?never)(?:n'?t)? (?:really |never |not |all )*have (?:been|let|gone|done|seen|had|taken|made|got|known|said|\w+ed)\b|^never (?:seen|heard|had|tried|noticed|got|managed|understood|knew|thought)\b|^you (?:always|never) \w+ (?:this|that|it)\W*$|\bi (?:really |now )?must\b"
    },
    ("must", "have", "never", "always"),
)
# A prohibition that is about the thing at hand: "don't send it", "don't remove anything".
DONT_NOW = Cue(
    {
        "any": r"(?:^|[,;.] )(?:please |just |but |and )*(?:don'?t|dont|do not) \w+(?:,| (?:it|that|this|them)\b| anything(?: to it| yet| else)?\W*$)"
    },
    ("don", "do not"),
)
PLEADS_NOW = Cue(
    {"any": r"\b(?:pls|please)\b.*\bnow\b|^(?:only|just)\b.*\bnow\W*$"},
    ("now",),
)
# Nothing but a condition, or an order with its end: "unless you find something", "keep it at 10 till the graphs settle".
TILL = Cue(
    {
        "any": r"^(?:unless|because|so that)\b[^,]*$|^(?!don'?t|do not|never).*\b(?:un)?till? (?:the|we|they|someone|everyone|i|it|all|that)\b|\bas of this\b"
    },
    ("til", "unless", "because", "so that", "as of"),
)
THANKS = re.compile(
    r"^\W*(?:thanks?|thank you|thx|cheers|great|nice|cool|ugh+|hmm+|oh|omg|wow|lol|haha\w*|sorry|damn|ouch)\b", re.I
)
THANKS_FOR = re.compile(r"^(?:thanks|thank you|thx) for [^,;]{2,60}[,!.]?(?: \w+)?\W*$", re.I)
