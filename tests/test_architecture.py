"""The shape of the package: imports point down, little loads at import, nothing runs code from a file."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ealm

PACKAGE = Path(ealm.__file__).parent

LAYERS = [
    ["__main__"],
    ["cli"],
    ["commands.adapt", "commands.baseline", "commands.evaluate", "commands.report", "commands.serve"],
    ["commands.settings", "commands.summarize", "commands.train", "commands.weigh"],
    ["commands.job"],
    ["commands.shared"],
    ["batch.job", "batch.on_ray", "ray"],
    ["batch.formats", "batch.partial", "batch.progress", "batch.workers"],
    ["batch.parquet", "batch.recipe", "batch.writers"],
    ["batch.answers"],
    ["batch.rows"],
    ["batch.kinds", "batch.shelf"],
    ["service.app"],
    ["service.guards", "service.streams"],
    ["service.metrics", "service.problems"],
    ["service.curves", "service.gathering", "service.wire"],
    ["service.limits"],
    ["evaluation.report"],
    ["evaluation.figures", "evaluation.tables"],
    ["evaluation.results"],
    ["evaluation.qualities", "evaluation.systems"],
    ["evaluation.bootstrap", "evaluation.paired", "evaluation.words"],
    ["adaptation", "run_setup", "showing"],
    ["baselines.cmatch.training"],
    ["baselines.seq3.training"],
    ["goals.training", "run"],
    ["goals.collecting", "model", "training"],
    ["editing", "goals.learner"],
    ["telling"],
    ["collecting", "documents"],
    ["course", "drafts", "walk_scoring"],
    ["agent_folder", "checkpoint", "learner", "lm_fitting", "lm_start", "replay_tensors", "scoring", "shortening"],
    ["encoding_memory", "policies"],
    ["goals.search", "looks"],
    ["goals.parts"],
    ["goals.walking", "goals.weighing", "masking", "source", "wording"],
    ["baselines.cmatch.summarizer"],
    ["baselines.cmatch.fitting", "baselines.cmatch.folder", "baselines.cmatch.search"],
    ["assessment", "converter", "lm_corpus", "options", "rewording", "rollout", "writing"],
    ["baselines.seq3.summarizer"],
    ["baselines.seq3.folder", "baselines.seq3.learner", "baselines.seq3.run_checks"],
    ["baselines.seq3.model"],
    ["baselines.seq3.embeddings", "baselines.seq3.language_model", "baselines.seq3.training_log"],
    ["baselines.seq3.batches", "baselines.seq3.losses", "baselines.seq3.modules"],
    ["baselines.seq3.candidates", "baselines.seq3.sampling", "baselines.seq3.settings", "baselines.seq3.vocabulary"],
    ["baselines.cmatch.candidates", "baselines.cmatch.causal_lm", "baselines.cmatch.matching"],
    ["baselines.cmatch.settings", "baselines.cmatch.vocabulary", "baselines.cmatch.word_vectors"],
    ["goals.agent", "goals.replay", "goals.values", "protection"],
    ["agent", "data", "ignored_words", "masked_lm", "meaning", "replay", "rewards", "rouge", "sentences"],
    ["baselines.trivial", "baselines.word_table", "compact_weights", "engines", "light_bert", "stemming"],
    ["lm_folder", "pipeline"],
    ["actors", "allocation", "batching", "config", "embedded", "lengths", "networks", "spare_words", "storage"],
    ["summary"],
    ["best_weights", "goals.settings", "optimizer_state", "text", "tokens", "vocabulary"],
    ["checked", "cluster", "processes", "verb_forms"],
    ["edits", "errors", "function_words", "irregular_forms", "quiet", "shorter_words"],
    ["baselines.cmatch", "baselines.seq3"],
    ["__init__", "baselines", "batch", "commands", "evaluation", "goals", "service"],
]
"""From the command line down; a module may only import from layers below its own."""

PURE = [
    *("checked", "goals", "goals.settings", "goals.values"),
    *(
        "allocation",
        "baselines",
        "baselines.trivial",
        "batching",
        "config",
        "data",
        "edits",
        "errors",
        "function_words",
    ),
    *("ignored_words", "lengths", "lm_corpus", "options", "protection", "replay", "rewards", "rouge", "sentences"),
    *("baselines.cmatch", "baselines.cmatch.candidates", "baselines.cmatch.settings", "baselines.cmatch.vocabulary"),
    *("baselines.seq3", "baselines.seq3.run_checks", "baselines.seq3.settings", "baselines.seq3.vocabulary"),
    *("irregular_forms", "rewording", "shorter_words", "spare_words", "verb_forms", "wording"),
    *("showing", "stemming", "summary", "text", "tokens", "vocabulary", "writing"),
]
"""Plain Python (numpy at most): no tensors and no models."""

DATA_FOLDER = "default"
"""The embedded models; weights and descriptions of them, no code."""


def module_name(path: Path) -> str:
    """Dotted name inside the package; a folder with code goes by its own name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
