"""Models that complete a prompt, behind one Protocol. None is asked unless the user chose one."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec

from nous.errors import BadOutput, ConfigError, ProviderError, RateLimited


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered: its text, the JSON in it where the provider gives that apart, and what it took.

    `usd` is what the provider itself says the call cost; None where it does not say.
    """

    text: str
    structured: Any = None
    input_tokens: int
    output_tokens: int
    model: str
    usd: float | None = None


class Llm(Protocol):
    """A model. Every failure is a `ProviderError`, so that callers keep what they have without it."""

    provider: str
    model: str
    local: bool

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """The model's answer, of the form the schema describes as far as the provider can promise it."""
        ...


class TryLater(RateLimited):
    """The model provider asks to wait."""

    def __init__(self, message: str, retry_after: float | None = None):
        super().__init__(message)
        self.retry_after = retry_after


class Unreachable(ProviderError):
    """Nobody answered; nothing was spent."""


class Declined(ProviderError):
    """The provider did not accept the request; nothing was spent."""

    def __init__(self, message: str, status: int, *, hint: str | None = None):
        super().__init__(message, hint=hint)
        self.status = status


class LoggedOut(Declined):
    """The provider does not know who asks; nothing was spent, and no session is to blame."""


class Refused(BadOutput):
    """The model declined to answer."""


class CutOff(BadOutput):
    """The answer broke off; `answer` is what came before."""

    def __init__(self, answer: Completion):
        super().__init__("the answer broke off at its limit")
        self.answer = answer


class Choice(NamedTuple):
    """Which model was chosen and how to reach it. Keys come from the environment and are never stored."""

    provider: str
    model: str
    base_url: str
    command: str
    timeout: float
    data_dir: str


# name -> "module:function"; the function takes a Choice and the environment
LLMS: dict[str, str] = {
    "claude": "nous.providers.claude_cli:open_claude",
    "anthropic": "nous.providers.anthropic:open_anthropic",
    "openai": "nous.providers.openai:open_openai",
    "recorded": "nous.providers.recorded:open_recorded",
}


def open_llm(choice: Choice, environ: Mapping[str, str]) -> Llm | None:
    """The chosen model, or None when none was chosen."""
    if choice.provider == "none":
        return None
    place = LLMS.get(choice.provider.partition(":")[0])
    if place is None:
        raise ConfigError(f"there is no model provider {choice.provider!r}", hint="one of none, " + ", ".join(LLMS))
    module, function = place.split(":")
    opened: Llm = getattr(import_module(module), function)(choice, environ)
    return opened


# -- what a call costs ----------------------------------------------------------------------------------------------


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float


# List prices by a part of the model's name, the first that fits. They age; the user's own settings win.
PRICES: tuple[tuple[str, Price], ...] = (
    ("haiku", Price(1.0, 5.0)),
    ("sonnet", Price(3.0, 15.0)),
    ("opus", Price(15.0, 75.0)),
    ("gpt-5-nano", Price(0.05, 0.4)),
    ("gpt-5-mini", Price(0.25, 2.0)),
    ("gpt-4o-mini", Price(0.15, 0.6)),
    ("gpt-4.1-nano", Price(0.1, 0.4)),
    ("gpt-4.1-mini", Price(0.4, 1.6)),
    ("gpt-4.1", Price(2.0, 8.0)),
    ("gpt-4o", Price(2.5, 10.0)),
    ("gpt-5", Price(1.25, 10.0)),
)
FREE = Price(0.0, 0.0)
UNKNOWN = Price(15.0, 75.0)  # a model nobody priced counts as the dearest, so that a cap holds in any case


def price_of(model: str, *, local: bool = False, given: Price | None = None) -> Price:
    """What a model costs: what the user says, nothing for one on this machine, else the list."""
    if given is not None:
        return given
    if local:
        return FREE
    return next((price for part, price in PRICES if part in model.lower()), UNKNOWN)


def cost(price: Price, input_tokens: int, output_tokens: int) -> float:
    """Dollars for so many tokens: 12,000 in and 1,000 out of Price(1, 5) are 0.017."""
    return (input_tokens * price.input + output_tokens * price.output) / 1e6


CHARACTERS_PER_TOKEN = 3.0  # fewer than English needs, so that an estimate errs on the safe side


