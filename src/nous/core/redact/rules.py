"""The kinds of secrets: tokens by their makers' marks, then what gives a value away by the words and signs around it.

Every rule has needles: short strings of which one must occur (in the lower-cased text) before its pattern runs. Every
pattern has bounded repetition, so hostile text stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple

from nous.core.redact.values import (
    ALGORITHM,
    PASSWORDS,
    digits,
    in_login,
    in_passing,
    is_account,
    is_basic,
    is_code,
    is_foreign_prose,
    is_jar,
    is_mixed,
    is_name,
    is_password,
    is_phrase,
    is_short_secret,
    is_spoken_code,
    is_stand_in,
    looks_random,
    names_a_secret,
    said_abroad,
    said_password,
)


class Rule(NamedTuple):
    """A kind of secret: group 1, when the pattern has one, is what gets replaced; else the whole match.

    `holds` has the last word on the value, `about` on what announces it. A rule that ignores case is asked on the
    lower-cased text: twice as fast as the engine's own way, and the places are the same. Where every match begins
    with one of a few words, these are its `beginnings`, and the pattern is tried there and up to `back` characters
    before: a hundred times faster. Where every match ends with one of them, it is looked for up to `ahead` before.
    """

    name: str
    needles: tuple[str, ...]
    source: str
    holds: Callable[[str], bool] | None = None
    folded: bool = False
    beginnings: str = ""
    back: int = 0
    about: Callable[[str], bool] | None = None
    ahead: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        return compiled(self.source)


# Made when first needed: many processes, such as a search from the command line, look at no secret at all.
compiled = cache(re.compile)


def _rule(
    name: str,
    needles: str,
    pattern: str,
    holds: Callable[[str], bool] | None = None,
    *,
    folded: bool = False,
    starts: str = "",
    back: int = 0,
    about: Callable[[str], bool] | None = None,
    ahead: int = 0,
) -> Rule:
    return Rule(name, tuple(needles.split("|")), pattern, holds, folded, starts, back, about, ahead)


_folded = partial(_rule, folded=True)

# -- tokens with a maker's mark: the table in tokens.txt --------------------------------------------------------------

NEEDLE = 8  # letters of a mark that are looked for: a smaller automaton stays in the processor's cache
_FOLLOWS = {
    "w": r"[\w-]",
    "a": r"[A-Za-z0-9]",
    "h": r"[0-9a-f]",
    "b": r"[A-Za-z0-9+/=_-]",
    "d": r"[\w.-]",
    "u": r"[A-Z0-9]",
}


def _tokens() -> tuple[Rule, ...]:
    """One rule per kind of token: all its marks are looked for at once."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for line in files(__package__).joinpath("tokens.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, mark, follows, least, most = line.split()
            kinds.setdefault(kind, []).append((mark, f"{re.escape(mark)}{_FOLLOWS[follows]}{{{least},{most}}}"))
    return tuple(
        _rule(
            kind,
            "|".join(dict.fromkeys(mark.lower()[:NEEDLE] for mark, _ in marks)),
            r"(?<![A-Za-z0-9])(?:" + "|".join(source for _, source in marks) + ")",
            _is_made if kind == "service-token" else _is_real,
            starts="|".join(mark for mark, _ in marks),
        )
        for kind, marks in kinds.items()
    )


def _is_real(value: str) -> bool:
    return not is_stand_in(value)


def _is_made(value: str) -> bool:
    """Whether a token is one and not an identifier that happens to begin like it."""
    return (digits(value) > 1 or not (value.islower() or value.isupper())) and not is_code(value)


# -- what a value is announced by -------------------------------------------------------------------------------------

