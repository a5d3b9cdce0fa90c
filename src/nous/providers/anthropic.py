"""The Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nous.errors import BadOutput, ConfigError
from nous.providers.llm import Choice, Completion, CutOff, Endpoint, Refused, count, estimate, may_carry_key, post

BASE_URL = "https://api.anthropic.com"
DEFAULT_MODEL = "claude-haiku-4-5"
TOOL = "record_learnings"


class Anthropic(Endpoint):
    """Asks by one forced tool call, so that the answer is JSON. Tool and task are cached for the next call."""

    provider = "anthropic"

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """The tool's input as the model filled it."""
        body = {
            "model": self.model,
            "max_tokens": max_tokens,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": prompt}],
            "tools": [{"name": TOOL, "description": "Record what was learned.", "input_schema": schema}],
            "tool_choice": {"type": "tool", "name": TOOL},
        }
        headers = {"x-api-key": self.key, "anthropic-version": "2023-06-01"}
        return self._read_answer(post(f"{self.base_url}/v1/messages", headers, body, self.timeout), prompt + system)

    def _read_answer(self, said: Mapping[str, Any], sent: str) -> Completion:
        blocks = said.get("content")
        blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
        text = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        structured = next((block.get("input") for block in blocks if block.get("type") == "tool_use"), None)
        answer = Completion(
            text=text,
            structured=structured,
            input_tokens=_tokens_sent(said.get("usage")) or estimate(sent),
            output_tokens=_usage(said.get("usage"), "output_tokens") or estimate(text + str(structured or "")),
            model=str(said.get("model") or self.model),
        )
        match said.get("stop_reason"):
            case "refusal":
                raise Refused("the model declined to answer")
            case "max_tokens":
                raise CutOff(answer)
        if structured is None and not text.strip():
            raise BadOutput("the answer is empty")
        return answer


def _usage(usage: object, name: str) -> int:
    return count(usage.get(name)) if isinstance(usage, dict) else 0


def _tokens_sent(usage: object) -> int:
    """Everything that was read, from the cache or not."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_usage(usage, name) for name in names)


def open_anthropic(choice: Choice, environ: Mapping[str, str]) -> Anthropic:
    """The API with the key of the environment."""
    key = environ.get("ANTHROPIC_API_KEY", "")
    base_url = choice.base_url or environ.get("ANTHROPIC_BASE_URL") or BASE_URL
    if not key:
        raise ConfigError("there is no ANTHROPIC_API_KEY in the environment", hint="or choose another llm_provider")
    if not may_carry_key(base_url):
        raise ConfigError(f"{base_url} is not encrypted; the key stays here")
    return Anthropic(choice.model or DEFAULT_MODEL, base_url, key, choice.timeout)
