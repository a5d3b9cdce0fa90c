"""Whose voice a prompt is in: a letter or a notice that was pasted is the user's record, but not their word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from msgspec.structs import replace

from nous.kernel.capture.transcript import Turn
from nous.language.lexicon import folded_pattern, pattern, words
from nous.language.provenance import ORDERS
from nous.language.sentences import split_line

LONGEST_LINE = 2000
FEW = 3  # words before a question that are no statement
SHORT = 20  # characters in which nobody else has room
SIGNATURE = 5  # lines below a sign-off that still belong to it
LONG = 25  # words of a paragraph that nobody types in passing
_HEADER = re.compile(
    r"\s{0,8}>?\s{0,4}(?:From|To|Cc|Subject|Sent|Date|Reply-To|Von|An|Betreff|Gesendet|De|À|Objet|Envoyé|Asunto|Para"
    r"|От|Кому|Тема)\s?:\s\S"
)
_GREETING = re.compile(
    r"\s{0,8}(?:Dear|Hello|Hi|Hey|Greetings|To whom it may concern|Sehr geehrte\w?|Liebe[rs]?|Hallo|Guten Tag|Bonjour"
    r"|Cher|Chère|Madame|Estimad[oa]s?|Hola|Gentile|Prezad[oa]s?|Уважаем\w+|Здравствуйте|尊敬的|您好)\b"
    r"[^.?]{0,60}[,!:，：]?\s*$",
    re.I,
)
_SIGN_OFF = re.compile(
    r"\s{0,8}(?:(?:Best|Kind|Warm|With)?\s?regards|Sincerely|Yours|Best wishes|All the best|Best(?=,)|BR(?=,)|Cheers"
    r"|Many thanks|Thank you|Thanks"
    r"|Mit freundlichen|Liebe Grüße|Gruß|Viele Grüße|Beste Grüße|Freundliche Grüße|Cordialement|Bien à vous|Saludos"
    r"|Un saludo|Met vriendelijke|Abraços|Atentamente|Cordiali"
    r"|Atenciosamente|С уважением|此致|敬上|The \w+(?: \w+)? Team)\b[^.?]{0,40}[,!，]?\s*$",
    re.I,
)
# How a company speaks to those it sells to; "our" alone is what any team says.
_TO_CUSTOMERS = re.compile(
    r"\b(?:your (?:account|subscription|organi[sz]ation|licen[cs]e|plan|workspace|tenant|invoice|order)\b"
    r"|dear customer\b"
    r"|we(?: are|'re) (?:pleased|excited|happy|writing|reaching|committed|thrilled)\b|we (?:kindly|strongly) \w+"
    r"|please (?:note|be advised|do not reply|contact)\b|unsubscribe\b|all rights reserved\b|terms of\b"
    r"|thank you for (?:your|being|choosing)\b|contact (?:us|sales|support)\b|we recommend that you\b"
    r"|all (?:customers|tenants|integrators|vendors|partners)\b|customers (?:are|must|should)\b)|©"
)
ADDRESSED = 2  # different marks of a company's voice in one paragraph


_SELECTION_END = "may or may not be related to the current task"
_QUOTATION = re.compile(r"[\"“„«][^\"“”„«»]{15,2000}[\"”“»][.!?]?|<(\w{1,20})\b[^<>]{0,200}>[^<>]{0,1500}</\1>")
_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]{15,2000}[\"”“»]")
_RULED = re.compile(r"\s{0,8}(?:-{4,80}|={4,80}|\*{4,80}|~{4,80}|_{4,80})\s{0,8}")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)]|#{1,6})\s+")
_JOINS = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|also|then|well|und|aber|also|et|mais|donc|y|pero|e|mas|и|но|а)[, ]+)+", re.I
)
_COLON = re.compile(r"(?::(?=\s|$)|：)")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ASSIGNS = re.compile(
    r"^[ \t]{0,20}(?:[\w.]{1,60}[ \t]{0,8}=[ \t]{0,8}\S|def \w|class \w|import \w|from [\w.]{1,80} import |return\b)"
)
OWN_LEADS = ("pastes.marks_own", "pastes.holds_for", "pastes.says_i", "pastes.my_words")
_MARKS = ("> ", "// ", "/* ", "<!-- ")
_OPENS = ('"', "“", "„", "«")
_QUESTION_END = re.compile(r"[?:？：]|[.!](?=\s|$)|(?= [\"“„«])")


def in_own_voice(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, with prompts that keep only what the user wrote; the rest stands before them, as what was read."""
    return [one for turn in turns for one in (_part_turn(turn) if turn.kind == "prompt" else (turn,))]


