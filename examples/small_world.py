"""A small world to learn in: invented news in a few patterns, and a masked language model fitted on it in seconds.

Some words follow from others (a country from its capital, a product from its maker), so there is something to recover.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from ealm.quiet import quiet_transformers

_COUNTRY_OF_CAPITAL = {
    "paris": "france", "rome": "italy", "cairo": "egypt", "lima": "peru", "oslo": "norway", "tokyo": "japan",
    "vienna": "austria", "athens": "greece", "madrid": "spain", "warsaw": "poland",
}  # fmt: skip
_PRODUCT_OF_COMPANY = {
    "norvex": "cars", "halbert": "bicycles", "minato": "cameras", "oakley": "furniture", "solara": "batteries",
    "tremont": "shoes", "vireo": "phones", "quillon": "pens",
}  # fmt: skip
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = "march april may june july august september october".split()
_PATTERNS = (
    "the government of {country} said in {capital} on {day} that it will raise taxes on {product} next year .",
    "{company} , a maker of {product} , said on {day} that it will close its factory in {capital} , {country} .",
    "officials in {capital} , the capital of {country} , said the new bridge would open in {month} .",
    "workers at {company} in {capital} stopped making {product} on {day} because of a dispute over pay .",
    "the national team of {country} won the final match in {capital} on {day} night .",
    "heavy rain in {country} flooded the streets of {capital} and closed the airport until {day} morning .",
    "{company} said that sales of its {product} in {country} fell sharply in {month} .",
)


def news(count: int, *, seed: int) -> list[str]:
    """Sentences of the small world."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        capital = str(rng.choice(list(_COUNTRY_OF_CAPITAL)))
        company = str(rng.choice(list(_PRODUCT_OF_COMPANY)))
        pattern = str(rng.choice(_PATTERNS))
        sentences.append(
            pattern.format(
                capital=capital,
                country=_COUNTRY_OF_CAPITAL[capital],
                company=company,
                product=_PRODUCT_OF_COMPANY[company],
                day=rng.choice(_DAYS),
                month=rng.choice(_MONTHS),
            )
        )
    return sentences


def fit_language_model(sentences: list[str], folder: Path, *, steps: int = 500, seed: int = 0) -> float:
    """Fit a very small BERT and save it; returns the mean loss of the last 50 steps."""
    words = sorted({word for sentence in sentences for word in sentence.split()})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = BertTokenizerFast(vocab={token: n for n, token in enumerate([*special, *words])}, model_max_length=128)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(special) + len(words),
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=192,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = BertForMaskedLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    rng = np.random.default_rng(seed)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 2e-3 * (1 - step / steps)
        inputs, labels = _masked_pairs([str(s) for s in rng.choice(sentences, size=32)], tokenizer, rng)
        loss = model(**inputs, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    model.eval()
    with quiet_transformers():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return float(np.mean(losses[-50:]))


def _masked_pairs(
    sentences: Iterable[str], tokenizer: BertTokenizerFast, rng: np.random.Generator
) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """What the converter will ask: the words that are left as context, then the sentence with holes.

    Every other sentence stands alone, as it does where fluency is measured.
    """
    contexts, templates, answers = [], [], []
    for number, sentence in enumerate(sentences):
        words = sentence.split()
        hidden = rng.random(len(words)) < rng.uniform(0.1, 0.6)
        left = [word for word, gone in zip(words, hidden, strict=True) if not gone]
        contexts.append(" ".join(left) if number % 2 else "")
        templates.append(" ".join("[MASK]" if gone else word for word, gone in zip(words, hidden, strict=True)))
        answers.append([word for word, gone in zip(words, hidden, strict=True) if gone])
    pairs = [(c, t) if c else (t, None) for c, t in zip(contexts, templates, strict=True)]
    inputs = tokenizer([a for a, _ in pairs], [b or "" for _, b in pairs], padding=True, return_tensors="pt")
    labels = torch.full_like(inputs["input_ids"], -100)
    holes = inputs["input_ids"] == tokenizer.mask_token_id
    labels[holes] = torch.tensor(tokenizer.convert_tokens_to_ids([word for answer in answers for word in answer]))
    return dict(inputs), labels
