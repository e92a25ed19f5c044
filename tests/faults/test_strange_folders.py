"""Model folders from strangers: they load or are refused with a clear error; nothing is run, nothing else is read."""

import json
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from fault_tools import COUNTS, INPUTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from run_folders import run_in
from seq3_runs import train as train_seq3
from strange import damaged, little_memory

from ealm.baselines.cmatch import folder as cmatch
from ealm.baselines.cmatch.causal_lm import CausalLM
from ealm.baselines.cmatch.settings import CMatchSettings
from ealm.baselines.cmatch.training import load_checkpoint as load_cmatch_checkpoint
from ealm.baselines.cmatch.vocabulary import Vocabulary
from ealm.baselines.seq3.folder import SavedSeq3
from ealm.baselines.seq3.folder import load_checkpoint as load_seq3_checkpoint
from ealm.common.checkpoint import SavedState
from ealm.common.errors import EalmError, RunError
from ealm.common.stopping import Budget
from ealm.common.storage import write_tensors
from ealm.lm.adapt.run import load_checkpoint as load_fitting_checkpoint
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity
from ealm.summarize.saved_agent import SavedAgent
from ealm.training.checkpoint import Checkpoint

SLOW = settings(
    max_examples=INPUTS, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None
)


@dataclass(frozen=True)
class Kind:
    """A kind of folder: one that is whole, and how it is read and used."""

    folder: Path
    read: Callable[[Path], object]
    optional: bool = False
    """Whether a folder without it is read too: a run that was never saved has no checkpoint."""

    @property
    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.suffix in (".json", ".safetensors"))


def use_lm(folder: Path) -> None:
    lm = TransformersMaskedLM.load(folder)
    river, rises = lm.word_ids(["river", "rises"])
    lm.encode([(river, rises)])
    lm.predict([Masked((river, rises), (river, None))])


def resume(folder: Path) -> None:
    checkpoint = Checkpoint.load(folder)
    if checkpoint is not None:
        run_in(Path(tempfile.mkdtemp(dir=folder)), resumed_from=checkpoint)


def read_cmatch(folder: Path) -> None:
    description, vocabulary = cmatch.Description.load(folder), cmatch.load_vocabulary(folder)
    cmatch.load_model(folder, "contextual", len(vocabulary), description.settings)


def write_cmatch(folder: Path) -> Path:
    sizes = CMatchSettings(embedding_width=6, width=8, layers=1)
    vocabulary = Vocabulary(["river", "rises"])
    folder.mkdir()
    cmatch.Description(sizes, 0, {"contextual": "x"}).save(folder, vocabulary)
    cmatch.save_model(folder, "contextual", CausalLM(len(vocabulary), 6, 8, 1))
    return folder


def write_report(folder: Path) -> Path:
    names = {
        "format": 1,
        "settings": {},
        "corpus": "x",
        "updates": 1,
        "chunk": 0,
        "batches_done": 1,
        "tokens": 5,
        "seconds": 1.0,
    }
    folder.mkdir()
    tensors = {"weight.a": torch.ones(2, 3), "adam.0.step": torch.ones(())}
    write_tensors(folder / "fitting.safetensors", tensors, {"ealm": json.dumps({**names, "history": []})})
    return folder


def there(state: SavedState | None, folder: Path) -> None:
    if state is None:
        raise RunError(f"{folder} has no checkpoint")


def write_cmatch_checkpoint(folder: Path) -> Path:
    header = {"format": 1, "updates": 1, "chunk": 0, "batches_done": 1, "tokens": 5}
    folder.mkdir()
    tensors = {"weight.a": torch.ones(2, 3), "adam.0.step": torch.ones(())}
    values = {**header, "loss_total": 2.5, "loss_count": 1, "seconds": 1.0}
    write_tensors(folder / "fluency_checkpoint.safetensors", tensors, {"ealm": json.dumps(values)})
    return folder


