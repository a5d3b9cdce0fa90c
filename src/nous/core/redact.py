"""Secrets and private spans leave a text before anything is stored.

Every rule has needles: short strings of which one must occur (in the lower-cased text) before its pattern runs. One
automaton looks for all needles at once, so most texts cost a single pass over their bytes. Every pattern has bounded
repetition, so hostile text stays linear. What was found is replaced by a placeholder such as `[secret:aws-key]`, which
no rule matches again.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation

if TYPE_CHECKING:
    from nous.core.transcript import Turn

_PRIVATE = re.compile(r"<\s*private\b[^>]{0,200}>.*?(?:<\s*/\s*private\s*>|\Z)", re.I | re.S)
_PRIVATE_END = re.compile(r"\A.*<\s*/\s*private\s*>", re.I | re.S)


class _Rule(NamedTuple):
    """A kind of secret: group 1, when the pattern has one, is what gets replaced; else the whole match.

    `holds` has the last word on the value. A rule that ignores case is asked on the lower-cased text: twice as fast as
    the engine's own way, and the places are the same. Where every match begins with one of a few words, these are
    its `beginnings`, and the pattern is tried there and up to `back` characters before: a hundred times faster.
    """

    name: str
    needles: tuple[str, ...]
    source: str
    holds: Callable[[str], bool] | None = None
    folded: bool = False
    beginnings: str = ""
    back: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


# Made when first needed: many processes, such as a search from the command line, look at no secret at all.
_compiled = cache(re.compile)


@cache
def _automaton(words: str) -> AhoCorasick:
    return AhoCorasick(words.split("|"), implementation=Implementation.DFA)


def _rule(
    name: str,
    needles: str,
    pattern: str,
    holds: Callable[[str], bool] | None = None,
    *,
    folded: bool = False,
    starts: str = "",
    back: int = 0,
) -> _Rule:
    return _Rule(name, tuple(needles.split("|")), pattern, holds, folded, starts, back)


_folded = partial(_rule, folded=True)


# -- what a value looks like ----------------------------------------------------------------------------------------

_CODE = re.compile(
    r"[({\[]|=>|\$\{?\w|%\(|<[^>]*>|\A(?:process|os|self|this|args|config|settings|env|req|request"
    r"|import)\.|\A@|\A--?\w|::"
)
# Types, literals and everyday words that follow "password:" or "token is" without being one.
_PLAIN = frozenset(
    """
    string str text bytes int number bool boolean object any none null nil undefined true false optional required
    missing empty wrong incorrect correct invalid valid expired set unset stored hashed encrypted hidden secret
    password token key public private default example changeme placeholder redacted removed here there too also not
    no yes now still only given needed used unused rotated revoked shared unknown visible plain plaintext safe weak
    strong the a an in on at of for from with by to and or but if when it is are was be has have must should can
    cannot will would may might i you we they he she this that these those same different okay ok fine passed
    refreshed generated created checked sent read written kept loaded
    """.split()  # noqa: SIM905  a list of one word per line would hide the code
)
_VARIABLE = re.compile(r"[a-z]+(?:_[a-z]+)+\Z|[a-z]+(?:[A-Z][a-z]+)+\Z|[A-Z]+(?:_[A-Z]+)+\Z|[a-z]+(?:\.[a-z_]+)+\Z")


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _bare(value: str) -> str:
    return value.strip("\"'`").rstrip(".,;:!?)")


def _is_code(value: str) -> bool:
    """Whether a value is an expression, a type or a name rather than a literal."""
    return (
        bool(_CODE.search(value))
        or bool(_VARIABLE.match(value))
        or value.lower() in _PLAIN
        or set(value) <= set("*x.…-_")
    )


def _looks_random(value: str) -> bool:
    """Whether a value is too mixed to be a word, a path or a number."""
    value = _bare(value)
    if len(value) < 8 or _is_code(value) or value.count("/") > 2:
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    if len(value) >= 20:
        return letters and (digits or _entropy(value) > 4.0) and _entropy(value) > 2.8
    return letters and digits and _entropy(value) > 2.5


def _is_password(value: str) -> bool:
    """Whether what stands after "password=" is a password: almost anything that is not code."""
    value = _bare(value)
    return len(value) >= 3 and not _is_code(value) and not re.match(r"[~.]?/[\w.-]+/", value)


def _said_password(value: str) -> bool:
    """Whether what stands after "the password is" is a password and not the next word of the sentence."""
    bare = _bare(value)
    if len(bare) < 4 or _is_code(bare):
        return False
    quoted = value[:1] in "\"'`"
    return quoted or any(c.isdigit() for c in bare) or bool(re.search(r"[^\w\s.,'’/-]", bare)) or not bare.islower()


_NO_PASSWORD = re.compile(
    r"v?\d+(?:[.:,/-]\d+)*\w{0,4}\Z"  # numbers, versions, times, dates, sizes
    r"|(?:sha|md|aes|rsa|argon|bcrypt|scrypt|pbkdf|base|utf|oauth|ipv|http|ed25519|x509|iso|rfc|tls|ssl|es"
    r"|rs|hs)[-_]?\d"
    r"|[a-z]+-\d+\Z|[\w.+-]+@[\w-]+\.\w|https?:|\w+://|[~.]?/|[\w.-]+\.[a-z]{1,5}\d?\Z|(?-i:[A-Z]?[a-z]+"
    r"|[a-z]+\d)\Z|#?\d+\Z|#[0-9a-f]{3,8}\Z"
    r"|[a-z_][a-z0-9]*(?:_[a-z0-9]+)+\Z|[\w-]+=|\[|\w+\.\w+\(|@|\$|%|--?\w",
    re.I,
)


def _in_passing(value: str) -> bool:
    """Whether a word near "password" is one: letters with digits or signs among them, and no name of anything."""
    bare = _bare(value).rstrip("!?*")
    # "admin/Foo!7" and "admin:Foo!7" name the account first
    bare = re.split(r"[/:]", bare)[-1] if re.fullmatch(r"[\w.@-]{2,30}[/:][^/:]{6,40}", bare) else bare
    if len(bare) < 6 or _NO_PASSWORD.match(bare) or _is_code(bare):
        return False
    if not any(c.isalpha() for c in bare):
        return False
    if re.search(r"\w[!@#$%^&*+?~§]+\w", bare) or (
        re.search(r"[!@#$^&*~§]\Z", _bare(value).rstrip("?")) and _digits(bare)
    ):
        return True
    return _digits(bare) > 0 and (len(bare) >= 8 or _digits(bare) > 1) and _entropy(bare) > 2.2 and not _is_name(bare)


def _is_account(value: str) -> bool:
    """Whether "name:word" or "name/word" is an account with its password and not a path, a host or an image."""
    word = re.split(r"[:/]", _bare(value), maxsplit=1)[-1]
    if re.match(r"v?\d+[.-]", word):
        return False
    return _digits(word) > 0 and any(c.isalpha() for c in word) and not _NO_PASSWORD.match(word) and not _is_code(word)


def _is_short_secret(value: str) -> bool:
    """Whether what stands after "the token is" is one, although it is too short to look random."""
    bare = _bare(value)
    if (
        len(bare) < 8
        or _digits(bare) < 2
        or _is_code(bare)
        or "/" in bare
        or re.match(r"\d+(?:[.:,-]\d+)?\w{0,2}\Z", bare)
    ):
        return bool(re.fullmatch(r"\d{4}-\d{4}(?:-\d{4})*", bare))
    return not re.match(
        r"[\w.+-]+@|https?:|[a-z]+(?:_[a-z0-9]+)+\Z|[\w-]+\.[a-z]{1,5}\Z|\d{4}-\d\d-\d\d|v?\d+\.\d", bare, re.I
    )


def _digits(value: str) -> int:
    return sum(c.isdigit() for c in value)


_FUNCTION_WORDS = frozenset(
    """
    the a an in on at of for from with by to and or but if when it is are was be has have must should can not your our
    my you we they this that same as into only per never always still now anywhere nowhere else too longer der die das
    in im auf und oder nicht ist le la les un une dans et est que pas el los en del y por con
    """.split()  # noqa: SIM905
)


def _is_phrase(value: str) -> bool:
    """Whether a run of words is a passphrase rather than a sentence: no word in it does grammar's work."""
    words = re.split(r"[ -]", value.lower())
    if any(word.endswith(("ed", "ly", "ing")) for word in words):
        return False
    return len(words) >= 4 and _FUNCTION_WORDS.isdisjoint(words)


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) or _entropy(value) > 4.0


