"""Secrets of every kind, in every form that surrounds one, told by everybody who speaks in a transcript."""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
from ahocorasick_rs import BytesAhoCorasick

from nous.kernel.capture.transcripts import unpack

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
CWD = "/nowhere/app"


def chars(chance: random.Random, count: int, alphabet: str = LETTERS) -> str:
    """Random signs, with a letter and a digit among them."""
    while True:
        made = "".join(chance.choices(alphabet, k=count))
        if any(c.isdigit() for c in made) and any(c.isalpha() for c in made):
            return made


def password(chance: random.Random) -> str:
    """As people make them up."""
    return (
        chance.choice("KLMNRSTZ")
        + chars(chance, 5, string.ascii_lowercase + "0123")
        + chance.choice("!#%&*")
        + chars(chance, 6)
    )


def card(chance: random.Random) -> str:
    """A number with the right check digit."""
    digits = "4" + "".join(chance.choices(string.digits, k=14))
    total = sum(sum(divmod(int(one) * 2, 10)) if at % 2 == 0 else int(one) for at, one in enumerate(digits))
    return digits + str(-total % 10)


def pem(chance: random.Random, lines: int = 12) -> str:
    """The body of a private key."""
    return "\n".join(chars(chance, 64, LETTERS + "+/") for _ in range(lines))


class Case(NamedTuple):
    """A text that tells a secret, and pieces of it of which none may be found."""

    form: str
    text: str
    secrets: tuple[str, ...]


