# ruff: noqa: E501  a pattern reads best unbroken
"""What the user's own words teach: rules, preferences, corrections, decisions, facts, traps, dead ends.

Structure comes first. A sentence is judged by what it is (a statement, a question, a task, a quotation), by what the
assistant had just done, and only then by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nous.core.extractor import cues, names
from nous.core.extractor.domain import is_trade
from nous.core.extractor.sentences import (
    Sentence,
    mask,
    needs_context,
    sentence,
    shorten,
    spoken,
    strip_lead_in,
)
from nous.core.extractor.story import Draft, Story, learn
from nous.core.likeness import STOP_WORDS, tokens

MAX_PER_PROMPT = 6


class Verdict(NamedTuple):
    """What a sentence is and how sure that is."""

    type: str
    confidence: float


_STRONG = re.compile(
    r"\b(?:always|never(?! mind)|must(?:n'?t| not)?|from now on|going forward|henceforth|not allowed|forbidden|prohibited|mandatory|under no circumstances|at all times|no exceptions|nowhere else|off[- ]limits|belongs? (?:in|under|to|into)|by convention|our (?:convention|policy|rule|standard)|as a rule|don'?t ever|hands off)\b"
    r"|\b(?:rule|convention|policy|guideline)(?: (?:for|in|of) [\w -]{2,40})?:|\bin (?:this|our) (?:repo(?:sitory)?|project|code ?base|monorepo|team|company|code)\b"
    r"|\bwe (?:only|always|never|prefer|avoid|stick to)\b|\bwe (?:don'?t|do not) (?!know|have|need|see|understand|remember|think|care|believe|yet|really)\w|\bwe use\b(?! (?:it|this|that|them)\b)|\bwe(?:'re| are) (?:using|not using|only)\b",
    re.I,
)
_WEAK_DONT = re.compile(r"^(?:please |pls )?(?:dont|don'?t|do not)\b", re.I)
_POLITE = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|hmm+|well|also|wait|w8|ugh|ehm|hey|btw|eg|as)[,. ]+)*(?:shouldn'?t|don'?t you think|do we (?:really|even) need|why (?:do|are|is|did|does) (?:you|we|the|these|this)|can'?t (?:we|you)|couldn'?t (?:we|you)|isn'?t (?:it|that|this))\b|[,.…]+ ?(?:right|no|correct|isn'?t it|agreed|yes|ja|oder|non|verdad|да)\s*\?+$",
    re.I,
)
_CRITIC = re.compile(
    r"\b(?:should(?:n'?t)?|belongs?|redundant|empty|unused|duplicat\w+|needed?|necessary|private|instead|convention|require[sd]?|outside|inside|called|consistent|we use|follow)\b",
    re.I,
)
_CONCRETE = re.compile(r"`|QUOTED|\d|[A-Z]{2,}|\w[._/]\w|[a-z][A-Z]|--\w|\w/|_")
_SELF = re.compile(
    r"^(?:i|i'm|i've|i'll|i'd|you|you're|you've|he|she|they|ich|du|je|tu|yo|я|ты|我|你|私)\b(?! (?:always|never|prefer|want|hate|like (?!what|the|your|how|this|that|it\b|option|\d)|dislike|don'?t (?:like|want)|use|generally|usually|expect|need|would|only|run|work|commit|keep|manually|deploy))",
    re.I,
)
_STATE_VERB = re.compile(
    r"\b(?:is|are|gets?|must be|has to be|have to be|should be)(?: (?:now|only|always|never|currently|still|all|usually|automatically|also|not))* (?:stored|deployed|hosted|written|generated|owned|managed|maintained|capped|limited|prefixed|suffixed|kept|located|built|served|created|added|named|called|released|shipped|signed|encoded|formatted|mounted|cached|run|installed|configured|pinned|locked|versioned|tested|handled|reviewed|reachable|available|read|loaded|compiled|rendered|paginated|indexed|sharded|replicated|backed|protected|encrypted|hashed|measured|expressed|logged|sorted|ordered|keyed|validated|parsed|exposed|proxied|routed|mirrored|synced|scheduled|triggered|required|expected|supported|deprecated|frozen|excluded|ignored|disabled|enabled|documented|tracked|numbered|tagged|licensed|published|based|written|implemented|shared|copied|vendored|patched|forked|authenticated|rate[- ]limited|throttled|processed|queued|batched|read-only|immutable|naive|idempotent|case[- ]sensitive|off|closed|down)\b"
    r"|\b(?:runs?|lives?|listens?|sits?|depends?|needs?|requires?|expects?|accepts?|returns?|supports?|goes|go|talks?|comes?|deploys?|belongs?|uses?|reads?|writes?|stores?|sends?|points?|maps?|holds?|contains?|serves?|starts?|expires?|rotates?|syncs?|connects?|authenticates?|emits?|publishes|consumes?|polls?|retries|caches?|takes|fires|limits?|allows?|costs?|ships?|targets?|inherits?|wraps?|owns?|tests?|speaks?|understands?|rejects?|ignores?|drops?|collides?|conflicts?|shares?|builds?|applies|works) (?:only |itself |automatically |always |never )*(?:on|in|at|by|with|via|through|under|from|to|against|behind|as|for|into|the|a|an|only|no|all|every|up|after|before|when|if|itself|\d|QUOTED|[A-Z]|(?:amounts?|files?|values?|\w+s)\b)"
    r"|\b(?:only|never|always|can(?:not|'?t)|doesn'?t|does not|don'?t|do not|won'?t|may not) (?:accept|allow|run|work|support|have|has|return|see|read|write|reach|start|know|exist|handle|use|talk|touch|call|contain|include|expose|take|go|come|fit|scale|apply|build|compile|speak|understand)s?\b"
    r"|\bonly (?:has|have|reachable|available|works?|accepts?|runs?|supports?|allows?|exists?|takes?|reads?|valid|on|in|from|via|through)\b|\b(?:has|have|had) (?:only |no |a |an |the |two|three|\d)",
    re.I,
)
_IDENTITY = re.compile(r"\b(?:is|are|means?|stands for|equals|ist|sind|bedeutet|est|sont|es|son|是|は)\b", re.I)
_DEFINITE = re.compile(
    r"^(?:in [\w ]{2,30}?,? )?(?:the|our|my|all|every|each|this (?:repo|project|service|app|code|package|library|module|team|machine|server|box)|both|only|der|die|das|unser\w*|le|la|les|notre|nos|el|los|las|nuestr\w+|мо[йяеи]|наш\w*|(?:[\w.-]+ ){0,2}\w+s (?:are|get|live|go|belong|need|come|stay|use|have)|[\w-]+ (?:\w+ )?(?:is|are|runs|lives|uses|needs|requires|ids?|tests?))\b|^`|^[\u3040-\u9fff]|^(?-i:[A-Z][\w.+-]*[A-Z_./\d-]|[A-Z][a-z]+ (?:is|are|runs|uses|needs|has|only|does|can|must))",
    re.I,
)
_TRANSIENT = re.compile(
    r"\b(?:i see|i saw|i got|i get|i ran|i'?ve (?:run|tried|got|read|verified|pulled|logged)|i tried|i think|i guess|i suspect|i feel|looks like|seems|apparently|it (?:works|worked|passes)|yesterday|tonight|today|earlier|this weekend|just now|this morning|last (?:night|week)|again|already (?:done|fixed)|here'?s|here is|see (?:above|below|the))\b",
    re.I,
)
_PASTED = ('File "', "Traceback", "SHA256:", "......", "^C", "site-packages", "-----", "=====")
_PASTED_LINE = re.compile(r"\S@\S+ \S* ?[%$#] |^\S+ % |^\s*[\w.]+ = |\bline \d+, in \b|\b\d+ (?:passed|failed)\b")


def _is_pasted(text: str) -> bool:
    """Whether a sentence is a piece of somebody's terminal rather than speech."""
    return any(mark in text for mark in _PASTED) or bool(_PASTED_LINE.search(text))