def _is_jar(value: str) -> bool:
    return "=" in value and _looks_random(value.split("=", 1)[1].split(";")[0])


# -- the rules, from the certain to the contextual ------------------------------------------------------------------

_V = r"""(?!\[secret:)"""
_NAME = r"""[A-Za-z0-9_.-]{0,40}"""
_ASSIGN = r"""["'`]?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}"""
_LITERAL = r"""("[^"\n]{1,300}"|'[^'\n]{1,300}'|`[^`\n]{1,300}`|[^\s"'`,;&|<>]{1,300})"""
_KEYS = "api|access|auth|signing|encryption|private|account|master|session|license|pre-shared|preshared"
_STRONG = rf"(?:secret|token|(?:{_KEYS})[_-]?key|credentials?|psk|salt)"
_STRONG_NEEDLES = "secret|token|credential|psk|salt|" + "|".join(
    f"{word}{sign}key" for word in _KEYS.split("|") for sign in ("", "_", "-")
)
_PASSWORD = (
    r"(?:passw(?:or)?d|passwd|passphrase|passwort|kennwort|pwd|contrase(?:ñ|n)a|senha|пароль|密码|パスワード"
    r"|(?<=[A-Za-z])_pass|(?<=_)pass|(?<![A-Za-z0-9])pw(?=[:=]))"
)
# The words for a password as people say them, and those that may stand between such a word and what it is.
_SAID = (
    r"(?:passw(?:or)?ds?|passphrase|passcode|pw|(?:\w{2,20})?(?:passwort|kennwort)|mot de passe|mdp|contrase(?:ñ|n)a"
    r"|senha|wachtwoord|pin(?: code)?(?= (?:is|ist)|:)|pass(?= (?:is|ist) ))"
)
_WORD = r"([^\s\"'`,;<>()\[\]{}]{6,80})"
_ACCESS = r"(?:pass|pwd|login|log ?in|creds?|credentials|pin(?: code)?|zugangsdaten|clave|логин|доступ)"
_SAID_STARTS = "pass|pw|kennwort|mot de passe|mdp|contrase|senha|wachtwoord|pin|парол|密码|密碼|パスワード"
_ACCESS_STARTS = _SAID_STARTS + "|login|log in|cred|zugangsdaten|clave|логин|доступ"
_SAID_BACK = 20  # "Datenbankpasswort" begins before the word for it
_KEY_WORDS = "key|token|secret|credential|schlüssel|clé|clave|ключ|токен|密钥|令牌|トークン"
_SAID_NEEDLES = (
    "passw|passphrase|passcode|pass |pass:|pwd|pw |pw:|login|log in|creds|credential|pin |pin:|kennwort|zugangsdaten"
    "|mot de passe|mdp|contrase|clave|senha|wachtwoord|пароль|密码|密碼|パスワード"
)

