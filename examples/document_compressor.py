"""A document compressor for LangChain: what a retriever found is shortened before it goes into a prompt.

    pip install langchain-core
    python examples/document_compressor.py

Where a retriever is at hand, wrap both: `ContextualCompressionRetriever(base_compressor=SummaryCompressor(words=40),
base_retriever=retriever)`, from the package langchain.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import ConfigDict, Field

from ealm import Summarizer


class SummaryCompressor(BaseDocumentCompressor):
    """Leaves at most so many words of each document, and its metadata as they are."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    words: int = 40
    summarizer: Summarizer = Field(default_factory=Summarizer)

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002 - the retriever has read it already
        callbacks: Any = None,  # noqa: ARG002 - nothing here calls a language model of LangChain
    ) -> list[Document]:
        """All documents in one batch, in their order."""
        summaries = self.summarizer.summarize([found.page_content for found in documents], words=self.words)
        return [
            Document(page_content=summary.summary, metadata=found.metadata, id=found.id)
            for found, summary in zip(documents, summaries, strict=True)
        ]


DOCUMENTS = (
    "The city council voted late on Tuesday to close the old bridge across the river, which engineers say is no longer "
    "safe for lorries, until repairs are finished next spring.",
    "A storm cut power to some 9,000 homes along the coast overnight. Ferries will not sail before noon, the harbour "
    "office said. Nobody was hurt, but two fishing boats are still missing.",
)


def main() -> None:
    documents = [Document(page_content=text, metadata={"page": page}) for page, text in enumerate(DOCUMENTS, 1)]
    for found, short in zip(documents, SummaryCompressor(words=12).compress_documents(documents, ""), strict=True):
        print(f"page {found.metadata['page']}, {len(found.page_content.split())} words: {short.page_content}")


if __name__ == "__main__":
    main()