@pytest.fixture(scope="module")
def kinds(
    tmp_path_factory: pytest.TempPathFactory, agent_folder: Path, light_folder: Path, bert_folder: Path
) -> dict[str, Kind]:
    """Small folders of every kind."""
    parent = tmp_path_factory.mktemp("kinds")
    run_in(parent / "run").go(Budget(updates=30), progress=False)
    assert train_seq3(parent / "seq3")
    for name in ("agent.json", "agent.safetensors", "frequent_words.json"):
        (parent / "run" / name).unlink()
    return {
        "agent": Kind(agent_folder, lambda folder: SavedAgent.load(folder).build()),
        "compact language model": Kind(light_folder, use_lm),
        "language model": Kind(bert_folder, use_lm),
        "checkpoint": Kind(parent / "run", resume, optional=True),
        "seq3": Kind(parent / "seq3", lambda folder: SavedSeq3.load(folder, variant="last").build()),
        "seq3 checkpoint": Kind(parent / "seq3", load_seq3_checkpoint, optional=True),
        "cmatch": Kind(write_cmatch(parent / "cmatch"), read_cmatch),
        "cmatch checkpoint": Kind(
            write_cmatch_checkpoint(parent / "cmatch checkpoint"),
            lambda folder: there(load_cmatch_checkpoint(folder / "fluency_checkpoint.safetensors"), folder),
        ),
        "fitting checkpoint": Kind(
            write_report(parent / "fitting"), lambda folder: there(load_fitting_checkpoint(folder), folder)
        ),
    }


NAMES = [
    *("agent", "compact language model", "language model", "checkpoint"),
    *("seq3", "seq3 checkpoint", "cmatch", "cmatch checkpoint", "fitting checkpoint"),
]


@contextmanager
def copy_of(kind: Kind) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as parent:
        yield Path(shutil.copytree(kind.folder, Path(parent) / "folder"))


def reads(kind: Kind, folder: Path) -> bool:
    """Whether it can be read; if not, the error names the folder, and is not that memory was short."""
    try:
        with little_memory():
            kind.read(folder)
    except EalmError as error:
        told = str(error)
        assert str(folder) in told
        assert "alloc" not in told
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
@SLOW
@given(data=st.data())
def test_a_damaged_file_loads_or_is_told(kinds: dict[str, Kind], name: str, data: st.DataObject) -> None:
    kind = kinds[name]
    with copy_of(kind) as folder:
        file = folder / data.draw(st.sampled_from(kind.files))
        file.write_bytes(data.draw(damaged(file.name, file.read_bytes())))
        told = reads(kind, folder)
    COUNTS[f"strange folders tried: {name}"] += 1
    COUNTS["strange folders that were refused"] += not told


def numbers(values: object) -> Iterator[tuple[dict[str, Any], str]]:
    """Each whole number of a description: where it stands, and its name."""
    for name, value in values.items() if isinstance(values, dict) else ():
        yield from numbers(value)
        if type(value) is int:
            yield values, name


@pytest.mark.slow
@pytest.mark.parametrize("number", [10**9, 2**63])
@pytest.mark.parametrize("name", NAMES)
def test_no_number_is_too_large_to_be_told(kinds: dict[str, Kind], name: str, number: int) -> None:
    kind = kinds[name]
    for file in sorted(kind.folder.glob("*.json")):
        values = json.loads(file.read_text())
        for place, own in numbers(values):
            before, place[own] = place[own], number
            with copy_of(kind) as folder:
                (folder / file.name).write_text(json.dumps(values))
                reads(kind, folder)
            place[own] = before


@pytest.mark.parametrize("name", NAMES)
def test_no_file_is_read_through_a_link_that_leads_out(kinds: dict[str, Kind], name: str) -> None:
    kind = kinds[name]
    for file in needed(kind):
        for target in ("copy", "/dev/zero", "/etc/passwd", *(() if kind.optional else (file,))):
            with copy_of(kind) as folder:
                outside = folder.parent / "copy"
                shutil.move(folder / file, outside)
                (folder / file).symlink_to(outside if target == "copy" else target)
                assert not reads(kind, folder), (file, target)
        with copy_of(kind) as folder:  # inside is inside
            (folder / file).rename(folder / "renamed")
            (folder / file).symlink_to("renamed")
            assert reads(kind, folder), file


def needed(kind: Kind) -> list[str]:
    """Files without which the folder cannot be read."""
    if kind.optional:
        return ["checkpoint.safetensors"]
    found = []
    for file in kind.files:
        with copy_of(kind) as folder:
            (folder / file).unlink()
            if not reads(kind, folder):
                found.append(file)
    assert found
    return found