_RULES: tuple[_Rule, ...] = (
    _rule(
        "private-key",
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE"
        r" KEY[A-Z ]{0,10}-----|\Z)",
    ),
    _rule("age-key", "age-secret-key", r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}"),
    _rule("aws-key", "akia|asia|aroa|aida|abia|acca", r"\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,20}\b"),
    _rule(
        "github-token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_\w{16,255})",
    ),
    _rule("gitlab-token", "glpat-|gldt-|glrt-|glptt-|glcbt-", r"\bgl(?:pat|dt|rt|ptt|cbt)-[\w-]{10,100}"),
    _rule("slack-token", "xox|xapp-", r"\b(?:xox[abceoprs]-|xapp-)[\w-]{8,250}"),
    _rule(
        "webhook",
        "hooks.slack.com|discord.com/api/webhooks|discordapp.com/api/webhooks|webhook.office.com",
        r"https?://(?:hooks\.slack\.com/(?:services|workflows)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks"
        r"|[\w.-]{1,80}webhook\.office\.com)/[^\s\"'<>]{8,300}",
    ),
    _rule(
        "stripe-key",
        "_live_|_test_|whsec_",
        r"\b(?:[a-z]{2}_(?:live|test)_[A-Za-z0-9]{8,250}|whsec_[A-Za-z0-9+/=]{8,250})",
    ),
    _rule("anthropic-key", "sk-ant-", r"\bsk-ant-[\w-]{8,250}"),
    _rule(
        "api-key",
        "sk-",
        r"\bsk-(?:[a-z0-9]{1,10}-){0,3}[A-Za-z0-9_-]{16,250}",
        lambda value: any(c.isdigit() for c in value),
    ),
    _rule("google-key", "aiza|ya29.|gocspx-", r"\b(?:AIza[\w-]{20,60}|ya29\.[\w-]{20,400}|GOCSPX-[\w-]{16,60})"),
    _rule("sendgrid-key", "sg.", r"\bSG\.[\w-]{12,40}\.[\w-]{12,80}"),
    _rule("mailgun-key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    _rule("twilio-key", "twilio|account_sid|accountsid", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    _rule("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{20,80}"),
    _rule("pypi-token", "pypi-", r"\bpypi-[\w-]{30,250}"),
    _rule("telegram-token", ":aa", r"\b\d{8,10}:AA[\w-]{30,40}"),
    _rule("jwt", "eyj", r"\beyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?"),
    _rule(
        "service-token",
        "hf_|doo_v1|dop_v1|dor_v1|dapi|shpat_|shpca_|shppa_|shpss_|sq0|eaaa|lin_api_|ntn_|hvs.|hvb.|dp.|sbp_"
        "|pscale_|gsk_|r8_|"
        "fo1_|fm2_|atatt3|pmak-|nrak-|glsa_|glc_|sntrys_|sntryu_|pk.ey|sk.ey|tskey-|xai-|pplx-|figd_|dckr_pat_"
        "|vercel_|"
        "pat-na1|secret_|cfpat-|ddp_|oy2|nfp_|ops_ey",
        r"\b(?:hf_[A-Za-z0-9]{16,80}|do[opr]_v1_[0-9a-f]{32,80}|dapi[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,40}|"
        r"sq0[a-z]{3}-[\w-]{16,60}|EAAA[\w-]{40,80}|lin_api_[A-Za-z0-9]{20,60}|ntn_[A-Za-z0-9]{20,60}"
        r"|hv[sb]\.[\w-]{16,200}|"
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,80}|sbp_[0-9a-f]{30,60}|pscale_(?:tkn|pw|oauth)_[\w.-]{16,80}|"
        r"gsk_[A-Za-z0-9]{20,80}|r8_[A-Za-z0-9]{20,60}|f[om]\d_[A-Za-z0-9+/=_-]{20,400}|ATATT3[\w=-]{20,250}"
        r"|PMAK-[\w-]{20,80}|"
        r"NRAK-[A-Z0-9]{16,40}|gl(?:sa|c)_[\w=+/]{20,250}|sntry[su]_[\w=+/]{20,250}|[ps]k\.eyJ[\w.-]{20,250}"
        r"|tskey-[\w-]{12,80}|"
        r"xai-[A-Za-z0-9]{20,100}|pplx-[A-Za-z0-9]{20,80}|figd_[\w-]{20,80}|dckr_pat_[\w-]{16,60}|vercel_[\w]{16,60}|"
        r"pat-na1-[\w-]{20,60}|secret_[A-Za-z0-9]{30,60}|CFPAT-[\w-]{20,80}|ddp_[A-Za-z0-9]{20,60}|oy2[a-z0-9]{43}|"
        r"nfp_[A-Za-z0-9]{20,60}|ops_eyJ[\w-]{20,4000})",
    ),
    _rule(
        "password",
        "://",
        rf"\b[A-Za-z][A-Za-z0-9+.-]{{1,30}}://[^\s:/@'\"<>\[]{{0,100}}:{_V}([^\s'\"<>/]{{1,200}})@",
        lambda value: not re.match(r"[$%{<]", value),
        starts="://",
        back=31,
    ),
    _folded(
        "azure-key",
        "accountkey=|sharedaccesskey=|sharedaccesssignature=",
        r"(?:accountkey|sharedaccesskey|sharedaccesssignature)=([^\s;\"']{10,400})",
    ),
    _folded(
        "signature",
        "sig=|x-amz-signature=|x-goog-signature=",
        rf"(?:[?&](?:sig|x-amz-signature|x-goog-signature|x-amz-credential)=){_V}([^\s&\"'<>]{{12,600}})",
    ),
    _folded(
        "authorization",
        "authorization",
        rf"(?:authorization)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?(?:(?:bearer|basic|token|digest|apikey"
        rf"|negotiate)\s{{1,3}})?{_V}([A-Za-z0-9._~+/=:-]{{8,4000}})",
        _mixed,
    ),
    _folded("bearer-token", "bearer", rf"(?:\bbearer)[ \t]{{1,3}}{_V}([A-Za-z0-9._~+/=-]{{12,4000}})", _mixed),
    _folded(
        "cookie",
        "cookie",
        rf"(?:\b(?:set-)?cookie)[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?{_V}([^\n\"'\[]{{8,4000}})",
        _is_jar,
    ),
    _folded(
        "cookie",
        "sessionid=|session_id=|connect.sid=|phpsessid=|jsessionid=|csrftoken=",
        rf"(?:sessionid|session_id|connect\.sid|phpsessid|jsessionid|csrftoken)={_V}([^\s;&\"'\[]{{8,400}})",
        _looks_random,
    ),
    _rule(
        "password",
        "curl|http",
        r"(?:\s-u|\s--user)[ =]{1,2}[\"']?[^\s:\"'\[]{1,60}:(?!\[secret:)([^\s\"']{3,200})",
        _is_password,
    ),
    _rule(
        "password",
        "mysql|mariadb|sshpass|mongo",
        rf"\b(?:mysql\w{{0,8}}|mariadb\w{{0,8}}|sshpass"
        rf"|mongo\w{{0,8}})\b[^\n|;&]{{0,120}}?\s-p[ ]?[\"']?{_V}([^\s\"'\[-][^\s\"']{{2,100}})",
        lambda value: not value.isdigit() and not _is_code(value),
    ),
    _rule(
        "password",
        "--pass|--pwd",
        rf"--(?:password|passwd|passphrase|pass|pwd)[ =]{{1,2}}{_V}{_LITERAL}",
        _is_password,
    ),
    _rule(
        "token",
        "--token|--api-key|--apikey|--secret|--auth",
        rf"--(?:token|api-?key|secret|auth-?token|access-?token)[ =]{{1,2}}{_V}{_LITERAL}",
        _looks_random,
    ),
    _folded(
        "password",
        "passw|passphrase|_pass|pwd|pw:|pw=|kennwort|contrase|senha|пароль|密码|パスワード",
        rf"(?:{_PASSWORD}){_NAME}{_ASSIGN}{_V}{_LITERAL}",
        _is_password,
        starts="pass|_pass|pwd|pw:|pw=|kennwort|contrase|senha|пароль|密码|パスワード",
    ),
    _folded(
        "secret",
        _STRONG_NEEDLES,
        rf"(?<!\[)(?:{_STRONG}){_NAME}{_ASSIGN}{_V}{_LITERAL}",
        _looks_random,
        starts=_STRONG_NEEDLES,
    ),
    _rule(
        "secret",
        "_key",
        rf"\b[A-Z0-9_]{{2,40}}_KEY{_ASSIGN}{_V}{_LITERAL}",
        _looks_random,
        starts="_KEY",
        back=40,
    ),
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?:\b{_SAID}\b|парол[ья]|密[码碼]|パスワード)[^\n.;:=]{{0,40}}?"
        r"(?:(?:\s(?:is|ist|lautet|est|c'est|es|é|was|to|be|are|heißt|это)|'s)\b|\s{0,2}[:=]|\s[—–-](?=\s)|是|は|为)"
        r"(?:\s(?:still|now|just|currently|always|simply|again|immer noch|noch|jetzt|toujours|sigue siendo|всё ещё))?"
        rf"\s{{0,3}}{_V}{_LITERAL}",
        _said_password,
        starts=_SAID_STARTS,
        back=_SAID_BACK,
    ),
    _folded(
        "secret",
        _KEY_WORDS,
        r"(?<!\[)(?:\b(?:key|token|secret|credentials?|schlüssel|clé|clave)\b|ключ|токен|密钥|令牌|トークン)[^\n]{0,40}?(?:\s|[:=—–是は为])\s{0,3}[\"'`]?"
        rf"{_V}([A-Za-z0-9+/_=.~-]{{16,400}})",
        lambda value: _looks_random(value) and not _is_name(value),
        starts=_KEY_WORDS,
    ),
)
_WINDOW = (
    # said in passing: "the panel password, if you need it, Kranich!7", "pw for staging Foo.Bar9", "креды admin Qwe!12"
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?:\b(?:{_SAID}|{_ACCESS})\b|парол[ьяюе]|密[码碼]|パスワード)(?:[,:]?[ ]{{1,2}}[\w'’/.:@-]{{1,24}}){{0,6}}?"
        r"(?:[,:]?[ ]{1,2}(?:[-–—=:/][ ]{1,2})?|[=:是は为][ ]{0,2})[\"'`(]?"
        rf"(?=[^\s\"'`,;<>()\[\]{{}}]{{0,80}}[\d!@#$%^&*+?~§]){_V}{_WORD}",
        _in_passing,
        starts=_ACCESS_STARTS,
        back=_SAID_BACK,
    ),
    # the other way round: "Kranich!7 is the panel password", "use Kranich!7 as password"
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?<!\S)[\"'`(]?{_WORD}[\"'`)]?,? (?:is|was|as|for|that'?s|which is|it'?s|ist|als|est|comme|es|como)"
        rf"(?: (?:the|my|our|your|a|das|mein|unser|le|mon|notre|la|mi|nuestra))?"
        rf"(?: [\w'’-]{{1,20}}){{0,3}}? (?:{_SAID}|{_ACCESS})\b",
        _in_passing,
    ),
    # a phrase of plain words: "the passphrase is correct horse battery staple"
    _folded(
        "password",
        "phrase|passwort|passwor|mot de passe|contrase|mnemonic",
        r"(?:(?:pass|recovery|seed|backup) ?phrase|mnemonic|passwords?|passwort|mot de passe|contrase(?:ñ"
        r"|n)a)(?: (?:is|ist|lautet|est|es)|:)[ ]{1,2}"
        rf"[\"'`“]?{_V}((?:[^\W\d_]{{3,14}}[ -]){{3,7}}[^\W\d_]{{3,14}})",
        _is_phrase,
    ),
)
_LOGIN = "basic auth|log in|login|sign in|anmelden"
_CODES = "token|api key|api-key|apikey|license key|licence key|backup code|recovery code|access code|psk|pre-shared"
_COMMANDS = (
    # a token instead of a user in an address, lines of .pgpass and .netrc, and what passwords are hashed to
    _rule("token", "://", rf"://{_V}([A-Za-z0-9_-]{{16,200}})@[\w.-]", _looks_random),
    _rule(
        "password",
        ":5432:|:*:|:5433:",
        rf"(?m)^[\w.*-]{{1,80}}:(?:\d{{1,5}}|\*):[\w*-]{{1,60}}:[\w*-]{{1,60}}:{_V}(\S{{3,100}})$",
    ),
    _folded("password", "machine ", rf"\bmachine\s\S{{1,80}}\s+login\s\S{{1,60}}\s+password\s{_V}(\S{{3,100}})"),
    _rule(
        "password-hash",
        "$2|$6$|$5$|$1$|$apr1$|$argon2",
        r"\$(?:2[aby]|[156]|apr1|argon2\w{0,2})\$[./A-Za-z0-9$=,+]{20,200}",
    ),
    _rule(
        "password",
        "htpasswd|redis-cli|keytool|jarsigner|sudo -s|docker login|podman login|helm registry",
        r"(?:\bhtpasswd\s(?:-\w+\s){1,3}\S{1,80}\s\S{1,40}\s|\bredis-cli\b[^\n|;&]{0,80}?\s(?:-a|--pass)\s"
        r"|\b(?:keytool|jarsigner)\b[^\n|;&]{0,200}?\s-(?:store|key)pass\s|\becho\s(?=[^\n|]{3,80}\|\s?sudo\s-S)"
        rf"|\s-(?:store|key)pass\s|\b(?:docker|podman|helm registry)\slogin\b[^\n|;&]{{0,80}}?\s-p\s){_V}{_LITERAL}",
        _is_password,
    ),
    # "user: deploy / password / Foo9" on lines of their own, and "admin:Foo9" around a word for logging in
    _folded(
        "password",
        "passw|kennwort|passwort",
        rf"\b{_SAID}[ \t]{{0,3}}:?[ \t]{{0,3}}\n[ \t]{{0,8}}{_V}{_WORD}",
        _in_passing,
        starts=_SAID_STARTS,
        back=_SAID_BACK,
    ),
    _folded(
        "password",
        _LOGIN,
        rf"\b(?:basic auth|log ?in|sign in|login|anmelden)(?: (?:with|as|using|mit|is|are"
        rf"|by))?[ :]{{1,2}}{_V}([\w.@-]{{2,30}}[:/][^\s/:,;]{{5,40}})",
        _is_account,
        starts=_LOGIN,
    ),
    _folded(
        "password",
        "|".join(
            f" {to} {what}" for to in ("to", "for") for what in ("log", "sign in", "the login", "basic auth", "auth")
        ),
        rf"(?<![\w/.:-]){_V}([a-z][\w.@-]{{1,30}}[:/][^\s/:,;]{{5,40}}) (?:to|for) (?:log ?in|login|sign in"
        rf"|the login|basic auth|auth)\b",
        _is_account,
    ),
    _folded(
        "secret",
        _CODES,
        r"\b(?:token|api[ -]?key|licen[sc]e key|backup codes?|recovery codes?|access code|psk"
        r"|pre-shared key)\b[^\n.;:=]{0,40}?"
        rf"(?:\s(?:is|are|ist|lautet|est|es|это)\b|:|是|は)\s{{0,3}}[\"'`]?{_V}([^\s\"'`,;<>()\[\]{{}}]{{8,80}})",
        _is_short_secret,
        starts=_CODES,
    ),
)
_RULES += _WINDOW + _COMMANDS
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-")
_HEX = re.compile(r"[0-9a-f]{7,64}\Z")


