"""Learning curves of training runs as one PNG: replay reward, compression and reconstruction against updates.

python -m benchmarks.learning_curves runs/a runs/b --out curves.png
"""

import json
from pathlib import Path

import click

PANELS = (
    ("replay_reward", "mean reward in the replay buffer"),
    ("compression_rate", "share of words gone at the last step"),
    ("reconstruction_rate", "share recovered at the last step"),
)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path))
def main(runs: tuple[Path, ...], out: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(PANELS), figsize=(14, 4), constrained_layout=True)
    for run in runs:
        records = [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines()]
        for (name, title), axis in zip(PANELS, axes, strict=True):
            points = [(record["updates"], record[name]) for record in records if record.get(name) is not None]
            axis.plot(*zip(*points, strict=True), label=run.name, linewidth=1)
            axis.set(xlabel="updates", title=title)
    axes[0].legend()
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    main()
