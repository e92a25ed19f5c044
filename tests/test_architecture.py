"""The shape of the package: imports point down, little loads at import, nothing runs code from a file."""

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import ealm

PACKAGE = Path(ealm.__file__).parent

ORDER = (
    *("common", "text", "lm", "grammar", "paper", "goal_agent", "summarize", "baselines"),
    *("training", "evaluation", "batch", "service", "cli"),
)
"""The packages; each imports only from those before it."""

STRANGERS = {
    "training": {"baselines"},
    "batch": {"baselines", "training", "evaluation"},
    "service": {"baselines", "training", "evaluation", "batch"},
}
"""Packages that a package does not know, although they come before it."""

PURE_PACKAGES = {"text"}
PURE = {
    *("common.caching", "common.checks", "common.config", "common.errors", "common.extras", "common.goal_config"),
    *("common.identity", "common.old_names", "common.pieces"),
    *("lm.batching", "lm.cloze", "lm.adapt.corpus", "lm.adapt.vocabulary"),
    *("paper.edits", "paper.ignored_words", "paper.replay", "paper.rewards", "goal_agent.potential"),
    *("summarize.budget", "summarize.options", "summarize.paraphrase_alignment", "summarize.result"),
    *("baselines.table", "baselines.trivial", "baselines.cmatch.candidates", "baselines.cmatch.settings"),
    "baselines.cmatch.vocabulary",
    *("baselines.seq3.run_checks", "baselines.seq3.settings", "baselines.seq3.vocabulary"),
    *("evaluation.rouge", "evaluation.stemming", "evaluation.truth", "cli.terminal"),
}
"""Plain Python (numpy at most): no tensors and no models."""

DATA_FOLDERS = ("lm/default", "grammar/default")
"""The bundled models; weights and descriptions of them, no code."""


def module_name(path: Path) -> str:
    """Dotted name inside the package; a folder with code goes by its own name."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


MODULES = {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


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


def is_pure(module: str) -> bool:
    """Plain Python; a package by itself holds no code."""
    return module in PURE or package_of(module) in PURE_PACKAGES or module in {"__init__", *ORDER}


def package_of(module: str) -> str:
    return module.partition(".")[0]


def test_every_module_is_in_a_package() -> None:
    assert {module for module in MODULES if package_of(module) not in ORDER} == {"__init__", "__main__", "ray"}


@pytest.mark.parametrize("folder", DATA_FOLDERS)
def test_a_data_folder_holds_data_only(folder: str) -> None:
    """Weights as safetensors, the rest as JSON, compressed or not: nothing there can be imported or unpickled."""
    found = [path for path in (PACKAGE / folder).rglob("*") if path.is_file()]
    assert found
    assert {path.suffix for path in found} <= {".gz", ".json", ".md", ".safetensors"}


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_from_those_before_it(package: str) -> None:
    allowed = {*ORDER[: ORDER.index(package) + 1], "__init__"} - STRANGERS.get(package, set())
    wrong = [
        (module, name)
        for module in MODULES
        if package_of(module) == package
        for name in own_imports(module)
        if package_of(name) not in allowed
    ]
    assert wrong == []


def test_rules_of_grammar_go_from_tables_to_trees_to_drafts() -> None:
    tables = {"grammar", "grammar.protocol", "grammar.rules", "grammar.rule_words"}
    for room, below in (("grammar.trees", tables), ("grammar.drafts", tables | {"grammar.trees"})):
        names = {name for module in MODULES if module.startswith(f"{room}.") for name in own_imports(module)}
        outside = {name for name in names if name.startswith("grammar") and not name.startswith(f"{room}.")}
        assert {name.rpartition(".")[0] if name.count(".") > 1 else name for name in outside} <= below


def test_a_folder_has_at_most_22_modules() -> None:
    folders = Counter(str(path.parent) for path in PACKAGE.rglob("*.py"))
    assert [folder for folder, count in folders.items() if count > 22] == []


def test_training_takes_saved_agents_from_the_summarizer_and_nothing_else() -> None:
    taken = {name for module in MODULES if package_of(module) == "training" for name in own_imports(module)}
    assert {name for name in taken if package_of(name) == "summarize"} == {"summarize.saved_agent"}


def test_the_agent_knows_no_text_and_the_converter_no_values() -> None:
    assert own_imports("paper.agent") <= {"common.config", "paper.edits"}
    assert own_imports("paper.rollout") <= {"paper.agent", "lm.batching", "paper.edits"}
    language_model = {"lm.batching", "lm.cloze", "lm.masked_lm"}
    assert own_imports("paper.converter") <= language_model | {"common.config", "common.pieces", "paper.edits"}
    assert own_imports("paper.rewards") <= {"common.config"}


@pytest.mark.parametrize("module", sorted(module for module in MODULES if is_pure(module)))
def test_pure_modules_import_neither_tensors_nor_models(module: str) -> None:
    roots = {name.split(".")[0] for name in imports_of(module)}
    assert not roots & {"torch", "transformers", "safetensors", "sentence_transformers", "tokenizers"}
    assert [name for name in own_imports(module) if not is_pure(name)] == []


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


@pytest.mark.parametrize(
    "statement", ["import ealm", "import ealm.cli.main", "from ealm import Settings, Action, Summary"]
)
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