def _is_name(value: str) -> bool:
    """Whether a mixed word in running text is a path, a file, a hash or an identifier made of words."""
    if _UUID.match(value) or _HEX.match(value) or "/" in value:
        return True
    words = re.split(r"[-_.]", value)
    return len(words) > 1 and sum(word.isalpha() or word.isdigit() for word in words) >= len(words) - 1


# -- files that hold nothing but settings ---------------------------------------------------------------------------

_ENV_PATH = re.compile(
    r"(?:^|[/\\])(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.envrc|\.netrc|\.pgpass|\.npmrc|\.pypirc"
    r"|credentials(?:\.\w+)?|secrets?\.(?:ya?ml|json|toml|ini|env)|id_(?:rsa|ed25519|ecdsa|dsa)"
    r"|[\w.-]+\.(?:pem|key|p12|pfx))$"
)
_ENV_LINE = re.compile(
    r"^([ \t]*(?:\d+[ \t→|:]+)?(?:export[ \t]+)?[A-Z][A-Z0-9_]{1,60}[ \t]*=[ \t]*)(?!\[secret:)"
    r"(\"[^\"\n]*\"|'[^'\n]*'|[^\n]*[^\s])",
    re.M,
)
_ANY_LINE = re.compile(
    r"^([ \t]*(?:\d+[ \t→|:]+)?(?:export[ \t]+)?[\"']?[\w./:@-]{1,80}[\"']?[ \t]*(?:="
    r"|:[ \t])[ \t]*)(?!\[secret:)([^\n]*[^\s,{\[])",
    re.M,
)
_EXAMPLE = re.compile(r"\.(?:example|sample|template|dist)$")