_HABIT = re.compile(
    r"^(?:in my day job,? |normally,? |usually,? )?i(?:'m| am|'ll be)? (?:(?:usually|manually|always|only|mostly|normally|typically|also|still|personally) )?(?:stor(?:e|ing)|keep(?:ing)?|commit(?:t?ing)?|maintain(?:ing)?|manag(?:e|ing)|copy(?:ing)?|deploy|review (?:every|all|each)|work(?:ing)? (?:on|with|from|in|at|as)|pay(?:ing)?|own|host|develop(?:ing)?|use (?!it|this|that)\w+|an? (?:\w+ ){0,3}(?:developer|engineer|designer|owner|manager|student|scientist|analyst|admin\w*|beginner|novice|lead|architect|researcher|teacher|founder|expert|user))\b|^i (?:write|speak|read) (?:\w+ )?(?:english|german|french|spanish|russian|chinese|japanese|\w+ish)\b|\bi(?:'m| am) on (?:windows|mac\w*|linux|ubuntu|debian|fedora|arch|nixos|wsl\w*|an? )|\bi(?:'m| am) (?:unfamiliar|not familiar|new to|colou?r ?-?blind|dyslexic|based in|(?:very |quite )?(?:inexperienced|experienced|opinionated))",
    re.I,
)
_COMPLAINT = re.compile(
    r"\b(?:doesn'?t|does not|didn'?t|did not|don'?t|isn'?t|is not|not) (?:\w+ly )?(?:reflect|match|follow|respect|honou?r|verify|comply|conform|obey|adhere)\w*\b|\bviolat(?:e[sd]?|ing|ions?)\b|\b(?:totally |completely |too |so |very |rather |needlessly |unnecessar\w+ |un+ecessarily )?(?:redundant|superfluous|pointless|wasteful|bloated|overkill|over-?engineered|convoluted|sloppy|verbose|long-winded|noisy)\b|\bwaste[sd]? (?:of )?(?:\w+ )?(?:tokens?|time|money|space|credits?|reader\w*)\b|\bwasting\b|\bslop\b|\bhallucinat\w+|\bsilently\b|\btoo (?:much|many|long|complex|complicated|eager|clever|fragile) \w+|\bwent (?:a bit |totally )?(?:crazy|overboard|too far)\b|\bwithout (?:asking|my permission|being asked|telling|checking|approval)\b|\byou (?:burned|burnt|wasted)\b|\byou \w+ed\b.{0,60}\bagain\b|\brush(?:ing|ed)? (?:in)?to\b|\bran ahead|\brunning ahead\b|\bsneak(?:ed|ing)?\b|\bsmells\b",
    re.I,
)
_SELF_REPORT = re.compile(r"^(?:at your last|when i|i (?:opted|said before|thought|assumed))\b", re.I)
_NOT_MINE = re.compile(r"\bi want (?-i:YOU)\b|\bi don'?t want to (?:lose|loose|miss|bother)\b", re.I)
_NOT_RULE = re.compile(
    r"^(?:i(?:'ve| have)? (?:noticed|thought|see|saw|burn\w*|read|found|said before|agree)|i(?:'m| am) (?:wor+\w+|reading|not sure|a?f+raid|starting)|if (?:yes|so|not|i understand)\b|let'?s first|you can|comments?:|it (?:was|looks)|this (?:looks|is violating|was)|that last|looking|currently)\b|^we(?:'re| are)? (?:don'?t|dont|do not) (?:know|have)\b",
    re.I,
)
_OPENS_BACK = re.compile(
    r"^(?:re:|let me|or|about|after that|before that|then|it|this|that|these|those|they|there|here|\d+|one|another|other|maybe|perhaps|just|more|less|why|what|ok|so)\b",
    re.I,
)
_SCREEN = re.compile(
    r"\b(?:is|are) (?:still |now |all |almost )?(?:pending|done|finished|complete|ready|alive|fine|green|up|open|merged)\b|\bwe(?:'ve| have) (?:completed|finished|done|fixed|added|already|made)\b|\b(?:this|that|these|it) (?:looks?|sounds?|is|feels?|seems?|reads?) (?:very |really |much |all |so |pretty )?(?:good|great|fine|ok|okay|better|nice|perfect|wrong|weird|complex|right|bad|cool|interesting)\b",
    re.I,
)