def _part_turn(turn: Turn) -> tuple[Turn, ...]:
    order, material = _order_and_material(turn.text) if turn.headless else (turn.text, "")
    own, others = parts(order)
    others = "\n".join(text for text in (others, material) if text)
    if not others:
        return (turn,)
    read = replace(turn, kind="context", text=others, input={"from": "paste"})
    return read, replace(turn, text=own)


_MATERIAL = re.compile(r"[:：][ \t]*\n|\n[ \t]*\n")


def _order_and_material(text: str) -> tuple[str, str]:
    """The prompt of a session that a program started, in two: what it asks for, and what it hands in to work on.

    A script says what is to be done first, and then puts in an issue, a log or a file, after a colon or a blank line.
    `Fix this issue:\\n\\nAlways install x.` asks for a fix and hands in the rest.
    """
    found = _MATERIAL.search(text.strip())
    return (text.strip()[: found.start() + 1], text.strip()[found.end() :]) if found else (text, "")


def own_voice(text: str) -> str:
    """A prompt without the words of others that were pasted into it."""
    return parts(text)[0]


@lru_cache(maxsize=2048)
def parts(text: str) -> tuple[str, str]:
    """What the user wrote in a prompt, and what others did."""
    if len(text) <= SHORT:
        return text, ""
    own = _without_tagged(text).split("\n")
    foreign = _letters(own) | _notices(own) | _chats(own) | _forwarded_lines(own) | _set_apart(own) | _cited_lines(own)
    foreign |= _pages(own) | _attributed_lines(own) | _code_comments(own)
    own = ["" if at in foreign else line for at, line in enumerate(own)]
    own = _without_introduced([_without_shown(line) for line in own], max(foreign, default=-1))
    own = _without_judged(_without_led(own))
    kept = "\n".join(own)
    if kept == text:
        return text, ""
    mine = set(own)
    return kept.strip(), "\n".join(line for line in text.split("\n") if line not in mine).strip()


def _without_tagged(text: str) -> str:
    """The text without blocks that a tag names as somebody's text; an end that has lost its beginning ends one too."""
    at = 0
    while begin := pattern("pastes.tagged").search(text, at):
        end = text.rfind(f"</{begin['tag']}", begin.end())
        if end < 0 and text[: begin.start()].rpartition("\n")[2].strip():
            at = begin.end()  # a tag that is spoken of
            continue
        stop = text.find(">", end) + 1 if end >= 0 else len(text)
        text = f"{text[: begin.start()]}\n{text[stop or len(text) :]}"
        at = begin.start()
    return text


def _paragraph_end(lines: Sequence[str], start: int) -> int:
    return next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))


def _chats(lines: Sequence[str]) -> set[int]:
    """The lines of messages that a chat or a tracker showed: from who speaks to the next empty line."""
    found: set[int] = set()
    for at, line in enumerate(lines):
        if at not in found and (pattern("pastes.timed").match(line[:LONGEST_LINE]) or _is_head(lines, at)):
            found |= set(range(at, _paragraph_end(lines, at)))
    return found


def _is_head(lines: Sequence[str], at: int) -> bool:
    """Whether a line says who wrote the next one."""
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return bool(following and pattern("pastes.head").match(lines[at][:LONGEST_LINE]))


