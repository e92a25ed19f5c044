"""News-like sentences of any length, made of clauses written for this purpose."""

import numpy as np

_CLAUSES = """
the city council approved a new budget for public schools on monday evening
two fishing boats collided near the old harbor late on friday night
the central bank raised its main interest rate by half a percent
heavy rain flooded several villages in the northern part of the country
a group of doctors warned that the hospital needs more nurses this winter
the national team won the final match after a long and difficult game
police arrested three men who were accused of stealing paintings from a museum
the company said it would close two factories and move the work abroad
farmers blocked the main road to protest against falling prices for milk
the president of the university resigned after months of public criticism
a small plane landed safely in a field when its engine failed
scientists found a large lake of salt water under the dry valley
the government promised to build ten thousand new homes before the next election
a court ordered the airline to pay its former workers their full wages
thousands of visitors came to the annual festival of music and dance
the minister denied that he had known about the secret agreement
oil prices fell sharply because demand in asia was weaker than expected
an old bridge over the river will be repaired next summer
the singer cancelled her concert in paris because of a serious illness
rescue workers searched the mountain for five climbers who had lost their way
the newspaper published a letter that was written by the former king
voters in the capital will elect a new mayor at the end of the month
a fire destroyed the roof of the oldest church in the region
the two neighbors agreed to share water from the river during the summer
the bank lent the small company enough money to buy new machines
students at the school planted a hundred trees along the railway line
""".strip().splitlines()

_LINKS = ("and", "while", "after", "because", "but")


def sentence(length: int, rng: np.random.Generator) -> str:
    """A sentence of exactly so many words, a full stop included."""
    words: list[str] = []
    while len(words) < length - 1:
        if words:
            words.append(str(rng.choice(_LINKS)))
        words += str(rng.choice(_CLAUSES)).split()
    return " ".join([*words[: length - 1], "."])


def sentences(count: int, lengths: tuple[int, int], *, seed: int = 0) -> list[str]:
    """Sentences with lengths drawn evenly between the two given, both included."""
    rng = np.random.default_rng(seed)
    return [sentence(int(rng.integers(lengths[0], lengths[1] + 1)), rng) for _ in range(count)]
