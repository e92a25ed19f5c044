"""What people install: the wheel and the sdist, and that their descriptions agree."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import ealm

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGE = ROOT / "src" / "ealm"
DATA_ENDINGS = {".css", ".gz", ".html", ".js", ".json", ".md", ".py", ".safetensors", ".svg", ".typed", ".png", ".ico"}
"""What the package may consist of."""


def citation(name: str) -> str:
    (value,) = re.findall(rf"^{name}: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    return value.strip('"')


def test_versions_and_licences_agree() -> None:
    assert PROJECT["version"] == ealm.__version__ == citation("version")
    assert PROJECT["license"] == citation("license")


def test_the_classifiers_name_the_versions_of_python_that_the_requirement_allows() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_what_the_container_is_built_from_exists_and_is_let_in() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert {"pyproject.toml", "constraints.txt", "src"} <= names
    assert [name for name in sorted(names) if not (ROOT / name).exists()] == []
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert names == {line[1:] for line in let_in if line.startswith("!")}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a copy so that nothing is left behind here."""
    source, out = tmp_path_factory.mktemp("build") / "source", tmp_path_factory.mktemp("dist")
    hidden = ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "runs", "site")
    copytree(ROOT, source, ignore=hidden)
    line = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def files_of_the_package() -> set[str]:
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in found}


@pytest.mark.slow
def test_the_wheel_has_the_package_with_its_weights_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names, size = archive.namelist(), sum(file.file_size for file in archive.infolist())
    inside = {name for name in names if not name.startswith(f"ealm-{ealm.__version__}.dist-info/")}
    assert inside == files_of_the_package()
    assert {f"ealm/lm/default/{part}/model.int8.safetensors" for part in ("lm", "encoder")} <= inside
    assert {f"ealm/lm/default/{part}/agent.safetensors" for part in ("agent", "paper_agent")} <= inside
    assert {"ealm/grammar/default/model.int8.safetensors", "ealm/py.typed", "ealm/service/page/index.html"} <= inside
    assert {Path(name).suffix for name in inside} <= DATA_ENDINGS
    assert any(name.endswith("dist-info/licenses/NOTICE") for name in names)
    assert size < 50_000_000


@pytest.mark.slow
def test_the_sdist_has_what_builds_the_wheel_but_neither_tests_nor_data(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {""}
    assert {f"src/{name}" for name in files_of_the_package()} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "CITATION.cff"} <= names
    assert {name for name in names if name.startswith(("tests", "benchmarks", "docs", "runs", ".venv"))} == set()


@pytest.mark.slow
def test_the_installed_wheel_works(built: Path, tmp_path: Path) -> None:
    """Without the source folder; the packages that it needs are those of this environment. `make smoke` has its own."""
    (wheel,) = built.glob("*.whl")
    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "smoke.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(target), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert f"ealm {ealm.__version__} in {target}" in done.stdout
    assert "summary: " in done.stdout
