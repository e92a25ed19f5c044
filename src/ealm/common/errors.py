"""Errors that a user can cause; every message says what to do next.

Messages name arguments as Python does (`lm=`); whoever shows one elsewhere rewrites them with `with_names`.
"""

import re
from collections.abc import Mapping

_ARGUMENT = re.compile(r"(?<![\w.?&/-])([a-z]\w*)=(?=(\w)?)")
"""An argument in a message: `lm=` or `effort=plan`, but not the end of `goal.agent.estimates=true`."""


class EalmError(Exception):
    """Base of every error that a user can cause and mend."""


class UsageError(EalmError):
    """Something cannot be done as it was asked for: another request helps, another try does not."""


class SettingsError(UsageError, ValueError):
    """A setting has a value, type or name that cannot be used."""


class CorpusError(EalmError):
    """A training corpus cannot be read or holds nothing to learn from."""


class TextError(EalmError, ValueError):
    """A text handed over for summarizing cannot be used as it is."""


class TextTypeError(TextError, TypeError):
    """What was handed over for summarizing is no text."""


class LanguageModelError(EalmError):
    """A masked language model cannot be loaded or does not fit the agent."""


class MissingLanguageModelError(LanguageModelError, UsageError):
    """There is no masked language model of that name."""


class GrammarError(EalmError):
    """A grammar cannot be loaded, or what it gives is no parse."""


class ModelFolderError(EalmError):
    """A folder does not hold a readable trained agent."""


class MissingAgentError(ModelFolderError, UsageError):
    """There is no trained agent in a folder."""


class RunError(EalmError):
    """A training run cannot be started or resumed."""


class RunRequestError(RunError, UsageError):
    """A training run cannot be started or resumed as asked."""


class BatchError(EalmError):
    """A job over a file cannot be done, gone on with or written."""


class JobRequestError(BatchError, UsageError):
    """A job cannot be done as asked."""


class WorkersError(EalmError):
    """Processes or machines that work for this one cannot be reached, or cannot do what is asked of them."""


class EalmWarning(UserWarning):
    """Something that works, but that a user may not have meant."""


def with_names(message: str, names: Mapping[str, str]) -> str:
    """A message with arguments under other names: `lm=` as `--lm`, `effort=plan` as `--effort plan`."""

    def renamed(found: re.Match[str]) -> str:
        name = names.get(found[1])
        return found[0] if name is None else f"{name} " if found[2] else name

    return _ARGUMENT.sub(renamed, message)
