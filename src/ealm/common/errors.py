"""What can go wrong through no fault of ours; every message says what to do next."""


class EalmError(Exception):
    """Base of every error that a user can cause and mend."""


class SettingsError(EalmError, ValueError):
    """A setting has a value, type or name that cannot be used."""


class CorpusError(EalmError):
    """A training corpus cannot be read or holds nothing to learn from."""


class TextError(EalmError, ValueError):
    """A text handed over for summarizing cannot be used as it is."""


class LanguageModelError(EalmError):
    """A masked language model cannot be loaded or does not fit the agent."""


class GrammarError(EalmError):
    """A grammar cannot be loaded, or what it gives is no parse."""


class ModelFolderError(EalmError):
    """A folder does not hold a readable trained agent."""


class RunError(EalmError):
    """A training run cannot be started or resumed as asked."""


class BatchError(EalmError):
    """A job over a file cannot be started, gone on with or written as asked."""


class WorkersError(EalmError):
    """Processes or machines that work for this one cannot be reached, or cannot do what is asked of them."""
