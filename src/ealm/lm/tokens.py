"""Tokens of language models, by any tokenizer of the `tokenizers` library."""

from pathlib import Path

from tokenizers import Tokenizer

from ealm.common.caching import remember_short
from ealm.common.errors import SettingsError
from ealm.lm import bundled
from ealm.lm.hub import hub_is_reachable
from ealm.lm.tokenizer_file import read_tokenizer

_FILES = ("tokenizer.json", "tokenizer.json.gz")
_TOKENIZERS = 4
"""Loaded tokenizers that are kept: each takes some megabytes."""


def count(text: str, tokenizer: str) -> int:
    """Tokens of a text, without those that a model adds around it; `tokenizer` as in `load`."""
    return _count(text, tokenizer)


@remember_short(20_000)
def _count(text: str, tokenizer: str) -> int:
    return len(load(tokenizer).encode(text, add_special_tokens=False).ids)


@remember_short(_TOKENIZERS)
def load(name: str) -> Tokenizer:
    """The tokenizer in the package, a `tokenizer.json`, a folder with one, or that of a model on the hub."""
    path = bundled.lm_folder() if name == bundled.NAME else Path(name)
    found = next((path / own for own in _FILES if (path / own).is_file()), path if path.is_file() else None)
    try:
        if found is None:
            from huggingface_hub import hf_hub_download

            found = Path(hf_hub_download(name, _FILES[0], local_files_only=not hub_is_reachable()))
            tokenizer = Tokenizer.from_file(str(found))
        elif found.name == _FILES[1]:
            tokenizer = read_tokenizer(found.with_name(_FILES[0]))
        else:
            tokenizer = Tokenizer.from_file(str(found))
    except Exception as error:  # the library raises plain exceptions
        reason = str(error).split("\n")[0]
        raise SettingsError(
            f"The tokenizer {name!r} of tokenizer= cannot be read ({reason:.80}). Name a tokenizer.json, a folder with "
            "one, or a model on the hub that can be reached."
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
