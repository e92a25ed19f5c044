"""When a tag may become a release."""

from pathlib import Path

import pytest

from tools.release_check import problems


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready for 1.2.3."""
    (tmp_path / "src" / "ealm").mkdir(parents=True)
    (tmp_path / "src" / "ealm" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 – 2030-05-01\n\n- new\n", encoding="utf-8")
    return tmp_path


def test_a_project_that_is_ready_has_no_problems(project: Path) -> None:
    assert problems("v1.2.3", project) == []


def test_a_tag_of_another_version_names_each_file(project: Path) -> None:
    found = problems("v1.2.4", project)
    assert len(found) == 4
    assert "pyproject.toml has the version 1.2.3, not 1.2.4" in found


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3rc1", "v1.2.3\n"])
def test_other_tags_are_refused(project: Path, tag: str) -> None:
    assert "is no release" in problems(tag, project)[0]


def test_entries_without_a_version_are_a_problem(project: Path) -> None:
    log = project / "CHANGELOG.md"
    log.write_text(
        log.read_text(encoding="utf-8").replace("## 1", "## Unreleased\n\n- more\n\n## 1", 1), encoding="utf-8"
    )
    assert problems("v1.2.3", project) == ["CHANGELOG.md has entries under Unreleased"]