LEVEL = {module: level for level, layer in enumerate(LAYERS) for module in layer}


def type_checking_blocks(tree: ast.Module) -> list[ast.If]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]


def imports_of(module: str) -> set[str]:
    """Full names of everything that a module imports, also inside functions.

    The package's own `__init__` names the public classes for type checkers only: that is no import.
    """
    tree = MODULES[module]
    skipped = {id(node) for block in type_checking_blocks(tree) for node in ast.walk(block)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if module == "__init__" and id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def own_imports(module: str) -> set[str]:
    """Modules of this package that a module imports."""
    found = set()
    for name in imports_of(module):
        if name.split(".")[0] == "ealm":
            found.add(module_of(name.removeprefix("ealm").removeprefix(".")))
    return found


def module_of(name: str) -> str:
    """The module that a dotted name inside the package is or comes from."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name or "__init__"


def test_every_module_has_its_layer() -> None:
    assert sorted(module for layer in LAYERS for module in layer) == sorted(MODULES)
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} == {DATA_FOLDER} | {name.split(".")[0] for name in MODULES if "." in name}


def test_the_data_folder_holds_data_only() -> None:
    """Weights as safetensors, the rest as JSON: nothing there can be imported or unpickled."""
    found = [path for path in (PACKAGE / DATA_FOLDER).rglob("*") if path.is_file()]
    assert found
    assert {path.suffix for path in found} <= {".json", ".md", ".safetensors"}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    assert [name for name in own_imports(module) if LEVEL[name] <= LEVEL[module]] == []


def test_the_agent_knows_no_text_and_the_converter_no_values() -> None:
    assert own_imports("agent") <= {"config", "edits"}
    assert own_imports("rollout") <= {"agent", "batching", "edits"}
    assert own_imports("converter") <= {"batching", "config", "edits", "masked_lm"}
    assert own_imports("rewards") <= {"config"}


def test_lengths_are_met_without_asking_the_agent_or_the_language_model() -> None:
    assert own_imports("shortening") <= {"edits", "rollout"}
    assert own_imports("documents") & {"agent", "converter", "masked_lm"} == set()
    assert own_imports("writing") <= {"sentences", "text", "tokens"}


@pytest.mark.parametrize("module", PURE)
def test_pure_modules_import_neither_tensors_nor_models(module: str) -> None:
    roots = {name.split(".")[0] for name in imports_of(module)}
    assert not roots & {"torch", "transformers", "safetensors", "sentence_transformers", "tokenizers"}
    assert own_imports(module) <= {*PURE, "__init__"}


# Public names ---------------------------------------------------------------------------------------------------------


def public_names_for_type_checkers() -> dict[str, str]:
    (block,) = type_checking_blocks(MODULES["__init__"])
    return {
        alias.name: str(node.module) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def test_public_names_are_those_listed() -> None:
    assert sorted(ealm.__all__) == sorted(public_names_for_type_checkers())
    assert len(set(ealm.__all__)) == len(ealm.__all__)
    assert sorted(dir(ealm)) == sorted([*ealm.__all__, "__version__"])
    namespace: dict[str, object] = {}
    exec("from ealm import *", namespace)
    assert namespace.keys() - {"__builtins__"} == set(ealm.__all__)


@pytest.mark.parametrize("name", ealm.__all__)
def test_a_public_name_is_what_its_home_has(name: str) -> None:
    home = __import__(public_names_for_type_checkers()[name], fromlist=[name])
    assert getattr(ealm, name) is getattr(home, name)


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'summarise'"):
        _ = ealm.summarise


# What loads, what runs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", ["import ealm", "import ealm.cli", "from ealm import Settings, Action, Summary"])
def test_importing_loads_neither_torch_nor_transformers(statement: str) -> None:
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    loaded = set(json.loads(done.stdout))
    assert "ealm" in loaded
    assert not loaded & {"torch", "transformers", "sentence_transformers", "safetensors", "tensorboard"}


FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "torch.load", "torch.save", "os.system", "os.popen"}


@pytest.mark.parametrize("module", MODULES)
def test_nothing_runs_code_from_a_file(module: str) -> None:
    tree = MODULES[module]
    assert not {name.split(".")[0] for name in imports_of(module)} & FORBIDDEN_MODULES
    assert not imports_of(module) & FORBIDDEN_CALLS
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in FORBIDDEN_CALLS, f"{module}, line {node.lineno}"
            names = {keyword.arg for keyword in node.keywords}
            assert not names & {"trust_remote_code", "allow_pickle", "shell"}, f"{module}, line {node.lineno}"
