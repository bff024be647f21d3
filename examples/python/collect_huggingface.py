#!/usr/bin/env python3
"""From a Hugging Face sequence classifier to a calibrator.

    python examples/python/collect_huggingface.py [FOLDER]

The model is a tiny BERT with random weights and the sentences are made up, so that nothing is
downloaded. With a model of your own, the loader and the call of collect() stay as they are:

    model = AutoModelForSequenceClassification.from_pretrained("your/model")
    tokenizer = AutoTokenizer.from_pretrained("your/model")
"""

import sys
from pathlib import Path

import credence
import numpy as np
import torch
from credence.torch import collect
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification

LABELS = ["negative", "neutral", "positive"]
WORDS = "the film was bad dull fine good great not very and a bit".split()


def make_model():
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(WORDS) + 1,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=16,
        num_labels=len(LABELS),
    )
    model = BertForSequenceClassification(config)
    # Random weights answer almost the same to everything; larger ones make this worth calibrating.
    with torch.no_grad():
        model.classifier.weight.mul_(100)
    return model


def make_examples(count):
    rng = np.random.default_rng(3)
    return [
        {
            "id": f"review-{i}",
            "text": " ".join(rng.choice(WORDS, size=rng.integers(3, 12))),
            "votes": rng.multinomial(5, rng.dirichlet([1.0, 1.0, 1.0])),
        }
        for i in range(count)
    ]


def tokenize(examples):
    """What a tokenizer and its collator do: numbers per word, padded to the longest sentence."""
    rows = [[1 + WORDS.index(word) for word in example["text"].split()] for example in examples]
    width = max(map(len, rows))
    return {
        "id": [example["id"] for example in examples],
        "input_ids": torch.tensor([row + [0] * (width - len(row)) for row in rows]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
    }


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "collected")
    folder.mkdir(exist_ok=True)
    examples = make_examples(600)
    loader = DataLoader(examples, batch_size=32, shuffle=False, collate_fn=tokenize)

    # The batch is a mapping: its entry "id" names the examples, the others go to the model.
    done = collect(
        make_model(), loader, folder / "logits.npy", ids="id", progress=True, overwrite=True
    )
    print(done)

    votes = np.array([example["votes"] for example in examples])
    calibrator = credence.fit("slts", np.load(done.path), votes, input="logits", classes=LABELS)
    print(f"temperature {calibrator.temperature_:.3f} for {', '.join(calibrator.classes_)}")
    calibrator.save(folder / "calibrator.json")


if __name__ == "__main__":
    main()
