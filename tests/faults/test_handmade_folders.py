"""Model folders made by hand to reach what lies outside, to run code or to fill the memory, one by one."""

import json
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from fault_tools import COUNTS
from safetensors.torch import load_file, save_file
from strange import little_memory

from ealm.common.errors import EalmError, RunError
from ealm.common.run_loop import JsonLog
from ealm.lm import clean_folder
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.summarize.saved_agent import SavedAgent

HUGE = 5 << 30
"""Bytes of a file that takes no room on the disk, and more than there is of memory."""

AGENT = ("agent.json", "agent.safetensors", "frequent_words.json")
COMPACT = ("config.json", "tokenizer.json", "model.int8.safetensors")
LANGUAGE_MODEL = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")

Make = Callable[[Path], object]
"""Changes a folder that is whole; beside it, `outside` has a copy of all its files."""


@dataclass(frozen=True)
class Folder:
    """A folder, and whether it can be read in spite of what was done to it."""

    kind: str
    name: str
    make: Make
    reads: bool = False


# What can be in the place of a file -----------------------------------------------------------------------------------


def replaced(put: Make) -> Make:
    """Nothing is left of the file before."""

    def make(path: Path) -> None:
        path.unlink(missing_ok=True)
        put(path)

    return make


def linked_to(target: str) -> Make:
    return replaced(lambda path: path.symlink_to(target))


def outside(path: Path) -> str:
    """The copy of a file of the folder, or of one in a folder of it."""
    return str(path.parent / "../outside" / path.name)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