def _is_env_file(path: str) -> bool:
    return bool(_ENV_PATH.search(path)) and not _EXAMPLE.search(path)


def _is_env_dump(text: str) -> bool:
    """Whether a text is mostly lines such as NAME=value, as `cat .env` and `printenv` show them."""
    if text.count("=") < 2 or len(text) > 200_000:
        return False
    lines = [line for line in text.splitlines() if (bare := line.lstrip()) and not bare.startswith("#")]
    most = text.count("=") * 2  # the pattern is slow, and most output has fewer than it would need
    return 2 <= len(lines) < most and len(_ENV_LINE.findall(text)) * 2 > len(lines)


def _without_values(text: str, pattern: re.Pattern[str], found: Counter[str]) -> str:
    def hide(match: re.Match[str]) -> str:
        found["env-value"] += 1
        return match[1] + "[secret:env-value]"

    return pattern.sub(hide, text)


# -- what callers use -----------------------------------------------------------------------------------------------


_PLACEHOLDER = re.compile(r"\[secret:([a-z-]{2,20})\]")
_MARKED = re.compile("\ue000([a-z-]{2,20})\ue001")
_PASSES = 8  # one removal may bring two texts together that then look like a secret; this many have never been needed


def redact_text(text: str) -> tuple[str, Counter[str]]:
    """The text without secrets and private spans, and how many of each kind were removed."""
    found: Counter[str] = Counter()
    return _clean(text, found), found