_V = r"""(?!\[secret:)"""
_NAME = r"""[A-Za-z0-9_.-]{0,40}"""
# Around a name and its sign: quotes as JSON writes them within JSON, and the type of what is named. A name in bold or
# italics may head a sentence: then what follows has to be quoted, have a digit or a sign in it, or be all of the line,
# and must not be what is asked of a password: "**Password**: Argon2id with 64 MB", "**Password**: 8-64 chars".
_MARKUP = r"(?:\*{1,2}|__|</\w{1,6}>)"
_ALONE = rf"""(?!["'`]?(?:{ALGORITHM}|\d{{1,3}}(?:[-–]\d{{1,3}})?\+?(?:[\s.]|\Z)))"""
_ALONE += r"""(?=["'`]|\S{0,60}[\d!@#$%^&+?~]|\S{1,60}[ \t.]{0,3}(?:\n|\\n|\||\Z))"""
_ASSIGN = (
    rf"(?:(?:{_MARKUP}:|:{_MARKUP})[ \t]{{0,3}}{_ALONE}"
    r"""|\\{0,3}(?:["'`]|u0022)?\]?[ \t]{0,3}(?:={2,3}(?=[ \t]{0,3}["'`])|:=|=>|->|=(?!=)"""
    r"""|:[ \t]?[A-Za-z]\w{2,15}\??[ \t]?=(?!=)|:)[ \t]{0,3}\\{0,3}(?:u0022)?)"""
)
_LITERAL = r"""("[^"\n]{1,3000}+"|'[^'\n]{1,3000}+'|`[^`\n]{1,3000}+`|[^\s"'`,;&|<>]{1,3000})"""
_QUOTED = r"""("[^"\n]{3,200}"|'[^'\n]{3,200}')"""
_KEYS = "api|access|auth|signing|encryption|private|account|master|session|license|pre-shared|preshared|client|jwt|hmac"
_STRONG = rf"(?:secret|token(?!iz)|(?:{_KEYS})[_-]?key|credentials?|psk|_pat(?![a-z]))"
_STRONG_NEEDLES = "secret|token|credential|psk|_pat|" + "|".join(
    f"{word}{sign}key" for word in _KEYS.split("|") for sign in ("", "_", "-")
)
_PASSWORD = (
    rf"(?:{PASSWORDS}"
    r"|(?<=[A-Za-z])_pass|(?<=_)pass|(?<![A-Za-z0-9])pw(?=[:=])|(?<=[_.])pw(?=[ :=\"']))"
)
_PASSWORD_STARTS = "pass|_pass|pwd|pw:|pw=|pw\"|pw'|pw |kennwort|contrase|senha|пароль|密码|パスワード"
_PASSWORD_NEEDLES = "passw|passphrase|_pass|pwd|pw:|pw=|_pw|.pw|kennwort|contrase|senha|пароль|密码|パスワード"
# The words for a password as people say them, and those that may stand between such a word and what it is: "for the
# panel", "(staging)", "I use". A noun right behind it makes it speak of something else: "password policy is NIST".
_SAID = (
    r"(?:passw(?:or)?ds?|passphrase|passcode|pw|(?:\w{2,20})?(?:passwort|kennwort)|(?<!de )mot de passe|mdp"
    r"|contrase(?:ñ|n)a|senha|palavra-passe|parola d'ordine|(?:la|mi|tu|su|nuestra) clave(?= es )|wachtwoord"
    r"|(?:wi-?fi|wlan|network)[ -](?:key|schlüssel)|pin(?: code)?(?= (?:is|ist)|:)|pass(?= (?:is|ist) ))"
)
_FOR = (
    r"(?:(?:\s?[,(]|\s(?:for|of|on|in|from|at|to|with|i|we|you|that|which|here|should|für|vom|von|am|beim|zum|im|in|auf"
    r"|der|des|du|de|pour|sur|del|para|от|для|к)\b)[^\n.;:=]{0,40}?)?"
)
_WORD = r"([^\s\"'`,;<>()\[\]{}]{6,80})"
_LOGINS = r"(?:login|log ?in|логин)"
_ACCESS = r"(?:pass|pwd|creds?|credentials|pin(?: code|(?=:| is))|zugangsdaten|clave|доступ)"  # "pin it to" is a verb
_SAID_STARTS = (
    "palavra-passe|parola d'ordine|wifi|wi-fi|wlan|network|la clave|mi clave|tu clave|su clave|nuestra clave"
    "|pass|pw|kennwort|mot de passe|mdp|contrase|senha|wachtwoord|pin|парол|密码|密碼|パスワード"
)
_ACCESS_STARTS = _SAID_STARTS + "|cred|zugangsdaten|clave|доступ"
_SAID_BACK = 20  # "Datenbankpasswort" begins before the word for it
_KEY_WORDS = "key|token|secret|credential|schlüssel|clé|clave|ключ|токен|密钥|令牌|トークン"
_SAID_NEEDLES = (
    "palavra-passe|parola d'|wifi key|wi-fi key|wlan-schl|network key"
    "|passw|passphrase|passcode|pass |pass:|pwd|pw |pw:|creds|credential|pin |pin:|kennwort|zugangsdaten"
    "|mot de passe|mdp|contrase|clave|senha|wachtwoord|парол|密码|密碼|パスワード"
)
_BETWEEN = (
    r"(?:[,:]?[ ]{1,2}[\w'’/.:@-]{1,24}){0,6}?(?:[,:]?[ ]{1,2}(?:[-–—=:/][ ]{1,2})?|[=:是は为][ ]{0,2})[\"'`(]?"
    rf"(?=[^\s\"'`,;<>()\[\]{{}}]{{0,80}}[\d!@#$%^&*+?~§]){_V}{_WORD}"
)

_BLOCK_LINE = rf"(?!\w{{2,10}}://){_V}\S{{16,400}}(?=[ \t]{{0,9}}\r?(?:\n|\Z))"  # of YAML: one word

# What others call a password: what is looked for, the word, and what links it to its value.
_ABROAD = (
    ("hasł", r"\bhasł[oa]", r"do \S{2,20} to|to|jest|brzmi"),
    ("şifre|parola", r"\bşifre(?!li|le[^r])|\bparola(?= este |:|sı)", "este"),
    ("lösenord|passord|adgangskode", "lösenord|passord|adgangskode", "är|er"),
    ("salasana", "salasana", "on"),
    ("heslo", r"\bheslo", r"je|k \S{2,20} je"),
    ("jelszó|jelsza", "jelszó|jelsza", "most"),
    ("δικ", "κωδικός|κωδικό", "είναι|πρόσβασης είναι"),
    ("비밀번호", "비밀번호", "는"),
    ("كلمة ال", "كلمة (?:المرور|السر)", "هي"),
    ("סיסמ", "סיסמ[הא]", "היא"),
    ("पासवर्ड", "पासवर्ड", "है"),
    ("kata sandi", "kata sandi", "adalah|ialah"),
    ("mật khẩu", "mật khẩu", "là"),
)

