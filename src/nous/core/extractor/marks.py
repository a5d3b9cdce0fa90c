# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""The marks by which text falls into sentences, output and code, as patterns."""

from __future__ import annotations

import re

# -- asked by sentences --------------------------------------------------------------------------------

FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.S)
# Some sources run the model's visible thinking on after the prompt; a wide gap and the assistant's voice give it away.
GAP = re.compile(r"\n[ \t]*\n[ \t]*\n\s*")
ASSISTANT_VOICE = re.compile(
    r"\b(?:the user|you'?re (?:absolutely |completely )?(?:right|pointing|asking|implying|suggesting)|let me|i'll|i need to|i should|looking (?:at|back)|your comment)\b",
    re.I,
)
PROMPT_LINE = re.compile(
    r"^\s*(?:[$%>#] \S|>>> |\.\.\. |\S+@\S+[^\n]{0,60}[%$#] |\(\w[\w.-]*\) \S+@|PS [A-Z]:\\|E   |In \[\d+\]:|\+{3} |-{3} [ab/]|@@ |diff --git|[-drwxls]{10}[@+ ]|total \d+$|[✓✗✔✘×●⎿│├└┌╭╰]|={4,}|-{4,}|\*{4,}|_{4,})"
)
SHELL_LINE = re.compile(r"^\s*(?:\$ \S|\S+@\S+[^\n]{0,60}[%$#] |>>> )")
LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE)\]?[\s:]|\[(?:info|warn(?:ing)?|error|debug|fatal|trace|notice)\]|Traceback \(most|File \"[^\"]+\", line \d+|\s+at \S+\(|"
    r"(?:[\w.]+)?(?:Error|Exception|Warning):|error(?:\[\w+\])?: |warning: |npm (?:ERR|WARN)|fatal: |remote: |hint: |\S+:\d+:\d+: |\w+ \d+ packages? in |(?:Compressing|Counting|Enumerating|Writing|Receiving|Resolving) (?:objects|deltas)|To (?:https?://|git@|github\.com)| \* \[new)"
)
HINT = re.compile(r"\s*hint: ", re.I)  # one such line is somebody's own; git prints several
# A line of a settings file: a key and at most one word.
YAML_LINE = re.compile(r"^\s*(?:- )?[\w./-]+:(?:\s+\S+)?\s*$")
LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)]|[a-z]\))\s+")
QUOTE_LINE = re.compile(r"^\s*>\s?")
# Nearly every place is dismissed by its one letter, which the first test looks at.
BREAK = re.compile(
    r"(?=[\s\"')\],;.])(?:(?<=[.!?…])[\"')\]]*\s+(?=[\w\"'`(<\[¿¡*~$@-])|\s+(?:--|—|–)\s+(?=\w)|;\s+(?=\w)|,?\s+so:\s+(?=\w)|(?<=:-[()])\s+|\.{3,}\s+(?=\w))|(?<=[。！？])"
)
ABBREVIATION = re.compile(
    r"(?:(?<!;)\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|fig|sec|min|max|mr|mrs|dr|st|bzw|z\.b|d\.h|ca|usw|p\.ex|ej|т\.е|т\.д)\.|^\d{1,2}\.|^\w\.)\Z",
    re.I,
)
MASKED = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|«[^»\n]{2,300}»|„[^“”\n]{2,300}[“”]|「[^」\n]{1,300}」|(?<![\w'])'[^'\n]{3,200}'(?![\w'])"
)
WORD = re.compile(r"\w+")
LEAD_IN = re.compile(
    r"^(?:"
    r"(?:ok(?:ay)?|k|good|great|nice|cool|perfect|awesome|thanks?(?: you)?|thx|right|yes|yeah|yep|no+(?:[ ,!]+no+)*|ffs|jesus|omg|argh|nope|nah|well|oh|ah|aha|hey|hi|hello|hmm+|ugh+|ehm|um+|wow|whoa|sure|alright|exactly|correct|true|careful|wait|w8+|stop|sorry|wrong|actually|anyway|agreed|fine|look|listen|seriously|honestly|dude|man|buddy|claude|opus|sonnet|ach|ja|nein|gut|danke|also|äh|genau|halt|stopp|falsch|oui|non|merci|bon|d'accord|alors|sí|vale|gracias|bueno|да|нет|ну|ок|так|спасибо|стоп|please|pls|plz|bitte|"
    r"by the way|btw|fyi|nb|ps|p\.s\.|oh and|one more thing|another thing|for the record|for future reference|just so you know|as i said|like i said|again|reminder|heads[- ]up|important|note|hinweis|übrigens|au fait|por cierto|кстати|对了|ところで|ちなみに|(?:that|this)(?:'?s| is) (?:wrong|outdated|incorrect|not right|old|not correct)|not quite|of course|nice one|got it|ok then|alright then|change of plans?|new plan|planänderung|changement de plan|cambio de planes?)"
    r"\s*[,.!:;…—–-]+\s*"
    r"|(?:this|that|it)(?:'?s| is| looks) (?:all |pretty |really )?(?:good|great|fine|nice|ok(?:ay)?|perfect)[ ,;-]+but\s+"
    r"|(?:ok|okay|well|alright|right|yes|yeah|agreed|fine|sure) (?:then|so|now|but|and)\s+|(?:ok|okay|alright|yeah|yep|hmm+|ugh+|btw|fyi|oh|ah) (?=[a-z])|(?:well|yes|agreed|sure) (?=let'?s\b|lets\b|we\b|i\b|use\b|the\b|in\b)"
    r"|(?:btw|fyi|ps|nb)\s+"
    r"|(?:option )?[1-9],? (?:since|because|bc) (?=\w)"
    r"|(?:and|but|so|also|then|und|aber|et|mais|y|pero|и|а|но)\s*,?\s+(?=\S)(?!then\b)"
    r"|(?:please |pls |plz |bitte )?(?:remember|keep in mind|bear in mind|note|don'?t forget|do not forget|memori[sz]e|merk(?:e)? dir|denk(?:e)? (?:dran|daran)|nicht vergessen|vergiss nicht|retiens|souviens-toi|rappelle-toi|n'oublie pas|recuerda|ten en cuenta|no olvides|запомни(?:те)?|не забудь|учти|记住|请记住|记得|请注意|覚えておいて)(?:\s*[:,：，]|\s+(?:that|this|dass|que|что)\b\s*[:,]?)\s*"
    r"|(?:(?:how (?:often|many times) (?:do|must|did) i (?:have to |need to )?(?:say|tell you|repeat|ask|explain)(?: it| this| that| you)?|i(?:'ve| have)? (?:already |just )?(?:told|asked)(?: you)(?: (?:already|before|twice|many times|last time|yesterday|earlier))*|i(?:'ve| have)? (?:already )?said(?: (?:already|before|this|twice))+|wie oft muss ich (?:noch )?sagen|ich habe (?:dir )?(?:schon|bereits) gesagt|je t'ai déjà dit|ya te (?:dije|he dicho)|я (?:же )?уже говорил\w*)(?: (?:that|to|dass|que|что))?\s*[:,.;-]?\s+)"
    r"|(?:i wanted to |let me |i want to )?(?:remind you|tell you|make (?:it )?clear)(?: again)?(?: that| to)?\s*[:,]?\s+"
    r")",
    re.I,
)
OPENERS = re.compile(
    r"^(?:it|this|that|these|those|they|them|he|she|its|their|there|such|both|neither|either|same|otherwise|because|since|which|so that|das|dies|diese[rsmn]?|es|ce|cela|ça|c'est|eso|esto|это|они|这|那|これ|それ|あれ)\b|^(?:这|那|它|これ|それ)",
    re.I,
)
TERMINAL = re.compile(r"[.!?…。！？)\"”`]$")
IDENTIFIER = re.compile(r"^(?:[`'\"(\[<*_~$@/.-]|\S*[._/\\(=]\S|\S*[a-z][A-Z]|\S*\d)")
DANGLING = re.compile(
    r"(?:[\s,;:—–]|(?<=[\s,;:—–-])-)+$"
)  # a dash that ends a word is part of it: "the prefix is tide-"

# A line that announces output: what follows, up to the next blank line, is not the speaker's.
OUTPUT_AHEAD = re.compile(
    r"\b(?:scrolled by|scrolls by|(?:the|this|my|full|whole) (?:output|logs?|console|terminal|error|stack ?trace|traceback|message)|i (?:get|got|see|saw)|(?:i'm|im|am) (?:getting|seeing)|it (?:says|prints|printed|shows|logs|complains|spits out)|error message|from the (?:logs?|console|terminal|ci)|ausgabe|meldung|sortie|salida|вывод|日志|出力)\b[^.!?]{0,40}:\s*$",
    re.I,
)
# What a speaker adds at the end of a sentence for the listener of the moment.
TAIL = re.compile(
    r"(?:,| -| –)? ?(?:please remember (?:that|this|it)|remember (?:that|this|it)|keep (?:that|this|it) in mind|don'?t forget(?: (?:that|this|it))?|note that down|btw|by the way|fyi|just so you know|jfyi|for the record|merk dir das|bitte merken|retiens[- ]le|recuérdalo|запомни(?: это)?)[\s.!]*$|[,.]? (?:ok(?:ay)?|right|thanks|thx|cheers|pls|plz)[\s.!]*$|\s*[:;]-?[)D(P]\s*$",
    re.I,
)