def from_words(story: Story) -> Iterator[Draft]:
    """What every prompt and every refusal of the session teaches."""
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id:
            yield from _from_prompt(story, at)


class Setting(NamedTuple):
    """How a prompt stands in its session: what preceded it and how the assistant took it."""

    corrects: bool  # the user refuses, stops or contradicts what was done
    follows_work: bool  # the assistant had done or said something before
    told: bool  # the assistant only took note: the prompt was information, not an order
    noted: bool = False  # it said so, nothing was done, and the talk went on


_ANNOUNCES = re.compile(
    r"^\W*(?:sure[,.!]? |ok(?:ay)?[,.!]? |right[,.!]? )?(?:let me|let'?s|i'?ll (?!keep|remember|use|stick|leave|follow)|i will|i'?m going to|looking|checking|on it|working|starting|one moment|ich schaue|je regarde|voy a|сейчас|我来|確認)\b",
    re.I,
)


def _before(story: Story, at: int, said: Sequence[Sentence]) -> Setting:
    """The setting as it was when the user spoke."""
    follows = story.acted_before(at)
    stopped = story.turns[at].kind == "denial" or story.was_stopped(at)
    return Setting(stopped or (follows and _is_correction(said)), follows, False)


def _after(story: Story, at: int, setting: Setting) -> Setting:
    """The setting once the assistant has answered: it conceded, or took note, or went to work."""
    reaction = story.reaction(at)
    if not reaction:
        return setting
    acknowledged = bool(cues.ACKNOWLEDGES.match(reaction))
    only_talk = story.is_talk(at) and not _ANNOUNCES.match(reaction)
    return Setting(
        corrects=setting.corrects or (setting.follows_work and bool(cues.CONCEDES.match(reaction))),
        follows_work=setting.follows_work,
        told=(acknowledged or len(reaction) < 160) and only_talk,
        noted=acknowledged and only_talk and story.is_closed(at),
    )


Stage = tuple[Setting, int]


def _stages(story: Story, at: int, said: Sequence[Sentence]) -> list[Stage]:
    """What could be known when: as the user spoke, when the assistant had answered, when the next prompt closed it."""
    before = _before(story, at, said)
    after = _after(story, at, before)
    heard = after._replace(noted=False)
    stages: list[Stage] = [(before, at), (heard, story.reaction_at(at)), (after, story.next_prompt(at))]
    return [stage for place, stage in enumerate(stages) if stage[0] not in [one for one, _ in stages[:place]]]


def _first_verdict(one: Sentence, stages: list[Stage]) -> tuple[Verdict | None, Setting, int]:
    """The earliest verdict, so that a session read piece by piece is judged as if read at once."""
    for setting, decided in stages:
        if verdict := judge(one, setting):
            return verdict, setting, decided
    return None, *stages[0]


def _from_prompt(story: Story, at: int) -> Iterator[Draft]:
    said = _without_secrets(spoken(story.turns[at].text))
    stages = _stages(story, at, said)
    taken: dict[int, Draft] = {}
    for place, one in enumerate(said):
        verdict, setting, decided = _first_verdict(one, stages)
        if verdict is None or len(taken) >= MAX_PER_PROMPT:
            continue
        draft = _draft(story, at, said, place, verdict, setting.corrects, decided)
        if _is_hollow(draft.learning.content):
            continue
        last = taken.get(place - 1)
        if last and last.learning.content.rstrip(".! ") in draft.learning.content:
            del taken[place - 1]  # this sentence points back to the last one and now contains it
        taken[place] = draft
    if taken:
        yield from taken.values()
    else:
        yield from _lesson(story, at, said)


_JOINTS = re.compile(r",\s+|;\s+|\s+(?:and|but|und|aber|et|mais|y|pero|и|но)\s+")


