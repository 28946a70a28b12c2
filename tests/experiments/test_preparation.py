"""Before a run: tokenizers, tokens, budgets, batches and windows."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import superword
from language_model.configuration import Experiment, Size, read_experiment
from language_model.data import ArmData, read_arm, read_windows
from language_model.flops import training_flops
from language_model.prepare import find_matching_size, prepare
from language_model.schedule import context_tokens, plan_steps, rate_factor, row_count

FOLDER = Path(__file__).parents[2] / "experiments/language_model"
NOVELS = list(superword.sample())[:12]


def write_corpora(folder: Path) -> None:
    for name, documents in [("train", NOVELS[2:]), ("evaluation", ["", "a", *NOVELS[:2]])]:
        lines = [json.dumps({"text": text, "source": f"{name}/novel"}) for text in documents]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))


def read_toy(corpora: Path) -> Experiment:
    return read_experiment(FOLDER / "toy.toml", corpora)


def invent_arm(seed: int) -> ArmData:
    """Return an arm with random documents, some of them empty."""
    chance = random.Random(seed)
    counts = [chance.choice([0, 1, 2, chance.randrange(60)]) for _ in range(chance.randrange(1, 9))]
    ids = np.array([chance.randrange(50) for _ in range(sum(counts))], dtype=np.uint16)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    lengths = np.array([*(chance.randrange(1, 9) for _ in range(50)), 0])
    return ArmData(51, 50, ids, 3 * len(ids), ids, offsets, lengths)


@pytest.mark.parametrize("name", ["experiment.toml", "toy.toml"])
def test_experiments_can_be_read(name: str) -> None:
    experiment = read_experiment(FOLDER / name, Path("corpora"))
    for arm in experiment.arms.values():
        superword.TrainingConfig(vocab_size=32_767, **arm.training)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"BPE", "BoundlessBPE"]', '"BPE", "no"]', "names no arm: 'no'"),
        ('size = "toy"', 'size = "large"', "names no size: 'large'"),
        ("vocab_size = 1024\nmax", "max", "needs either vocab_size or matches"),
    ],
)
def test_a_wrong_experiment_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (FOLDER / "toy.toml").read_text()
    assert old in text
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=message):
        read_experiment(path, tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"supermerges": False, "deletion": None},
        {"supermerges": False, "deletion": "bytes"},
        {"max_superwords": None},
        {"supermerges": False, "deletion": None, "transition": 350},
    ],
    ids=["BPE", "PickyBPE", "BoundlessBPE", "SuperBPE"],
)
def test_tokens_have_the_bytes_of_the_text(tmp_path: Path, options: dict[str, Any]) -> None:
    write_corpora(tmp_path)
    toy = read_toy(tmp_path)
    arm = toy.arms["BPE"]
    arm.training.clear()
    arm.training.update(options)
    object.__setattr__(arm, "vocab_size", 401)
    toy.arms.pop("BoundlessBPE")
    prepare(toy, tmp_path / "work", tmp_path / "results")
    data = read_arm(tmp_path / "work", "BPE")
    assert data.vocab_size == 401
    wanted = [len(text.encode()) for text in ["", "a", *NOVELS[:2]]]
    assert data.bytes_per_document().tolist() == wanted
    assert data.train_bytes == sum(len(text.encode()) for text in NOVELS[2:])
    assert np.count_nonzero(data.train == data.end_of_text) == len(NOVELS[2:])
    described = json.loads((tmp_path / "results/arms.json").read_text())["BPE"]
    assert described["evaluation"]["bytes"] == sum(wanted)


def test_a_matching_vocabulary_is_the_smallest_that_matches(tmp_path: Path) -> None:
    write_corpora(tmp_path)
    plain: dict[str, Any] = {"supermerges": False, "deletion": None}
    other = superword.train(NOVELS, 400, max_superwords=None)
    largest = superword.train(NOVELS, 800, **plain)
    size = find_matching_size(largest, other, tmp_path / "evaluation.jsonl")

    def count(tok: superword.Tokenizer) -> int:
        return sum(len(tok.encode(text)) for text in ["", "a", *NOVELS[:2]])

    assert count(largest.truncate(size)) <= count(other) < count(largest.truncate(size - 1))
    with pytest.raises(ValueError, match="too few to match"):
        find_matching_size(largest.truncate(300), other, tmp_path / "evaluation.jsonl")


@pytest.mark.parametrize("seed", range(20))
def test_windows_score_each_token_once(seed: int) -> None:
    data = invent_arm(seed)
    chance = random.Random(seed)
    context, rows = chance.randrange(1, 40), chance.randrange(1, 5)
    scored: list[list[int]] = [[] for _ in data.offsets[1:]]
    for windows in read_windows(data, rows, context):
        assert windows.ids.shape == windows.targets.shape == (rows, context)
        assert (windows.ids[:, 1:] == windows.targets[:, :-1]).all()
        for document, target in zip(
            windows.documents.flatten(), windows.targets.flatten(), strict=True
        ):
            if document >= 0:
                scored[document].append(int(target))
    for number, (start, end) in enumerate(zip(data.offsets, data.offsets[1:], strict=False)):
        assert scored[number] == data.evaluation[start:end].tolist()


def test_batches_follow_the_text_and_end_with_it() -> None:
    ids = np.arange(25, dtype=np.uint16)
    data = ArmData(26, 25, ids, 100, ids, np.array([0, 25]), np.ones(26, dtype=np.int64))
    first, targets = data.batch(1, rows=2, context=4)
    assert first.tolist() == [[8, 9, 10, 11], [12, 13, 14, 15]]
    assert (targets == first + 1).all()
    with pytest.raises(ValueError, match="ends before step 3"):
        data.batch(3, rows=2, context=4)


@pytest.mark.parametrize("seed", range(20))
def test_budgets_are_met_to_a_step(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    toy = read_toy(tmp_path)
    size = Size("any", 64 * chance.randrange(1, 9), chance.randrange(1, 9), 1e12)
    empty = np.zeros(1000, dtype=np.uint16)

    def invent(vocab_size: int, bytes_per_token: float) -> ArmData:
        total = round(1000 * bytes_per_token)
        return ArmData(vocab_size, 0, empty, total, empty, np.array([0]), empty)

    reference = invent(chance.randrange(300, 9000), chance.uniform(2, 6))
    data = invent(chance.randrange(300, 9000), chance.uniform(2, 6))
    steps = plan_steps(toy, size, 1e12, data, reference)

    def cost(arm: ArmData) -> tuple[float, float]:
        context = context_tokens(toy, arm)
        tokens = row_count(toy) * context
        flops = training_flops(size.width, size.layers, arm.vocab_size, context)
        return tokens * flops, tokens * arm.bytes_per_token

    flops, length = cost(data)
    reference_flops, reference_length = cost(reference)
    assert abs(steps["flops"] * flops - 1e12) <= flops / 2 + 1
    wanted = 1e12 / reference_flops * reference_length
    assert abs(steps.get("bytes", steps["flops"]) * length - wanted) <= length / 2 + 1
    assert set(plan_steps(toy, size, 1e12, reference, reference)) == {"flops"}


def test_rates_rise_stay_and_fall() -> None:
    factors = [rate_factor(step, 100, 10, 0.25) for step in range(100)]
    assert factors[:10] == sorted(factors[:10]) and factors[0] == 0.1
    assert set(factors[10:76]) == {1.0}
    assert factors[75:] == sorted(factors[75:], reverse=True) and factors[-1] == 0.04