class Bomb:
    """Leaves a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(os.environ["EALM_MARK"]),)


IN_PLACE: dict[str, Make] = {
    "a link to the same file outside": replaced(lambda path: path.symlink_to(outside(path))),
    "an absolute link to the same file outside": replaced(lambda path: path.symlink_to(Path(outside(path)).resolve())),
    "a link to a link that leads out": replaced(
        lambda path: [path.with_name("inner").symlink_to(outside(path)), path.symlink_to("inner")]
    ),
    "a link through a linked folder": replaced(
        lambda path: [path.with_name("sub").symlink_to("../outside"), path.symlink_to(f"sub/{path.name}")]
    ),
    "a link to /etc/passwd": linked_to("/etc/passwd"),
    "a link to /dev/zero": linked_to("/dev/zero"),
    "a link to itself": replaced(lambda path: path.symlink_to(path.name)),
    "a pipe": replaced(lambda path: os.mkfifo(path)),
    "a folder": replaced(lambda path: path.mkdir()),
    "five gigabytes": replaced(sparse),
    "nothing": replaced(lambda path: path.touch()),
    "a pickle": replaced(lambda path: path.write_bytes(pickle.dumps(Bomb()))),
    "brackets without end": replaced(lambda path: path.write_bytes(b"[" * 200_000)),
    "a list": replaced(lambda path: path.write_text("[1, 2]")),
    "bytes that are no text": replaced(lambda path: path.write_bytes(b"\xff\xfe\x00{}")),
}


def with_broken_files() -> Iterator[Folder]:
    """Every file that is needed, in all these ways."""
    for kind, files in (("agent", AGENT), ("compact", COMPACT), ("language model", LANGUAGE_MODEL)):
        for file in files:
            for how, put in IN_PLACE.items():
                yield Folder(kind, f"{file} is {how}", lambda folder, put=put, file=file: put(folder / file))


# What can lie beside the files ----------------------------------------------------------------------------------------

BESIDE = (
    *("chat_template.jinja", "chat_template.json", "additional_chat_templates/x.jinja", "generation_config.json"),
    *("adapter_config.json", "adapter_model.bin", "adapter_model.safetensors", "pytorch_model.bin", "processor.json"),
    *("tokenizer.model", "spiece.model", "tekken.json", "tokenizer.v1.json", "preprocessor_config.json"),
    *("modeling_x.py", "tokenization_x.py", "sitecustomize.py", "model.safetensors.index.json", "training_args.bin"),
)


def with_files_beside() -> Iterator[Folder]:
    """As if they were not there."""
    for file in BESIDE:
        for how in ("a link to /etc/passwd", "a pipe", "five gigabytes", "a pickle"):

            def make(folder: Path, file: str = file, how: str = how) -> None:
                (folder / file).parent.mkdir(exist_ok=True)
                IN_PLACE[how](folder / file)

            yield Folder("language model", f"{file} is {how}", make, reads=True)
    yield Folder(
        "language model",
        "additional_chat_templates is a linked folder",
        lambda folder: (folder / "additional_chat_templates").symlink_to("../outside"),
        reads=True,
    )


def with_keys(file: str, **values: Any) -> Make:
    def make(folder: Path) -> None:
        known = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps(known | values))

    return make


KEYS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("tokenizer_config.json", {"fast_tokenizer_files": [name]})
        for name in ("../outside/tokenizer.json", "tokenizer.4.0.0.json", "/etc/passwd", "sub/tokenizer.5.0.json")
    ),
    *(
        ("config.json", {"transformers_weights": name})
        for name in ("adapter_model.bin", "sub/model.safetensors", "../outside/model.safetensors", "/etc/passwd")
    ),
    *(("tokenizer_config.json", {name: "/etc/passwd"}) for name in ("vocab_file", "tokenizer_file", "merges_file")),
    *(("tokenizer_config.json", {name: "../outside"}) for name in ("name_or_path", "_name_or_path", "gguf_file")),
    *(("config.json", {name: "/etc"}) for name in ("_name_or_path", "base_model_name_or_path", "gguf_file")),
    ("config.json", {"auto_map": {"AutoConfig": "x.Config", "AutoModelForMaskedLM": "x.Model"}}),
    ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["x.Words", None]}}),
    ("tokenizer_config.json", {"tokenizer_class": "BertJapaneseTokenizer", "mecab_kwargs": {"mecab_dic": "/etc"}}),
    ("tokenizer_config.json", {"tokenizer_class": "Words", "chat_template": "{{ 1 }}"}),
    ("config.json", {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}),
    ("config.json", {"_attn_implementation": "somebody/kernel", "attn_implementation": "somebody/kernel"}),
    ("config.json", {"text_config": {"model_type": "bert"}, "custom_pipelines": {"x": {"impl": "x.P"}}}),
    ("config.json", {"architectures": ["../x"], "is_decoder": True, "id2label": {"0": "x" * 100_000}}),
)


def with_a_tokenizer_outside(folder: Path) -> None:
    """One that would be an error if it were read."""
    (folder / "../outside/tokenizer.1.0.0.json").write_text("no tokenizer")
    with_keys("tokenizer_config.json", fast_tokenizer_files=["../outside/tokenizer.1.0.0.json"])(folder)


def with_strange_keys() -> Iterator[Folder]:
    """Keys that no description needs are not passed on."""
    yield Folder("language model", "a tokenizer outside", with_a_tokenizer_outside, reads=True)
    for number, (file, values) in enumerate(KEYS):
        yield Folder("language model", f"{file} has {[*values]} ({number})", with_keys(file, **values), reads=True)
    for value in ("gpt2", "vision-encoder-decoder", "x", None, 3, ["bert"]):
        yield Folder("language model", f"model_type {value}", with_keys("config.json", model_type=value))
    for name, wrong in (("hidden_size", 10**12), ("num_hidden_layers", 10**6), ("hidden_act", ["gelu"])):
        yield Folder("language model", f"{name} makes no sense", with_keys("config.json", **{name: wrong}))


# What can be wrong with the weights and words -------------------------------------------------------------------------


def in_parts(*names: str, there: bool = True) -> Make:
    def make(folder: Path) -> None:
        weights = folder / "model.safetensors"
        places = {name: names[number % len(names)] for number, name in enumerate(load_file(weights))}
        for own in names if there else ():
            save_file({n: t for n, t in load_file(weights).items() if places[n] == own}, folder / own, {"format": "pt"})
        weights.unlink()
        (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))

    return make


def with_numbers(file: str, number: float) -> Make:
    def make(folder: Path) -> None:
        tensors = load_file(folder / file)
        name = next(name for name, tensor in tensors.items() if tensor.is_floating_point() and tensor.ndim)
        tensors[name].view(-1)[0] = number
        save_file(tensors, folder / file, {"format": "pt"})

    return make


def without(*files: str) -> Make:
    return lambda folder: [(folder / file).unlink(missing_ok=True) for file in files]


def with_other_parts() -> Iterator[Folder]:
    parts = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
    yield Folder("language model", "weights in parts", in_parts(*parts), reads=True)
    yield Folder("language model", "a part is missing", in_parts(*parts, there=False))
    for place in ("../outside/model.safetensors", "/etc/passwd", "sub/x.safetensors", "pytorch_model.bin", ".", ""):
        yield Folder("language model", f"weights in {place!r}", in_parts(place, there=False))
    for number in (float("nan"), float("inf"), float("-inf")):
        yield Folder("language model", f"{number} in the weights", with_numbers("model.safetensors", number))
        yield Folder("agent", f"{number} in the agent", with_numbers("agent.safetensors", number))
    yield Folder("language model", "no tokenizer", without("tokenizer.json", "vocab.txt"))
    yield Folder("language model", "no weights", without("model.safetensors"))
    yield Folder("language model", "no description", without("config.json"))
    yield Folder("language model", "nothing at all", without(*LANGUAGE_MODEL, "special_tokens_map.json", "vocab.txt"))


FOLDERS = [
    *(*with_broken_files(), *with_files_beside()),
    *(*with_strange_keys(), *with_other_parts()),
]


# The test -------------------------------------------------------------------------------------------------------------

READ: dict[str, Callable[[Path], object]] = {
    "agent": lambda folder: SavedAgent.load(folder).build(),
    "compact": TransformersMaskedLM.load,
    "language model": TransformersMaskedLM.load,
}
OWN_FILES = {"agent": AGENT, "compact": COMPACT, "language model": (*LANGUAGE_MODEL, *clean_folder.FILES)}

TEMPORARY = Path(tempfile.gettempdir())
OPENED: list[str] = []
WATCHING: list[bool] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and WATCHING and isinstance(arguments[0], str | os.PathLike):
        OPENED.append(os.fspath(arguments[0]))


@pytest.fixture(scope="module", autouse=True)
def hooked() -> None:
    sys.addaudithook(_note)  # for good: there is no way to take one out


@contextmanager
def watched() -> Iterator[list[Path]]:
    """The files that are opened inside."""
    OPENED.clear()
    WATCHING.append(True)
    found: list[Path] = []
    try:
        yield found
    finally:
        WATCHING.clear()
        found += [Path(name) for name in OPENED if Path(name).is_absolute()]


@pytest.fixture(scope="module")
def originals(agent_folder: Path, light_folder: Path, bert_folder: Path) -> dict[str, Path]:
    folders = {"agent": agent_folder, "compact": light_folder, "language model": bert_folder}
    for kind, folder in folders.items():
        READ[kind](folder)  # libraries load what they need the first time
    return folders


@pytest.mark.parametrize("case", FOLDERS, ids=lambda case: f"{case.kind}: {case.name}")
def test_a_handmade_folder(
    case: Folder, originals: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "it ran"
    monkeypatch.setenv("EALM_MARK", str(mark))
    folder = Path(shutil.copytree(originals[case.kind], tmp_path / "folder"))
    shutil.copytree(folder, tmp_path / "outside")
    case.make(folder)
    told = ""
    with watched() as opened, little_memory():
        try:
            READ[case.kind](folder)
        except EalmError as error:
            told = str(error)
    assert (not told) == case.reads, told
    assert case.reads or str(folder) in told
    assert not mark.exists()
    installed = (Path(sys.prefix), Path(sys.base_prefix), Path(torch.__file__).parents[1], Path("/proc"), Path("/sys"))
    for path in opened:
        own = path.parent == folder and (path.name in OWN_FILES[case.kind] or clean_folder._PART.fullmatch(path.name))
        copied = any(at.parent == TEMPORARY and at.name.startswith("ealm-") for at in (path, path.parent))
        assert own or copied or any(path.is_relative_to(root) for root in installed), path
    COUNTS["hand-made folders"] += 1


def test_there_are_enough_of_them() -> None:
    assert len(FOLDERS) >= 150
    assert len({(case.kind, case.name) for case in FOLDERS}) == len(FOLDERS)


def test_numbers_that_are_not_finite_are_named_as_such(bert_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bert_folder, tmp_path / "folder"))
    with_numbers("model.safetensors", float("nan"))(folder)
    with pytest.raises(EalmError, match=r"has numbers that are NaN or infinite"):
        TransformersMaskedLM.load(folder)


def test_nothing_is_left_of_the_copies(bert_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    TransformersMaskedLM.load(bert_folder)
    assert list(tmp_path.iterdir()) == []


def test_a_log_is_not_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    precious, folder = tmp_path / "precious", tmp_path / "run"
    precious.write_text("not a log\n")
    folder.mkdir()
    (folder / "log.jsonl").symlink_to(precious)
    with pytest.raises(RunError, match="leads out of its folder"):
        JsonLog(folder / "log.jsonl").keep(lambda _record: True)
    assert precious.read_text() == "not a log\n"


def test_only_the_blobs_of_the_hubs_cache_may_be_linked_to(bert_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bert_folder, tmp_path / "snapshots" / "x"))
    (tmp_path / "private.json").write_text((folder / "config.json").read_text())
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("../../private.json")
    with pytest.raises(EalmError, match="leads out of its folder"):
        TransformersMaskedLM.load(folder)