def estimate(text: str) -> int:
    """About how many tokens a text has; rather too many than too few."""
    wide = sum(ord(char) > 0x2E80 for char in text)
    return int((len(text) - wide) / CHARACTERS_PER_TOKEN + wide) + 1


# -- HTTP -----------------------------------------------------------------------------------------------------------

MAX_ANSWER_BYTES = 4 * 1024 * 1024
PATIENCE = 30.0  # seconds a call waits by itself; for more, the caller is told to come back
TRIES = 3
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected request would carry the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def is_loopback(url: str) -> bool:
    """Whether an address is this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def may_carry_key(url: str) -> bool:
    """Whether a key may go there: encrypted, or not leaving the machine."""
    return urlsplit(url).scheme == "https" or is_loopback(url)


def post(
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    *,
    tries: int = TRIES,
) -> dict[str, Any]:
    """The JSON a server answers with. Busy servers are asked again, politely, a few times."""
    for attempt in range(tries):
        try:
            return _once(url, headers, body, timeout)
        except TryLater as busy:
            wait = _wait(busy, attempt)
            if attempt == tries - 1 or wait > PATIENCE:
                raise
            sleep(wait)
    raise AssertionError("unreachable")


def _wait(busy: TryLater, attempt: int) -> float:
    """What the server asks for, else 1, 2, 4 seconds with some chance in it."""
    return busy.retry_after if busy.retry_after is not None else 2.0**attempt * (0.75 + random.random() / 2)


def _once(url: str, headers: Mapping[str, str], body: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    sent = {"content-type": "application/json", "user-agent": "nous-recall", **headers}
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=sent, method="POST")
    # A proxy of the environment is honoured, but never for this machine.
    handlers: list[Any] = [_NoRedirect()] + ([urllib.request.ProxyHandler({})] if is_loopback(url) else [])
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=timeout) as response:
            raw = response.read(MAX_ANSWER_BYTES + 1)
    except urllib.error.HTTPError as problem:
        with problem:
            raise _explain_refusal(problem) from None
    except TimeoutError:
        raise ProviderError(f"no answer within {timeout:.0f} seconds") from None
    except urllib.error.URLError as problem:
        raise _unreachable(problem, url, timeout) from None
    except (http.client.HTTPException, OSError) as problem:
        raise ProviderError(f"the connection broke: {type(problem).__name__}") from None
    return _decode(raw)


def _unreachable(problem: urllib.error.URLError, url: str, timeout: float) -> ProviderError:
    if isinstance(problem.reason, TimeoutError):
        return ProviderError(f"no answer within {timeout:.0f} seconds")
    return Unreachable(f"cannot reach {urlsplit(url).hostname}: {problem.reason}")


def _decode(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_ANSWER_BYTES:
        raise BadOutput("the answer is far too long")
    try:
        value = json.loads(raw)
    except ValueError:
        raise BadOutput("the server's answer is not JSON") from None
    if not isinstance(value, dict):
        raise BadOutput("the server's answer is not an object")
    return value


def _explain_refusal(problem: urllib.error.HTTPError) -> ProviderError:
    """One sentence about a refusal, with the server's own words; they never hold the key we sent."""
    said = _words(problem)
    sentence = f"the provider answered {problem.code}" + (f": {said}" if said else "")
    if problem.code in _BUSY:
        return TryLater(sentence, _seconds(problem.headers.get("retry-after")))
    if problem.code in (401, 403):
        return LoggedOut(sentence, problem.code, hint="check the key in the environment")
    return Declined(sentence, problem.code)


def _words(problem: urllib.error.HTTPError) -> str:
    try:
        error = json.loads(problem.read(65536)).get("error")
    except (ValueError, AttributeError, OSError):
        return ""
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(message).split())[:200] if message else ""


def _seconds(given: str | None) -> float | None:
    try:
        return max(0.0, float(given or ""))
    except ValueError:
        return None


def count(value: object) -> int:
    """A number of tokens as a provider reports it; what is no number counts nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


class Endpoint:
    """A model that answers over HTTP."""

    def __init__(self, model: str, base_url: str, key: str, timeout: float):
        self.model = model
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.timeout = timeout
        self.local = is_loopback(base_url)