def test_the_links_of_the_hubs_cache_are_followed(kinds: dict[str, Kind], tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "models--x" / "blobs", tmp_path / "models--x" / "snapshots" / "1"
    shutil.copytree(kinds["language model"].folder, blobs)
    snapshot.mkdir(parents=True)
    for path in blobs.iterdir():
        (snapshot / path.name).symlink_to(Path("../../blobs") / path.name)
    assert reads(kinds["language model"], snapshot)
    (snapshot / "config.json").unlink()
    (snapshot / "config.json").symlink_to(kinds["language model"].folder / "config.json")
    assert not reads(kinds["language model"], snapshot)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_file_is_not_waited_for(kinds: dict[str, Kind], name: str) -> None:
    kind = kinds[name]
    for file in needed(kind):
        for make in (os.mkfifo, os.mkdir):
            with copy_of(kind) as folder:
                (folder / file).unlink()
                make(folder / file)
                assert not reads(kind, folder), file


# Code -----------------------------------------------------------------------------------------------------------------


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


CODE = "from pathlib import Path\nPath({mark!r}).touch()\nclass Model: pass\nclass Config: pass\nclass Words: pass\n"
PICKLES = ["pytorch_model.bin", "agent.pkl", "agent.pt", "training_args.bin", "optimizer.pt", "model.pickle"]


@pytest.mark.parametrize("name", ["agent", "compact language model", "language model"])
def test_pickles_and_code_that_lie_about_are_left_alone(kinds: dict[str, Kind], name: str, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    with copy_of(kinds[name]) as folder:
        for pickled in PICKLES:
            (folder / pickled).write_bytes(pickle.dumps(Bomb(mark)))
        for code in ("modeling.py", "__init__.py", "config.py", "tokenizer.py", "sitecustomize.py"):
            (folder / code).write_text(CODE.format(mark=str(mark)))
        assert reads(kinds[name], folder)
    assert not mark.exists()


def test_weights_that_are_a_pickle_are_refused(kinds: dict[str, Kind], tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    for pickled in ("pytorch_model.bin", "model.safetensors"):
        with copy_of(kinds["language model"]) as folder:
            (folder / "model.safetensors").unlink()
            (folder / pickled).write_bytes(pickle.dumps(Bomb(mark)))
            assert not reads(kinds["language model"], folder)
    assert not mark.exists()


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_that_a_folder_asks_for_is_not_run_and_nobody_is_asked(
    kinds: dict[str, Kind], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    mark = tmp_path / "it ran"
    monkeypatch.setattr("builtins.input", lambda *_: "y")  # what a file of texts on standard input might say
    with copy_of(kinds["language model"]) as folder:
        values = json.loads((folder / file).read_text())
        classes = {"AutoConfig": "foreign.Config", "AutoModelForMaskedLM": "foreign.Model"}
        values |= {"auto_map": classes | {"AutoTokenizer": ["foreign.Words", "foreign.Words"]}}
        values |= {"model_type": "foreign", "tokenizer_class": "Words"}
        (folder / file).write_text(json.dumps(values))
        (folder / "foreign.py").write_text(CODE.format(mark=str(mark)))
        reads(kinds["language model"], folder)
    assert not mark.exists()


def test_a_similarity_model_cannot_bring_code(tmp_path: Path) -> None:
    mark, folder = tmp_path / "it ran", tmp_path / "folder"
    folder.mkdir()
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "foreign.Model"}]))
    (folder / "foreign.py").write_text(CODE.format(mark=str(mark)))
    (folder / "config_sentence_transformers.json").write_text("{}")
    with pytest.raises(EalmError, match="No sentence-similarity model"):
        SentenceSimilarity.load(folder)
    assert not mark.exists()


# Places elsewhere -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["../outside.safetensors", "/etc/passwd", "sub/../../outside.safetensors"])
def test_weights_in_parts_lie_in_the_folder(kinds: dict[str, Kind], place: str) -> None:
    with copy_of(kinds["language model"]) as folder:
        outside = folder.parent / "outside.safetensors"
        (folder / "model.safetensors").rename(outside)
        index = {"metadata": {}, "weight_map": {"bert.embeddings.word_embeddings.weight": place}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        assert not reads(kinds["language model"], folder)


@pytest.mark.parametrize(
    "place", ["../../../etc/passwd", "/etc", "/etc/passwd", "/dev/zero", "..", "\x00", "a" * 9_999]
)
def test_an_agent_can_name_any_language_model_but_only_a_model_is_read(place: str, kinds: dict[str, Kind]) -> None:
    from ealm import Summarizer

    with copy_of(kinds["agent"]) as folder:
        values = json.loads((folder / "agent.json").read_text())
        (folder / "agent.json").write_text(json.dumps(values | {"lm": place}))
        with pytest.raises(EalmError):
            Summarizer.from_pretrained(folder)