def _forwarded_lines(lines: Sequence[str]) -> set[int]:
    """The lines below the mark of a quoted mail, a selection or a paste."""
    start = next((at for at, line in enumerate(lines) if pattern("pastes.forwards").match(line[:LONGEST_LINE])), -1)
    if start < 0:
        return set()
    end = next((at + 1 for at in range(start, len(lines)) if _SELECTION_END in lines[at]), len(lines))
    return set(range(start, end))


def _set_apart(lines: Sequence[str]) -> set[int]:
    """Lines within marks of quotation, each alone or several between two."""
    marks = [at for at, line in enumerate(lines) if line.rstrip() in ('"""', "“““", "'''") or _RULED.fullmatch(line)]
    tight = [at for at, line in enumerate(lines) if line.strip() == "---"]
    if any(lines[at + 1].strip() for at in tight[:1] if at + 1 < len(lines)):  # around sections stand empty lines
        marks = sorted(marks + tight)
    found = {at for begin, end in zip(marks[::2], marks[1::2], strict=False) for at in range(begin, end)}
    return found | {at for at, line in enumerate(lines) if _QUOTATION.fullmatch(line[:LONGEST_LINE].strip())}


def _pages(lines: Sequence[str]) -> set[int]:
    """The lines of a page, a ticket, release notes or rules of others, but for the request before or behind them."""
    given = [line[:LONGEST_LINE] for line in lines]
    sure = [at for at, line in enumerate(given) if folded_pattern("pastes.page").search(line)]
    likely = [at for at, line in enumerate(given) if pattern("pastes.part").search(line)]
    signs = sorted({*sure, *(likely if sure or len(likely) > 1 else ())})
    if signs and (signed := next((at for at, line in enumerate(given) if line.rstrip() == "--"), -1)) > 0:
        signs = sorted({*signs, signed})
    told = [at for at, line in enumerate(given) if line.strip()]
    if not signs or len(told) < (FEW if told[:1] != sure[:1] else FEW - 1):
        return set()
    around = {at for at in (told[0], told[-1]) if not signs[0] <= at <= signs[-1] and _is_request(lines, at)}
    return set(range(len(lines))) - around


def _is_request(lines: Sequence[str], at: int) -> bool:
    """Whether a line stands alone and only asks for something."""
    near = [lines[place].strip() for place in (at - 1, at + 1) if 0 <= place < len(lines)]
    line = lines[at][:LONGEST_LINE].lower()
    return not any(near) and bool(pattern("pastes.request").match(line)) and not ORDERS.search(line)


def _attributed_lines(lines: Sequence[str]) -> set[int]:
    """The lines above the word of whom they are from."""
    marks = [at for at, line in enumerate(lines) if at and pattern("pastes.above").match(line[:LONGEST_LINE])]
    signed = [at for at, line in enumerate(lines[:-1]) if line.rstrip() == "--" and lines[at + 1].strip()]
    told = [at for at, line in enumerate(lines) if line.strip()]
    ended = [at for at in told[1:][-1:] if pattern("pastes.ends").match(lines[at][:LONGEST_LINE])]
    ends = marks[-1:] + signed[-1:] + ended + _cards(lines)[-1:]
    first = {at for at in told[:1] if _is_request(lines, at)}
    return set(range(max(ends))) - first if ends else set()


def _cards(lines: Sequence[str]) -> list[int]:
    """Where somebody signed with more than a name: below their sign-off stands who they are."""
    if any(_GREETING.match(line[:LONGEST_LINE]) for line in lines):
        return []  # a letter, which begins there
    signed = [at for at, line in enumerate(lines) if at and _SIGN_OFF.match(line[:LONGEST_LINE])]
    below = {at: list(takewhile(str.strip, lines[at + 1 :])) for at in signed}
    return [at for at, card in below.items() if 1 < len(card) <= SIGNATURE and max(map(_words, card)) <= 6]


