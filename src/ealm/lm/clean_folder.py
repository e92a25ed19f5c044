"""A language model's folder, reduced to what may be read: it may come from a stranger, and libraries read too much.

Only files by these names are opened, each a plain file of the folder and of a limited size; of their JSON only these
keys are passed on. Everything else in a folder is as if it were not there.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from safetensors import SafetensorError

from ealm.common.errors import LanguageModelError
from ealm.common.storage import own_file, read_json

Values = TypeVar("Values")

CONFIG_FILE = "config.json"
WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
PART_NAMES = "model-*-of-*.safetensors"
_PART = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")

_FAMILIES = frozenset(
    "albert bert camembert data2vec-text deberta deberta-v2 ernie megatron-bert mpnet roberta "
    "roberta-prelayernorm xlm-roberta xlm-roberta-xl".split()
)
"""Kinds of models whose description has the keys below."""

_CONFIG_KEYS = frozenset(
    """
    model_type vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act
    hidden_dropout_prob attention_probs_dropout_prob max_position_embeddings type_vocab_size initializer_range
    layer_norm_eps pad_token_id bos_token_id eos_token_id cls_token_id sep_token_id position_embedding_type
    classifier_dropout tie_word_embeddings dtype torch_dtype chunk_size_feed_forward
    embedding_size num_hidden_groups inner_group_num classifier_dropout_prob
    relative_attention relative_attention_num_buckets max_relative_positions position_biased_input pos_att_type
    position_buckets norm_rel_ebd share_att_key attention_head_size conv_kernel_size conv_act
    pooler_dropout pooler_hidden_act pooler_hidden_size legacy task_type_vocab_size use_task_id
    """.split()
)
_TOKENS = frozenset(
    "unk_token sep_token pad_token cls_token mask_token bos_token eos_token additional_special_tokens".split()
)
_TOKENIZERS = frozenset(
    name + ending
    for name in "Albert Bert Camembert Deberta DebertaV2 MPNet PreTrained Roberta XLMRoberta".split()
    for ending in ("Tokenizer", "TokenizerFast")
)
_KEYS = {
    CONFIG_FILE: _CONFIG_KEYS,
    "tokenizer_config.json": _TOKENS
    | frozenset(
        """
        tokenizer_class model_max_length do_lower_case do_basic_tokenize strip_accents tokenize_chinese_chars
        clean_up_tokenization_spaces added_tokens_decoder extra_special_tokens add_prefix_space trim_offsets errors
        keep_accents remove_space never_split padding_side truncation_side vocab_type split_by_punct
        """.split()
    ),
    "special_tokens_map.json": _TOKENS,
    "tokenizer.json": frozenset(
        "version truncation padding added_tokens normalizer pre_tokenizer post_processor decoder model".split()
    ),
}
"""What is passed on of each JSON file."""

_MOST_BYTES = {
    CONFIG_FILE: 1 << 20,
    "tokenizer_config.json": 1 << 24,
    "special_tokens_map.json": 1 << 20,
    "tokenizer.json": 1 << 26,
    "added_tokens.json": 1 << 22,
    "vocab.json": 1 << 25,
    "vocab.txt": 1 << 25,
    "merges.txt": 1 << 25,
}
FILES = (*_MOST_BYTES, WEIGHTS_FILE, INDEX_FILE)
"""All names that are ever opened, with those of weights in parts."""

_WORDS = ({"tokenizer.json"}, {"vocab.txt"}, {"vocab.json", "merges.txt"})
"""One of these sets makes a tokenizer."""


@contextmanager
def clean_copy(folder: Path) -> Iterator[Path]:
    """A folder that holds no more than may be read, for as long as a library reads it; weights are linked."""
    with TemporaryDirectory(prefix="ealm-") as name:
        copy = Path(name)
        found = {file for file in _MOST_BYTES if from_file(_copied, folder / file, copy)}
        if CONFIG_FILE not in found:
            raise _unusable(folder, f"it has no {CONFIG_FILE}")
        if not any(names <= found for names in _WORDS):
            raise _unusable(folder, "it has no tokenizer (tokenizer.json, vocab.txt, or vocab.json with merges.txt)")
        for path in _weights(folder, copy):
            _link(copy / path.name, path)
        yield copy


def _unusable(folder: Path, reason: str) -> LanguageModelError:
    return LanguageModelError(f"No masked language model can be read from the folder {folder}: {reason}.")


def _copied(path: Path, copy: Path) -> bool:
    """Whether there is such a file; then the copy has what may be read of it."""
    if not own_file(path).exists():
        return False
    most = _MOST_BYTES[path.name]
    if path.suffix != ".json":
        if path.stat().st_size > most:
            raise ValueError(f"it is longer than {most:,} bytes")
        shutil.copyfile(path, copy / path.name)
        return True
    values = read_json(path, most)
    if not isinstance(values, dict):
        raise ValueError("it does not hold names and values")
    keys = _KEYS.get(path.name)
    kept = values if keys is None else {name: value for name, value in values.items() if name in keys}
    if path.name == CONFIG_FILE:
        _check_description(kept)
    if kept.get("tokenizer_class", "BertTokenizer") not in _TOKENIZERS:
        del kept["tokenizer_class"]  # then the library chooses by the kind of the model
    (copy / path.name).write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    return True


def _check_description(values: dict[str, Any]) -> None:
    if values.get("model_type") not in _FAMILIES:
        raise ValueError(f"its model_type is not one of {', '.join(sorted(_FAMILIES))}")
    for name, value in values.items():
        parts = value if isinstance(value, list) and name == "pos_att_type" else [value]
        if not all(part is None or isinstance(part, str | int | float) for part in parts):
            raise ValueError(f"its {name} makes no sense")


def _weights(folder: Path, copy: Path) -> list[Path]:
    """The files with weights; a list of several is copied."""
    whole = from_file(own_file, folder / WEIGHTS_FILE)
    if whole.exists():
        return [whole]
    index = from_file(own_file, folder / INDEX_FILE)
    if not index.exists():
        raise _unusable(folder, f"it has no {WEIGHTS_FILE}. Weights of other kinds are not read, they could run code")
    values = from_file(read_json, index)
    places = values.get("weight_map") if isinstance(values, dict) else None
    if not isinstance(places, dict) or not places:
        raise LanguageModelError(f"{index} is damaged: 'weight_map' is missing or names no files.")
    wrong = next((name for name in places.values() if not isinstance(name, str) or not _PART.fullmatch(name)), None)
    if wrong is not None:
        raise LanguageModelError(f"{index} names weights that do not lie in the folder: {str(wrong)[:80]!r}")
    clean = {"metadata": {}, "weight_map": places}
    (copy / INDEX_FILE).write_text(json.dumps(clean), encoding="utf-8")
    paths = [from_file(own_file, folder / name) for name in sorted(set(places.values()))]
    missing = next((path.name for path in paths if not path.exists()), None)
    if missing is not None:
        raise _unusable(folder, f"{INDEX_FILE} names {missing}, which is not there")
    return paths


def _link(link: Path, path: Path) -> None:
    try:
        link.symlink_to(path.resolve())
    except OSError:  # some systems have links for administrators only
        shutil.copyfile(path, link)


def from_file(read: Callable[..., Values], path: Path, *arguments: Any) -> Values:
    """What `read` gives; whatever is wrong with the file becomes an error that names it."""
    try:
        return read(path, *arguments)
    except (OSError, ValueError, SafetensorError) as error:
        raise LanguageModelError(f"{path} cannot be read: {error}") from error
