"""A trained parser on disk: its weights in 8 bits, and a JSON file with its sizes and the names of what it predicts."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ealm.common.errors import GrammarError, LanguageModelError
from ealm.common.storage import read_json, write_json
from ealm.grammar.neural.network import ParserNetwork, ParserShape
from ealm.grammar.protocol import ROOT_RELATION
from ealm.lm.int8_weights import read_compact, write_compact

SHAPE_FILE = "grammar.json"
_LARGEST_SIZE = 1 << 14
_SIZES = ("inputs", "width", "arc_width", "relation_width")
_NAMES = ("relations", "tags")


def write_network(folder: Path, network: ParserNetwork) -> None:
    """Write a folder that `read_network` takes."""
    write_compact(folder, network.state_dict())
    write_json(folder / SHAPE_FILE, asdict(network.shape))


def read_network(folder: Path) -> ParserNetwork:
    """The parser of a folder."""
    try:
        shape = _shape(read_json(folder / SHAPE_FILE))
        with torch.device("meta"):  # sizes alone, no memory
            network = ParserNetwork(shape)
        network.load_state_dict(read_compact(folder), assign=True)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, LanguageModelError) as error:
        reason = " ".join(str(error).split())[:300]
        raise GrammarError(
            f"No parser can be read from {folder}: {reason}. Train one with: ealm train-grammar CORPUS --out {folder}"
        ) from error
    return network


def _shape(values: Mapping[str, Any]) -> ParserShape:
    """Refuse what no parser has, before anything is built: a stranger's file may say anything."""
    for name in _SIZES:
        if type(values[name]) is not int or not 1 <= values[name] <= _LARGEST_SIZE:
            raise ValueError(f"{name} {values[name]!r} makes no sense")
    for name in _NAMES:
        entries = values[name]
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, str) for entry in entries):
            raise ValueError(f"{name} must be a list of names")
    if ROOT_RELATION not in values["relations"]:
        raise ValueError(f"the relations lack {ROOT_RELATION}")
    sizes = {name: values[name] for name in _SIZES}
    return ParserShape(relations=tuple(values["relations"]), tags=tuple(values["tags"]), **sizes)