def _words(line: str) -> int:
    return len(line.split())


def _code_comments(lines: Sequence[str]) -> set[int]:
    """Comments that stand beside code, which may begin as a heading does."""
    code = {at for at, line in enumerate(lines) if _ASSIGNS.match(line[:LONGEST_LINE])}
    marked = {at for at, line in enumerate(lines) if line.lstrip().startswith("# ")}
    return {at for at in marked if not code.isdisjoint((at - 1, at + 1))}


def _without_led(lines: list[str]) -> list[str]:
    """The lines without what a colon leads in, unless it is plain that the user speaks behind it.

    Who or what speaks there has countless names; how people begin a rule of their own has few.
    """
    out = list(lines)
    for at, line in enumerate(out):
        given = line[:LONGEST_LINE]
        for colon in _COLON.finditer(given):
            lead, behind = split_line(given[: colon.start()])[-1:], given[colon.end() :].strip()
            if not lead or (behind and len(behind.split()) < FEW and not _IDEOGRAPHS.search(behind)):
                continue
            asks = [_only_asks(one) for one in split_line(behind)]
            if _is_own_lead(_LIST_MARK.sub("", lead[0])) or (asks and all(asks)):
                continue
            start = at + 1 if behind else next((n for n in range(at + 1, len(out)) if out[n].strip()), len(out))
            for below in range(start, _paragraph_end(out, start)):
                out[below] = ""
            out[at] = given[: colon.end()]
            break
    return out


def _is_own_lead(lead: str) -> bool:
    said = _JOINS.sub("", pattern("voices.mention").sub("", lead).rpartition(": ")[2].strip(" *_`#>\t"))
    if "#" in lead and pattern("quotes.concerns").match(lead):
        return True
    if folded_pattern("pastes.of_text").search(said) and not pattern("pastes.my_words").search(said):
        return False
    if any(pattern(name).search(said) for name in OWN_LEADS):
        return True
    return words("pastes.topics").issuperset(said.lower().replace("/", " ").split())


def _without_judged(lines: list[str]) -> list[str]:
    """The lines without what their paragraph goes on to ask about or to judge, and without relayed sentences."""
    out = list(lines)
    start = 0
    while start < len(out):
        end = _paragraph_end(out, start)
        said = [(at, one) for at in range(start, end) for one in split_line(out[at][:LONGEST_LINE])]
        words_said = [one for _, one in said]
        gone = {n for n, one in enumerate(words_said) if folded_pattern("pastes.relays").search(one)}
        if gone := gone | _sentences_judged(words_said):
            for at in range(start, end):
                out[at] = " ".join(one for n, (place, one) in enumerate(said) if place == at and n not in gone)
        start = end + 1
    return out


def _sentences_judged(said: Sequence[str]) -> set[int]:
    """The sentences that others judge or ask about; who begins with a verdict means what the agent said before."""
    judges = [n for n, one in enumerate(said) if folded_pattern("pastes.judges").search(one)]
    asks = {n for n in judges if "?" in said[n]}
    if not judges or not (judges[0] or asks):
        return set()
    return {n for n in range(judges[-1] + 1 if judges[0] else len(said)) if n not in asks and not _only_asks(said[n])}


def _only_asks(sentence: str) -> bool:
    """Whether a sentence is a question that gives no order."""
    return sentence.rstrip().endswith(("?", "？")) and not ORDERS.search(sentence.lower())


def _without_shown(line: str) -> str:
    """A line without the words that a thing of which it speaks shows."""
    found = folded_pattern("pastes.shows").search(line[:LONGEST_LINE])
    return line[: found.start("words")] + line[found.end("words") :] if found else line


def _cited_lines(lines: Sequence[str]) -> set[int]:
    """Lines that begin with the mark of a citation or of a comment in code, or that name their source behind."""
    cited = {at for at, line in enumerate(lines) if line.startswith(_MARKS) and not line.startswith("> $")}
    return cited | {at for at, line in enumerate(lines) if pattern("pastes.sourced").search(line[:LONGEST_LINE])}


