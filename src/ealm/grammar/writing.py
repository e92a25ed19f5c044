"""Words that are written otherwise because of what has been left out."""

from collections.abc import Collection, Mapping, Sequence

from ealm.text.paraphrase import indefinite_article


def agreeing_articles(words: Sequence[str], kept: Collection[int], written: Mapping[int, str]) -> dict[int, str]:
    """ "A dedicated account manager" without "dedicated" has "an"."""
    found = {}
    ordered = sorted(kept)
    for i, following in zip(ordered, ordered[1:], strict=False):
        if words[i].lower() in ("a", "an") and following != i + 1 and words[following][:1].isalnum():
            article = indefinite_article(written.get(following, words[following]))
            if article != words[i].lower():
                found[i] = article.capitalize() if words[i][:1].isupper() else article
    return found
