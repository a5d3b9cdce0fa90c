"""What a value looks like: a password, a token, or code, a name, an id, a word of the sentence."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter

_CODE = re.compile(
    r"[({\[]|=>|\$\{?\w|%\(|<[^<>]*>|\A(?:process|os|self|this|args|config|settings|env|req|request"
    r"|import)\.|\A@|\A--?\w|::|\A!(?:Ref|Sub|GetAtt|ImportValue|secret|vault)\b|\A\w+(?:\|\w+(?::\w+)?)+\Z"
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
    refreshed generated created checked sent read written kept loaded use uses see ask never always minimum managed
    reset change enter get keep handled lives passwort kennwort contraseña senha пароль 密码
    パスワード passwd pwd pass bcrypt scrypt argon2 credentials vault 1password bitwarden keychain skip later nothing
    """.split()  # noqa: SIM905  a list of one word per line would hide the code
)
# What a password is called in names and headings.
PASSWORDS = "password|passwd|passphrase|passwort|kennwort|pwd|contraseña|contrasena|senha|пароль|密码|パスワード"
_VARIABLE = re.compile(r"\A(?:[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:\.[a-z_]+)+)\Z")
# Uint8Array, Web3Auth, OAuth2Token: types and products; and CipherBox-v1, a name with its version.
_TYPE = re.compile(
    r"[A-Za-z]{1,12}(?:[1-9]|16|32|64|128|256|512)(?:[A-Z][a-z]{2,20}){1,4}\Z"
    r"|[A-Za-z]{2,30}(?:-[A-Za-z]{2,20})*-v\d{1,3}\Z"
    r"|[A-Za-z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,5}V\d{1,2}\Z"
)
_VERSION = re.compile(r"\Av?\d+(?:\.\d+)+(?:[-+][\w.]{1,30}){0,2}\Z")
_NAMED = re.compile(r"\A(?:[a-z]+\d{0,3}|v?\d{1,4})(?:[-_.](?:[a-z]+\d{0,3}|v?\d{1,4})){2,}\Z", re.I)
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,16}\Z|\d{1,3}(?:[,_]\d{3})+\Z")
_DIGEST = re.compile(r"(?:[\w.:/-]{1,100}@)?(?:sha\d{1,3}|md5)[-:=]|arn:", re.I)  # an image's too, and a resource
_STAND_IN = frozenset(
    """
    your yours you my example sample placeholder changeme redacted masked omitted dummy todo insert replace
    replaceme here fixme foo bar foobar some put add enter xxx xxxx xxxxx
    """.split()  # noqa: SIM905
)
_WORDS = re.compile(r"[^\W\d_]+|\d+")


def is_stand_in(value: str) -> bool:
    """Whether a value only marks the place of one: YOUR_PASSWORD, <token>, ***REDACTED***, key1,key2, lsv2_pt_b12..."""
    if value.endswith(("...", "…")) or "***" in value or "REDACTED" in value or "xxxx" in value or "XXXX" in value:
        return True
    if re.fullmatch(r"\[[^\]\d]{1,60}\]?|<[^>]{1,60}>|\{\{?[^}]{1,60}\}?\}|%\w{1,40}%", value):
        return True
    if re.fullmatch(r"(?:key|token|secret|value)[_-]?\d{1,2}(?:,(?:key|token|secret|value)[_-]?\d{1,2})*", value, re.I):
        return True
    words = [word.lower() for word in _WORDS.findall(value)]
    # A number behind the words does not make a password of "your-token-123", but "my7Xk2…" is no row of words.
    number = words[-1] if words and not words[-1].isalpha() else "1"
    return not _STAND_IN.isdisjoint(words) and all(map(str.isalpha, words[:-1])) and number in ("1", "2", "123")


