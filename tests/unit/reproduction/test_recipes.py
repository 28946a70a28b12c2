"""The recipes in docs/results read what they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import superword
from superword.corpus import RawPath, open_corpus
from superword.reproduction import read_settings, reproduce
from superword.reproduction.results import BOUNDLESS_4O
from superword.reproduction.settings import ReproductionSettings, read_config

RECIPES = Path(__file__).parents[3] / "docs" / "results"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReproductionSettings:
    """Return the recipe for MiniPile on 12 files of its names, with less text and smaller sizes."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "minipile" / "data"
    folder.mkdir(parents=True)
    texts = [text[:3000] for text in superword.sample()]
    for number in range(12):
        name = f"train-{number:05}-of-00012-6fbcb5959bd01e55.parquet"
        rows = [f"{number}: {text}" for text in texts[3 * number : 3 * number + 3]]
        parquet.write_table(pyarrow.table({"text": rows}), folder / name)
    smaller = {"vocab_sizes": [300], "train_bytes": 20_000, "eval_bytes": 10_000}
    return read_settings(RECIPES / "minipile.toml", smaller)


def test_the_recipe_for_minipile_trains_on_one_part_and_measures_on_the_rest(
    settings: ReproductionSettings,
) -> None:
    def read(paths: tuple[str, ...], max_bytes: int | None) -> list[str]:
        corpus = [RawPath(path) for path in paths]
        documents = open_corpus(corpus, max_bytes=max_bytes).documents()
        return [document.partition(":")[0] for document in documents]

    assert sorted(set(read(settings.train, None)), key=int) == ["0", "1", "2"]
    assert sorted(set(read(settings.eval, None)), key=int) == [str(at) for at in range(3, 12)]
    # The limit ends the training text within the third file, as 1 GB does in MiniPile.
    assert len(read(settings.train, settings.train_bytes)) == 6


def test_the_recipe_for_minipile_runs(settings: ReproductionSettings) -> None:
    limits = {"unigram": 9_000}
    results = reproduce(replace(settings, baseline_bytes=limits))
    assert results.curves[BOUNDLESS_4O].training.documents == 6
    assert results.measured["bpe", 300].documents == 3


def test_the_recipe_for_minipile_has_the_settings_of_our_results() -> None:
    ours, public = (read_config(RECIPES / f"{name}.toml") for name in ("paper", "minipile"))
    own = {"train", "eval", "out", "train_bytes", "eval_bytes", "sources"}
    assert {name: value for name, value in ours.items() if name not in own} == {
        name: value for name, value in public.items() if name not in own
    }