def _clean(text: str, found: Counter[str]) -> str:
    due = _due(text.encode(errors="replace"))
    if not due:
        return text
    if _PRIVATE_PLACE in due and (public := _without_private(text, found)) != text:
        text, due = public, _due(public.encode(errors="replace"))
    # Placeholders wear a mark that no pattern takes for a value, so that cleaning twice is cleaning once.
    marked = _PLACEHOLDER.sub("\ue000\\1\ue001", text) if "[secret:" in text else text
    for _ in range(_PASSES):
        cleaned = _pass(marked, due, found)
        if cleaned is marked:
            break
        marked, due = cleaned, _due(cleaned.encode(errors="replace"))
    return _MARKED.sub(r"[secret:\1]", marked) if "\ue000" in marked else marked


def _without_private(text: str, found: Counter[str]) -> str:
    text, spans = _PRIVATE.subn("", text)
    # An end without a beginning: the beginning was cut off or stood in another block, so all before it is private.
    text, ends = _PRIVATE_END.subn("", text)
    if spans + ends:
        found["private"] += spans + ends
    return text


def _pass(text: str, due: Collection[int], found: Counter[str]) -> str:
    lowered = _fold(text)
    for rule in (_RULES[place] for place in sorted(due) if place != _PRIVATE_PLACE):
        cleaned = _apply(rule, text, lowered, found)
        if cleaned is not text:
            text, lowered = cleaned, _fold(cleaned)
    return text


