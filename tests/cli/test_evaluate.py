"""`superword evaluate` and `superword compare`, through the installed command."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import superword

COMMAND = Path(sys.executable).parent / "superword"


def run(*arguments: str | Path, columns: int = 80) -> subprocess.CompletedProcess[str]:
    given = [COMMAND, *arguments, "--progress", "none"]
    environment = {**os.environ, "COLUMNS": str(columns)}
    return subprocess.run(given, capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models and a corpus in two files."""
    folder = tmp_path_factory.mktemp("compared")
    texts = list(superword.sample())[:20]
    superword.train(texts, 600, supermerges=False, deletion=None).save(folder / "bpe.json")
    superword.train(texts, 600, pattern="boundless").save(folder / "boundless.json")
    for name, part in (("a", texts[:2]), ("b", texts[2:3])):
        rows = (json.dumps({"text": text, "source": name}) + "\n" for text in part)
        (folder / f"{name}.jsonl").write_text("".join(rows))
    return folder


def test_evaluate_prints_a_table(folder: Path) -> None:
    done = run("evaluate", folder / "boundless.json", "--corpus", folder / "a.jsonl")
    assert done.returncode == 0, done.stderr
    assert "2 documents" in done.stdout
    for label in ("bytes per token", "Rényi efficiency", "unstable prompt ends"):
        assert label in done.stdout


def test_evaluate_prints_json(folder: Path) -> None:
    corpus = ("--corpus", folder / "a.jsonl", folder / "b.jsonl")
    done = run("evaluate", folder / "boundless.json", *corpus, "--json")
    found = json.loads(done.stdout)
    assert found["documents"] == 3
    assert {name: share["documents"] for name, share in found["sources"].items()} == {
        "a": 2,
        "b": 1,
    }
    assert found["bytes_per_token"] == pytest.approx(found["bytes"] / found["tokens"])
    assert found["pattern"] == "boundless"


