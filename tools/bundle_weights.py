"""Writes the models that come with the package into src/ealm/lm/default, each from a folder with its full weights.

python tools/bundle_weights.py --encoder DIR    the sentence encoder (all-MiniLM-L6-v2, from its folder)
python tools/bundle_weights.py --lm DIR         the masked language model, as `ealm adapt` writes it
python tools/bundle_weights.py --agent DIR      the default agent, as `ealm train` writes it
python tools/bundle_weights.py --paper-agent DIR    the agent that was trained as in the paper

Matrices of models and of the paper's agent become 8-bit integers with a scale for each row (`ealm.lm.int8_weights`),
everything else stays in single precision; tokenizers are compressed, and the default agent is stored in half precision.
Options can be combined, and what is not named stays as it is. The same folder always gives the same bytes. `--out DIR`
writes elsewhere.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.processors import BertProcessing
from torch import Tensor

from ealm.common.errors import EalmError
from ealm.common.storage import packed_path, read_tensors, replaced, write_json
from ealm.lm import bundled
from ealm.lm.bert import LightBertConfig, LightBertForMaskedLM, LightTokenizer, light_encoder
from ealm.lm.int8_weights import rounded, write_compact
from ealm.lm.tokenizer_file import with_listed_vocabulary
from ealm.summarize.saved_agent import FREQUENT_WORDS_FILE, SavedAgent

DEFAULT = bundled.lm_folder().parent


def bundle_lm(source: Path, target: Path) -> None:
    """Write a masked language model with its head."""
    config, weights = LightBertConfig.read(source / "config.json"), _weights(source)
    LightBertForMaskedLM.from_weights(config, weights)  # refuses what is missing
    _write_model(target, weights, config, LightTokenizer.read(source / "tokenizer.json").backend_tokenizer)


def bundle_encoder(source: Path, target: Path) -> None:
    """Write an encoder alone, without the entries of its vocabulary that were left free."""
    config, weights = LightBertConfig.read(source / "config.json"), _weights(source)
    weights = {name: weights[name] for name in light_encoder(config, weights).state_dict()}
    tokenizer = LightTokenizer.read(source / "tokenizer.json").backend_tokenizer
    kept = [number for number in range(config.vocab_size) if not _is_unused(tokenizer.id_to_token(number))]
    weights[_WORDS] = weights[_WORDS][kept]
    _write_model(target, weights, replace(config, vocab_size=len(kept)), renumbered(tokenizer, kept))


_WORDS = "embeddings.word_embeddings.weight"


def _is_unused(token: str | None) -> bool:
    return token is None or token.startswith("[unused")


def renumbered(tokenizer: Tokenizer, kept: Sequence[int]) -> Tokenizer:
    """The same BERT tokenizer with these entries only, numbered from 0 in this order."""
    description = json.loads(tokenizer.to_str())
    new_ids = {tokenizer.id_to_token(old): new for new, old in enumerate(kept)}
    description["model"]["vocab"] = new_ids
    added = [{**token, "id": new_ids[token["content"]]} for token in description["added_tokens"]]
    description |= {"added_tokens": added, "post_processor": None}
    smaller = Tokenizer.from_str(json.dumps(description))
    end, start = (("[SEP]", new_ids["[SEP]"]), ("[CLS]", new_ids["[CLS]"]))
    smaller.post_processor = BertProcessing(end, start)
    return smaller


def bundle_agent(source: Path, target: Path) -> None:
    """Write an agent in half precision; its language model is the bundled one."""
    _bundle_agent(source, target, lambda weights: {name: weight.half() for name, weight in weights.items()})


def bundle_paper_agent(source: Path, target: Path) -> None:
    """The same with matrices in eight bits: the package has a limit of size."""
    _bundle_agent(source, target, rounded)


def _bundle_agent(source: Path, target: Path, smaller: Callable[[Mapping[str, Tensor]], Mapping[str, Tensor]]) -> None:
    agent = SavedAgent.load(source)
    replace(agent, weights=smaller(agent.weights), lm_name=bundled.NAME).save(target)
    words = target / FREQUENT_WORDS_FILE  # compressed: the package has a limit of size
    _write_packed(words, json.loads(words.read_text(encoding="utf-8")))
    words.unlink()


def _write_packed(path: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    with replaced(packed_path(path)) as draft:
        draft.write_bytes(gzip.compress(text.encode(), mtime=0))  # without the time: equal bytes every time


def _weights(source: Path) -> dict[str, Tensor]:
    """The folder's weights but for counters."""
    tensors = read_tensors(source / "model.safetensors")
    return {name: tensor for name, tensor in tensors.items() if tensor.is_floating_point()}


def _write_model(target: Path, weights: Mapping[str, Tensor], config: LightBertConfig, tokenizer: Tokenizer) -> None:
    target.mkdir(parents=True, exist_ok=True)
    write_compact(target, weights)
    write_json(target / "config.json", {"model_type": "bert", "hidden_act": "gelu", **asdict(config)})
    _write_packed(target / "tokenizer.json", with_listed_vocabulary(json.loads(tokenizer.to_str())))


_PARTS: dict[str, Callable[[Path, Path], None]] = {
    "lm": bundle_lm,
    "encoder": bundle_encoder,
    "agent": bundle_agent,
    "paper_agent": bundle_paper_agent,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for part in _PARTS:
        parser.add_argument(f"--{part.replace('_', '-')}", type=Path, metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="DIR", default=DEFAULT)
    options = parser.parse_args(arguments)
    chosen = {part: source for part in _PARTS if (source := getattr(options, part)) is not None}
    if not chosen:
        parser.error("name at least one folder: --lm, --encoder, --agent or --paper-agent")
    for part, source in chosen.items():
        try:
            _PARTS[part](source, options.out / part)
        except (EalmError, OSError, KeyError, RuntimeError) as error:
            sys.exit(f"error: {source} cannot be bundled: {error}")
        size = sum(path.stat().st_size for path in (options.out / part).iterdir())
        sys.stdout.write(f"{options.out / part}: {size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
