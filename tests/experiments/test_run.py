"""A run: the model, its optimizer, training, and going on after a stop."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from language_model import run as running  # noqa: E402
from language_model.configuration import Experiment, Series, read_experiment  # noqa: E402
from language_model.data import read_arm  # noqa: E402
from language_model.model import LanguageModel  # noqa: E402
from language_model.muon import Muon, orthogonalize  # noqa: E402
from language_model.prepare import prepare  # noqa: E402
from language_model.toy_corpus import write_corpus  # noqa: E402
from language_model.trainer import Trainer  # noqa: E402

FOLDER = Path(__file__).parents[2] / "experiments/language_model"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, Path]:
    """Return the toy experiment with ten steps, and its folder."""
    folder = tmp_path_factory.mktemp("toy")
    write_corpus(folder)
    text = (FOLDER / "toy.toml").read_text()
    assert "flops = 3e11" in text
    path = folder / "toy.toml"
    path.write_text(text.replace("flops = 3e11", "flops = 1.6e10"))
    experiment = read_experiment(path, folder)
    prepare(experiment, folder / "work", folder / "results")
    return experiment, folder


def read_runs(results: Path) -> dict[str, Any]:
    return {
        path.name: [
            {**outcome, "seconds": 0}
            for outcome in json.loads(path.read_text())["budgets"].values()
        ]
        for path in sorted(results.glob("runs/*.json"))
    }


def test_a_model_starts_without_knowledge_and_sees_no_later_token() -> None:
    torch.manual_seed(0)
    model = LanguageModel(50, 64, 2, 16)
    ids = torch.randint(0, 50, (2, 16))
    targets = torch.randint(0, 50, (2, 16))
    assert torch.allclose(model(ids, targets), torch.full((2, 16), np.log(50)))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    losses = model(ids, targets)
    changed = ids.clone()
    changed[:, 9:] = 7
    assert torch.allclose(model(changed, targets)[:, :9], losses[:, :9], atol=1e-5)
    assert not torch.allclose(model(changed, targets)[:, 9:], losses[:, 9:], atol=1e-3)


@pytest.mark.parametrize("shape", [(3, 16, 16), (2, 32, 8), (2, 8, 32)])
def test_orthogonal_matrices_keep_their_singular_vectors(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(shape)
    found = orthogonalize(matrices)
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    seen = left.mT @ found @ right.mT
    diagonal = torch.diagonal(seen, dim1=-2, dim2=-1)
    # The smallest values rise slowest.
    assert (diagonal[values > 0.1 * values.max()] > 0.5).all() and (diagonal < 1.3).all()
    assert torch.allclose(seen, torch.diag_embed(diagonal), atol=1e-3)


def test_muon_lowers_a_loss() -> None:
    torch.manual_seed(0)
    wanted = torch.randn(8, 8)
    matrix = torch.nn.Parameter(torch.zeros(8, 8))
    optimizer = Muon([matrix], lr=0.05)
    for _ in range(200):
        loss = (matrix - wanted).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert loss < 0.1


def test_runs_go_on_from_where_they_stopped(
    prepared: tuple[Experiment, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment, folder = prepared
    running.run_experiment(experiment, folder / "work", tmp_path / "whole")
    whole = read_runs(tmp_path / "whole")
    assert list(whole) == ["toy_boundlessbpe_0.json", "toy_bpe_0.json"]
    first, last = whole["toy_bpe_0.json"][0]["curve"][0], whole["toy_bpe_0.json"][0]["final_loss"]
    assert last < first
    # A checkpoint after every part, and a stop at each of them in turn.
    monkeypatch.setattr(running, "CHECKPOINT_SECONDS", -1)
    monkeypatch.setattr("language_model.trainer.REPORT_STEPS", 3)
    saves = 0
    replace = Path.replace

    def stop_at(path: Path, target: Path) -> Path:
        nonlocal saves
        replace(path, target)
        saves += 1
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stop_at)
        for _ in range(50):
            try:
                running.run_experiment(experiment, folder / "work", tmp_path / "parts")
                break
            except KeyboardInterrupt:
                pass
    assert saves > 6
    assert read_runs(tmp_path / "parts") == whole
    assert not list((folder / "work").glob("*.pt"))
    # What is there is not made again.
    monkeypatch.setattr(running, "make_run", None)
    running.run_experiment(experiment, folder / "work", tmp_path / "parts")


def test_no_run_starts_that_would_not_end_in_time(
    prepared: tuple[Experiment, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment, folder = prepared
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("language_model.run.time.monotonic", lambda: next(clock))
    made = []
    monkeypatch.setattr(running, "make_run", lambda *run: made.append(run))
    running.run_experiment(experiment, folder / "work", tmp_path, seconds=15)
    assert len(made) == 1


def test_bits_of_a_model_without_knowledge(prepared: tuple[Experiment, Path]) -> None:
    experiment, folder = prepared
    data = read_arm(folder / "work", "BoundlessBPE")
    trainer = Trainer(experiment, experiment.sizes["toy"], data, 0, [0.02, 0.005])
    tokens = np.diff(data.offsets)
    assert np.allclose(trainer.bits_per_document(), tokens * np.log2(data.vocab_size))


def test_rates_are_the_best_that_were_tried_with_the_size(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for number, (size, is_trial, loss) in enumerate(
        [("toy", True, 3.2), ("toy", True, 3.1), ("large", True, 2.0), ("toy", False, 1.0)]
    ):
        run = {
            **{"is_trial": is_trial, "rates": [number, number], "size": {"name": size}},
            "budgets": {"flops": {"final_loss": loss}},
        }
        (tmp_path / f"runs/{number}.json").write_text(json.dumps(run))
    series = Series("main", "toy", ["BPE"], [0])
    assert [run.rates for run in running.list_runs(series, tmp_path)] == [[1, 1]]
    with pytest.raises(SystemExit, match="none were tried with its size"):
        running.list_runs(Series("main", "small", ["BPE"], [0]), tmp_path)
