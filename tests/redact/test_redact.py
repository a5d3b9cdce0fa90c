"""Secrets and private spans leave a text; ordinary text stays as it is."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories import sized
from nous.kernel.capture.transcript import Turn
from nous.redact import engine, redact_text, redact_turn, without, without_contacts
from nous.redact.rules import RULES
from nous.redact.session import is_telling

_RANDOM = random.Random(7)


def chars(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(count))


HEX = "0123456789abcdef"
# The secrets are put together here so that no scanner mistakes this file for a leak.
SECRETS = {
    "aws id": "AKIA" + chars(16, string.ascii_uppercase + string.digits),
    "github": "ghp_" + chars(36),
    "github fine": "github_pat_" + chars(50),
    "gitlab": "glpat-" + chars(20),
    "slack": "xoxb-" + chars(12, string.digits) + "-" + chars(24),
    "stripe": "sk_live_" + chars(24),
    "stripe test": "sk_test_" + chars(24),
    "anthropic": "sk-ant-api03-" + chars(60),
    "openai": "sk-proj-" + chars(48),
    "google": "AIza" + chars(35),
    "sendgrid": "SG." + chars(22) + "." + chars(43),
    "npm": "npm_" + chars(36),
    "pypi": "pypi-" + chars(90),
    "hugging face": "hf_" + chars(34),
    "digitalocean": "dop_v1_" + chars(64, HEX),
    "telegram": "123456789:AA" + chars(33),
    "jwt": "eyJ" + chars(20) + ".eyJ" + chars(30) + "." + chars(40),
    "vault": "hvs." + chars(40),
}
VALUE = "q7" + chars(14)
PASSWORD = "Tr0ub4dor-x9"


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("frame", ["{}", "use {} for it", "KEY={}", '"token": "{}"', "curl -H 'X: {}'", "({}),"])
def test_a_named_secret_is_found_wherever_it_stands(name: str, frame: str) -> None:
    text, found = redact_text(frame.format(SECRETS[name]))
    assert SECRETS[name] not in text
    assert "[secret:" in text
    assert sum(found.values()) >= 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"postgres://app:{PASSWORD}@db.internal/app", PASSWORD),
        (f"mongodb+srv://u:{PASSWORD}@c0.example.net/x?y=1", PASSWORD),
        (f"redis://:{PASSWORD}@localhost:6379/0", PASSWORD),
        (f"https://user:{PASSWORD}@git.example.com/x.git", PASSWORD),
        (f"password={PASSWORD}", PASSWORD),
        (f"PASSWORD: {PASSWORD}", PASSWORD),
        (f"DB_PASSWORD='{PASSWORD}'", PASSWORD),
        (f'"password": "{PASSWORD}"', PASSWORD),
        ('{"db_password": "swordfish"}', "swordfish"),
        ("SMTP_PASS=letmein", "letmein"),
        ("PGPASSWORD=hunter psql", "hunter"),
        (f"the password is {PASSWORD}", PASSWORD),
        ("the password for staging is hunter2, ok?", "hunter2"),
        ("pw for root: password is `correct horse`", "correct horse"),
        (f"das Passwort lautet {PASSWORD}", PASSWORD),
        (f"le mot de passe est {PASSWORD}", PASSWORD),
        (f"la contraseña es {PASSWORD}", PASSWORD),
        (f"пароль: {PASSWORD}", PASSWORD),
        (f"密码是 {PASSWORD}", PASSWORD),
        (f"パスワードは {PASSWORD}", PASSWORD),
        (f"Authorization: Bearer {VALUE}{VALUE}", VALUE),
        (f"authorization: Basic {VALUE}==", VALUE),
        (f"use the bearer {VALUE}{VALUE} here", VALUE),
        (f"Cookie: session={VALUE}; theme=dark", VALUE),
        (f"Set-Cookie: sid={VALUE}; HttpOnly", VALUE),
        (f"AWS_SECRET_ACCESS_KEY={VALUE}{VALUE}{VALUE}", VALUE),
        (f"export STRIPE_KEY={VALUE}", VALUE),
        (f"api_key: {VALUE}", VALUE),
        (f"client_secret = '{VALUE}'", VALUE),
        (f"our maps api key is {VALUE}", VALUE),
        (f"the token for ci: {VALUE}{VALUE}", VALUE),
        (f"AccountKey={VALUE}{VALUE}==;EndpointSuffix=x", VALUE),
        (f"mysql -u root -p{PASSWORD} app", PASSWORD),
        (f"curl -u admin:{PASSWORD} https://x", PASSWORD),
        (f"sshpass -p {PASSWORD} ssh host", PASSWORD),
        ("sshpass -p uoxDbcShWmgSt ssh host", "uoxDbcShWmgSt"),
        (f"reset link https://app.example.org/reset-password/{VALUE}x", VALUE),
        (f"open https://app.example.org/u/magic-link/{VALUE}?next=/home", VALUE),
        (f"tool --password {PASSWORD} run", PASSWORD),
        (f"tool --token={VALUE} run", VALUE),
        (f"https://x.blob/y?sv=1&sig={VALUE}{VALUE}", VALUE),
        (f"https://hooks.slack.com/services/T000/B000/{VALUE}", VALUE),
        (f"set JWT_SECRET to {VALUE}", VALUE),
        (f"DB_PASSWORD should be {VALUE}", VALUE),
        (f"put DB_PASS {VALUE} into the env", VALUE),
        (f"OPENAI_API_KEY {VALUE}", VALUE),
        (f"`API_KEY` → `{VALUE}`", VALUE),
        (f"PAT: {VALUE}", VALUE),
        (f"the bearer is {VALUE}", VALUE),
        (f"openssl enc -aes-256-cbc -k {VALUE} -in x", VALUE),
        (f"sudo -S ls <<< {VALUE}", VALUE),
        (f"sqlplus -s scott/{VALUE}@db", VALUE),
        (f"git push https://{VALUE}@git.example.com/x", VALUE),
        (f'{{"private_key_id":"{VALUE}"}}', VALUE),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\ncut off", "b3BlbnNz"),
    ],
)
def test_a_secret_in_its_context_is_replaced(text: str, secret: str) -> None:
    clean, found = redact_text(text)
    assert secret not in clean
    assert found


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b fixed it",
        "session 7165e36b-9bb6-50b9-a309-c01cd3a0a1bc",
        "the token expires after 30 minutes",
        "password is required",
        "the password is stored hashed",
        "the password field must not be empty",
        "next_token = page.next_token",
        "const password = getPassword()",
        "password: string;",
        "def login(user: str, password: str) -> None:",
        "password=args.password",
        "password = os.environ['PW']",
        "secret: process.env.SECRET",
        "token=$TOKEN",
        "TOKEN=${TOKEN}",
        "primary key is order_item_id_2",
        "the key is in src/components/Keyboard/Layout2.tsx",
        "key: value",
        "foreign key to customers.id",
        "version 2.1.325 and 10.0.0.1:8080",
        "https://example.com/a/b?c=d#e",
        "git@github.com:owner/repo.git",
        "http://localhost:3000/users/@me",
        "we bear the cost, the bearer of news",
        "cookies are enabled by default",
        "sha256 of the lock file changed, see package-lock.json",
        "tokenizer = AutoTokenizer.from_pretrained('gpt2')",
        "the secret of good tests is small setups",
        "sk-learn is called scikit-learn",
        "use max_tokens=4096 and temperature=0.2",
        "pass the flag --no-verify; passing tests: 131",
        "PORT=3000",
        "the api key is read from Vault",
        "no api keys in the repo please",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact_text(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("panel admin password is still Reiher!Moor42 btw, log in and look", "Reiher!Moor42"),
        ("the keystore password is Fischotter", "Fischotter"),
        ("pw: otter221", "otter221"),
        ("pw for staging is Foo.Bar9", "Foo.Bar9"),
        ("pass is swordFish9", "swordFish9"),
        ("das Passwort vom Panel lautet noch Moor7Reiher!", "Moor7Reiher!"),
        ("das WLAN-Passwort ist Sommer2023", "Sommer2023"),
        ("le mot de passe du serveur c'est Loutre!42", "Loutre!42"),
        ("la contraseña de la base sigue siendo Nutria2024", "Nutria2024"),
        ("пароль от админки Vydra77!", "Vydra77!"),
        ("пароль: vydra775", "vydra775"),
        ("密码是 Shuita2024", "Shuita2024"),
        ("パスワードは Kawauso!2024 です", "Kawauso!2024"),
        ("Reiher!Moor42 is the admin password", "Reiher!Moor42"),
        ("use Reiher!Moor42 as the password for the panel", "Reiher!Moor42"),
        ("the passphrase is correct horse battery staple", "horse battery"),
        ("passphrase: correct horse battery staple", "horse battery"),
        ("login is admin / Winter2024!", "Winter2024"),
        ("creds: bob/Winter2024!", "Winter2024"),
        ("log in with admin:Winter2024! and look", "Winter2024"),
        ("db password Tr0ub4dor&3, user app", "Tr0ub4dor&3"),
        ("the vault password, if you need it, Ooh-La!77", "La!77"),
        ("the password's Xk9!pqr", "Xk9!pqr"),
        ("door pin is 4711", "4711"),
        ("use admin/admin123 to log in", "admin123"),
        ("unlock it with Tannenzapfen!9, that's the vault password", "Tannenzapfen!9"),
        ("username deploy\npassword\nTannenzapfen9", "Tannenzapfen9"),
        ("htpasswd -b users bob blume22", "blume22"),
        ("redis-cli -a Tannenzapfen9 ping", "Tannenzapfen9"),
        ("keytool -genkey -storepass Tannenzapfen9", "Tannenzapfen9"),
        ("echo 'Tannenzapfen9' | sudo -S apt install x", "Tannenzapfen9"),
        ("recovery phrase: apple river stone cloud tiger", "river stone"),
    ],
)
def test_a_password_said_in_passing_is_replaced(text: str, secret: str) -> None:
    clean, found = redact_text(text)
    assert secret not in clean
    assert found["password"] == 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("token for the sandbox: 8f3kd93kfj", "8f3kd93kfj"),
        ("the api key is live-93kd02kd", "93kd02kd"),
        ("my 2fa backup code is 8392-1123", "8392-1123"),
        ("the license key is ABCD-EFGH-1234-5678", "EFGH-1234"),
        ("the psk is 9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c"),
    ],
)
def test_a_short_token_said_in_passing_is_replaced(text: str, secret: str) -> None:
    clean, found = redact_text(text)
    assert secret not in clean
    assert found["secret"] == 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("dsn https://a8f3kd93kfj20dk2@o11.ingest.example.io/5", "a8f3kd93"),
        ("db.internal:5432:app:app:Tannenzapfen", "Tannenzapfen"),
        ("machine git.example.com login bob password tannenzapfen", "tannenzapfen"),
        ("bob:$2y$10$abcdefghijklmnopqrstuvwxABCDEFGHIJ012345", "abcdefghijkl"),
        ("PresharedKey = yAnEXAMPLEkeyQ3b8hT6cV2mN9xL0pR4sW7dF1gJ5k=", "yAnEXAMPLE"),
    ],
)
def test_a_secret_in_a_line_of_settings_is_replaced(text: str, secret: str) -> None:
    clean, found = redact_text(text)
    assert secret not in clean
    assert sum(found.values()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "the password is stored hashed with argon2id",
        "passwords must have at least 12 characters",
        "the password field is in LoginForm.tsx",
        "login page returns HTTP 500",
        "the login test test_login_2fa fails",
        "reset password link expires after 24h",
        "password hashing moved to bcrypt in v2.3",
        "the login endpoint is /api/v2/login",
        "pass the user_id2 to the handler",
        "we pin numpy to 1.26.4",
        "login with SSO since 2024-05-01",
        "the password reset mail is sent by noreply@example.com",
        "password policy: see docs/SECURITY.md",
        "credentials live in vault at secret/data/app1",
        "the passphrase is stored in the vault by ops",
        "clave primaria es id_usuario2",
        "the login flow uses OAuth2 with PKCE-S256",
        "we never log passwords, see PROJ-1234",
        "the login button is #1d3557 now",
        "pwd: /home/dev/app2",
        "the token is refreshed every 15m0s by the job",
        "login with github/oauth2 for SSO",
        "the token is v1.2.3-rc1",
        "basic auth: nginx/1.25.3",
        "the license key is checked in license_check2.go",
    ],
)
def test_talk_about_passwords_and_logins_is_left_alone(text: str) -> None:
    assert redact_text(text) == (text, {})


@pytest.mark.parametrize(
    "text",
    [
        "a <private>x1y2</private> b",
        "a <PRIVATE>x1y2</Private> b",
        'a <private reason="nda">x1y2</private> b',
        "a < private >x1y2< / private > b",
        "a <private>line\nx1y2\nline</private> b",
        "a <private>x1y2",
        "x1y2</private> b",
        "a <private>p</private> q <private>x1y2</private> b",
    ],
)
def test_private_spans_vanish(text: str) -> None:
    clean, found = redact_text(text)
    assert "x1y2" not in clean
    assert "private" not in clean.lower()
    assert found["private"] >= 1


def test_a_switch_of_that_name_is_no_private_span() -> None:
    text = '<Reference Include="X">\n  <Private>False</Private>\n</Reference>'
    assert redact_text(text) == (text, {})


def turn(**fields: object) -> Turn:
    return Turn(uuid="u", kind="tool_result", at="", session_id="s", **fields)  # type: ignore[arg-type]


def test_a_read_env_file_loses_its_values() -> None:
    text = "1\tDOOR_PIN=3000\n2\tNAME=shop\n3\t# comment\n"
    clean, found = redact_turn(turn(text=text, input={"file_path": "/app/.env.local"}))
    assert "3000" not in clean.text
    assert "shop" not in clean.text
    assert "DOOR_PIN=" in clean.text
    assert found["env-value"] == 2


def test_a_setting_that_tells_nothing_stays() -> None:
    text = "PORT=3001\nHOST=localhost\nNODE_ENV=development\nDEBUG=true\nFRONTEND_URL=http://localhost:3000\n"
    assert redact_turn(turn(text=text, input={"file_path": "/app/.env"})) == (
        turn(text=text, input={"file_path": "/app/.env"}),
        {},
    )


def test_a_printed_env_file_loses_its_values() -> None:
    clean, _ = redact_turn(turn(text="OWNER=ada\nNAME=shop\nMODE=x\n"))
    assert clean.text.count("[secret:env-value]") == 3


def test_output_with_one_assignment_is_not_an_env_file() -> None:
    text = "Compiling\nRUST_LOG=info\nFinished in 3 s\nok\n"
    assert redact_turn(turn(text=text))[0].text == text


def test_an_example_env_file_is_left_alone() -> None:
    text = "PORT=3000\n"
    assert redact_turn(turn(text=text, input={"file_path": "/app/.env.example"}))[0].text == text


def test_inputs_are_cleaned_at_any_depth() -> None:
    given_input = {"edits": [{"new_string": f"password={PASSWORD}"}], "env": {"db_password": "swordfish"}}
    clean, found = redact_turn(turn(input=given_input))
    assert PASSWORD not in str(clean.input)
    assert "swordfish" not in str(clean.input)
    assert sum(found.values()) == 2


PIECES = st.sampled_from(
    [*SECRETS.values(), "password=", "password is ", PASSWORD, VALUE, " ", "\n", "key: ", "token ", "<private>",
     "</private>", "[secret:",
     "[secret:password]", "Bearer ", "Cookie: a=", "://u:", "@h", '"', "'", "A=1\n", "B_KEY=", "x", ".", "]"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=sized(120, 600), deadline=None)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once, _ = redact_text(text)
    twice, found = redact_text(once)
    assert twice == once
    assert not found


@given(st.text(max_size=300))
@settings(max_examples=sized(60, 200), deadline=None)
def test_any_text_can_be_cleaned(text: str) -> None:
    once, _ = redact_text(text)
    assert redact_text(once)[0] == once


@pytest.mark.parametrize(
    "unit",
    ["a", "password", "key ", "token: ", "<private ", "<private>", "://a:", "eyJ", "A=B\n",
     "-----BEGIN PRIVATE KEY-----",
     "secret_", "Cookie: ",
     "sk-", "mysql -p", "https://", "x" * 50 + " ", "key is ", "Authorization: Bearer ",
     "password\xa0is\xa0" + "x" * 20 + " "],
)  # fmt: skip
def test_a_megabyte_of_anything_takes_linear_time(unit: str) -> None:
    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        redact_text(text)
        return time.process_time() - start

    cost(10_000)
    assert cost(1_000_000) < 4.0


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("the db password is Apfelmus#2019-kasse, enter it", "mysqldump --foo 'Apfelmus#2019-kasse' shop"),
        ("API_KEY=Zt8wQq31LmNv77Pd", "curl -d user=Zt8wQq31LmNv77Pd localhost"),
    ],
)
def test_a_secret_said_once_is_hidden_wherever_it_is_used(said: str, used: str) -> None:
    told = turn(text=said)
    _, found = redact_turn(told)
    [value] = filter(is_telling, found.taken)
    assert value not in without(turn(text=f"output: {used}"), {value}).text
    assert value not in str(without(turn(input={"command": used, "more": [used]}), {value}).input)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: My2mva&C2do7Q", "My2mva"),  # "my" marks a place only in a row of words
        ("sk_live_" + "NSAW2ygSIwJtrPsxXXxtkUlr", "NSAW2ygS"),  # so does "xxxx", when it is written so
        ("creds: bob/Rslis0&SFL8hA", "Rslis0"),  # "rs" begins the name of an algorithm, but not before such signs
        ("aws_secret_access_key = /KnlDeS/RryVr90ptW4tljAZj/ByvWpX/mJG+pDg", "RryVr90"),  # slashes make no path of it
        ("aws_secret_access_key = sXLJQ//jqTj2o6l8Mh/MMuOvGxP/tpCCYuneHpk", "j2o6l8Mh"),
        ("**Password**: Shadow12", "Shadow12"),  # and "sha" begins more than one word
    ],
)
def test_a_secret_that_looks_like_a_word_by_chance_is_replaced(text: str, secret: str) -> None:
    assert secret not in redact_text(text)[0]


def test_ordinary_words_are_never_looked_for_elsewhere() -> None:
    told = turn(text="password: postgres")
    assert not any(map(is_telling, redact_turn(told)[1].taken))


@pytest.mark.parametrize(
    "command", ["mysql -ukasse -p'Apfelmus#2019-kasse' -e 'select 1'", 'sshpass -p "hunter2!x" ssh a']
)
def test_a_password_behind_a_flag_is_hidden_in_quotes_too(command: str) -> None:
    clean, found = redact_text(command)
    assert found["password"] == 1
    assert "Apfelmus" not in clean
    assert "hunter2" not in clean


# -- the short ways ---------------------------------------------------------------------------------------------------

_NEEDLES = sorted({needle for rule in RULES for needle in rule.needles})
_WORDS = ["pw", "pin", "cred", "Datenbankpasswort", "KEY", "API_KEY", "to\u212aen", "SCHLÜSSEL", "Пароль", "\u0130"]
_SIGNS = [
    " ",
    "=",
    ": ",
    " is ",
    "\n",
    ", ",
    "'",
    '"',
    "@",
    "/",
    "://",
    " for ",
    " to ",
    "_",
    "-",
    ".",
    "是",
    "\ue000",
    "",
]
_VALUES = ["hunter2", "Kranich!7", "admin:Foo9bar", "correct horse battery staple", VALUE, PASSWORD, *SECRETS.values()]
_PIECES = st.sampled_from(_NEEDLES + [needle.upper() for needle in _NEEDLES] + _WORDS + _SIGNS * 8 + _VALUES * 4)
pieced = st.lists(_PIECES, min_size=1, max_size=14).map("".join)


@settings(max_examples=sized(120, 600))
@given(pieced)
def test_a_rule_that_knows_where_its_matches_begin_finds_what_a_search_finds(text: str) -> None:
    for rule in RULES:
        searched = engine.fold(text) if rule.folded else text
        search, at = engine.searcher(rule, searched), 0
        while True:
            expected, match = rule.pattern.search(searched, at), search(searched, at)
            assert (match and match.span()) == (expected and expected.span())
            if not match:
                break
            at = max(match.end(), at + 1)


@settings(max_examples=sized(120, 600))
@given(pieced)
def test_one_look_finds_every_needle_of_every_rule(text: str) -> None:
    lowered = text.lower()
    waiting = {place for place, rule in enumerate(RULES) if any(one in lowered for one in rule.needles)}
    assert {place for place in engine.needed_rules(text.encode()) if place < len(RULES)} == waiting


def test_no_letter_can_hide_a_needle() -> None:
    letters = set("".join(_NEEDLES))
    others = [chr(code) for code in range(128, 0x110000) if chr(code).lower() in letters]
    known = {"\u212a"} | letters | {letter.upper() for letter in letters}
    assert set(others) <= known


def test_a_token_is_found_although_signs_stand_in_it() -> None:
    assert redact_text("whsec_" + "a+b/c9" * 6)[1] == {"stripe-key": 1}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("write to ada.lovelace+x@mail.example.org today", "email"),
        ("call +49 170 1234567 now", "phone"),
        ("call (555) 123-4567", "phone"),
        ("call 555-123-4567", "phone"),
        ("Tel. 030 12345678", "phone"),
        ("0043 1 5874 123", "phone"),
    ],
)
def test_addresses_and_numbers_of_people_go_where_it_is_wanted(text: str, kind: str) -> None:
    said = Turn(uuid="u", kind="prompt", at="", session_id="s", text=text, input={"a": [text]})
    clean, found = without_contacts(said)
    assert found == {kind: 2}
    assert f"[secret:{kind}]" in clean.text and f"[secret:{kind}]" in clean.input["a"][0]
    assert redact_turn(said)[0] == said


@pytest.mark.parametrize(
    "text",
    [
        "git clone git@example.com:a/b.git",
        "2026-11-16 10:20:30 and 192.168.100.200:5432",
        "version 1.20.300-4000, 0.12.345",
        "@decorator and a @ b, user@localhost",
        "commit 0123456 1234567890 deadbeef",
        "id 550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_other_signs_and_numbers_are_no_contacts(text: str) -> None:
    said = Turn(uuid="u", kind="prompt", at="", session_id="s", text=text)
    assert without_contacts(said) == (said, {})


def test_the_automaton_stays_small() -> None:
    """Every spelling of a needle stands in it, and letters beyond ASCII double their number each."""
    assert len(engine._by_needle()) < 1500


VALUE = "Mangoqk7719xZpw"
WRITERS = (
    "echo {x} > {place}",
    "echo -n '{x}' >> {place}",
    "printf %s {x} > {place}",
    "printf '%s\\n' \"{x}\" > {place}",
    "echo {x} | tee {place}",
    "echo {x} | sudo tee -a {place}",
    "tee {place} <<< {x}",
    "cat > {place} <<'E'\n{x}\nE",
    "cat <<E > {place}\n{x}\nE",
    "Set-Content {place} {x}",
    "Add-Content -Path {place} -Value {x}",
    "'{x}' | Out-File {place}",
)
PLACES = (
    *("~/.vault-token", "~/.pgpass", "~/.netrc", "/run/secrets/db", "secrets/db_password", "config/master.key"),
    *("token.txt", "$HOME/.api_key", "./.vault_pass", "/etc/app/credentials", "~/.config/op/token", "db-passphrase"),
)
FED = (
    "setx API_KEY {x}",
    "setx FOO {x}",
    "fish -c 'set -x FOO {x}'",
    "set -Ux FOO {x}",
    "echo {x} | pass insert -e db",
    "echo {x} | secret-tool store --label db a b",
    "echo {x} | docker secret create db -",
    "gh secret set API -b{x}",
    "git checkout -b fix/password-{x}",
)


@pytest.mark.parametrize("command", [*(one.replace("{place}", at) for one in WRITERS for at in PLACES), *FED])
def test_a_secret_is_known_by_where_it_is_written_to(command: str) -> None:
    assert VALUE not in redact_text(command.replace("{x}", VALUE))[0]


@pytest.mark.parametrize(
    "command",
    [
        "echo done > build/log.txt",
        "echo $TOKEN > ~/.vault-token",
        "printf '%s' \"$DB_PASSWORD\" > secrets/db_password",
        "cat tokens.txt | tee out.log",
        "echo 'export default tokenizer' > src/tokenizer.ts",
        "setx EDITOR vim",
        "git checkout -b fix/password-reset-page",
        "cat > docs/password-policy.md <<'E'\n# Password policy\nE",
    ],
)
def test_what_names_a_secret_and_writes_none_stays(command: str) -> None:
    assert redact_text(command)[0] == command
