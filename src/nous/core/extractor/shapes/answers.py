# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""How questions offer a choice and how answers take one, as patterns."""

from __future__ import annotations

import re

ALTERNATIVES = re.compile(r"([\w .+#/-]{2,40}?),? (?:or|oder|ou|o|или|还是) ([\w .+#/-]{2,40}?)\s*\?", re.I)
OPEN_QUESTION = re.compile(
    r"\b(?:why (?:is|are|do|does)|how (?:do|does|is|are|can)|is there an?|are there any|do (?:you|we) (?:use|prefer|have)|which|what|where|who|how (?:many|long|often|much|should)|when should|should (?:we|i|it|the) .{3,80} or )\b|\b(?:welche[rsn]?|wo|wer|wie (?:viele|lange|oft)|quel(?:le)?s?|où|cu[aá]l|dónde|какой|какая|где)\b|哪|什么|どの|どこ",
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
NAME_ONLY = re.compile(r"[A-Za-z][\w.+#-]{2,}(?: [\w.+#-]+)?$")
# Where an answer goes on with its reason.
WHY = re.compile(r",? +(?:since|because|cause|bc|as|weil|car|porque) +(?=\w)", re.I)
HELPED = re.compile(
    r"^(?:\W|yep|yes|yeah|ok(?:ay)?|ah|aha|right|indeed|ha|so|and)*(?P<what>`?[\w:./\[\]-]+(?: [\w:./\[\]-]+){0,3}`?) (?:did it|did the trick|fixed it|fixes it|solved it|helped|was it|got it going)\W*$",
    re.I,
)
