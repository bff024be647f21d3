#!/usr/bin/env python3
"""From a Hugging Face sequence classifier to a calibrator.

    python examples/python/collect_huggingface.py [FOLDER]

The model is a tiny BERT made from a configuration and trained for a moment on generated sentences, so
that nothing is downloaded. With a model of your own the call of collect() stays as it is:

    model = AutoModelForSequenceClassification.from_pretrained("your/model")
    tokenizer = AutoTokenizer.from_pretrained("your/model")
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader
from transformers import BertConfig, BertForSequenceClassification

import credence
from credence.torch import collect

LABELS = ["negative", "neutral", "positive"]
WORDS = {"the": 0, "film": 0, "was": 0, "a": 0, "bad": -1, "dull": -0.7, "good": 0.8, "great": 1.2}
NUMBER = {word: 1 + i for i, word in enumerate(WORDS)}


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
    return BertForSequenceClassification(config)


def make_examples(count):
    """Reviews in which some words please and others do not, each read by five annotators."""
    rng = np.random.default_rng(3)
    examples = []
    for i in range(count):
        words = rng.choice(list(WORDS), size=rng.integers(3, 12))
        mood = sum(WORDS[word] for word in words)
        shares = np.exp([-mood, 0.5, mood])
        votes = rng.multinomial(5, shares / shares.sum())
        examples.append({"id": f"review-{i}", "text": " ".join(words), "votes": votes})
    return examples


def train(model, examples):
    """A few passes over the voted labels, as almost everybody trains."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(4):
        for first in range(0, len(examples), 32):
            batch = tokenize(examples[first : first + 32])
            del batch["id"]
            voted = [int(example["votes"].argmax()) for example in examples[first : first + 32]]
            optimiser.zero_grad()
            model(**batch, labels=torch.tensor(voted)).loss.backward()
            optimiser.step()


def tokenize(examples):
    """What a tokenizer and its collator do: numbers per word, padded to the longest sentence."""
    rows = [[NUMBER[word] for word in example["text"].split()] for example in examples]
    width = max(map(len, rows))
    return {
        "id": [example["id"] for example in examples],
        "input_ids": torch.tensor([row + [0] * (width - len(row)) for row in rows]),
        "attention_mask": torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows]),
    }


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "collected")
    folder.mkdir(exist_ok=True)
    examples = make_examples(1200)
    seen, examples = examples[:600], examples[600:]
    model = make_model()
    train(model, seen)
    loader = DataLoader(examples, batch_size=32, shuffle=False, collate_fn=tokenize)

    # The batch is a mapping: its entry "id" names the examples, the others go to the model.
    done = collect(model, loader, folder / "logits.npy", ids="id", progress=True, overwrite=True)
    print(done)

    votes = np.array([example["votes"] for example in examples])
    calibrator = credence.fit("slts", np.load(done.path), votes, input="logits", classes=LABELS)
    print(f"temperature {calibrator.temperature_:.3f} for {', '.join(calibrator.classes_)}")
    calibrator.save(folder / "calibrator.json")


if __name__ == "__main__":
    main()