def _without_introduced(lines: list[str], last: int) -> list[str]:
    """The lines without what stands beside a question about a text, or behind the word that somebody said it.

    `last`: where words of others stood that were taken out before; a question above them is about these.
    """
    for at, line in enumerate(lines):
        given = line[:LONGEST_LINE]
        if said := _introduction_of(given):
            rest = given[said.end() :].strip()
            return [*lines[:at], given[: said.end()], *(lines[at + 1 :] if rest else ())]
        if folded_pattern("pastes.hands").search(given) and any(one.strip() for one in lines[at + 1 :]):
            return lines[: at + 1]
        strong = folded_pattern("pastes.about").search(given)
        # the same question behind one's own words is about these
        is_first = not any(one.strip() for one in lines[:at])
        weak = folded_pattern("pastes.below").search(given) if is_first and not strong else None
        if asked := strong or (weak if weak and len(given[: weak.start()].split()) < FEW else None):
            return _beside(lines, at, asked, is_strong=bool(strong), is_above=at < last)
    return lines


def _introduction_of(line: str) -> re.Match[str] | None:
    said = folded_pattern("pastes.introduces").search(line)
    return said if said and not pattern("pastes.myself").search(line) else None


def _beside(lines: list[str], at: int, asked: re.Match[str], *, is_strong: bool, is_above: bool) -> list[str]:
    """The lines without the text that a question is about: behind it, below it, or before it when nothing follows."""
    line = lines[at]
    stop = _QUESTION_END.search(line, asked.end())
    end = stop.end() if stop else len(line)
    before, question, rest = line[: asked.start()], line[asked.start() : end], line[end:].strip()
    own = before if not is_strong else "" if before.lstrip()[:1] in _OPENS else _QUOTED.sub(" ", before)
    if rest:
        return [*lines[:at], own + question, *lines[at + 1 :]]
    below = is_above or any(one.strip() for one in lines[at + 1 :])
    if below or not is_strong:
        return [*lines[:at], own + question]
    return [own + question] if own == before else [*lines[:at], own + question]


def _letters(lines: Sequence[str]) -> set[int]:
    """The lines of letters: from their headers or their greeting to what stands below the sign-off."""
    found: set[int] = set()
    at = 0
    while at < len(lines):
        headed = all(_HEADER.match(line[:LONGEST_LINE]) for line in lines[at : at + 2]) and at + 1 < len(lines)
        greeted = bool(_GREETING.match(lines[at][:LONGEST_LINE]))
        end = _end(lines, at + 1) if headed or greeted else -1
        if end < 0 and headed:
            end = len(lines)
        # A greeting alone is how many people begin; it takes a sign-off to make a letter.
        if end - at > 1:
            found |= set(range(at, end))
            at = end
        else:
            at += 1
    return found


def _end(lines: Sequence[str], start: int) -> int:
    """Behind the signature of a letter; -1 when nobody signed."""
    for at in range(start, len(lines)):
        if _SIGN_OFF.match(lines[at][:LONGEST_LINE]):
            below = at + 1
            while below < len(lines) and below <= at + SIGNATURE and _is_signature(lines[below]):
                below += 1
            return below
    return -1


def _is_signature(line: str) -> bool:
    return bool(line.strip()) and len(line.split()) <= 6 and not line.rstrip().endswith((".", "?"))


def _notices(lines: Sequence[str]) -> set[int]:
    """The lines of long paragraphs that speak as a company does."""
    found: set[int] = set()
    start = 0
    for at in range(len(lines) + 1):
        if at == len(lines) or not lines[at].strip():
            paragraph = " ".join(lines[start:at])
            is_long = len(paragraph.split()) >= LONG
            if is_long and len(set(_TO_CUSTOMERS.findall(paragraph.lower()))) >= ADDRESSED:
                found |= set(range(start, at))
            start = at + 1
    return found