# Forms in which a password or a token stands; `{}` is its place.
PASSWORD_FORMS = {
    "env line": "DB_PASSWORD={}",
    "quoted env": "export DB_PASSWORD='{}'",
    "yaml": "database:\n  user: app\n  password: {}\n",
    "yaml block": "database:\n  password: >-\n    {}\n  user: app",
    "json": '{{"user": "app", "password": "{}"}}',
    "json in json": '{{"body": "{{\\"user\\": \\"app\\", \\"password\\": \\"{}\\"}}"}}',
    "toml": '[db]\npassword = "{}"\n',
    "ini": "[client]\nuser=app\npassword={}\n",
    "xml": "<user>app</user>\n<password>{}</password>",
    "xml attribute": '<add key="DbPassword" value="{}" />',
    "manifest of env": "env:\n  - name: DB_PASSWORD\n    value: {}\n",
    "terraform": 'variable "db_password" {{\n  default = "{}"\n}}',
    "python": 'connect(host="db", user="app", password="{}")',
    "go": 'cfg := Config{{User: "app", Password: "{}"}}',
    "comparison": 'if password == "{}":\n    pass',
    "call": 'user.setPassword("{}")',
    "pair": 'params.put("password", "{}")',
    "sql": "CREATE USER app WITH PASSWORD '{}';",
    "mysql user": "CREATE USER 'app'@'%' IDENTIFIED BY '{}';",
    "address": "postgres://app:{}@db.internal:5432/app",
    "redis address": "redis://:{}@localhost:6379/0",
    "ado": "Server=db;Database=app;User Id=app;Password={};Encrypt=true",
    "jdbc": "jdbc:postgresql://db/app?user=app&password={}",
    "libpq": "psql 'host=db user=app password={} dbname=app'",
    "netrc": "machine git.example.com\n  login bob\n  password {}\n",
    "pgpass": "db.internal:5432:app:app:{}",
    "pypirc": "[pypi]\nusername = bob\npassword = {}\n",
    "curl": "curl -u admin:{} https://api.example.com/x",
    "wget": "wget --user=bob --password={} https://example.com/x",
    "mysql": "mysql -u root -p'{}' app",
    "mysqldump": "mysqldump -h db -uroot -p{} app > x.sql",
    "docker login": "docker login registry.example.com -u bob -p {}",
    "podman login": "podman login -u bob -p '{}' quay.io",
    "stdin": "echo '{}' | docker login --username bob --password-stdin registry.example.com",
    "sudo": "echo {} | sudo -S systemctl restart app",
    "sshpass": "sshpass -p '{}' ssh bob@host",
    "redis-cli": "redis-cli -h cache -a {} ping",
    "flag": "./tool --db-password {} migrate",
    "variable before": "PGPASSWORD={} psql -h db app",
    "openssl": "openssl enc -aes-256-cbc -pass pass:{} -in x",
    "keytool": "keytool -list -keystore k.jks -storepass {}",
    "ldap": "ldapsearch -x -D cn=admin -w {} uid=bob",
    "sqlcmd": "sqlcmd -S db -U sa -P {} -Q 'select 1'",
    "zip": "7z x archive.7z -p{}",
    "kubectl": "kubectl create secret generic db --from-literal=pw={}",
    "gh secret": "gh secret set DB_PW --body '{}'",
    "heroku": "heroku config:set LEGACY={}",
    "vault": "vault kv put secret/app value={}",
    "env heredoc": "cat > .env <<EOF\nNAME=app\nLEGACY={}\nEOF",
    "env heredoc before": "cat <<'EOF' > config/.env.local\nLEGACY={}\nEOF\necho done",
    "env tee": "tee -a .env <<EOF\nLEGACY={}\nEOF",
    "env echo": 'echo "LEGACY={}" >> .env',
    "env printf": "printf 'LEGACY={}\\n' >> apps/api/.env",
    "export in heredoc": "cat > run.sh <<EOF\nexport LEGACY='{}'\nexec ./app\nEOF",
    "said": "the database password is {}, keep it to yourself",
    "said for": "the password for staging is {}",
    "said after": "{} is the admin password",
    "said in passing": "log in as bob, password {} and look",
    "said in German": "das Passwort vom Panel lautet {}",
    "said in French": "le mot de passe du serveur est {}",
    "said in Spanish": "la contraseña es {}",
    "list": "- user: bob\n- password: {}\n",
    "table": "| user | password |\n|---|---|\n| bob | password: {} |",
    "line below": "username bob\npassword\n{}",
    "account": "creds: bob/{}",
    "bold label": "- **Password:** {}",
    "bold name": "**Password**: `{}`",
    "label of HTML": "<b>Password:</b> {}",
    "wide colon": "password：{}",
    "wide colon in Chinese": "数据库密码：{}",
    "hard blank": "password:\u00a0{}",
    "curly quotes": "the password is “{}”",
    "escaped quotes": "\\u0022password\\u0022:\\u0022{}\\u0022",
    "table below a heading": "| service | user | password |\n|---|---|---|\n| db | admin | {} |",
    "comma separated": "user,password\nbob,{}\n",
    "insert": "INSERT INTO users (name, password) VALUES ('bob', '{}')",
    "comma separated in quotes": '"user","password"\n"Doe, Bob","{}"\n',
    "comma separated for Windows": "user,password\r\nbob,{}\r\n",
    "comma separated, short": "user,passwd\nbob,{}\n",
    "comma separated with a blank": "user, password\nbob, {}\n",
    "psql": " user |  password   \n------+-------------\n bob  | {}\n",
    "mysql table": "+------+-----------+\n| user | password  |\n+------+-----------+\n| bob  | {} |\n",
    "insert in quotes": """INSERT INTO "User" ("id","email","password") VALUES (1,'a@b.example','{}')""",
    "insert in backticks": "INSERT INTO `users` (`name`, `password`) VALUES ('bob', '{}'), ('eve', 'x')",
    "insert over lines": "INSERT INTO users (\n  name,\n  password\n)\nVALUES (\n  'bob',\n  '{}'\n);",
    "insert beside a call": "INSERT INTO users (at, password) VALUES (now(), 'x'), (now(), '{}')",
    "insert beside a comma": "INSERT INTO users (name, password) VALUES ('Doe, Bob (it''s him)', '{}')",
    "insert of a hash": "INSERT INTO users (name, password) VALUES ('bob', crypt('{}', gen_salt('bf', 12)))",
    "typed": 'password: str = "{}"',
    "default of a shell": "PGPASSWORD=${{PGPASSWORD:-{}}} psql",
    "lines of TOML": 'password = """\n{}\n"""',
    "securestring": "$pw = ConvertTo-SecureString '{}' -AsPlainText -Force",
    "credential": 'new NetworkCredential("bob", "{}")',
    "requirepass": "requirepass {}",
    "bindpw": "bindpw {}",
    "secret string": "aws secretsmanager create-secret --name x --secret-string '{}'",
    "key vault": "az keyvault secret set --vault-name v -n x --value {}",
    "parameter": "aws ssm put-parameter --name /x/pw --type SecureString --value {}",
    "alias of minio": "mc alias set m http://h:9000 admin {}",
    "share": "net use Z: \\\\srv\\x {} /user:bob",
    "piped to a store": "echo -n {} | gcloud secrets create x --data-file=-",
    "here string": "vercel env add X production <<< {}",
    "pulumi": "pulumi config set --secret dbPassword {}",
    "said in Polish": "hasło do bazy to {}",
    "said in Turkish": "veritabanı şifresi: {}",
    "said in Swedish": "lösenordet är {}",
    "said in Danish": "adgangskoden er {}",
    "said in Norwegian": "passordet er {}",
    "said in Finnish": "salasana on {}",
    "said in Czech": "heslo je {}",
    "said in Hungarian": "a jelszó: {}",
    "said in Romanian": "parola este {}",
    "said in Greek": "ο κωδικός είναι {}",
    "said in Korean": "비밀번호는 {} 입니다",
    "said in Arabic": "كلمة المرور هي {}",
    "said in Hebrew": "הסיסמה היא {}",
    "sql server": "create login bob with password = N'{}'",
    "typed by expect": 'expect "password:" {{ send "{}\\r" }}',
    "typed by pexpect": "child.expect('password:'); child.sendline('{}')",
    "wpa": "wpa_passphrase home {}",
    "dotted": "helm upgrade x --set db.pass={}",
    "said in Hindi": "पासवर्ड है {}",
    "said in Indonesian": "kata sandi: {}",
    "said in Vietnamese": "mật khẩu là {}",
}
TOKEN_FORMS = {
    "env line": "API_TOKEN={}",
    "own key": "PAYMENTS_KEY={}",
    "yaml": "auth:\n  token: {}\n",
    "json": '{{"access_token": "{}", "expires_in": 3600}}',
    "json in json": '{{"body": "{{\\"api_key\\": \\"{}\\"}}"}}',
    "xml": "<apiKey>{}</apiKey>",
    "npmrc": "//npm.example.com/:_authToken={}",
    "npm config": "npm config set //npm.example.com/:_authToken {}",
    "docker config": '{{"auths": {{"https://index.docker.io/v1/": {{"auth": "{}"}}}}}}',
    "header": "curl -H 'Authorization: Bearer {}' https://api.example.com",
    "own header": "curl -H 'X-Api-Key: {}' https://api.example.com",
    "header in code": 'headers = {{"Authorization": "Bearer {}"}}',
    "query": "GET https://api.example.com/v1/items?access_token={}&page=2",
    "query key": "https://maps.example.com/js?key={}&v=3",
    "userinfo": "git clone https://{}@git.example.com/x.git",
    "oauth userinfo": "git clone https://oauth2:{}@gitlab.example.com/x.git",
    "cookie": "Cookie: theme=dark; session={}",
    "set cookie": "Set-Cookie: sid={}; HttpOnly; Path=/",
    "signature": "https://x.blob.core.windows.net/c/f?sv=2022&sig={}",
    "azure": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
    "flag": "deploy --token {} --app x",
    "flag with sign": "deploy --api-key={} --app x",
    "configure": "aws configure set aws_secret_access_key {}",
    "fly": "fly secrets set SIGNING={}",
    "env heredoc": "cat > .env <<EOF\nLEGACY={}\nEOF",
    "export": "export LEGACY={}",
    "said": "the api key is {}",
    "said for": "the token for ci: {}",
    "python": 'client = Client(api_key="{}")',
    "ts": "const clientSecret = '{}';",
    "tfvars": 'cat > prod.tfvars <<EOF\nlegacy = "{}"\nEOF',
    "bold label": "- **API key:** {}",
    "table below a heading": "| service | API key |\n|---|---|\n| mail | {} |",
    "comma separated": "service,api_key\nmail,{}\n",
    "typed": 'val apiKey: String = "{}"',
    "pat": "AZURE_DEVOPS_EXT_PAT={}",
    "ssws": "Authorization: SSWS {}",
    "vault login": "vault login s.{}",
    "login of vault": "vault login {}",
    "cookie of curl": "curl -b 'session={}' https://example.com",
    "own mark": "the key acmeco_{} works",
    "own mark with a label": "KEY: acme-{}",
    "rclone": "rclone config create r s3 secret_access_key {}",
    "block of YAML": "private_key: |\n  {}\n",
    "jwk": '{{"kty":"EC","crv":"P-256","d":"{}"}}',
    "putty": "Private-Lines: 1\n{}\nPrivate-MAC: 0",
}
PATHLIKE_FORMS = {  # of a value with signs of base64, whose slashes make no path of it
    "setting": "aws_secret_access_key = {}",
    "env line": "export AWS_SECRET_ACCESS_KEY={}",
    "json": '{{"SecretAccessKey": "{}"}}',
}
MARKED: dict[str, Callable[[random.Random], str]] = {
    "mailchimp": lambda chance: chars(chance, 32, HEX) + "-us12",
    "airtable": lambda chance: "pat" + chars(chance, 14) + "." + chars(chance, 64, HEX),
    "cloudflare": lambda chance: "v1.0-" + chars(chance, 24, HEX) + "-" + chars(chance, 146, HEX),
    "fcm": lambda chance: "AAAA" + chars(chance, 7) + ":APA91b" + chars(chance, 134),
    "aws id": lambda chance: "AKIA" + chars(chance, 16, string.ascii_uppercase + "234567"),
    "github": lambda chance: "ghp_" + chars(chance, 36),
    "github fine": lambda chance: "github_pat_" + chars(chance, 22) + "_" + chars(chance, 59),
    "gitlab": lambda chance: "glpat-" + chars(chance, 20),
    "slack": lambda chance: "xoxb-" + chars(chance, 12, "1234567890a") + "-" + chars(chance, 24),
    "stripe": lambda chance: "sk_live_" + chars(chance, 24),
    "anthropic": lambda chance: "sk-ant-api03-" + chars(chance, 80),
    "openai": lambda chance: "sk-proj-" + chars(chance, 48),
    "google": lambda chance: "AIza" + chars(chance, 35),
    "sendgrid": lambda chance: "SG." + chars(chance, 22) + "." + chars(chance, 43),
    "npm": lambda chance: "npm_" + chars(chance, 36),
    "pypi": lambda chance: "pypi-" + chars(chance, 90),
    "hugging face": lambda chance: "hf_" + chars(chance, 34),
    "digitalocean": lambda chance: "dop_v1_" + chars(chance, 64, HEX),
    "jwt": lambda chance: "eyJ" + chars(chance, 20) + ".eyJ" + chars(chance, 30) + "." + chars(chance, 40),
    "vault": lambda chance: "hvs." + chars(chance, 40),
    "langsmith": lambda chance: "lsv2_pt_" + chars(chance, 32, HEX) + "_" + chars(chance, 10, HEX),
    "atlassian": lambda chance: "ATATT3" + chars(chance, 60),
    "grafana": lambda chance: "glsa_" + chars(chance, 32) + "_" + chars(chance, 8, HEX),
    "shopify": lambda chance: "shpat_" + chars(chance, 32, HEX),
    "telegram": lambda chance: "123456789:AA" + chars(chance, 33),
    "rubygems": lambda chance: "rubygems_" + chars(chance, 48, HEX),
    "pulumi": lambda chance: "pul-" + chars(chance, 40, HEX),
    "databricks": lambda chance: "dapi" + chars(chance, 32, HEX),
    "brevo": lambda chance: "xkeysib-" + chars(chance, 64, HEX) + "-" + chars(chance, 16),
    "twilio": lambda chance: "SK" + chars(chance, 32, HEX),
    "stripe of an organisation": lambda chance: "sk_org_live_" + chars(chance, 30),
    "tavily": lambda chance: "tvly-" + chars(chance, 32),
    "firecrawl": lambda chance: "fc-" + chars(chance, 32, HEX),
    "resend": lambda chance: "re_" + chars(chance, 8) + "_" + chars(chance, 24),
    "jina": lambda chance: "jina_" + chars(chance, 60),
    "clojars": lambda chance: "CLOJARS_" + chars(chance, 60, HEX),
}
MARKED_FORMS = {"alone": "{}", "in a sentence": "please use {} for it", "printed": "created: {} (never shown again)"}