_CERTAIN: tuple[Rule, ...] = (
    _rule(
        "private-key",
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE"
        r" KEY[A-Z ]{0,10}-----|\Z)",
    ),
    # the second half of a pair stands beside the first
    _rule(
        "aws-key",
        "akia|asia",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9+/\n]{1,10}(?:\w{0,24}[^A-Za-z0-9+/]{1,6})?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
        starts="AKIA|ASIA",
    ),
    *_tokens(),
    _rule(
        "webhook",
        "hooks.slack.com|discord.com/api/webhooks|discordapp.com/api/webhooks|webhook.office.com",
        r"https?://(?:hooks\.slack\.com/(?:services|workflows)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks"
        r"|[\w.-]{1,80}webhook\.office\.com)/[^\s\"'<>]{8,300}",
    ),
    _rule(
        "api-key",
        "sk-",
        r"\bsk-(?:[a-z0-9]{1,10}-){0,3}[A-Za-z0-9_-]{16,250}",
        lambda value: any(c.isdigit() for c in value) or is_mixed(value),
        starts="sk-",
    ),
    _rule("sendgrid-key", "sg.", r"\bSG\.[\w-]{12,40}\.[\w-]{12,80}", starts="SG."),
    _rule("mailgun-key", "key-", r"\b(?:pub)?key-[0-9a-f]{32}\b", starts="pubkey-|key-"),
    _rule("twilio-key", "twilio|account_sid|accountsid|auth_token", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    _rule("mailchimp-key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b", starts="-us", ahead=32),
    _rule("google-key", ":apa91b", r"\bAAAA[\w-]{7}:APA91b[\w-]{100,200}"),
    _rule("cloudflare-key", "v1.0-", r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}"),
    _rule("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b", starts="pat"),
    _folded("okta-token", "ssws ", rf"\bssws {_V}([\w-]{{30,60}})", is_mixed),
    # what is private of a key as JSON and as PuTTY write it
    _rule("private-key", '"kty"', r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,3}:\s{0,3}\"([\w-]{30,800})\""),
    _rule(
        "private-key",
        "private-lines:",
        r"Private-Lines: \d{1,3}\r?\n([A-Za-z0-9+/=]{1,80}(?:\r?\n[A-Za-z0-9+/=]{1,80}(?![^\r\n])){0,98})",
    ),
    _rule("telegram-token", ":aa", r"\b\d{8,10}:AA[\w-]{30,40}"),
    _rule("discord-token", "discord", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    _rule("azure-key", "q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    _rule("terraform-token", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,90}"),
    _rule("jwt", "eyj", r"\beyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,4000})?", starts="eyJ"),
)


def _is_userinfo(value: str) -> bool:
    """Whether what stands before a host is a password: no variable and no word that marks its place."""
    return not re.match(r"[$%{<]", value) and not is_code(value) and not is_foreign_prose(value)


