#!/usr/bin/env python3
"""From a PyTorch model to a calibrated one: collect the logits once, fit as often as you like.

    python examples/python/collect_torch.py [FOLDER]

The model is a small network trained here on generated examples that several annotators labelled.
In your own program only the call of collect() matters: give it your model and a loader that does
not shuffle.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

import credence
from credence.torch import Calibrated, collect

EXAMPLES, CLASSES, ANNOTATORS = 2000, 3, 5


def make_examples():
    """Points of three overlapping clusters; annotators disagree where the clusters overlap."""
    rng = np.random.default_rng(7)
    centres = np.array([[0.0, 1.2], [-1.0, -0.6], [1.0, -0.6]])
    truth = rng.integers(CLASSES, size=EXAMPLES)
    points = centres[truth] + rng.normal(size=(EXAMPLES, 2))
    closeness = np.exp(-0.5 * ((points[:, None, :] - centres) ** 2).sum(axis=2))
    shares = closeness / closeness.sum(axis=1, keepdims=True)
    votes = np.array([rng.multinomial(ANNOTATORS, row) for row in shares])
    return torch.tensor(points, dtype=torch.float32), votes


def train(points, labels):
    torch.manual_seed(7)
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, CLASSES)
    )
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(150):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(points), labels).backward()
        optimiser.step()
    return model


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "collected")
    folder.mkdir(exist_ok=True)
    points, votes = make_examples()
    half = EXAMPLES // 2
    model = train(points[:half], torch.tensor(votes[:half].argmax(axis=1)))

    # Examples that the model has not seen, each with a name, in a fixed order.
    names = [f"example-{i}" for i in range(half, EXAMPLES)]
    loader = DataLoader(TensorDataset(points[half:]), batch_size=64, shuffle=False)
    done = collect(model, loader, folder / "logits.npy", ids=names, progress=True, overwrite=True)
    print(done)

    # Fit on some of them, and measure on the others.
    logits, votes = np.load(done.path), votes[half:]
    fit, test = slice(0, half // 2), slice(half // 2, half)
    calibrator = credence.fit("slts", logits[fit], votes[fit], input="logits")
    print(f"temperature {calibrator.temperature_:.3f}")
    for name, used in (("before", None), ("after", calibrator)):
        found = credence.evaluate(logits[test], votes[test], input="logits", calibrator=used)
        print(f"{name}: confidence off by {100 * found['ece_expected']:.1f} points")
    calibrator.save(folder / "calibrator.json")

    # In service: the model with the calibrator behind it, as one module.
    service = Calibrated(model, calibrator).eval()
    with torch.no_grad():
        print(service(points[:1]).numpy().round(3))


if __name__ == "__main__":
    main()