def _pieces(secret: str) -> tuple[str, ...]:
    """The secret, and its halves where they are telling: one that is hidden by half is not hidden."""
    half = len(secret) // 2
    return (secret, secret[:half], secret[half:]) if len(secret) >= 24 else (secret,)


def cases(chance: random.Random) -> Iterator[Case]:
    """Every kind of secret in every form; the same chance makes the same ones again."""
    for form, text in PASSWORD_FORMS.items():
        yield _case(f"password, {form}", text, password(chance))
    for form, text in TOKEN_FORMS.items():
        yield _case(f"token, {form}", text, chars(chance, 32))
    for name, make in MARKED.items():
        for form, text in MARKED_FORMS.items():
            yield _case(f"{name}, {form}", text, make(chance))
    for form, text in PATHLIKE_FORMS.items():
        yield _case(f"secret of aws, {form}", text, chars(chance, 40, LETTERS + "+/"))
    yield from _blocks(chance)


def _case(form: str, text: str, secret: str) -> Case:
    return Case(form, text.format(secret), _pieces(secret))


def _blocks(chance: random.Random) -> Iterator[Case]:
    body = pem(chance)
    yield Case(
        "private key",
        f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----",
        tuple(body.split("\n")),
    )
    body = pem(chance)
    yield Case("key without its end", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}", tuple(body.split("\n")))
    body = pem(chance)
    yield Case("key without its head", f"{body}\n-----END RSA PRIVATE KEY-----", tuple(body.split("\n")))
    body = pem(chance, 3)
    key = base64.b64encode(f"-----BEGIN EC PRIVATE KEY-----\n{body}\n".encode()).decode()
    yield Case("key in base64", f"KUBE={key}", (key[30:90], key[100:160]))
    token = "ghp_" + chars(chance, 36)
    told = base64.b64encode(token.encode()).decode()
    yield Case("token in base64", f"value {told} decoded", (told, told[10:40]))
    word = chars(chance, 18)
    told = base64.b64encode(word.encode()).decode()
    yield Case("Secret", f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  legacy: {told}\n", (told,))
    word = chars(chance, 18)
    yield Case("Secret as it is", f"kind: Secret\nstringData:\n  legacy: {word}\n  user: app\n", (word,))
    told = base64.b64encode(chars(chance, 18).encode()).decode()
    yield Case("Secret in JSON", f'{{"kind": "Secret", "data": {{"legacy": "{told}"}}}}', (told,))
    told = base64.b64encode(f"bob:{chars(chance, 12)}".encode()).decode()
    yield Case("basic", f"Authorization: Basic {told}", (told,))
    number = card(chance)
    yield Case("card", f"charge it to {number} please", (number,))
    number = card(chance)
    grouped = " ".join(number[at : at + 4] for at in range(0, 16, 4))
    yield Case("card in groups", f"the card is {grouped}, exp 12/29", (grouped,))
    token = chars(chance, 900, LETTERS + "+/")
    for sign in ("", '"'):
        yield Case(
            f"long token {sign}", f"AWS_SESSION_TOKEN={sign}{token}{sign}", (token[:60], token[430:470], token[-60:])
        )
    number = chars(chance, 64, HEX)
    yield Case("digest that is a key", f"encryption key: {number}", (number,))
    word = password(chance)
    yield Case("encoded address", f"https%3A%2F%2Fbob%3A{word.replace('%', '')}%40host", (word.replace("%", ""),))
    pair = chars(chance, 40, LETTERS + "+/")
    yield Case("pair of aws", f"AKIA{chars(chance, 16, string.ascii_uppercase + '234567')} {pair}", (pair, pair[:20]))
    yield Case("recovery phrase", "recovery phrase: apple river stone cloud tiger quartz", ("river stone cloud",))


# -- who tells it -----------------------------------------------------------------------------------------------------


def record(session: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    """A record as the client writes it."""
    return {
        "type": kind,
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session} {kind} {content} {more}")),
        "parentUuid": None,
        "sessionId": session,
        "timestamp": "2026-11-10T12:00:00.000Z",
        "cwd": CWD,
        "version": "2.1.0",
        "isSidechain": False,
        "userType": "external",
        "message": {"role": kind, "content": content},
    } | more


def _call(session: str, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    return record(session, "assistant", [{"type": "tool_use", "id": f"t-{session}", "name": tool, "input": given}])


def _result(session: str, text: str, **more: Any) -> dict[str, Any]:
    return record(session, "user", [{"type": "tool_result", "tool_use_id": f"t-{session}", "content": text}], **more)


def _said(session: str, text: str, **more: Any) -> dict[str, Any]:
    return record(session, "assistant", [{"type": "text", "text": text}], **more)


CARRIERS = ("prompt", "reply", "tool input", "tool output", "attachment", "subagent", "edit", "report")


def told(case: Case, carrier: str, session: str) -> list[dict[str, Any]]:
    """The records of a session in which somebody tells it."""
    first = record(session, "user", "Always run make check before you commit.")
    text = case.text
    match carrier:
        case "prompt":
            return [first, record(session, "user", f"Remember this for next time.\n{text}")]
        case "reply":
            return [first, _said(session, f"I found this in the notes:\n{text}\n\nI will go on.")]
        case "tool input":
            return [first, _call(session, "Bash", {"command": text, "description": "run"})]
        case "tool output":
            return [first, _call(session, "Bash", {"command": "./show"}), _result(session, f"ok\n{text}\n")]
        case "attachment":
            queued = {"type": "queued_command", "prompt": f"And note:\n{text}", "commandMode": "prompt"}
            return [first, record(session, "attachment", "", attachment=queued)]
        case "subagent":
            return [
                record(session, "user", text, isSidechain=True, agentId="a1"),
                _said(session, text, isSidechain=True, agentId="a1"),
            ]
        case "edit":
            return [
                first,
                _call(session, "Edit", {"file_path": f"{CWD}/src/x.txt", "old_string": "a", "new_string": text}),
            ]
        case _:
            details = {
                "status": "completed",
                "agentId": "a1",
                "content": [{"type": "text", "text": f"Report:\n{text}"}],
            }
            return [first, _call(session, "Agent", {"prompt": "look"}), _result(session, "done", toolUseResult=details)]


def answers(chance: random.Random) -> Iterator[tuple[str, list[dict[str, Any]], tuple[str, ...]]]:
    """Passwords that are the answer to a question and say nothing of themselves."""
    asked = [
        "What is the database password?",
        "What's the wifi password?",
        "Which API key should I use for the staging deploy?",
        "Please paste the access token for the registry.",
        "I need the admin password to go on. Could you give it to me?",
        "Wie lautet das Passwort für das Panel?",
        "Quel est le mot de passe de la base ?",
        "¿Cuál es la contraseña?",
        "The login failed. What is the PIN code?",
        "Database password:",
        "To continue I need your 2FA code and the recovery code.",
        "Can you share the client secret with me?",
    ]
    frames = ("{}", "it's {}", "sure: {}", "{}\n\nand then run the tests please", "`{}`", "here you go: {}")
    for number, question in enumerate(asked):
        for at, frame in enumerate(frames):
            session = f"chat-{number}-{at}"
            word = password(chance)
            yield (
                session,
                [_said(session, f"I looked at it. {question}"), record(session, "user", frame.format(word))],
                (word,),
            )
        session = f"ask-{number}"
        word = password(chance)
        details = {"answers": {question: word}, "questions": [{"question": question, "options": [{"label": "skip"}]}]}
        yield (
            session,
            [
                _call(session, "AskUserQuestion", {"questions": [{"question": question}]}),
                _result(session, f'User has answered your questions: "{question}"="{word}".', toolUseResult=details),
            ],
            (word,),
        )
        session = f"used-{number}"
        word = password(chance)
        yield (
            session,
            [
                _said(session, question),
                record(session, "user", word),
                _call(session, "Bash", {"command": f"./legacy connect bob {word}"}),
                _result(session, f"connected as bob with {word}"),
                _said(session, f"Done. I used {word} as you said."),
            ],
            (word,),
        )


PRIVATE = (
    "<private>{}</private>",
    "<PRIVATE >{}</Private >",
    "&lt;private&gt;{}&lt;/private&gt;",
    "\\u003cprivate\\u003e{}\\u003c/private\\u003e",
    '<private reason="nda">{}</private>',
    "<private>{}",
    "{}</private>",
    "%3Cprivate%3E{}%3C/private%3E",
    "&#60;private&#62;{}&#60;/private&#62;",
)


def private_spans(chance: random.Random) -> Iterator[tuple[str, list[dict[str, Any]], tuple[str, ...]]]:
    """Private spans in every spelling, and an assistant that repeats them."""
    for number, frame in enumerate(PRIVATE):
        session = f"private-{number}"
        mark = "q" + "".join(chance.choices(string.ascii_lowercase, k=9)) + "z"
        span = f"the merger with {mark} partners closes on Friday next week"
        prompt = (
            f"Some context first. {frame.format(span)}"
            if not frame.startswith("{}")
            else frame.format(span) + " Go on."
        )
        repeated = [
            _said(session, f"Understood: {span}."),
            _said(session, f"I noted that the merger with {mark} partners closes soon."),
            _call(session, "Write", {"file_path": f"{CWD}/notes.md", "content": span}),
        ]
        yield session, [record(session, "user", prompt), *repeated], (mark,)


FIELDS = ("uuid", "sessionId", "cwd", "gitBranch", "version", "agentId", "entrypoint", "promptSource")
FILES = ("Write", "Edit", "Read", "Glob")
CALLED = ("tool", "tool id", "key", "subagent")


def named(session: str, where: str, name: str) -> Iterator[dict[str, Any]]:
    """A session that has a word in one of its names: a field of every record, a file, a tool."""
    field = {where: f"{CWD}/{name}" if where == "cwd" else f"fix/{name}"} if where in FIELDS else {}
    path = f"{CWD}/keys/{name}.txt" if where in FILES else f"{CWD}/keys/a.txt"
    tool = f"mcp__x__{name}" if where == "tool" else where if where in FILES else "Write"
    call = f"t-{name}" if where == "tool id" else f"t-{session}"
    given = {"file_path": path, "content": "x"} | ({name: "1"} if where == "key" else {})
    details = {"filePath": path, "filenames": [path]}
    details |= {"agentId": name, "status": "completed", "content": "ok"} if where == "subagent" else {}
    yield record(session, "user", "Always use tabs in Makefiles.") | field
    use = {"type": "tool_use", "id": call, "name": tool, "input": given}
    yield record(session, "assistant", [use]) | field
    done = {"type": "tool_result", "tool_use_id": call, "content": path if where in FILES else "ok"}
    yield record(session, "user", [done], toolUseResult=details) | field
    yield _said(session, f"I wrote {path}.") | field


# -- where it could be ------------------------------------------------------------------------------------------------


def every_byte(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder as it is, and what is compressed in the tables of every database as it was."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            yield str(path), raw
            if raw.startswith(b"SQLite format 3"):
                yield from _blobs(path)


def _blobs(path: Path) -> Iterator[tuple[str, bytes]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        try:
            rows = list(connection.execute(f'SELECT * FROM "{table}"'))
        except apsw.Error:  # a table of an extension that is not loaded here; its pages were read above
            continue
        for value in (value for row in rows for value in row if isinstance(value, bytes)):
            try:
                yield f"{path}:{table}", unpack(value)
            except Exception:
                continue
    connection.close()


def found_in(folder: Path, wanted: dict[str, str]) -> dict[str, str]:
    """Which of these words (and whose they are) stand anywhere below a folder, each with the place."""
    needles = {
        form: owner for word, owner in wanted.items() for form in {word.encode(), json.dumps(word)[1:-1].encode()}
    }
    order = list(needles)
    automaton = BytesAhoCorasick(order)
    leaked: dict[str, str] = {}
    for place, raw in every_byte(folder):
        for number, _, _ in automaton.find_matches_as_indexes(raw, True):
            leaked.setdefault(needles[order[number]], place)
    return leaked