def _without_secrets(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, and of those that held a secret the clauses that do not."""
    kept: list[Sentence] = []
    for one in said:
        if "[secret:" in one.text:
            clauses = (part.strip() for part in _JOINTS.split(one.text) if "[secret:" not in part)
            kept += [sentence(part) for part in clauses if len(part.split()) > 3]
        else:
            kept.append(one)
    return kept


def _is_correction(said: Sequence[Sentence]) -> bool:
    """Whether a prompt begins by refusing what was just done."""
    return any(cues.CORRECTION.search(one.masked) for one in said[:2])


# -- when the assistant concedes -------------------------------------------------------------------------------------

_NORMATIVE = re.compile(
    r"\b(?:should(?:n'?t)?|must(?:n'?t)?|need(?:s|ed)? to|didn'?t|did not|wrong(?:ly)?|mistake|instead|rather than|unnecessar\w+|redundant|violat\w+|properly|not|without|only|incorrect(?:ly)?|oversight|forgot|overlooked|too|never|always|because|ignored|missed|confus\w+)\b",
    re.I,
)
_PLANS = re.compile(
    r"^(?:let me|let'?s|i'?ll|i will|now|here'?s|here is|looking|what would|would you|do you|could you|please|this is (?:a|an) (?:great|good|excellent|important|crucial|critical))\b",
    re.I,
)


def _lesson(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """What the assistant admitted to have got wrong, with the words of the user that made it."""
    reaction = story.reaction(at)
    if not said or not cues.CONCEDES.match(reaction) or not story.acted_before(at):
        return
    if (
        len(story.turns[at].text) < 12
        or cues.HEARSAY.search(said[0].masked)
        or cues.HYPOTHETICAL.search(said[0].masked)
    ):
        return
    admitted = _admission(reaction)
    if not admitted or not any(_is_critical(one) for one in said[:3]):
        return
    asked = next((one.text for one in said if _CONCRETE.search(one.masked) and len(one.text) < 140), said[0].text)
    content = (
        admitted
        if len(asked) > 160 or "[secret:" in asked or _is_pasted(asked)
        else f"{admitted.rstrip('. ')} (the user: “{asked}”)"
    )
    decided = story.reaction_at(at)
    evidence = (story.turns[at].uuid, story.turns[decided].uuid)
    yield learn(story, decided, content, "preference", 0.55, evidence=evidence, tainted=story.is_tainted(at - 1))


def _is_critical(one: Sentence) -> bool:
    """Whether a sentence finds fault, if only by its question mark: "did you run it?!"."""
    if "?!" in one.text or "!?" in one.text or cues.CORRECTION.search(one.masked) or _POLITE.search(one.masked):
        return True
    return bool(_COMPLAINT.search(one.masked) or _FAULT.search(one.masked))


_FAULT = re.compile(
    r"\b(?:not|n'?t|never|no|forgot|wrong|missing|instead|again|still|without|did you|have you|are you|too|lost|ignored|skipped)\b|n't\b|!",
    re.I,
)


def _admission(reaction: str) -> str:
    """The sentence of a concession that says what was wrong or what is right."""
    for one in spoken(reaction)[:4]:
        text = re.sub(
            r"^.{0,12}you(?:'re| are) (?:\w+ )?(?:right|correct)\b(?: (?:to|on|that|about|and|-|–|—)\b)?[\s,.!:—–-]*",
            "",
            strip_lead_in(one.text),
            flags=re.I,
        )
        if (
            one.asks
            or not 30 < len(text) < 260
            or _PLANS.match(text)
            or text.endswith(":")
            or not _NORMATIVE.search(text)
        ):
            continue
        return text
    return ""


# -- judging a sentence ----------------------------------------------------------------------------------------------


def judge(one: Sentence, setting: Setting) -> Verdict | None:
    """What a sentence of the user is worth remembering as, or None."""
    text = strip_lead_in(one.masked)
    if "[secret:" in one.text or _is_pasted(one.text) or _is_idle(text, one):
        return None
    verdict = _weigh(one, text, setting)
    if verdict is None or cues.HEARSAY.search(one.masked):
        return None
    return None if verdict.confidence < 0.9 and cues.HYPOTHETICAL.search(one.masked) else verdict


_RULES_AHEAD = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|principles?|preferences?|standards?|requirements?|style|policy|policies|remember|always|never|keep in mind|from now on|in this (?:repo|project)|how we work|regeln|konventionen|règles|reglas|правила)\b|规则|规范|约定|ルール|規約",
    re.I,
)


def _weigh(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    if one.under and _RULES_AHEAD.search(one.under) and not one.asks:
        return Verdict(_type_of(text, "requirement"), 0.8)
    if one.asks or cues.QUESTION.search(text):
        return _judge_question(one, text, setting)
    if cues.REMEMBER.search(one.masked):
        return Verdict(_type_of(text, "fact"), 0.92)
    if cues.ONE_OFF.search(text) and not cues.GLOBAL.search(text):
        return None
    return _judge_statement(text, setting)


def _is_idle(text: str, one: Sentence) -> bool:
    if cues.SMALLTALK.match(one.masked):
        return True
    words = len(re.findall(r"\w+", text))
    return (words < 3 and text.isascii()) or len(text) < 4


_ASKS_TO_STOP = re.compile(
    r"^(?:(?:please|and|also|ok|hey)[, ]+)*(?:can|could|would|will) you (?:please |maybe )?(?:stop|always|never(?! mind)|not|avoid|quit|refrain)\b",
    re.I,
)


def _judge_question(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    """A question teaches only when it is a complaint in disguise: "shouldn't this live in docs?"."""
    if _ASKS_TO_STOP.match(text):
        return Verdict("preference", 0.75)
    if not _POLITE.search(one.masked) or not _CRITIC.search(text) or len(text) > 260:
        return None
    return Verdict("preference", 0.6 if setting.corrects else 0.55)


_NOUN_OR_VERB = re.compile(
    r"^(?:log|test|build|deploy|release|cache|format|store|style|lint|mock|port|label|import|export|plan|commit|merge|tag|set|run|read|look|change|check|list|search|start|support|load|save|print|report|draft|cover|stage|display|benchmark|measure|sort|split|document|open|use|help|get|make)s? (?:[\w`/.-]+ ){0,4}?(?:is|are|must|has|have|should|runs?|lives?|needs?|never|always|only|goes|go|belongs?|=)\b",
    re.I,
)
_STEP = re.compile(
    r"^(?:we|i think we|i think|so we|then we) should (?:\w+ly |also |probably |first |now |just |then )*(?:commit|push|start|try|check|look|do|go|continue|run|discuss|see|proceed|get|think|consider|stop|end|wait|verify|review|read|talk|be able)\b",
    re.I,
)
_SHOULD = re.compile(r"\bwe should (?:\w+ly |also |probably |really |always |never |not )*[a-z]+", re.I)
_ORDERED = re.compile(
    r"^(?:please|pls|let'?s|lets|reading|i think|i feel|i guess|think|review|can|could|now)\b|.*\bprobably (?:re)?\w+ it\b",
    re.I,
)
_WISH = re.compile(
    r"^i(?:'d| would) like (?!you to|to (?:see|know|ask|hear|discuss|try|understand|start|continue|get|do|go|learn|first|make sure|review|add)\b)\w",
    re.I,
)


_SEEN = re.compile(
    r"^(?:i (?:see|get|got|saw|have) (?:an?|the|this|that)? ?(?:\w+ )?(?:error|message|warning|exception|popup)|it says|error\b|the (?:log|error|output|console|compiler|linter|message)s? (?:says?|shows?|prints?|is|was))\b",
    re.I,
)
_LOOK_OF = re.compile(
    r"^(?:the|this|that) (?:\w+ ){1,3}should (?:be|have|look|show|say|go|get|come|move|start|open|not)\b", re.I
)
_CLAUSE = re.compile(r"(?:[,;:]| because| since| as) +(?=we\b|our |all |every |\w+s (?:are|must|need|go|have))", re.I)
_HABITUAL = re.compile(
    r"^(?:before|after|prior to|whenever|when|to|for) (?:\w+ing|you|every|each|any|run|build|test|deploy|start)\b.*(?:QUOTED|\bmust\b|\bneeds? to\b)|^(?:please |pls )?(?:write|answer|use|keep|name|format|document|prefix|describe|indent|sort|wrap|squash|rebase|sign|quote|speak|reply|respond|ask) (?:me |all |your |every )?(?:\w+ )?(?:\w+s|code|text|prose|english|german|french)\b",
    re.I,
)


def _judge_statement(text: str, setting: Setting) -> Verdict | None:
    if _SEEN.match(text) or (_LOOK_OF.match(text) and not setting.corrects and not _CONCRETE.search(text)):
        return None
    task = bool(cues.TASK.match(text)) and not _NOUN_OR_VERB.match(text)
    if task and (clause := _CLAUSE.search(text)) and cues.RULE.search(text[clause.end() :]):
        task = False  # an order that gives a standing rule as its reason is the rule
    strong = bool(_STRONG.search(text))
    return (
        _as_trap(text, strong, task)
        or _as_choice(text, strong, task)
        or _as_rule(text, strong, task, setting)
        or _as_complaint(text, task, setting)
        or _as_command(text, setting)
        or (None if task else _as_fact(text, setting))
    )


_OTHERWISE = re.compile(r"[,;.] (?:otherwise|or else|sonst|sinon|si no|de lo contrario|иначе)\b|否则|さもないと", re.I)


def _as_trap(text: str, strong: bool, task: bool) -> Verdict | None:
    if cues.DEAD_END.search(text) and not task and not re.match(r"(?:when )?i (?:tried|ran|got)\b", text, re.I):
        return Verdict("dead_end", 0.75)
    if re.match(r"i(?:'d| would)? (?:rather|prefer|hate|like)\b", text, re.I):
        return None
    if _OTHERWISE.search(text) and not task:
        return Verdict("gotcha", 0.75)
    if cues.GOTCHA.search(text) and not task and (strong or _CONCRETE.search(text)) and not cues.PROBLEM.search(text):
        return Verdict("gotcha" if not re.match(r"we use\b", text, re.I) else "requirement", 0.8)
    return None


def _as_choice(text: str, strong: bool, task: bool) -> Verdict | None:
    if not cues.DECISION.search(text) or not _is_choice(text) or _SELF_REPORT.match(text):
        return None
    if task and not strong and not re.match(r"let'?s |lets ", text, re.I):
        return None
    return Verdict("decision", 0.8)


def _as_rule(text: str, strong: bool, task: bool, setting: Setting) -> Verdict | None:
    everywhere = bool(cues.GLOBAL.search(text))
    if strong and (not task or everywhere or _is_standing(text)):
        return Verdict(_type_of(text, "requirement"), 0.85)
    if everywhere and not task:
        return Verdict(_type_of(text, "preference"), 0.85)
    if task and _is_standing(text):
        return Verdict(_type_of(text, "requirement"), 0.75)
    if _HABITUAL.match(text) and (setting.noted or "QUOTED" in text):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if cues.PREFERENCE.search(text) and (not task or setting.corrects) and not _NOT_MINE.search(text):
        return Verdict("preference", 0.75)
    if _STEP.match(text):
        return None
    if (
        cues.RULE.search(text)
        and (not task or setting.corrects or _WEAK_DONT.match(text))
        and not _NOT_RULE.search(text)
    ):
        return Verdict(_type_of(text, "requirement"), 0.7 if setting.corrects else 0.65)
    if len(text) > 40 and not _ORDERED.match(text) and (_SHOULD.search(text) or _WISH.match(text)):
        return Verdict("requirement", 0.6)
    return None


def _as_command(text: str, setting: Setting) -> Verdict | None:
    """How something is run, said to be noted and not to be done at once."""
    slot = names.slot(text) if setting.told else None
    return Verdict("requirement", 0.7) if slot and slot.endswith("|command") else None


def _as_complaint(text: str, task: bool, setting: Setting) -> Verdict | None:
    if _HABIT.search(text):
        return Verdict("fact", 0.7)
    if setting.follows_work and _COMPLAINT.search(text) and not task and len(text) > 25:
        return Verdict("preference", 0.6)
    if setting.corrects and _is_instruction(text):
        return Verdict("preference", 0.6)
    if (
        setting.corrects
        and len(text) < 80
        and re.match(
            r"we (?:have|use|got|need) \w|we(?:\'re| are) an? \w+ (?:shop|team|house|company|project)\b", text, re.I
        )
    ):
        return Verdict("requirement", 0.65)
    if setting.corrects and re.match(
        r"this is an? \w[\w. +-]* (?:project|repo|app|package|service|code ?base)\b", text, re.I
    ):
        return Verdict("requirement", 0.75)
    return None


def _as_fact(text: str, setting: Setting) -> Verdict | None:
    if _is_fact(text):
        return Verdict(_type_of(text, "fact"), 0.7)
    if setting.told and not setting.corrects and _is_told(text):
        return Verdict(_type_of(text, "fact"), 0.6)
    return None


# Where the grammar is not ours to read, a statement has to name something: a number, a Latin name, or a copula.
_VERB_ELSEWHERE = re.compile(
    r"\b(?:ist|sind|hat|haben|braucht|brauchen|läuft|laufen|liegt|gehört|est|sont|utilise|tourne|a besoin|s'appelle|se llama|heißt|es|son|está|están|usa|tiene|corre|necesita|é|são)\b|[\u4e00-\u9fff]{1,8}(?:用|是|在|放在|使用|需要|由)[\u4e00-\u9fffA-Za-z]|\d|[\u0400-\u9fff][^A-Za-z]*[A-Za-z]{2,}|[A-Za-z]{2,}[^A-Za-z]*[\u0400-\u9fff]",
    re.I,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|can't|will|won't|must|may|gets?|goes?|go|do|does|don't|doesn't|need|use|live|run|take|come|stay|keep|work|\w{3,}(?:s|ed))\b",
    re.I,
)


def _is_told(text: str) -> bool:
    """Whether a sentence that the assistant merely took note of is a plain statement about something."""
    words = len(re.findall(r"\w+", text))
    if not (_VERB if text.isascii() else _VERB_ELSEWHERE).search(text) or (text.isascii() and words < 4):
        return False
    if cues.STATE.search(text) or not is_trade(text) or re.search(r"\b(?:was|were|had)\b", text, re.I):
        return False
    return not (
        cues.PROBLEM.search(text)
        or _SELF.match(text)
        or _TRANSIENT.search(text)
        or _SCREEN.search(text)
        or _OPENS_BACK.match(text)
    )


def _is_choice(text: str) -> bool:
    """Whether a sentence that sounds like a decision names what was decided, and not just the next step."""
    return not re.match(
        r"(?:let'?s|lets) (?:not )?(?:see|try|start|continue|do|look|think|discuss|move on|go on|get|first|put)\b",
        text,
        re.I,
    )


def _is_standing(text: str) -> bool:
    """Whether an order holds beyond the moment."""
    return bool(
        re.search(
            r"\b(?:always|never|from now on|going forward|every time|whenever|must|forbidden|(?:in|of|for|across) (?:this|our|the (?:whole|entire)) (?:repo|project|code ?base|app|team)|(?:in|for|across|on) (?:all|every|each|any) \w+|everywhere|throughout|consistently|by default|before (?:committing|pushing|every|each|you|any|a)|after (?:every|each))\b",
            text,
            re.I,
        )
    )


def _is_instruction(text: str) -> bool:
    """Whether words that follow a refusal say concretely how to do it instead."""
    return bool(
        re.match(
            r"(?:use|we use|put|it (?:goes|belongs)|keep|leave|call|name|run|stay|stick|the \w+ (?:is|goes|lives)|only|not)\b",
            text,
            re.I,
        )
    ) and bool(
        _CONCRETE.search(text) or re.search(r"[:,;] \w|\b(?:because|since|instead|weil|denn|car|porque)\b", text, re.I)
    )


def _is_fact(text: str) -> bool:
    """Whether a sentence states how a thing is, of a thing that has a name, and not how something just went."""
    head, _, tail = text.partition(": ")
    if tail and len(head) < 40 and _is_fact(tail):
        return True
    if _SELF.match(text) or _TRANSIENT.search(text) or _SCREEN.search(text):
        return False
    if cues.PROBLEM.search(text) and not re.search(r"\b(?:every|each|always|nightly|daily|weekly) \w+", text, re.I):
        return False
    if re.match(r"(?:re: )?\d|(?:now |currently |so )?we(?:'re| are) (?:in|at|on|still|almost|done|now)\b", text, re.I):
        return False
    if names.slot(text) or (": " in text and names.slot(text.split(": ", 1)[1])):
        return True
    if not _DEFINITE.match(text) or not is_trade(text):
        return False
    return bool(_STATE_VERB.search(text)) or (bool(_IDENTITY.search(text)) and bool(_CONCRETE.search(text)))


def _type_of(text: str, otherwise: str) -> str:
    """The type that the wording gives, for sentences that were taken for another reason."""
    if cues.PREFERENCE.search(text) or re.search(
        r"\b(?:commit messages?|answers?|repl(?:y|ies)|responses?|emojis?|tone|explanations?)\b", text, re.I
    ):
        return "preference"
    if cues.GOTCHA.search(text):
        return "gotcha"
    if cues.DECISION.search(text) and otherwise != "fact":
        return "decision"
    if re.search(
        r"\bbelongs?\b|\b(?:lives?|go(?:es)?|created?|live) (?:only )?(?:in|under)\b|\b(?:module|layer|package|service|component)s? (?:never|only|must|always|talks?)\b",
        text,
        re.I,
    ):
        return "architecture"
    if otherwise == "fact" and cues.RULE.search(text) and _STRONG.search(text):
        return "requirement"
    return otherwise


# -- wording --------------------------------------------------------------------------------------------------------


_POINTS = re.compile(
    r"\b(?:it|this(?! (?:is an?|repo|project|service|app|module|package|team)\b)|that|these|those|them|they|there|ones?|both|same)\b",
    re.I,
)


def _is_hollow(content: str) -> bool:
    """Whether a sentence says too little without the conversation: pronouns and hardly a word of its own."""
    words = tokens(content)
    return content.isascii() and (len(words) < 2 or (len(words) < 4 and bool(_POINTS.search(mask(content)))))


def _draft(
    story: Story, at: int, said: Sequence[Sentence], place: int, verdict: Verdict, corrects: bool, decided: int
) -> Draft:
    core = strip_lead_in(said[place].text)
    content = _with_context(story, at, said, place, core)
    if verdict.type == "decision":
        content = _as_decision(story, at, content)
    elif verdict.type == "dead_end":
        content = _as_dead_end(story, at, content)
    everywhere = bool(cues.GLOBAL.search(said[place].masked))
    replaced = replaced_words(said[place].text, said, place)
    return learn(
        story,
        decided,
        content,
        verdict.type,
        verdict.confidence + (0.05 if corrects and verdict.confidence < 0.85 else 0.0),
        evidence=tuple(dict.fromkeys((story.turns[at].uuid, story.turns[decided].uuid))),
        slot=names.slot(core),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        suggested_target=replaced,
    )


def _with_context(story: Story, at: int, said: Sequence[Sentence], place: int, core: str) -> str:
    """The sentence with the one before it where it points back, and with what was refused where it is terse."""
    if said[place].under:
        return core
    asked = _question_before(story, at)
    if place == 0 and asked and (len(tokens(core)) < 6 or _PREPOSITION.match(core)):
        return f"{asked} {core}"
    if needs_context(core) and place:
        before = strip_lead_in(said[place - 1].text)
        if (
            (not said[place - 1].asks or _CONCRETE.search(before))
            and len(before) + len(core) < 380
            and len(re.findall(r"\w+", before)) > 2
        ):
            return f"{before.rstrip('.!; ')}: {core}" if not before.endswith((".", "!")) else f"{before} {core}"
    if place and len(tokens(core)) < 4 and _is_fragment(said[place - 1]):
        return f"{said[place - 1].text.rstrip('.!; ')}: {core}"
    if place and _CHANGED.search(core) and _is_reason(said[place - 1], core):
        return f"{strip_lead_in(said[place - 1].text).rstrip('.!; ')}: {core}"
    refused = _refused(story, at)
    if refused and len(core) < 200 and not _names_it(core, refused):
        return f"{core.rstrip('. ')} (not `{refused}`)"
    return core


_PREPOSITION = re.compile(
    r"^(?:on|in|at|with|via|from|by|under|through|to|every|only|auf|im|in|mit|bei|sur|dans|avec|en|con|на|в|через)\b",
    re.I,
)


def _question_before(story: Story, at: int) -> str:
    """The question that this prompt answers: the assistant's, or the user's own that found no answer."""
    reply = spoken(story.last_reply(at)) if story.was_asked(at) or len(story.last_reply(at)) < 60 else ()
    if reply and reply[-1].asks and 15 < len(reply[-1].text) < 160:
        return reply[-1].text
    asked = spoken(story.last_prompt(at))
    idle = bool(reply) and len(reply) == 1 and len(reply[0].text) < 60
    return asked[-1].text if idle and asked and asked[-1].asks and 15 < len(asked[-1].text) < 160 else ""


def _is_fragment(before: Sentence) -> bool:
    """Whether the sentence before is a few words that only the next one completes: "four spaces, please."."""
    words = len(re.findall(r"\w+", before.text))
    return (
        not before.asks
        and 1 < words < 6
        and not cues.SMALLTALK.match(before.masked)
        and not cues.TASK.match(before.masked)
    )


def _is_reason(before: Sentence, core: str) -> bool:
    """Whether the sentence before a change says why: a short statement, neither a question nor an order."""
    text = strip_lead_in(before.text)
    words = len(re.findall(r"\w+", text))
    if before.asks or not 3 < words < 22 or len(text) + len(core) > 300 or cues.SMALLTALK.match(before.masked):
        return False
    return not cues.TASK.match(text) and "[secret:" not in text and not _is_pasted(text)


def _as_dead_end(story: Story, at: int, content: str) -> str:
    """What was given up, with the finding that ended it, from the assistant's last words."""
    found = [one for one in spoken(story.last_reply(at)) if not one.asks and 20 < len(one.text) < 180]
    shared = [one.text for one in found if set(tokens(one.text)) & set(tokens(content))]
    return f"{content.rstrip('. ')} ({shared[-1].rstrip('. ')})" if shared and len(content) < 180 else content


def _refused(story: Story, at: int) -> str:
    """The command that the user refused or stopped right before these words."""
    turn = story.turns[at]
    if turn.kind == "denial":
        calls = [
            one for one in story.turns[max(0, at - 12) : at] if one.kind == "tool_call" and one.tool_id == turn.tool_id
        ]
        return _call_text(calls[-1].input) if calls else ""
    if not story.was_stopped(at):
        return ""
    calls = [one for one in story.turns[max(0, at - 4) : at] if one.kind == "tool_call"]
    return _call_text(calls[-1].input) if calls else ""


def _call_text(given: dict[str, object]) -> str:
    command = given.get("command")
    return shorten(command.splitlines()[0], 80) if isinstance(command, str) and command.strip() else ""


def _names_it(core: str, refused: str) -> bool:
    return refused.split()[0].lower() in core.lower()


_ALTERNATIVES = re.compile(r"([\w .+#/-]{2,40}?),? (?:or|oder|ou|o|или|还是) ([\w .+#/-]{2,40}?)\s*\?", re.I)


def _as_decision(story: Story, at: int, content: str) -> str:
    """A decision with its subject and the alternative that lost, taken from the question it answers."""
    if len(content) > 220 or not (
        cues.AGREE.match(story.turns[at].text.strip()) or re.match(r"let'?s|lets", content, re.I)
    ):
        return content
    asked = spoken(story.last_prompt(at))
    if not asked or not asked[-1].asks or not story.acted_before(at):
        return content
    lost = _loser(asked[-1].text, content)
    about = next((one.text for one in asked if not one.asks and len(one.text) < 140), "")
    note = "; ".join(part for part in (strip_lead_in(about).rstrip(". "), f"not {lost}" if lost else "") if part)
    return f"Decision: {content.rstrip('. ')} ({note})" if note else content


def _loser(question: str, content: str) -> str:
    found = _ALTERNATIVES.search(question)
    if not found:
        return ""
    for one in (found[1], found[2]):
        name = one.strip().split()[-1] if len(one.split()) > 3 else one.strip()
        if name.lower() not in content.lower():
            return name
    return ""


_THING = r"(?P<old>`[^`]+`|(?-i:[A-Z])[\w.+#/@-]*(?-i:(?: [A-Z0-9][\w.+#/@-]*)*)|\w[\w.+#/@-]*)"
_SMALL = r"(?:use |using |with |in |the |a |an |from |to |on |at |of |our |as )*"
_REPLACES = re.compile(
    r"\b(?:drop(?:s|ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|retir(?:e|ed|ing)|replac(?:e|ed|ing)|forget(?: about)?|no (?:longer|more)|stop(?:ped)? using|instead of|rather than|moved? (?:away )?(?:from|off)|switch(?:ed)? (?:away )?from|renamed? from|statt|anstatt|au lieu de|en vez de|вместо) "
    + _SMALL
    + _THING
    + r"|(?:, (?:and |but |а )?|\bbut |^(?=not |nicht |pas ))(?:not|never|nicht|nie|pas|jamais|nunca|не) "
    + _SMALL.replace("(?:use", "(?:(?:any more|anymore) |use")
    + _THING.replace("old", "old2"),
    re.I,
)
_OLD_FIRST = re.compile(
    r"\b(?P<old>`[^`]+`|[\w][\w.+#/@-]+) (?:is|was|are|were) (?:outdated|obsolete|wrong|deprecated|gone|dead|out|history|no longer|not used|dropped|replaced|renamed|old|retired)\b|\b(?P<old2>[\w.+#/@-]+) (?:collides|conflicts|breaks|floods|clashes)\b",
    re.I,
)
_CHANGED = re.compile(
    r"\b(?:now|from now on|no longer|anymore|any more|instead|change of plans?|renamed|switched|moved|changed|new(?:ly)?|outdated|obsolete|since (?:today|yesterday|monday|last)|jetzt|ab jetzt|statt(?:dessen)?|nicht mehr|désormais|maintenant|plus|ahora|ya no|теперь|больше не|вместо|现在|改为|改成|不再|今後|変更)\b",
    re.I,
)


def replaced_words(text: str, said: Sequence[Sentence], place: int) -> str | None:
    """The words for what this sentence says is no longer so, or None."""
    around = said[place - 1].text + " " + text if place else text
    found = [m["old"] or m["old2"] for m in _REPLACES.finditer(text)]
    found += [m["old"] or m["old2"] for m in _OLD_FIRST.finditer(around)]
    olds = [old.strip("`.,") for old in found if old and old.lower() not in STOP_WORDS]
    if olds:
        return " ".join(dict.fromkeys(olds))[:120]
    if _CHANGED.search(text) or cues.CORRECTION.search(mask(around)):
        return ""
    return None


def is_agreement(text: str) -> bool:
    """Whether a prompt is nothing but consent."""
    said = spoken(text)
    return (
        bool(said) and len(text) < 120 and bool(cues.AGREE.match(said[0].masked)) and not any(one.asks for one in said)
    )


def opening(text: str) -> Sentence | None:
    """The first sentence of a prompt, for learners that need the user's aim."""
    said = spoken(text)
    return said[0] if said else sentence(text) if text.strip() else None