def entropy(value: str) -> float:
    """Bits per sign."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def bare(value: str) -> str:
    """A value without quotes and without the punctuation of its sentence."""
    value = value.strip("\"'`“”")
    return value if value.endswith(("...", "…")) else value.rstrip(".,;:!?)\\")


def is_code(value: str) -> bool:
    """Whether a value is an expression, a type, a name or a stand-in rather than a literal."""
    return (
        bool(_CODE.search(value))
        or bool(_VARIABLE.match(value))
        or bool(_NUMBER.match(value))
        or value.lower() in _PLAIN
        or set(value) <= set("*x.…-_")
        or is_stand_in(value)
    )


def looks_random(value: str) -> bool:
    """Whether a value is too mixed to be a word, a path or a number."""
    value = bare(value)
    if len(value) < 8 or is_code(value) or _is_path(value) or _DIGEST.match(value) or _TYPE.match(value):
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    if len(value) >= 20:
        return letters and (digits or entropy(value) > 4.0) and entropy(value) > 2.8
    return letters and digits and entropy(value) > 2.5


def _is_path(value: str) -> bool:
    """Whether slashes divide a value into names; those of base64 stand anywhere."""
    parts = value.split("/")
    odd = [part for part in parts if not _SEGMENT.match(part)]
    return len(parts) > 3 and "+" not in value and len(odd) < 2 and all(len(part) < 12 for part in odd)


# A name within a path: words in one case or each with a capital, numbers, a file; signs of base64 change case at will.
_SEGMENT = re.compile(
    r"\A(?:[^A-Z]*|[^a-z]*|[^.]*\..*|[^A-Za-z]*+(?:[A-Z]{0,5}+[a-z]{2,}+[^A-Za-z]*+)*+[A-Z]{0,5}[^A-Za-z]*)\Z"
)


def is_password(value: str) -> bool:
    """Whether what stands after "password=" is a password: almost anything that is no code and no sentence."""
    value = bare(value)
    return len(value) >= 3 and not is_code(value) and not re.match(r"[~.]?/[\w.-]+/", value) and not _is_sentence(value)


def _is_sentence(value: str) -> bool:
    """Whether a quoted text is a label or a message: "Enter your password", "must have 8 characters"."""
    words = value.lower().split()
    return len(words) > 1 and (not _FUNCTION_WORDS.isdisjoint(words) or "password" in words or "passwort" in words)


def said_password(value: str) -> bool:
    """Whether what stands after "the password is" is a password and not the next word of the sentence."""
    word = bare(value)
    if len(word) < 4 or is_code(word) or _is_sentence(word) or is_foreign_prose(word) or _VERSION.match(word):
        return False
    quoted = value[:1] in "\"'`“"
    return quoted or any(c.isdigit() for c in word) or bool(re.search(r"[^\w\s.,'’/-]", word)) or not word.islower()


def said_abroad(value: str) -> bool:
    """Whether what stands after a word for a password in a language of which no grammar is known here is one."""
    quoted = value[:1] in "\"'`" and said_password(value) and not re.match(ALGORITHM, bare(value), re.I)
    return quoted or in_passing(value)


def is_foreign_prose(word: str) -> bool:
    """Words of languages that are written without spaces or case: "实际数据库密码" says that there is one."""
    return not any(c.isdigit() or (c.isascii() and c.isalpha()) for c in word) and not word.isascii()


# Argon2id, AES-256-GCM, PKCE-S256, NIST-SP-800: what a password is kept or judged by
ALGORITHM = (
    r"(?:sha|md|aes|rsa|argon|bcrypt|scrypt|pbkdf|hmac|base|utf|oauth|ipv|http|ed25519|x509|iso|rfc|tls|ssl|es"
    r"|rs|hs|nist|fips|owasp|pkce)(?!\S{0,80}[!#%^&*~§])[-_]?(?:[a-z]{1,4}[-_]|[a-z])?\d"
)
_NO_PASSWORD = re.compile(
    rf"v?\d+(?:[.:,/-]\d+)*\w{{0,4}}\Z|{ALGORITHM}"  # numbers, versions, times, dates, sizes
    r"|[a-z]+-\d+\Z|[\w.+-]+@[\w-]+\.\w|https?:|\w+://|[~.]?/|[\w.-]+\.[a-z]{1,5}\d?\Z|(?-i:[A-Z]?[a-z]+"
    r"|[a-z]+\d)\Z|#?\d+\Z|#[0-9a-f]{3,8}\Z"
    r"|[a-z_][a-z0-9]*(?:_[a-z0-9]+)+\Z|[\w-]+=|\[|\w+\.\w+\(|@|\$|%|--?\w",
    re.I,
)


def in_passing(value: str) -> bool:
    """Whether a word near "password" is one: letters with digits or signs among them, and no name of anything."""
    word = _without_account(bare(value).rstrip("!?*"))
    if (
        len(word) < 6
        or _DIGEST.match(value)
        or _VERSION.match(bare(value))
        or _NO_PASSWORD.match(word)
        or is_code(word)
        or not any(c.isalpha() for c in word)
    ):
        return False
    if _has_signs(value, word):
        return True
    if _TYPE.match(word) or is_name(word):
        return False
    return digits(word) > 0 and (len(word) >= 8 or digits(word) > 1) and entropy(word) > 2.2


def in_column(value: str) -> bool:
    """Whether a cell below "password" is one, and not a type, a mark or a remark."""
    word = bare(value)
    told = digits(word) > 0 or bool(re.search(r"[^\w\s.,'’/-]", word))
    named = _VERSION.match(word) or _DIGEST.match(word) or re.match(rf":\w+\Z|{ALGORITHM}", word, re.I)
    other = named or (word.isdigit() and len(word) < 6)
    return told and " " not in word and is_password(word) and not other


def in_login(value: str) -> bool:
    """Whether a word near "login" is a password: one with digits only may be the name to log in with."""
    word = bare(value).rstrip("!?*")
    return in_passing(value) and (_has_signs(value, _without_account(word)) or _without_account(word) != word)


def _without_account(word: str) -> str:
    # "admin/Foo!7" and "admin:Foo!7" name the account first
    return re.split(r"[/:]", word)[-1] if re.fullmatch(r"[\w.@-]{2,30}[/:][^/:]{6,40}", word) else word


def _has_signs(value: str, word: str) -> bool:
    return bool(re.search(r"\w[!@#$%^&*+?~§]+\w", word)) or bool(
        re.search(r"[!@#$^&*~§]\Z", value.strip("\"'`").rstrip("?")) and digits(word)
    )


def is_account(value: str) -> bool:
    """Whether "name:word" or "name/word" is an account with its password and not a path, a host or an image."""
    word = re.split(r"[:/]", bare(value), maxsplit=1)[-1].lstrip()
    if re.match(r"v?\d+[.-]", word):
        return False
    return digits(word) > 0 and any(c.isalpha() for c in word) and not _NO_PASSWORD.match(word) and not is_code(word)


def is_short_secret(value: str) -> bool:
    """Whether what stands after "the token is" is one, although it is too short to look random."""
    word = bare(value)
    if is_name(word) and len(word) > 30:
        return False
    if (
        len(word) < 8
        or digits(word) < 2
        or is_code(word)
        or "/" in word
        or _DIGEST.match(word)
        or re.match(r"\d+(?:[.:,-]\d+)?\w{0,2}\Z", word)
    ):
        return bool(re.fullmatch(r"\d{4}-\d{4}(?:-\d{4})*", word))
    return not re.match(
        r"[\w.+-]+@|https?:|[a-z]+(?:_[a-z0-9]+)+\Z|[\w-]+\.[a-z]{1,5}\Z|\d{4}-\d\d-\d\d|v?\d+\.\d", word, re.I
    )


def is_spoken_code(value: str) -> bool:
    """Whether a few digits behind "the PIN is" are one, and no year, port or round number."""
    number = re.sub(r"\D", "", value)
    return len(number) > 3 and not re.fullmatch(r"(?:19|20)\d\d|[1-9]0{3,7}|8080|8000|3000|5000|5432", number)


def digits(value: str) -> int:
    """How many digits it has."""
    return sum(c.isdigit() for c in value)


_FUNCTION_WORDS = frozenset(
    """
    the a an in on at of for from with by to and or but if when it is are was be has have must should can not your our
    my you we they this that same as into only per never always still now anywhere nowhere else too longer der die das
    in im auf und oder nicht ist le la les un une dans et est que pas el los en del y por con
    """.split()  # noqa: SIM905
)


def is_phrase(value: str) -> bool:
    """Whether a run of words is a passphrase rather than a sentence: no word in it does grammar's work."""
    words = re.split(r"[ -]", value.lower())
    if any(word.endswith(("ed", "ly", "ing")) for word in words):
        return False
    return len(words) >= 4 and _FUNCTION_WORDS.isdisjoint(words)


