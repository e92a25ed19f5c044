"""The examples run as they are: in a kernel, and against the library that they are for."""

import re
import sys
from itertools import chain
from typing import Any

import pytest
from places import TESTS

EXAMPLES = TESTS.parent / "examples"


@pytest.fixture(scope="module")
def outputs() -> list[list[dict[str, Any]]]:
    """What the cells of the notebook give, with this interpreter as its kernel."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install nbclient")
    client = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install nbclient ipykernel")
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", as_version=4)
    manager = _manager()
    client.NotebookClient(notebook, km=manager, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def _manager() -> Any:
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    manager = AsyncKernelManager()
    manager._kernel_spec = KernelSpec(argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
    return manager


@pytest.mark.slow
def test_the_notebook_runs(outputs: list[list[dict[str, Any]]]) -> None:
    _, shown, printed, lengths, frame, letters, dataset, many, documents = outputs
    summary = printed[0]["text"].strip()
    html = shown[0]["data"]["text/html"]
    assert f"<strong>{summary}</strong>" in html
    assert "<del" in html
    assert "8 of 30 words" in html
    assert f"  8  {summary}\n" in lengths[0]["text"]
    assert f"<td>{summary}</td>" in frame[0]["data"]["text/html"]
    assert str(len(summary)) in letters[0]["data"]["text/plain"]
    assert repr(summary) in _data(dataset)
    assert "256" in _data(many)
    assert re.search(r"\['City council .*\.'\]", _data(documents))


@pytest.mark.slow
def test_a_long_list_has_a_bar_in_a_notebook(outputs: list[list[dict[str, Any]]]) -> None:
    many = outputs[7]
    shown = "".join(str(output.get("text", "")) + str(output.get("data", "")) for output in many)
    assert "256/256" in shown or "FloatProgress" in shown
    assert "IProgress not found" not in shown


def _data(outputs: list[dict[str, Any]]) -> str:
    return str(
        next(output["data"]["text/plain"] for output in outputs if "data" in output and "text/plain" in output["data"])
    )


def test_the_compressor_shortens_documents_and_leaves_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = pytest.importorskip("langchain_core.documents", reason="pip install langchain-core")
    monkeypatch.syspath_prepend(EXAMPLES)
    import document_compressor

    compressor = document_compressor.SummaryCompressor(words=10)
    assert isinstance(compressor, documents.BaseDocumentCompressor)
    found = [
        documents.Document(page_content=text, metadata={"page": 4}, id="a") for text in document_compressor.DOCUMENTS
    ]
    short = compressor.compress_documents(found, "bridge")
    assert [each.metadata for each in short] == [{"page": 4}, {"page": 4}]
    assert all(0 < len(each.page_content.split()) <= 10 for each in short)
    assert compressor.compress_documents([], "bridge") == []
    document_compressor.main()
    assert list(chain(*re.findall(r"^page (\d), (\d+) words: \S", capsys.readouterr().out, re.M))) == [
        "1",
        "30",
        "2",
        "32",
    ]
