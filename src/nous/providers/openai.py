"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, llama.cpp, LM Studio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nous.errors import BadOutput, ConfigError
from nous.providers.llm import (
    Choice,
    Completion,
    CutOff,
    Declined,
    Endpoint,
    Refused,
    count,
    estimate,
    may_carry_key,
    post,
)

BASE_URL = "https://api.openai.com/v1"


class OpenAi(Endpoint):
    """Asks for JSON by schema; a server that does not know schemas is asked for JSON, then for anything."""

    provider = "openai"

    def __init__(self, model: str, base_url: str, key: str, timeout: float):
        super().__init__(model, base_url, key, timeout)
        self.form = 0  # how many forms of answer this server has refused

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """The first choice of the completion."""
        forms = _forms(schema)
        while True:
            try:
                return self._ask(prompt, system, forms[self.form], max_tokens)
            except Declined as problem:
                if self.form == len(forms) - 1 or problem.status not in (400, 422):
                    raise
                self.form += 1

    def _ask(self, prompt: str, system: str, form: dict[str, Any], max_tokens: int) -> Completion:
        limit = "max_completion_tokens" if "api.openai.com" in self.base_url else "max_tokens"
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        body = {"model": self.model, "messages": messages, limit: max_tokens, **form}
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return self._read_answer(
            post(f"{self.base_url}/chat/completions", headers, body, self.timeout), prompt + system
        )

    def _read_answer(self, said: Mapping[str, Any], sent: str) -> Completion:
        choices = said.get("choices")
        first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = first.get("message")
        message = message if isinstance(message, dict) else {}
        if message.get("refusal") or first.get("finish_reason") == "content_filter":
            raise Refused("the model declined to answer")
        text = message.get("content")
        text = text if isinstance(text, str) else ""
        usage = said.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        answer = Completion(
            text=text,
            input_tokens=count(usage.get("prompt_tokens")) or estimate(sent),
            output_tokens=count(usage.get("completion_tokens")) or estimate(text),
            model=str(said.get("model") or self.model),
        )
        if first.get("finish_reason") == "length":
            raise CutOff(answer)
        if not text.strip():
            raise BadOutput("the answer is empty")
        return answer


def _forms(schema: dict[str, Any]) -> list[dict[str, Any]]:
    by_schema = {"type": "json_schema", "json_schema": {"name": "learnings", "schema": schema}}
    return [{"response_format": by_schema}, {"response_format": {"type": "json_object"}}, {}]


def open_openai(choice: Choice, environ: Mapping[str, str]) -> OpenAi:
    """The endpoint of the settings; the key of the environment goes along only where it is safe."""
    base_url = choice.base_url or environ.get("OPENAI_BASE_URL") or BASE_URL
    key = environ.get("OPENAI_API_KEY", "") if may_carry_key(base_url) else ""
    if not choice.model:
        raise ConfigError("llm_provider is openai, but no llm_model is set", hint="name the model, e.g. qwen3:8b")
    if not key and base_url == BASE_URL:
        raise ConfigError("there is no OPENAI_API_KEY in the environment", hint="or set llm_base_url")
    return OpenAi(choice.model, base_url, key, choice.timeout)