def is_mixed(value: str) -> bool:
    """Whether digits or sheer variety speak for a token."""
    return (any(c.isdigit() for c in value) or entropy(value) > 4.0) and not is_stand_in(value)


def is_jar(value: str) -> bool:
    """Whether a cookie carries something random."""
    return any("=" in pair and looks_random(pair.split("=", 1)[1]) for pair in value.split(";")[:20])


def is_basic(value: str) -> bool:
    """Whether it is "name:password" in base64."""
    try:
        name, colon, word = base64.b64decode(value[: len(value) // 4 * 4]).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
    return bool(colon and name and word) and (name + word).isprintable()


def is_card(value: str) -> bool:
    """Whether a number is one of a payment card: length, issuer and check digit fit. The one for tests is none."""
    number = re.sub(r"\D", "", value)
    if not _ISSUERS.fullmatch(number) or number == "4242" * 4 or len(set(number)) < 2:
        return False
    doubled = (sum(divmod(int(one) * 2, 10)) for one in number[-2::-2])
    return (sum(doubled) + sum(int(one) for one in number[-1::-2])) % 10 == 0


_ISSUERS = re.compile(
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|35\d{14}"
    r"|3[068]\d{12}"
)
# A ULID, and what Kubernetes calls a pod, in letters of which no word can be made.
_ID = re.compile(
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z|[a-z][a-z0-9-]{1,60}-[0-9a-f]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\Z"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-")
_HEX = re.compile(r"[0-9a-f]{7,64}\Z")


def is_name(value: str) -> bool:
    """Whether a mixed word in running text is a path, a file, a hash or an identifier made of words."""
    value = bare(value)
    if (
        _VERSION.match(value)
        or _ID.match(value)
        or _UUID.match(value)
        or _HEX.match(value)
        or "/" in value
        or _DIGEST.match(value)
        or _NAMED.match(value)
    ):
        return True
    words = re.split(r"[-_.]", value)
    odd = [word for word in words if not (word.isalpha() or word.isdigit())]
    return len(words) > 1 and len(odd) < 2 and not any(map(_is_long_and_mixed, odd))


def _is_long_and_mixed(word: str) -> bool:
    """Whether a part of a name is as long as a token and in letters of both cases, or beyond those of hexadecimal."""
    runs = len(re.findall(r"[a-z]+|[A-Z]+|\d+", word))  # six capitalized words are twelve
    return len(word) >= 20 and not _HEX.match(word) and (runs > 12 or (runs > 5 and digits(word) > 1))


# -- names that speak about a secret and are none -------------------------------------------------------------------

_SIDES = """
    id ids name names url uri endpoint file files path dir len length size count counts type ttl expiry expires
    expiration limit prefix suffix format version alg algorithm field policy policies header class provider
    manager store stores service usage budget label placeholder hint strength rule rules reset min max error
    message title column param arn ref selector input
""".split()  # noqa: SIM905
_ABOUT = re.compile(
    r"(?:[_.-](?i:" + "|".join(_SIDES) + r")|" + "|".join([*map(str.title, _SIDES), "URL", "URI", "ID", "TTL"]) + r")\Z"
)
_OTHER_KEYS = re.compile(
    r"(?:public|primary|foreign|cache|idempotency|partition|sort|natural|bucket|dedupe|registry|shortcut|hot|row"
    r"|storage|query|group|unique|index|order|redis|translation|lookup|route)_?key\Z",
    re.I,
)


def names_a_secret(announced: str) -> bool:
    """Whether the name before a value is one of a secret and not of something about it: token_url, cache_key."""
    name = re.split("[:=]", announced, maxsplit=1)[0].rstrip(" \t\"'`>]\\-*")
    return not _ABOUT.search(name) and not _OTHER_KEYS.search(name)


# -- what rules ask in a word ------------------------------------------------------------------------------------------


def is_real(value: str) -> bool:
    """Whether a token with its maker's mark is no stand-in."""
    return not is_stand_in(value)


def is_made(value: str) -> bool:
    """Whether a token is one and not an identifier that happens to begin like it."""
    return (digits(value) > 1 or not (value.islower() or value.isupper())) and not is_code(value)


def is_userinfo(value: str) -> bool:
    """Whether what stands before a host is a password: no variable and no word that marks its place."""
    return not re.match(r"[$%{<]", value) and not is_code(value) and not is_foreign_prose(value)


def has_digit_or_is_mixed(value: str) -> bool:
    """Whether there is more to it than words."""
    return digits(value) > 0 or is_mixed(value)


def is_token(value: str) -> bool:
    """Whether a value in running text looks random and is no name."""
    return looks_random(value) and not is_name(value)


def is_word(value: str) -> bool:
    """Whether it is neither a number nor code."""
    return not value.isdigit() and not is_code(value)


def is_piped(value: str) -> bool:
    """Whether what is fed to a program is a password: a word or a phrase."""
    return is_password(value) and (" " not in value or is_phrase(value))


def is_exported(value: str) -> bool:
    """Whether an exported value is no word."""
    return (looks_random(value) or in_passing(value)) and not is_name(value)


def is_set(value: str) -> bool:
    """Whether what stands beside the name of a variable is its value, and no word, product or version."""
    named = re.match(r"[A-Za-z]{4,12}\d{1,2}[a-z]{0,4}\Z", bare(value)) or _UUID.search(value)
    return is_exported(value) and not named


def is_own_secret(value: str) -> bool:
    """Whether the secret of an application is given, and not a name."""
    return is_password(value) and not is_name(value)


def begins_random(value: str) -> bool:
    """Whether the first word of a block looks random."""
    return looks_random(value.split()[0])


def is_said_key(value: str) -> bool:
    """Whether what is called a key in a sentence is one."""
    return is_short_secret(value) or in_passing(value)


def tag_names_a_secret(tag: str) -> bool:
    """Whether an element of XML or HTML is named for a secret."""
    return names_a_secret(tag.partition(">")[0].partition(" ")[0])