_DATABASES = "postgres://|postgresql://|mysql://|mongodb://|mongodb+srv://|redis://|amqp://|amqps://|mariadb://"
_ADDRESSES = (
    _rule(
        "password",
        "://",
        rf"\b[A-Za-z][A-Za-z0-9+.-]{{1,30}}://[^\s:/@'\"<>\[]{{0,100}}:{_V}([^\s'\"<>/]{{1,200}})@",
        _is_userinfo,
        starts="://",
        back=31,
    ),
    # a password with a slash in it, which the one who wrote it forgot to encode
    _rule(
        "password",
        _DATABASES,
        rf"\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqps?|mariadb)://[^\s:/@'\"<>\[]{{0,60}}:{_V}"
        r"([^\s'\"<>@]{1,100})@[\w.-]{1,100}[:/?\s]",
        _is_userinfo,
        starts=_DATABASES,
    ),
    _folded("password", "%3a%2f%2f", rf"%3a%2f%2f[^\s:/@]{{0,60}}?%3a{_V}([^\s%\"']{{3,100}})%40", _is_userinfo),
    _rule("token", "://", rf"://{_V}([A-Za-z0-9_-]{{16,200}})@[\w.-]", looks_random, starts="://"),
    _folded(
        "azure-key",
        "accountkey=|sharedaccesskey=|sharedaccesssignature=",
        r"(?:accountkey|sharedaccesskey|sharedaccesssignature)=([^\s;\"']{10,400})",
    ),
    _folded(
        "signature",
        "sig=|x-amz-signature=|x-goog-signature=|x-amz-credential=|x-amz-security-token=",
        r"(?:[?&](?:sig|x-amz-signature|x-goog-signature|x-amz-credential|x-amz-security-token)=)"
        rf"{_V}([^\s&\"'<>]{{12,1600}})",
    ),
    _folded(
        "token",
        "?key=|&key=|?auth=|&auth=|?code=|&code=|?apikey=|&apikey=",
        rf"[?&](?:key|auth|code|apikey)={_V}([^\s&\"'<>#]{{12,400}})",
        lambda value: looks_random(value) and not is_name(value),
    ),
)
_HEADERS = (
    _folded(
        "authorization",
        "authorization",
        rf"(?:authorization)\\{{0,3}}[\"']?\s{{0,3}}[:=,]\s{{0,3}}\\{{0,3}}[\"'`]?(?:(?:bearer|basic|token"
        rf"|digest|apikey|ssws"
        rf"|negotiate)\s{{1,3}})?{_V}([A-Za-z0-9._~+/=:-]{{8,4000}}+)(?!\*)",
        is_mixed,
    ),
    _folded("bearer-token", "bearer", rf"(?:\bbearer)[ \t]{{1,3}}{_V}([A-Za-z0-9._~+/=-]{{12,4000}})", is_mixed),
    _folded(
        "authorization", "basic ", rf"\bbasic[ \t]{{1,3}}{_V}([a-z0-9+/]{{8,400}}={{0,2}})", is_basic, starts="basic "
    ),
    _folded(
        "cookie",
        "cookie",
        rf"(?:\b(?:set-)?cookie)\\{{0,3}}[\"']?\s{{0,3}}[:=,]\s{{0,3}}\\{{0,3}}[\"']?{_V}([^\n\"'\[\\]{{8,4000}})",
        is_jar,
    ),
    _folded(
        "cookie",
        "sessionid=|session_id=|connect.sid=|phpsessid=|jsessionid=|csrftoken=|_session=|sid=",
        rf"(?:sessionid|session_id|connect\.sid|phpsessid|jsessionid|csrftoken|_session"
        rf"|\bsid)={_V}([^\s;&\"'\[]{{8,400}})",
        lambda value: looks_random(value) and not is_name(value),
    ),
    _folded(
        "token",
        "api-key:|apikey:|auth-token:|access-token:|-token:|-key:|-secret:",
        rf"\bx-[\w-]{{0,30}}(?:key|token|secret|auth):[ \t]{{0,3}}{_V}([^\s\"'`]{{8,400}})",
        lambda value: looks_random(value),
    ),
)
_PROGRAMS = (
    "htpasswd|redis-cli|docker login|podman login|helm registry login|az login|az acr login|oras login"
    "|buildah login|skopeo login"
    "|oc login|sqlcmd|bcp |ldapsearch|ldapmodify|ldapadd|ldapdelete|ldapwhoami|7z |7za |unrar|zip -|ssh-keygen"
    "|rabbitmqctl"
    "|-storepass|-keypass|pass:|net user|aws configure set|gh secret set|gh variable set|glab variable set"
    "|--secret-string|keyvault secret set|put-parameter|mc alias set|rclone config|net use "
)
_FLAGS = (
    _rule(
        "password",
        "curl|http|wget|xh ",
        r"(?<=\s)(?:-u|--user|-a|--auth|--proxy-user)[ =]{0,2}[\"']?[^\s:\"'\[]{1,60}:(?!\[secret:)([^\s\"']{3,200})",
        is_password,
        starts="-u|--user|-a |--auth|--proxy-user",
    ),
    _rule(
        "password",
        "sshpass|mongo",
        rf"\b(?:sshpass|mongo\w{{0,8}})\b[^\n|;&]{{0,120}}?\s-p[ ]?[\"']?{_V}([^\s\"'\[-][^\s\"']{{2,100}})",
        lambda value: not value.isdigit() and not is_code(value),
    ),
    # behind a blank these take a word for the name of a database, and ask
    _rule(
        "password",
        "mysql|mariadb",
        rf"\b(?:mysql|mariadb)\w{{0,8}}\b[^\n|;&]{{0,120}}?\s-p(?:[\"']?(?=\S)"
        rf"| (?=\S{{0,30}}[\d!#%&*@]))[\"']?{_V}([^\s\"'\[-][^\s\"']{{2,100}})",
        lambda value: not value.isdigit() and not is_code(value),
    ),
    _rule(
        "password",
        "--pass|--pwd|-pass|password=",
        rf"--(?:[a-z]+-)?(?:password|passwd|passphrase|pass|pwd)[ =]{{1,2}}{_V}{_LITERAL}",
        is_password,
    ),
    _rule(
        "token",
        "--token|-token|--api-key|--apikey|--secret|-secret|--auth|--key",
        rf"--?(?:[a-z]+-)?(?:token|api-?key|secret|auth-?token|access-?token|key)[ =]{{1,2}}{_V}{_LITERAL}",
        looks_random,
    ),
    # programs that take a password as a word of their own
    _rule(
        "password",
        _PROGRAMS,
        r"(?:htpasswd\s(?:-\w+\s){1,3}\S{1,80}\s\S{1,40}\s|redis-cli\b[^\n|;&]{0,80}?\s(?:-a|--pass)\s"
        r"|(?:docker|podman|helm|az|oras|buildah|skopeo|oc)\s(?:\w+\s)?login\b[^\n|;&]{0,160}?\s-p[ =]?"
        r"|(?:sqlcmd|bcp)\b[^\n|;&]{0,120}?\s-P\s?|ldap\w{3,8}\b[^\n|;&]{0,160}?\s-w\s|(?:7za?|unrar)\s[^\n"
        r"|;&]{0,80}?\s?-p(?=\S)"
        r"|zip\s[^\n|;&]{0,80}?-P\s|ssh-keygen\b[^\n|;&]{0,160}?\s-N\s|rabbitmqctl\s(?:add_user"
        r"|change_password)\s\S{1,40}\s"
        r"|--secret-string[ =]|(?:keyvault secret set|put-parameter)\s-[^\n|;&]{0,160}?--value[ =]"
        r"|mc alias set(?:\s\S{1,80}){3}\s"
        r"|rclone config (?:create|update|password)\b[^\n|;&]{0,160}?\s(?:\w{0,20}(?:secret|token)\w{0,20}|pass)[ =]"
        r"|net use\s(?:[A-Za-z]:\s)?\\\\\S{1,80}\s(?!/)"
        r"|-(?:store|key)pass\s|(?<![\w-])pass:(?=\S)|net user\s\S{1,40}\s|aws configure set\s\w{1,40}(?:secret"
        r"|token|key)\w{0,20}\s"
        rf"|(?:gh|glab)\s(?:secret|variable) set\s[^\n|;&]{{0,80}}?(?:--body|-b|-v|--value)[ =]){_V}{_LITERAL}",
        is_password,
        starts=_PROGRAMS,
    ),
    _rule("token", "vault login", rf"vault login\s{_V}{_LITERAL}", looks_random, starts="vault login"),
    # what is piped into one that reads a password
    _rule(
        "password",
        "sudo -s|chpasswd|--password-stdin|--with-token|--passphrase-fd|secret set|secret put|secrets create"
        "|secrets versions|env add",
        r"(?:echo|printf)\s(?:-[ne]\s)?(?=[^\n|]{3,300}\|\s?(?:sudo\s-S|(?:sudo )?chpasswd"
        r"|\w[^\n]{0,80}(?:--password-stdin"
        r"|--with-token|--passphrase-fd|secret set|secret put|secrets create|secrets versions add|env add)))"
        rf"{_V}{_LITERAL}",
        lambda value: is_password(value) and (" " not in value or is_phrase(value)),
        starts="echo|printf",
    ),
    _rule(
        "password",
        "smbclient|cifs|net use",
        rf"(?:\s-U\s?|username=)[\w.\\-]{{1,40}}%{_V}([^\s\"',]{{3,80}})",
        is_password,
    ),
    # values given to a store of secrets
    _rule(
        "secret",
        "--from-literal|secrets set|config:set|kv put|env:set|secrets:set|secret put",
        rf"(?:--from-literal[ =]|\b(?:secrets? set|config:set|kv put|env:set|secrets:set"
        rf"|secret put)\s(?:[^\s=]{{1,80}}\s){{0,3}})"
        rf"[\"']?[\w.-]{{1,60}}={_V}{_LITERAL}",
        is_password,
    ),
    _rule(
        "secret",
        "<<<",
        r"(?:secret set|secret put|secrets create|env add|--password-stdin|--with-token)\b[^\n|;&]{0,80}<<<\s?"
        rf"{_V}{_LITERAL}",
        is_password,
    ),
    # settings of servers that have a word of their own for a password
    _rule(
        "password",
        "requirepass|masterauth|bindpw|rootpw",
        rf"(?<![\w-])(?:requirepass|masterauth|bindpw|rootpw)[ \t]{{1,9}}{_V}{_LITERAL}",
        said_password,
    ),
    _folded(
        "password",
        "convertto-securestring|networkcredential(",
        r"(?:convertto-securestring\s(?:-string\s)?|networkcredential\(\s?[\"'][^\"'\n]{1,80}[\"'],\s?)"
        rf"{_V}{_QUOTED}",
        is_password,
    ),
    _rule(
        "secret",
        "config set",
        rf"\bconfig set\s(?:--\w{{1,20}}\s)?\S{{0,80}}(?i:token|auth|secret|passw\w*)\S{{0,20}}\s{_V}{_LITERAL}",
        is_password,
    ),
    # what a shell takes up: an exported value that is no word, a word handed to standard input
    _rule(
        "env-value",
        "export |setenv |$env:|set -gx",
        rf"(?:\bexport[ \t]{{1,3}}[A-Za-z_]\w{{0,60}}=|\b(?:setenv|set -gx)[ \t]{{1,3}}[A-Za-z_]\w{{0,60}}[ \t]"
        rf"|\$env:\w{{1,60}}[ \t]?=[ \t]?){_V}{_LITERAL}",
        lambda value: (looks_random(value) or in_passing(value)) and not is_name(value),
        starts="export |setenv |set -gx|$env:",
        about=names_a_secret,
    ),
)
_GIVEN = "|".join(word + sign for word in ("value", "default") for sign in ('":', '\\":', "':", ": ", "=", " =", '" :'))
_ASSIGNED = (
    # what holds when a variable of a shell is empty
    _folded(
        "password",
        "${",
        rf"\$\{{\w{{0,40}}?{_PASSWORD}\w{{0,20}}:?[-=]{_V}([^}}\s]{{3,200}})\}}",
        is_password,
        starts="${",
        about=names_a_secret,
    ),
    _folded(
        "secret",
        "${",
        rf"\$\{{\w{{0,40}}?(?:{_STRONG}|_key)\w{{0,20}}:?[-=]{_V}([^}}\s]{{8,200}})\}}",
        looks_random,
        starts="${",
        about=names_a_secret,
    ),
    _rule(
        "secret",
        "_secret=",
        rf"\b(?:JWT|SESSION|COOKIE|AUTH|NEXTAUTH|APP|SIGNING|CLIENT|WEBHOOK|HMAC)_SECRET=(?!=){_V}{_LITERAL}",
        lambda value: is_password(value) and not is_name(value),
    ),
    _folded(
        "password",
        _PASSWORD_NEEDLES,
        rf"(?:{_PASSWORD}){_NAME}{_ASSIGN}{_V}{_LITERAL}",
        is_password,
        starts=_PASSWORD_STARTS,
        about=names_a_secret,
    ),
    _folded(
        "secret",
        _STRONG_NEEDLES,
        rf"(?<!\[)(?:{_STRONG}){_NAME}{_ASSIGN}{_V}{_LITERAL}",
        looks_random,
        starts=_STRONG_NEEDLES,
        about=names_a_secret,
    ),
    _rule(
        "secret",
        "_key",
        rf"\b[A-Z0-9_]{{2,40}}_KEY{_ASSIGN}{_V}{_LITERAL}",
        looks_random,
        starts="_KEY",
        back=40,
        about=names_a_secret,
    ),
    _folded(
        "secret",
        '"auth"|_auth|identitytoken',
        rf"(?:\"auth\"|\b_auth|identitytoken){_ASSIGN}{_V}{_LITERAL}",
        looks_random,
    ),
    # <password>…</password>, <add key="DbPassword" value="…"/>, name: DB_PASSWORD / value: …, default = …
    _folded(
        "password",
        _PASSWORD_NEEDLES,
        rf"(?:{_PASSWORD})[\w:.-]{{0,20}}(?:\s[^<>]{{0,100}})?>\s{{0,20}}{_V}([^<\s][^<\n]{{2,300}})</",
        is_password,
        starts=_PASSWORD_STARTS,
        about=lambda tag: names_a_secret(tag.partition(">")[0].partition(" ")[0]),
    ),
    _folded(
        "secret",
        _STRONG_NEEDLES,
        rf"{_STRONG}[\w:.-]{{0,20}}(?:\s[^<>]{{0,100}})?>\s{{0,20}}{_V}([^<\s][^<\n]{{2,300}})</",
        looks_random,
        starts=_STRONG_NEEDLES,
        about=lambda tag: names_a_secret(tag.partition(">")[0].partition(" ")[0]),
    ),
    _folded(
        "password",
        _GIVEN,
        rf"(?:{_PASSWORD})[\w.-]{{0,30}}\\{{0,3}}[\"']?[\s,;{{]{{1,30}}\\{{0,3}}[\"']?(?:value|default)\\{{0,3}}[\"']?"
        rf"\s{{0,3}}[:=]\s{{0,3}}\\{{0,3}}{_V}{_LITERAL}",
        is_password,
        starts=_PASSWORD_STARTS,
    ),
    _folded(
        "secret",
        _GIVEN,
        rf"{_STRONG}[\w.-]{{0,30}}\\{{0,3}}[\"']?[\s,;{{]{{1,30}}\\{{0,3}}[\"']?(?:value|default)\\{{0,3}}[\"']?"
        rf"\s{{0,3}}[:=]\s{{0,3}}\\{{0,3}}{_V}{_LITERAL}",
        looks_random,
        starts=_STRONG_NEEDLES,
    ),
    # a block of YAML, a call, a pair of arguments, a statement of SQL
    _folded(
        "password",
        _PASSWORD_NEEDLES,
        rf"(?:{_PASSWORD}){_NAME}[\"']?(?::[ \t]{{0,3}}[|>][-+]?[ \t]{{0,3}}\n[ \t]|[ \t]?=[ \t]?(?:\"{{3}}|'{{3}})\n)"
        rf"[ \t]{{0,30}}{_V}(\S[^\n]{{2,200}})",
        is_password,
        starts=_PASSWORD_STARTS,
    ),
    _folded(
        "secret",
        _STRONG_NEEDLES,
        rf"{_STRONG}{_NAME}[\"']?:[ \t]{{0,3}}[|>][-+]?[ \t]{{0,3}}\r?\n[ \t]{{1,30}}"
        rf"({_BLOCK_LINE}(?:[ \t]{{0,9}}\r?\n[ \t]{{1,30}}{_BLOCK_LINE}){{0,98}})",
        lambda value: looks_random(value.split()[0]),
        starts=_STRONG_NEEDLES,
    ),
    _folded(
        "password",
        _PASSWORD_NEEDLES,
        rf"(?:{_PASSWORD})\w{{0,20}}(?:\(\s{{0,3}}|[\"']\s{{0,3}},\s{{0,3}}){_V}{_QUOTED}",
        said_password,
        starts=_PASSWORD_STARTS,
    ),
    _folded(
        "password",
        "gen_salt(",
        rf"\bcrypt\(\s{{0,3}}{_V}{_QUOTED}\s{{0,3}},\s{{0,3}}gen_salt\(",
        is_password,
        starts="crypt(",
    ),
    _folded(
        "password",
        "password '|password \"|identified by|identified with",
        rf"(?:\bpassword|\bidentified (?:with \w{{1,30}} )?by(?: password)?)\s{{1,3}}{_V}{_QUOTED}",
        is_password,
    ),
)
_SPOKEN = (
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?:\b{_SAID}\b|парол[ья]|密[码碼]|パスワード){_FOR}"
        r"(?:(?:\s(?:is|ist|lautet|est|c'est|es|é|è|was|to|be|are|heißt|это)|'s)\b|[ \t]{0,2}[:=]|\s[—–-](?=\s)"
        r"|是|は|为)"
        r"(?:\s(?:still|now|just|currently|always|simply|again|immer noch|noch|jetzt|toujours|sigue siendo|всё ещё))?"
        rf"[ \t]{{0,3}}{_V}{_LITERAL}",
        said_password,
        starts=_SAID_STARTS,
        back=_SAID_BACK,
    ),
    _folded(
        "secret",
        _KEY_WORDS,
        r"(?<!\[)(?:\b(?:key|token|secret|credentials?|schlüssel|clé|clave)\b|ключ|токен|密钥|令牌|トークン)"
        # word by word and never back: several times faster than sign by sign
        r"(?:[^\s:=—–是は为]{0,24}+[ \t:=—–是は为]{1,4}+[\"'`]?){0,6}?[^\s:=—–是は为]{0,24}+[\s:=—–是は为]{1,4}+[\"'`]?"
        rf"{_V}([A-Za-z0-9+/_=.~-]{{16,400}})",
        lambda value: looks_random(value) and not is_name(value),
        starts=_KEY_WORDS,
    ),
    *(
        _folded(
            "password",
            needles,
            rf"(?:{words})\w{{0,6}}(?: (?:{links})(?!\w)|[ \t]{{0,2}}[:=]| (?=\S{{0,80}}\d))[ \t]{{0,3}}{_V}"
            rf"{_WORD[:-1]}|\"[^\"\n]{{3,200}}\"|'[^'\n]{{3,200}}'|`[^`\n]{{3,200}}`)",
            said_abroad,
        )
        for needles, words, links in _ABROAD
    ),
    # a digest that is called a key is one
    _folded(
        "secret",
        " key:| key =| key is",
        rf"\b(?:{_KEYS}) key(?::| =| is) {{1,2}}[\"'`]?{_V}([0-9a-f]{{32,128}})(?![\w-])",
    ),
    # said in passing: "the panel password, if you need it, Kranich!7", "pw for staging Foo.Bar9", "креды admin Qwe!12"
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?:\b(?:{_SAID}|{_ACCESS})\b|парол[ьяюе]|密[码碼]|パスワード){_BETWEEN}",
        in_passing,
        starts=_ACCESS_STARTS,
        back=_SAID_BACK,
    ),
    _folded("password", "login|log in|логин", rf"\b{_LOGINS}\b{_BETWEEN}", in_login, starts="login|log in|логин"),
    # the other way round: "Kranich!7 is the panel password", "use Kranich!7 as password"
    _folded(
        "password",
        _SAID_NEEDLES,
        rf"(?<!\S)[\"'`(]?{_WORD}[\"'`)]?,? (?:is|was|as|for|that'?s|which is|it'?s|ist|als|est|comme|es|como)"
        rf"(?: (?:the|my|our|your|a|das|mein|unser|le|mon|notre|la|mi|nuestra))?"
        rf"(?: [\w'’-]{{1,20}}){{0,3}}? (?:{_SAID}|{_ACCESS})\b",
        in_passing,
        starts=_ACCESS_STARTS,
        ahead=240,
    ),
    # a phrase of plain words: "the passphrase is correct horse battery staple"
    _folded(
        "password",
        "phrase|passwort|passwor|mot de passe|contrase|mnemonic",
        r"(?:(?:pass|recovery|seed|backup) ?phrase|mnemonic|passwords?|passwort|mot de passe|contrase(?:ñ"
        r"|n)a)(?: (?:is|ist|lautet|est|es)|:)[ ]{1,2}"
        rf"[\"'`“]?{_V}((?:[^\W\d_]{{3,14}}[ -]){{3,23}}[^\W\d_]{{3,14}})",
        is_phrase,
    ),
)