def test_tokenizers_are_compared_with_the_first(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--json")
    bpe, boundless = json.loads(done.stdout)
    assert bpe["differences"]["tokens"] == 0
    change = boundless["tokens"] / bpe["tokens"] - 1
    assert boundless["differences"]["tokens"] == pytest.approx(change)
    shown = run("compare", *models, "--corpus", folder / "a.jsonl").stdout
    assert f"{change:+.1%}" in shown
    assert max(map(len, shown.splitlines())) < 120


def test_a_missing_source_is_said_once(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    corpus = ("--corpus", folder / "a.jsonl")
    for command in (("compare", *models), ("evaluate", models[0])):
        done = run(*command, *corpus, "--source", "origin", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
        (sentence,) = done.stderr.splitlines()
        assert sentence == (
            f"superword: nothing is reported by source: {folder / 'a.jsonl'}, line 1, "
            "column 'origin': the line has no such column"
        )


def test_models_of_one_name_are_told_apart(folder: Path) -> None:
    for name in ("first", "second"):
        (folder / name).mkdir(exist_ok=True)
        shutil.copy(folder / "bpe.json", folder / name / "same.json")
    models = [folder / "first/same.json", folder / "second/same.json", folder / "first/same.json"]
    on = ("--corpus", folder / "a.jsonl", "--text", "to be")
    found = json.loads(run("compare", *models, *on, "--json").stdout)
    names = [each["name"] for each in found]
    assert names == ["first/same", "second/same", "first/same (2)"]
    assert [each["path"] for each in found] == list(map(str, models))
    assert all("".join(each["text_tokens"]) == "to be" and each["tokens"] for each in found)
    shown = run("compare", *models, *on).stdout
    assert all(name in shown for name in names)


@pytest.mark.parametrize("columns", [40, 80])
def test_redirected_tables_have_all_numbers(folder: Path, columns: int) -> None:
    models = [folder / "bpe.json", folder / "boundless.json"] * 6
    on = ("--corpus", folder / "a.jsonl", folder / "b.jsonl")
    shown = run("compare", *models, *on, columns=columns).stdout
    assert "…" not in shown
    [line] = [line for line in shown.splitlines() if line.startswith("bytes per token  ")]
    found = json.loads(run("compare", *models, *on, "--json").stdout)
    rates = [f"{each['bytes_per_token']:.3f}" for each in found]
    assert [cell for cell in line.split() if cell in rates] == rates


def test_a_comparison_is_printed_as_csv_and_markdown(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    on = ("--corpus", folder / "a.jsonl", folder / "b.jsonl")
    found = json.loads(run("compare", *models, *on, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(run("compare", *models, *on, "--csv").stdout)))
    values = {(row["metric"], row["source"]): row for row in rows}
    for model in found:
        rate = float(values["bytes_per_token", ""][model["name"]])
        assert rate == model["bytes_per_token"]
        source = model["sources"]["a"]
        rate = float(values["bytes_per_token", "a"][model["name"]])
        assert rate == source["bytes"] / source["tokens"]
    markdown = run("compare", *models, *on, "--markdown", columns=40).stdout
    assert "|  | bpe | boundless |\n| --- | ---: | ---: |\n" in markdown
    assert f"| bytes per token | {found[0]['bytes_per_token']:.3f} |" in markdown
    alone = run("evaluate", models[0], *on, "--csv").stdout
    assert alone.splitlines()[0] == "metric,source,bpe"
    assert "| bytes per token |" in run("evaluate", models[0], *on, "--markdown").stdout


def test_changes_of_shares_are_percentage_points(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--json")
    bpe, boundless = json.loads(done.stdout)
    change = boundless["superword_tokens"] - bpe["superword_tokens"]
    assert boundless["differences"]["superword_tokens"] == pytest.approx(change)
    shown = run("compare", *models, "--corpus", folder / "a.jsonl").stdout
    [line] = [line for line in shown.splitlines() if line.startswith("tokens: superwords")]
    assert line.endswith(f"{100 * change:+.1f} pp")


def test_a_text_is_shown_with_aligned_boundaries(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--text", "one of the others", "--name", "A", "--name", "B")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("A") and lines[1].startswith("B")
    assert " of| the|" in lines[0]
    assert " of  the|" in lines[1]
    assert lines[0].index("the|") == lines[1].index("the|")


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "html"])
def test_a_comparison_is_drawn(folder: Path, form: str) -> None:
    plot = folder / f"plot.{form}"
    models = folder / "bpe.json", folder / "boundless.json"
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--plot", plot)
    assert done.returncode == 0, done.stderr
    content = plot.read_bytes()
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!doctype html>"}
    assert content.startswith(starts[form])
    assert b"Date" not in content and b"matplotlib.org" not in content.split(b"<svg")[0]
    if form == "html":
        assert b"<svg" in content and b"bytes per token" in content
        assert b"http://" not in content.replace(b"http://www.w3.org", b"").replace(
            b"http://purl.org", b""
        ).replace(b"http://creativecommons.org", b"")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "nothing to compare on"),
        (("--text", "x", "--plot", "x.png"), "--plot needs a corpus"),
        (("--corpus", "x.jsonl", "--plot", "x.gif"), "a .png, an .svg, a .pdf or an .html"),
        (("--corpus", "x.jsonl", "--html", "x.pdf"), "x.pdf: name the page an .html file"),
        (("--text", "x", "--html", "none/x.html"), "none: no such folder"),
        (("--corpus", "missing.jsonl"), "missing.jsonl: No such file"),
        (("--corpus", "x.jsonl", "--csv", "--json"), "--json and --csv exclude each other"),
        (("--corpus", "x.jsonl", "--latex", "--json"), "--json and --latex exclude each other"),
        (("--corpus", "x.jsonl", "--text", "x", "--csv"), "use --json for the tokens of --text"),
        (("--text", "x", "--name", "a", "--name", "b"), "2 names for 1 tokenizers"),
    ],
)
def test_an_error_is_one_sentence(folder: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = run("compare", folder / "bpe.json", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_bytes_per_token_are_broken_down_by_script(folder: Path) -> None:
    rows = ["to be or not to be, 12", "быть или не быть", "漢字とかな"]
    corpus = folder / "scripts.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in rows))
    superword.train(rows, 266, supermerges=False, deletion=None).save(folder / "mixed.json")
    models = folder / "mixed.json", folder / "boundless.json"
    found = json.loads(run("compare", *models, "--corpus", corpus, "--json").stdout)
    assert set(found[0]["scripts"]) == {"Cyrillic", "Latin", "Kana", "Han"}
    for each in found:
        assert sum(totals["tokens"] for totals in each["scripts"].values()) == each["tokens"]
    cyrillic = [each["scripts"]["Cyrillic"]["bytes_per_token"] for each in found]
    assert found[1]["script_differences"]["Cyrillic"] == pytest.approx(
        cyrillic[1] / cyrillic[0] - 1
    )
    shown = run("compare", *models, "--corpus", corpus).stdout
    assert "bytes per token by script" in shown
    [line] = [line for line in shown.splitlines() if line.startswith("Cyrillic ")]
    assert line.split()[2:] == [f"{rate:.3f}" for rate in cyrillic] + [
        f"{cyrillic[1] / cyrillic[0] - 1:+.1%}"
    ]
    sentence = f"Against mixed, boundless loses on Cyrillic ({cyrillic[1] / cyrillic[0] - 1:+.1%})"
    assert sentence in shown
    assert f"- {sentence}" in run("compare", *models, "--corpus", corpus, "--markdown").stdout
    table = list(
        csv.reader(run("compare", *models, "--corpus", corpus, "--csv").stdout.split("\n"))
    )
    assert ["bytes_per_token_by_script", "Cyrillic", *map(str, cyrillic)] in table
    page = folder / "scripts.html"
    assert run("compare", *models, "--corpus", corpus, "--plot", page).returncode == 0
    assert sentence in page.read_text()
    assert "Cyrillic" in run("evaluate", models[0], "--corpus", corpus).stdout


def test_tables_are_printed_in_latex(folder: Path) -> None:
    models = folder / "bpe.json", folder / "boundless.json"
    names = ("--name", "a_b & c", "--name", "50%")
    done = run("compare", *models, "--corpus", folder / "a.jsonl", "--latex", *names)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(r"\begin{tabular}{l") == done.stdout.count(r"\end{tabular}") == 3
    assert r" & a\_b \& c & 50\% \\" in done.stdout
    assert r"Rényi efficiency ($\alpha$ = 2.5) & " in done.stdout
    measured = run("evaluate", models[0], "--corpus", folder / "a.jsonl", "--latex").stdout
    assert measured.startswith("% 2 documents") and r"\toprule" in measured
