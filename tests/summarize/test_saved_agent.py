"""Agents on disk: the same after loading, and a helpful error for whatever can be wrong with a folder."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from ealm.common.config import PRESETS, AgentSettings, Settings
from ealm.common.errors import ModelFolderError
from ealm.goal_agent.learner import new_goal_agent
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.saved_agent import FREQUENT_WORDS_FILE, SETTINGS_FILE, WEIGHTS_FILE, SavedAgent


@pytest.fixture
def folder(tmp_path: Path, agent_folder: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(agent_folder, tmp_path / "model"))


@pytest.mark.parametrize("settings", PRESETS.values(), ids=PRESETS)
def test_an_agent_is_loaded_as_it_was_saved(tmp_path: Path, settings: Settings) -> None:
    by_goal = settings.method == "goal"
    agent = new_goal_agent(16, settings.goal.agent, 1) if by_goal else new_agent(16, settings.agent, seed=1)
    words = IgnoredWords(settings.ignored_words, frozenset({"river", "Zürich".lower()}))
    saved = SavedAgent(agent.state_dict(), 16, "some/lm", words, settings)
    saved.save(tmp_path / "new" / "folder")
    loaded = SavedAgent.load(tmp_path / "new" / "folder")
    assert (loaded.width, loaded.lm_name, loaded.settings) == (16, "some/lm", settings)
    assert loaded.ignored_words.frequent == words.frequent
    built = loaded.build()
    assert built.settings == (settings.goal.agent if by_goal else settings.agent)
    for name, tensor in agent.state_dict().items():
        assert torch.equal(built.state_dict()[name], tensor)


def test_weights_in_half_precision_are_read_as_single(tmp_path: Path) -> None:
    settings = Settings()
    weights = new_agent(64, settings.agent, seed=1).state_dict()
    halves = {name: tensor.half() for name, tensor in weights.items()}
    SavedAgent(halves, 64, "some/lm", IgnoredWords(settings.ignored_words), settings).save(tmp_path)
    for name, tensor in SavedAgent.load(tmp_path).weights.items():
        assert tensor.dtype == torch.float32
        assert torch.allclose(tensor, weights[name], atol=1e-3)


def test_a_folder_holds_json_and_safetensors_and_nothing_else(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {SETTINGS_FILE, WEIGHTS_FILE, FREQUENT_WORDS_FILE}


def test_saving_twice_replaces_and_gives_the_same_bytes(tmp_path: Path, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    SavedAgent.load(folder).save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def change(**values: Any) -> Callable[[Path], None]:
    """Set or (with None) delete entries of agent.json."""

    def damage(folder: Path) -> None:
        description = json.loads((folder / SETTINGS_FILE).read_text()) | values
        kept = {name: value for name, value in description.items() if value is not None}
        (folder / SETTINGS_FILE).write_text(json.dumps(kept))

    return damage


def write(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(content) and None


def truncate(name: str, share: float) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(share * len(content))])

    return damage


def delete(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def reshape(changes: Callable[[dict[str, torch.Tensor]], Any]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        weights = {name: tensor.clone() for name, tensor in load_file(folder / WEIGHTS_FILE).items()}
        changes(weights)
        save_file(weights, folder / WEIGHTS_FILE)

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no folder": (shutil.rmtree, r"No trained agent in .*agent\.json is missing.*ealm train CORPUS --out"),
    "no settings": (delete(SETTINGS_FILE), r"No trained agent in .*agent\.json is missing.*ealm train"),
    "no weights": (delete(WEIGHTS_FILE), r"agent\.safetensors cannot be read"),
    "no word list": (delete(FREQUENT_WORDS_FILE), r"frequent_words\.json cannot be read"),
    "settings cut": (truncate(SETTINGS_FILE, 0.5), r"agent\.json cannot be read"),
    "settings empty": (truncate(SETTINGS_FILE, 0), r"agent\.json cannot be read"),
    "weights cut": (truncate(WEIGHTS_FILE, 0.5), r"agent\.safetensors cannot be read"),
    "weights cut in the header": (truncate(WEIGHTS_FILE, 0.01), r"agent\.safetensors cannot be read"),
    "weights empty": (truncate(WEIGHTS_FILE, 0), r"agent\.safetensors cannot be read"),
    "weights are text": (write(WEIGHTS_FILE, b"not a tensor in sight"), r"agent\.safetensors cannot be read"),
    "word list cut": (write(FREQUENT_WORDS_FILE, b'["the", "ri'), r"frequent_words\.json cannot be read"),
    "settings not utf-8": (write(SETTINGS_FILE, b'{"lm": "\xff"}'), r"agent\.json cannot be read"),
    "settings a list": (write(SETTINGS_FILE, b"[1]"), r"agent\.json is damaged: expected an object"),
    "word list an object": (write(FREQUENT_WORDS_FILE, b"{}"), r"frequent_words\.json is damaged"),
    "word list of numbers": (write(FREQUENT_WORDS_FILE, b"[1]"), r"frequent_words\.json is damaged"),
    "format missing": (change(format=None), "'format' is missing"),
    "format of the future": (change(format=2), r"has format 2, .* reads format 1\. Train the agent anew or install"),
    "format a text": (change(format="1"), "'format' is missing or of the wrong type"),
    "lm missing": (change(lm=None), "'lm' is missing"),
    "lm a number": (change(lm=5), "'lm' is missing or of the wrong type"),
    "width missing": (change(width=None), "'width' is missing"),
    "width a text": (change(width="32"), "'width' is missing or of the wrong type"),
    "width zero": (change(width=0), "width 0 makes no sense"),
    "width negative": (change(width=-5), "width -5 makes no sense"),
    "width huge": (change(width=10**15), "makes no sense"),
    "width of another model": (change(width=64), r"does not fit agent\.json: first\.weight should be \(12, 128\)"),
    "settings missing": (change(settings=None), "'settings' is missing"),
    "settings a text": (change(settings="paper"), "'settings' is missing or of the wrong type"),
    "setting unknown": (change(settings={"colour": 1}), r"agent\.json is damaged: .*no setting 'colour'"),
    "setting of a wrong type": (
        change(settings={"agent": {"hidden_units": "12"}}),
        r"damaged: hidden_units must be int",
    ),
    "setting out of range": (change(settings={"rewards": {"top_k": 0}}), "damaged: top_k must be at least 1"),
    "other hidden units": (change(settings={"agent": {"hidden_units": 13}}), r"does not fit agent\.json: first\.bias"),
    "more hidden units than any memory": (change(settings={"agent": {"hidden_units": 10**9}}), r"agent\.json"),
    "more weights than can be counted": (change(settings={"agent": {"hidden_units": 10**11}}), r"agent\.json"),
    "more hidden units than can be counted": (change(settings={"agent": {"hidden_units": 10**30}}), r"agent\.json"),
    "a weight missing": (reshape(lambda w: w.pop("output.bias")), r"output\.bias should be \(3,\), is absent"),
    "a weight too many": (reshape(lambda w: w.update(extra=torch.ones(1))), r"extra should be absent, is \(1,\)"),
    "a weight of another shape": (
        reshape(lambda w: w.update(action_bias=torch.zeros(4))),
        r"action_bias should be \(3,\), is \(4,\)",
    ),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_folder_says_what_is_wrong(folder: Path, damage: Callable[[Path], None], message: str) -> None:
    assert SavedAgent.load(folder).width == 32
    damage(folder)
    with pytest.raises(ModelFolderError, match=message) as caught:
        SavedAgent.load(folder)
    assert str(folder) in str(caught.value)


def test_a_file_in_place_of_the_folder_is_not_an_agent(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(ModelFolderError, match="No trained agent"):
        SavedAgent.load(tmp_path / "file")


def test_settings_left_out_are_those_of_the_paper(folder: Path) -> None:
    change(settings={"agent": {"hidden_units": 12}})(folder)
    assert SavedAgent.load(folder).settings == Settings(agent=AgentSettings(hidden_units=12))