# -- codes: a few digits that only their name gives away --------------------------------------------------------------

_FACTORS = (
    "one-time|one time|verification|2fa|mfa|two-factor|two factor|otp|auth|authentication|authenticator|login|log in"
    "|sign-in|sign in|security|access|confirmation|backup|recovery|door|gate|alarm|unlock|entry|sms|card|sim|vault|safe"
)
_COMPOUNDS = "einmal|bestätigungs|sicherheits|verifizierungs|tür|zugangs|freigabe|2fa-|sms-|mfa-"
_TOGETHER = "verificatie|beveiligings|toegangs|inlog|sms-|pin"
_NO_OTHER = (
    "otp|totp|passcode|puk|tan|code pin|code à usage unique|code confidentiel|code secret|code d'accès|code sms"
    "|code de vérification|code de validation|code de sécurité|code de confirmation|code de la porte|código pin"
    "|código de verificación|código de verificação|código de seguridad|código de segurança|código de acceso"
    "|código de acesso|código de un solo uso|código de confirmación|codice pin|codice di verifica|codice di sicurezza"
    "|codice di accesso|codice di conferma|codice otp|codice monouso|пин код|пин-код|пинкод|pin-код"
    "|код подтверждения|код из смс|код доступа|код безопасности|одноразовый код|одноразовый пароль|验证码|驗證碼|校验码"
    "|动态码|动态口令|暗証番号|認証コード|確認コード|ワンタイムパスワード|인증번호|인증 코드"
)
_CODE_NOUNS = (
    rf"(?:{_FACTORS})[ -]{{1,2}}(?:code|pin|passcode|password|combination|number)s?|pin[ -]?(?:code|nummer|码)?"
    rf"|(?:{_COMPOUNDS})(?:code|passwort|pin)|(?:{_TOGETHER})code|{_NO_OTHER}"
)
_CODE_STARTS = f"{_FACTORS}|{_COMPOUNDS}|{_TOGETHER}|{_NO_OTHER}"
# Short where letters have a case beyond ASCII: every spelling of a needle stands in the automaton.
_CODE_NEEDLES = (
    "code|pin|password|combination|number|otp|puk|tan|código|codice|код |-код|пин|однор|验证码|驗證碼|校验码|动态"
    "|暗証番号|認証コード|確認コード|ワンタイム|인증"
)
_IS = r"(?:\s(?:is|ist|lautet|was|est|es|è|é|war)\b|\s?[:=：]|\s?[是は为이는])"
_NO_MORE = r"(?![0-9A-Za-z_]|[.,:/-]\d)"
_DIGITS = rf"(\d{{4,8}}|\d{{3}}[ -]\d{{3}}){_NO_MORE}"
_SPOKEN_CODES = (
    _folded(
        "code",
        _CODE_NEEDLES,
        rf"(?<![a-z0-9_-])(?:{_CODE_NOUNS}){_FOR}{_IS}[ \t]{{0,3}}[\"'`]?{_V}{_DIGITS}",
        is_spoken_code,
        starts=_CODE_STARTS,
    ),
    # without a word between: a noun that means nothing else
    _rule(
        "code",
        "pin |otp |2fa code|mfa code|verification code|authenticator|код |动态码|验证码",
        r"(?:\b(?:PIN|OTP|TOTP)|\b(?i:2fa|mfa|one-time|verification) code|(?i:пин-?код|код подтверждения|код из смс)"
        rf"|验证码|动态码|(?i:authenticator)(?: app)? (?:says|shows|gives|displays))\s{{1,2}}{_V}{_DIGITS}",
        is_spoken_code,
    ),
    # "the code is 482913": six digits, and nothing that says which code
    _folded(
        "code",
        "code is|code ist|code est|código es|código é|codice è",
        r"(?<![\w-])(?:the|my|your|der|mein|le|mon|el|mi|il|o|de)\s(?:code|código|codice)\s(?:is|ist|est|es|è|é)\s{1,2}"
        rf"(?:now\s)?{_V}(\d{{6}}|\d{{3}}[ -]\d{{3}}){_NO_MORE}",
    ),
    # the other way round, as messages to a telephone say it
    _folded(
        "code",
        "is your|as your|is the|as the|is my|as my",
        rf"(?<![\w.:/#-])(?:g-)?{_V}(\d{{4,8}}|\d{{3}}[ -]\d{{3}}) (?:is|as) (?:your|the|my) "
        rf"(?:[\w'-]{{1,20}} ){{0,3}}?(?:(?:{_FACTORS})[ -](?:code|pin|password|passcode)|otp|passcode|pin)\b",
        is_spoken_code,
        starts="code|pin|password|passcode|otp",
        ahead=110,
    ),
    _folded(
        "code",
        "is your",
        rf"(?<![\w.:/#-])(?:g-)?{_V}(\d{{5,8}}) is your (?:[\w'-]{{1,20}} ){{0,3}}?code\b",
        starts="code",
        ahead=90,
    ),
)
_LOGIN = "basic auth|log in|login|sign in|anmelden"
_CODES = "token|api key|api-key|apikey|license key|licence key|backup code|recovery code|access code|psk|pre-shared"
_LINES = (
    # lines of .pgpass and .netrc, and what passwords are hashed to
    _rule(
        "password",
        ":5432:|:*:|:5433:|:3306:|:6432:",
        rf"(?m)^[\w.*-]{{1,80}}:(?:\d{{1,5}}|\*):[\w*-]{{1,60}}:[\w*-]{{1,60}}:{_V}(\S{{3,100}})$",
    ),
    _folded(
        "password",
        "login ",
        rf"\blogin\s{{1,20}}\S{{1,60}}\s{{1,20}}password\s{{1,5}}{_V}(\S{{3,100}})",
        starts="login",
    ),
    _rule(
        "password-hash",
        "$2|$6$|$5$|$1$|$apr1$|$argon2|$y$",
        r"\$(?:2[aby]|[156y]|apr1|argon2\w{0,2})\$[./A-Za-z0-9$=,+]{20,200}",
    ),
    # "user: deploy / password / Foo9" on lines of their own, and "admin:Foo9" around a word for logging in
    _folded(
        "password",
        "passw|kennwort|passwort",
        rf"\b{_SAID}[ \t]{{0,3}}:?[ \t]{{0,3}}\n[ \t]{{0,8}}{_V}{_WORD}",
        in_passing,
        starts=_SAID_STARTS,
        back=_SAID_BACK,
    ),
    _folded(
        "password",
        _LOGIN,
        rf"\b(?:basic auth|log ?in|sign in|login|anmelden)(?: (?:with|as|using|mit|is|are"
        rf"|by))?[ :]{{1,2}}{_V}([\w.@-]{{2,30}}[:/][^\s/:,;]{{5,40}})",
        is_account,
        starts=_LOGIN,
    ),
    _folded(
        "password",
        "|".join(
            f" {to} {what}" for to in ("to", "for") for what in ("log", "sign in", "the login", "basic auth", "auth")
        ),
        rf"(?<![\w/.:-]){_V}([a-z][\w.@-]{{1,30}}[:/][^\s/:,;]{{5,40}}) (?:to|for) (?:log ?in|login|sign in"
        rf"|the login|basic auth|auth)\b",
        is_account,
    ),
    _folded(
        "secret",
        _CODES,
        r"\b(?:token|api[ -]?key|licen[sc]e key|backup codes?|recovery codes?|access code|psk"
        rf"|pre-shared key)\b{_FOR}"
        rf"(?:\s(?:is|are|ist|lautet|est|es|это)\b|:|是|は)\s{{0,3}}[\"'`]?{_V}([^\s\"'`,;<>()\[\]{{}}]{{8,80}})",
        is_short_secret,
        starts=_CODES,
    ),
)

RULES: tuple[Rule, ...] = (*_CERTAIN, *_ADDRESSES, *_HEADERS, *_FLAGS, *_ASSIGNED, *_SPOKEN, *_SPOKEN_CODES, *_LINES)
SECRET_NAME = re.compile(rf"(?i)(?:{_PASSWORD}|{_STRONG})\Z")