def _fold(text: str) -> str:
    """The text in lower case, every letter in its place."""
    lowered = text.lower()
    # A few letters change their length in lower case; then ASCII folding has to do.
    return lowered if len(lowered) == len(text) else text.translate(_ASCII)


_ASCII = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def _apply(rule: _Rule, text: str, lowered: str, found: Counter[str]) -> str:
    searched = lowered if rule.folded else text
    search, has_group = _searcher(rule, searched), bool(rule.pattern.groups)
    pieces: list[str] = []
    done = at = 0
    while match := search(searched, at):
        start, end = match.span(1) if has_group else match.span()
        value = text[start:end]
        if "\ue000" in value or (rule.holds and not rule.holds(value)):
            at = start if start > match.start() and end - start < 100 else end  # the value may itself announce one
            continue
        found[rule.name] += 1
        quote = value[0] if len(value) > 1 and value[0] in "\"'`" and value[-1] == value[0] else ""
        pieces += [text[done:start], f"{quote}\ue000{rule.name}\ue001{quote}"]
        done = at = end
    return "".join(pieces) + text[done:] if pieces else text


def _searcher(rule: _Rule, searched: str) -> Callable[[str, int], re.Match[str] | None]:
    """What finds the next match from a place on: the pattern itself, or a look at the places where one can begin."""
    if not rule.beginnings:
        return rule.pattern.search
    places = iter(_beginnings(rule, searched))
    fits = rule.pattern.match

    def search(searched: str, at: int) -> re.Match[str] | None:
        return next((match for place in places if place >= at and (match := fits(searched, place))), None)

    return search


def _beginnings(rule: _Rule, searched: str) -> Iterator[int]:
    """The places where a match of a rule can begin, in order."""
    starts = _automaton(rule.beginnings)
    following = 0
    for start in sorted({start for _, start, _ in starts.find_matches_as_indexes(searched, True)}):
        yield from range(max(following, start - rule.back), start + 1)
        following = start + 1


# -- which rules have to look at a text -------------------------------------------------------------------------------

_PRIVATE_PLACE = len(_RULES)
_KELVIN = "\u212a".encode()  # the one letter beyond ASCII whose lower case is a letter of ASCII


def _spellings(needle: str) -> set[bytes]:
    """Every way to write a needle that lower-casing ASCII does not level."""
    ways = ({letter} if letter.isascii() else {letter, letter.upper()} for letter in needle)
    return {"".join(way).encode() for way in product(*ways)}


def _by_needle() -> dict[bytes, set[int]]:
    """Each needle with the places of the rules that wait for it."""
    places = {b"private": {_PRIVATE_PLACE}}
    for place, rule in enumerate(_RULES):
        for spelling in (one for needle in rule.needles for one in _spellings(needle)):
            places.setdefault(spelling, set()).add(place)
    return places


@cache
def _finder() -> tuple[Callable[[bytes, bool], list[tuple[int, int, int]]], tuple[set[int], ...]]:
    """What finds every needle in a text, and for each needle the places of its rules."""
    places = _by_needle()
    return BytesAhoCorasick(places, implementation=Implementation.DFA).find_matches_as_indexes, tuple(places.values())


def _due(raw: bytes) -> set[int]:
    """The places of the rules that may find something in a text, given in UTF-8."""
    if not raw.isascii():
        raw = raw.replace(_KELVIN, b"k")
    find, places = _finder()
    hits = find(raw.lower(), True)
    return set().union(*(places[number] for number in {hit[0] for hit in hits})) if hits else set()


# -- turns ------------------------------------------------------------------------------------------------------------


