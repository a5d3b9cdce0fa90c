"""The errors of Nous, few enough to draw.

NousError
  ConfigError        a setting is missing or malformed
  StoreError         the database refused
    SchemaTooNew     it was written by a later Nous
    StoreUnavailable it cannot be used now: held, full, not ours to write
      Damaged        it is no healthy database any more
  ProviderError      a model call failed
    RateLimited      try again later
    BadOutput        the answer is not what was asked for
  BadEvent           an event does not fit its type
    Forked           two databases write as one device
  NotFound           there is no such thing
  Misuse             what was asked for makes no sense
  Forbidden          whoever asks may not
  Conflict           it no longer fits what is there
  NotBuilt           Nous cannot do this yet
"""


class NousError(Exception):
    """Nous could not do this."""

    hint: str | None = None

    def __init__(self, message: str | None = None, *, hint: str | None = None):
        super().__init__(message or (self.__doc__ or "").strip())
        if hint:
            self.hint = hint


class ConfigError(NousError):
    """A setting is missing or malformed."""


class StoreError(NousError):
    """The database refused."""


class SchemaTooNew(StoreError):
    """The database was written by a later version of Nous."""

    hint = "update your clone of Nous and run `pip install .` there"


class StoreUnavailable(StoreError):
    """The database cannot be used now, whatever is asked of it."""


class Damaged(StoreUnavailable):
    """The database is not healthy."""


class ProviderError(NousError):
    """A model call failed."""


class RateLimited(ProviderError):
    """The model provider asks to try again later."""


class BadOutput(ProviderError):
    """The model's answer is not what was asked for."""


class BadEvent(NousError):
    """An event does not fit its type."""


class Forked(BadEvent):
    """Two databases write as one device."""


class NotFound(NousError):
    """There is no such thing."""


class Misuse(NousError):
    """What was asked for makes no sense."""


class Forbidden(NousError):
    """Whoever asks may not."""


class Conflict(NousError):
    """It no longer fits what is there."""


class NotBuilt(NousError):
    """Nous cannot do this yet."""
