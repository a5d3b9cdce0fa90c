"""Text in which nothing is a secret, although it has ids and digests in it or speaks of passwords and tokens."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator

UUID = "7165e36b-9bb6-50b9-a309-c01cd3a0a1bc"
SHA = "3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b"
SHA256 = "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de"
DIGEST = f"sha256:{SHA256}"

# Rules as a user says them; each must be learned with its id whole.
IDS = {
    "uuid": UUID,
    "commit": SHA,
    "short commit": SHA[:9],
    "sha256": SHA256,
    "digest": DIGEST,
    "image": f"ghcr.io/acme/base@{DIGEST}",
    "ticket": "PROJ-48213",
    "ulid": "01HZX3Q5W8J9KD2M4N6P7R8S9T",
    "arn": "arn:aws:iam::123456789012:role/deploy-ci",
    "version": "v2.14.0-rc3+build.77",
    "md5": "d41d8cd98f00b204e9800998ecf8427e",
    "bucket": "acme-prod-eu-west-1-artifacts-7f3a",
}
RULES = (
    "Always pin the base image to {}.",
    "Never rebase past {}, it is the release point.",
    "From now on use {} as the tenant in the integration tests.",
    "We decided to keep {} as the reference for the benchmarks.",
)

PROSE = (
    "password policy is NIST",
    "Our password policy is NIST 800-63B.",
    "The password policy: NIST, no rotation",
    "password hashing algorithm is Argon2id",
    "password hashes are bcrypt with cost 12",
    "The password field is in LoginForm.tsx",
    "The password reset link expires after 24h",
    "Passwords are stored in Vault, never in the repository",
    "Password strength meter is zxcvbn",
    "the password manager is 1Password for everybody",
    "The password input component is PasswordInputV2",
    "password length must be at least 12 characters",
    "password rotation is Q3 work",
    "We hash passwords with PBKDF2-SHA256 and 600000 rounds",
    "User can sign up with email and password via Web3Auth",
    "re-derive it on every login from the Web3Auth key",
    "add access control (password or IP allowlist) [Owner: Human]",
    "Password field is not contained in a form",
    "the login page returns HTTP 500 since v2.3.1",
    "log in with SSO through Okta2 first",
    "login uses OAuth2 with PKCE-S256",
    "the token is a JWT signed with RS256",
    "the token expires after 15m0s and is refreshed by the job",
    "Token type is Bearer",
    "token format is JWE",
    "Tokens are counted with cl100k_base",
    "the token budget is 200000 per session",
    "max_tokens is 4096 and temperature is 0.2",
    "API key rotation is documented in docs/ROTATION.md",
    "the api key is read from Vault at start",
    "no api keys in the repo please",
    "JWT_SECRET is read from the vault at start",
    "DB_PASSWORD should be rotated every 90days",
    "the API_KEY must be set in docker-compose2.yml",
    "PAT: personal access token",
    "the bearer is OAuth2Token",
    "refresh_token to Keycloak24",
    "DB_PASSWORD for PostgreSQL16",
    "SESSION_SECRET should be 32bytes or longer",
    "API_KEY -> process.env.API_KEY2",
    "ACCESS_TOKEN in src/auth/token2.ts",
    "the secret manager is AWS Secrets Manager in eu-west-1",
    "the secret of good tests is small setups",
    "Secret scanning is enabled for the org since 2024-05-01",
    "credentials live in vault at secret/data/app1",
    "the primary key is order_item_id_2",
    "foreign key to customers.id, on delete cascade",
    "cache key is v3-linux-node20-deps",
    "the private key never leaves the HSM",
    "the public key is published at /.well-known/jwks.json",
    "use the key binding Ctrl+Shift+P",
    "the idempotency key is the event uuid " + UUID,
    "session 7165e36b-9bb6-50b9-a309-c01cd3a0a1bc was lost",
    "the pin is 1.26.4 for numpy",
    "we pin numpy to 1.26.4",
    "cookies are enabled by default, SameSite is Lax",
    "the cookie banner is CookieConsent v3",
    "the authorization header is dropped by the proxy",
    "Authorization is done by policy/roles.rego",
    "we bear the cost, the bearer of news",
    "basic auth was removed in 2.0",
    "the salt is CipherBox-v1 by specification",
    "the passphrase is stored in the vault by ops",
    "clave primaria es id_usuario2",
    "das Passwort wird nie geloggt",
    "die Passwortrichtlinie ist BSI-konform",
    "le mot de passe est haché avec Argon2id",
    "la contraseña se guarda cifrada",
    "密码策略是 NIST",
    "替换 [password] 为实际数据库密码",
    "パスワードはハッシュ化されています",
    "пароль хранится в виде хеша",
    "commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b fixed the token refresh",
    f"the image digest is {DIGEST}",
    f"etag {SHA256[:32]} of the bundle",
    f"the checksum of the key file is {SHA256}",
    "integrity sha512-oZ8Hn3f1nQ5o8bW0rT2yUk3pX9cVbN4mLqW7eR5tY6uI8oP0aS1dF2gH3jK4lZ5xC6vB7nM8qW9eR0tY1uI2oP==",
    "nonce 0x06003515 and token 0x020008E3",
    "// Token: 0x06003515 RID: 13589 RVA: 0x0",
    "order 4539 1488 0343 6468 is no card",
    "test with the card 4242 4242 4242 4242",
    "build 20261110120000 of 1768896437697",
    "call +49 170 1234567 about it",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "the snowflake is 1189273645546573849",
    "the connection string is in appsettings.json",
    "git@github.com:owner/repo.git",
    "http://localhost:3000/users/@me",
    "https://example.com/a/b?c=d&page=2#e",
    "run vault login before deploying",
    "Use vault login first, then vault kv get",
    "rclone config has a token option",
    "rclone config needs the secret key of the bucket",
    "ssm put-parameter needs --value something",
    "put-parameter takes --value twice in the old script",
    "Şifreleme: AES-256-GCM",
    "Şifreler bcrypt ile saklanır, şifre: zorunlu",
    "비밀번호는 argon2id로 해시한다",
    "비밀번호는 `argon2id`로 해시한다",
    "A jelszó a Keycloakban van.",
    "hasło SHA256",
    "Hasła: Argon2id",
    "Hasło to pole wymagane od wersji 2.3.1",
    "salasana: Keycloak",
    "Salasana on pakollinen, vähintään 12 merkkiä",
    "Lösenord: BankID",
    "Lösenordet är hashat med PBKDF2",
    "passord er Obligatorisk",
    "Adgangskoden er krypteret med AES-256",
    "Heslo je uloženo jako SHA-512",
    "parola este criptată cu Argon2id",
    "ο κωδικός είναι κρυπτογραφημένος με SHA256",
    "كلمة المرور هي حقل مطلوب",
    "הסיסמה היא שדה חובה",
    "पासवर्ड है अनिवार्य",
    "kata sandi: Argon2id",
    "mật khẩu là trường bắt buộc",
    "**Password**: Argon2id with 64 MB",
    "**Password**: bcrypt",
    "**Password**: scrypt, N=16384",
    "**Password**: 8-64 chars",
    "**Password**: 12+ characters",
    "**Password:** OAuth2.",
    "**Password**: NIST-800-63B",
    "- **Password:** `SHA-256`",
    "<b>Password:</b> PBKDF2 with 600000 rounds",
)
CODE = (
    "const password = getPassword()",
    "password: string;",
    "def login(user: str, password: str) -> None:",
    "password=args.password",
    "password = os.environ['PW']",
    "secret: process.env.SECRET",
    "const apiKey = process.env.OPENAI_API_KEY!",
    "api_key=settings.openai_api_key",
    "token=$TOKEN",
    "TOKEN=${TOKEN}",
    "export TOKEN=$(cat token.txt)",
    "export NODE_OPTIONS=--max-old-space-size=4096",
    "export class FullSchema1700000000000 implements MigrationInterface {",
    "export type RemediationProgressCallback = () => void",
    "export const SECRET_LENGTH = 32",
    "privateKey: Uint8Array,",
    "publicKey: Uint8Array; privateKey: Uint8Array }",
    "accessToken: Promise<string | undefined>",
    "refreshToken?: string | null",
    "token_url: https://auth.example.com/oauth2/token",
    "tokenEndpoint: '/oauth2/token'",
    "secret_name: prod/db/main-2024",
    "passwordPolicy: { minLength: 12 }",
    "password_min_length: 12",
    "'password' => 'required|min:8|confirmed'",
    '"password": "Enter your password"',
    '"password": "Passwort"',
    '"passwordHint": "at least 8 characters"',
    '<input type="password" name="password" id="password1" />',
    "placeholder='Password'",
    "if (password && expected && password === expected) {",
    "assert password == stored_password",
    "next_token = page.next_token",
    "tokenizer = AutoTokenizer.from_pretrained('gpt2')",
    "DATABASE_URL=postgresql://postgres:[YOUR-PASSWORD]@db.example.co:5432/postgres",
    "postgresql://postgres:your_password@localhost/app",
    "postgresql://USER:PASSWORD@HOST/DB",
    "mongodb://user:<password>@host/db",
    "redis://:${REDIS_PASSWORD}@redis:6379",
    "OPENAI_API_KEY=your_openai_key_here",
    "API_KEY=<your key>",
    "SECRET_KEY=changeme",
    "TOKEN=xxxxxxxxxxxxxxxx",
    "LANGCHAIN_API_KEY=lsv2_pt_***REDACTED***",
    "API Key: lsv2_pt_b125245...",
    'GEMINI_API_KEYS="key1,key2,key3"',
    "CACHE_KEY=v3-linux-node20-deps",
    "PRIMARY_KEY=order_item_id_2",
    "PUBLIC_KEY_PATH=/etc/ssl/public.pem",
    "TOKEN_TTL=900s",
    "PORT=3000",
    "TOKEN_STORE=/home/dev/MyApp2/lib/OAuth2Client",
    "ACCESS_KEY=com/acme/AuthAPI/v2/TokenHandler",
    "--token-file /run/secrets/token",
    "docker run -p 8080:80 -u 1000:1000 nginx",
    "mkdir -p src/app/login2",
    "cp -a build/ dist/",
    "ssh -p 2222 bob@host",
    "kubectl -n app get secret db-credentials -o name",
    "kind: SecretProviderClass",
    "secretKeyRef:\n  name: db\n  key: password",
    "secrets: inherit",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password: {{ .Values.db.password }}",
    "password: !Ref DbPassword",
    "passwordSecretRef: db-main",
    "useSession({ required: true })",
    "import { createToken } from './token'",
    "class TokenBucket2 extends Limiter {}",
    "@Column({ name: 'password_hash' }) passwordHash: string",
    "SELECT id FROM tokens WHERE revoked_at IS NULL",
    "assertThat(tokens).hasSize(3)",
    "it('hashes the password', async () => {",
    "cat > Makefile <<EOF\nall:\n\techo ok\nEOF",
    "echo 'FOO=bar' >> README.md",
    "<token>string</token>",
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.com',
    'curl -u "$USER:$PASS" https://api.example.com',
    "mysql -u root -p app",
    "auth: { type: 'oauth2', flow: 'pkce' }",
    "| Service | Secret |\n|---|---|\n| billing | stored in Vault since 2024 by ops |",
    "| model | token |\n|---|---|\n| opus | 200k in, 32k out per call |",
    "print token | cat\nkubectl get pods -n prod2 --watch | grep api1",
    "print token | cat\nbase64url1 | wc",
    'type Kind =\n  | "token"\n  | "base64url1";\nf(token)',
    "| Design token | Value |\n|---|---|\n| color-blue-500 | #1d3557 |",
    "| Part | Password |\n|---|---|\n| api | Argon2id |\n| old | SHA-256 |",
    "user, password\nbob, Argon2id\n",
    "INSERT INTO users (name, password) VALUES (:name, :password1)",
    "INSERT INTO users (name, password) VALUES ($1, crypt($2, gen_salt('bf', 12)))",
    "INSERT INTO users (name, password_hash_kind, token) VALUES ('bob', 'Argon2id', 'see vault, 2024')",
    'echo "hello world" | vercel env add FOO',
    "${MAX_TOKENS:-4096}",
    "${TOKEN_LIMIT:-8000}",
    "${TOKEN_TTL:-3600}",
    "${SECRET_NAME:-app-prod}",
    "${REDIS_KEY_PREFIX:-nous}",
    "${CACHE_KEY:-deps-v3-linux2}",
    "${PRIMARY_KEY:-uuid}",
    "${TOKENIZER:-cl100k_base}",
    "${PASSWORD_FILE:-/run/secrets/pw}",
    "${PASSWORD_MIN_LENGTH:-123}",
)
AROUND = {  # what stands beside a secret and stays: the whole text as it has to be afterwards, with `{}` for the secret
    "token: |\n  {}\nnext: foo": "secret",
    "token: |\n  {}\n  application_settings: x\n": "secret",
    "token: |\n  {}\n  https://docs.example.com/tokens\n": "secret",
    "token: >-\r\n  {}\r\nnext: foo": "secret",
    "Private-Lines: 1\n{}\nPrivate-MAC: 0a1b": "private-key",
}


# -- by seed: what has an id, a digest, a file or a number in it and stands beside words for secrets ------------------

ABOUT = """
The tenant in the tests is {}.
Always pin it to {}.
The login service runs on {}.
The token service listens at {}.
The auth token cache is {}.
We check passwords in {}.
Password resets are handled by {}.
The password policy lives in {}.
The password check moved to {} last week.
The API key table is {}.
The key thing is {}.
The secret store is {}.
The session id is {}.
The token id is {}.
Use {} as the id of the login flow.
Login failed with {}.
The primary key is {}.
The cache key is {}.
The deploy key is named {}.
The sort key is {}, not the name.
The partition key: {}
Commit {} broke the login.
The credentials helper is {}.
The pin for this package is {}.
Pass {} to the handler.
We pass {} as the first argument.
Access logs go to {}.
Rollback target: {}
Key: {}
token_id: {}
key_id = "{}"
password_file: {}
Das Passwort-Modul ist {}.
Die Token-Prüfung liegt in {}.
Le module de mot de passe est {}.
La clave primaria es {}.
The secret name in Vault is {}.
The encryption algorithm is {}.
- **Key**: {}
- **Token service**: {}
| key | {} |
| token | {} |
The hash is {}
signing key id {}
cookie name is {}
The login page is {}.
See {} for the password rules.
My key learning: {} is slow.
The trace of the token refresh is {}.
The public key fingerprint is {}.
The key in Redis is {}.
- **Password reset:** {}
| model | token | {} |
""".strip().split("\n")


def named(chance: random.Random) -> dict[str, str]:
    """Names of everyday things, made up."""

    def digits(count: int, signs: str = "0123456789abcdef") -> str:
        return "".join(chance.choices(signs, k=count))

    return IDS | {
        "some uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        "some commit": digits(chance.choice((7, 8, 10, 40, 64))),
        "some digest": f"sha256:{digits(64)}",
        "some ulid": "01" + digits(24, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"),
        "some ticket": f"OPS-{chance.randrange(99999)}",
        "port": str(chance.randrange(1024, 65535)),
        "address": f"127.0.0.1:{chance.randrange(1024, 65535)}",
        "file": chance.choice(
            ("src/auth/token2.py", "Login2FA.tsx", "k8s/secret-store-v1.yaml", "0042_add_tokens.sql")
        ),
        "function": chance.choice(("reset_password_v2", "getTokenV2", "OAuth2Client", "user_id_2")),
        "pod": f"auth-service-{digits(10)}-{digits(5, 'bcdfghjklmnpqrstvwxz2456789')}",
        "machine": f"vpc-0{digits(16)}",
        "model": chance.choice(("claude-3-5-sonnet-20241022", "text-embedding-3-large", "minilm-l6-v2")),
        "branch": chance.choice(("feature/PROJ-12-token-refresh", "fix/login-2fa", "release/2024.11")),
        "colour": f"#{digits(6)}",
        "algorithm": chance.choice(("Argon2id", "PBKDF2", "AES-256-GCM", "ed25519", "HS256")),
        "url": "https://auth.example.com/oauth2/token",
        "package": f"@acme/auth-client@2.{chance.randrange(9)}.1",
    }


def about(seeds: int) -> Iterator[str]:
    """Every way to speak of them, with other names each time."""
    for seed in range(seeds):
        things = named(random.Random(seed)).values()
        yield from (frame.format(thing) for frame in ABOUT for thing in things)