def redact_turn(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn without secrets and private spans, and how many of each kind were removed."""
    found: Counter[str] = Counter()
    given = turn.input
    path = _path_of(turn) if given else ""
    text = _redact_part(turn.text, path, turn.kind == "tool_result", found) if turn.text else ""
    # What a rule waits for is never written in another way in JSON, so one look is enough for all of the input.
    if given and (_is_env_file(path) or _due(msgspec.json.encode(given))):
        given = {key: _redact_value(key, value, path, found) for key, value in given.items()}
    if not found:
        return turn, found
    return msgspec.structs.replace(turn, text=text, input=given), found


def _path_of(turn: Turn) -> str:
    for key in ("file_path", "path", "notebook_path"):
        if isinstance(path := turn.input.get(key), str):
            return path
    return ""


def _redact_part(text: str, path: str, is_output: bool, found: Counter[str]) -> str:
    text = _clean(text, found)
    if path and _is_env_file(path):
        return _without_values(text, _ANY_LINE, found)
    if is_output and _is_env_dump(text):
        return _without_values(text, _ENV_LINE, found)
    return text


_SECRET_KEY = re.compile(rf"(?i)(?:{_PASSWORD}|{_STRONG})\Z")


def _redact_value(key: str, value: Any, path: str, found: Counter[str]) -> Any:
    if isinstance(value, str):
        if key in ("file_path", "path", "notebook_path"):
            return redact_text(value)[0]
        if _SECRET_KEY.search(key) and _is_password(value) and not value.startswith("[secret:"):
            found["secret"] += 1
            return "[secret:secret]"
        return _redact_part(value, path, False, found)
    if isinstance(value, dict):
        return {one: _redact_value(one, inner, path, found) for one, inner in value.items()}
    if isinstance(value, list):
        return [_redact_value("", inner, path, found) for inner in value]
    return value


# -- people: only where somebody asked for it --------------------------------------------------------------------------

_CONTACTS = (
    # "git@host:path" and addresses that nobody reads name no person
    (
        "email",
        re.compile(r"(?<![\w.+-])(?!(?:git|no-?reply|root)@)[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}(?![\w@])"),
    ),
    (
        "phone",
        re.compile(
            r"(?<![\w.+/-])(?:(?:\+|00)[1-9]\d{0,2}(?:[ ./-]{0,1}\(?\d{1,5}\)?){2,6}|\(\d{3}\) ?\d{3}[- ]\d{4}"
            r"|\d{3}[-.]\d{3}[-.]\d{4}|0\d{2,4}[ /-]\d{3,8}(?:[ -]\d{1,5}){0,3})(?![\w./-])"
        ),
    ),
)


def without_contacts(turn: Turn) -> tuple[Turn, Counter[str]]:
    """The turn without e-mail addresses and phone numbers, and how many of each were removed."""
    found: Counter[str] = Counter()
    text, given = _nameless(turn.text, found), _nameless(turn.input, found)
    return (msgspec.structs.replace(turn, text=text, input=given) if found else turn), found


def _nameless(value: Any, found: Counter[str]) -> Any:
    if isinstance(value, str):
        for kind, pattern in _CONTACTS:
            value, times = pattern.subn(f"[secret:{kind}]", value)
            if times:
                found[kind] += times
        return value
    if isinstance(value, dict):
        return {name: _nameless(inner, found) for name, inner in value.items()}
    return [_nameless(inner, found) for inner in value] if isinstance(value, list) else value


# -- the same secret elsewhere ----------------------------------------------------------------------------------------

_REPEATED = "[secret:repeated]"
_TELLING = 8  # a shorter value may be an ordinary word somewhere else


def hidden_values(before: Turn, after: Turn) -> set[str]:
    """The values that redaction took out of a turn, as far as they are telling enough to be looked for elsewhere."""
    found = _taken_out(before.text, after.text)
    for name, value in before.input.items():
        now = after.input.get(name)
        if isinstance(value, str) and isinstance(now, str):
            found |= _taken_out(value, now)
    return {value for value in found if len(value) >= _TELLING and not value.isalpha()}


def _taken_out(before: str, after: str) -> set[str]:
    """What stood where a text now has placeholders; nothing where it does not line up."""
    if before == after:
        return set()
    kept = _PLACEHOLDER.split(after)[::2]
    at = len(kept[0]) if before.startswith(kept[0]) else -1
    found: set[str] = set()
    for piece in kept[1:]:
        end = before.find(piece, at) if piece else len(before)
        if at < 0 or end < 0:
            return found
        found.add(_bare(before[at:end]))
        at = end + len(piece)
    return found


def without(turn: Turn, values: Collection[str]) -> Turn:
    """The turn with these values hidden wherever they stand: a secret said once is used in commands and output."""
    if not values:
        return turn
    spoken = msgspec.json.encode(turn).decode()
    present = [value for value in values if value in spoken or msgspec.json.encode(value)[1:-1].decode() in spoken]
    if not present:
        return turn
    return msgspec.structs.replace(turn, text=_hide(turn.text, present), input=_hide(turn.input, present))


def _hide(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _REPEATED)
        return value
    if isinstance(value, dict):
        return {name: _hide(inner, secrets) for name, inner in value.items()}
    return [_hide(inner, secrets) for inner in value] if isinstance(value, list) else value
