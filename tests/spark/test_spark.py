"""Training and encoding on Spark: in this process, and on a master with two workers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import superword
from superword import CorpusError, spark
from superword.cli import app

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytest.importorskip("pyspark")
JAVA = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else None
pytestmark = [
    pytest.mark.skipif(
        not (JAVA.exists() if JAVA else shutil.which("java")),
        reason="no Java; Spark needs 17 or newer on the path, or JAVA_HOME",
    ),
    # Spark leaves sockets to the garbage collector, and uses deprecated parts of Python and pandas.
    pytest.mark.filterwarnings("default"),
]

SIZE = 600
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def documents() -> list[str]:
    return [*list(superword.sample())[::25], "", "é 日本 to be"]


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    opened = builder.getOrCreate()
    yield opened
    opened.stop()


@pytest.fixture(scope="module")
def df(session: SparkSession, documents: list[str]) -> DataFrame:
    rows = [(number, text) for number, text in enumerate(documents)]
    return session.createDataFrame(rows, "number int, text string")


def test_partitions_change_nothing(df: DataFrame, documents: list[str]) -> None:
    wanted = superword.train(documents, SIZE)
    assert [rule.kind for rule in wanted.rules].count("supermerge") > 5
    for partitions in (1, 3):
        passed: list[spark.Passed] = []
        trained = spark.train(df.repartition(partitions), SIZE, report=passed.append)
        assert trained == wanted
        assert [one.stage for one in passed] == ["pretokens", "fragments"]
        for one in passed:
            assert one.pretokens == wanted.training.pretokens
            assert 0 < one.rows < one.pretokens


@pytest.mark.parametrize(
    "limits", [{"max_superwords": 0.01}, {"max_superwords": 3, "max_words": 2, "forbid": "^ t"}]
)
def test_limits_are_those_of_training(
    df: DataFrame, documents: list[str], limits: dict[str, Any]
) -> None:
    wanted = superword.train(documents, SIZE, **limits)
    assert spark.train(df, SIZE, **limits) == wanted
    number = 6 if limits["max_superwords"] == 0.01 else 3
    assert sum(map(wanted.is_superword, range(SIZE))) == number


def test_rows_are_fewer_the_more_text_repeats(session: SparkSession) -> None:
    texts = [("to be or not to be, that is the question " * 1000,)] * 4
    passed: list[spark.Passed] = []
    many = session.createDataFrame(texts, "text string").repartition(2)
    spark.train(many, 262, report=passed.append)
    assert passed[0].pretokens == 44_004
    # Nine words and eight pairs of neighbours, in two partitions.
    assert passed[0].rows < 60
    assert passed[1].rows < 30


def test_thresholds_are_those_of_counts(df: DataFrame, tmp_path: Path) -> None:
    documents = [row.text for row in df.collect()]
    least = {"min_pretoken_count": 2, "min_fragment_count": 2}
    wanted = superword.train_on_counts(tmp_path, SIZE, corpus=documents, **least)  # type: ignore[arg-type]
    assert spark.train(df, SIZE, **least) == wanted  # type: ignore[arg-type]
    assert wanted.training[4:] == (2, 2)


def test_documents_that_change_between_passes_are_refused(session: SparkSession) -> None:
    from pyspark.sql import functions

    texts = session.createDataFrame([("to be or not to be to be",)] * 4, "text string")
    word = functions.udf(lambda: "x" * int.from_bytes(os.urandom(2))).asNondeterministic()()
    changing = texts.select(functions.concat("text", functions.lit(" "), word).alias("text"))
    with pytest.raises(CorpusError, match="the documents changed between two passes"):
        spark.train(changing, 260)


def test_an_empty_corpus_is_rejected(session: SparkSession) -> None:
    df = session.createDataFrame([(1, "to be"), (2, None)], "number int, text string")
    with pytest.raises(CorpusError, match="column 'text': 1 rows are null"):
        spark.train(df, 260)
    with pytest.raises(CorpusError, match="column 'number': the column holds int"):
        spark.train(df, 260, text_column="number")
    with pytest.raises(CorpusError, match="has 'number', 'text'"):
        spark.encode(df, superword.train(["a"], 256), text_column="texts")


def test_ids_stand_beside_the_texts(session: SparkSession, df: DataFrame) -> None:
    tok = superword.train(superword.sample(), 1000)
    more = df.union(session.createDataFrame([(-1, None)], "number int, text string"))
    encoded = spark.encode(more, tok, ids_column="tokens").repartition(3)
    assert encoded.schema.simpleString() == "struct<number:int,text:string,tokens:array<int>>"
    for row in encoded.collect():
        assert row.tokens == (None if row.text is None else tok.encode(row.text))
    with pytest.raises(ValueError, match="the column 'text' already exists"):
        spark.encode(df, tok, ids_column="text")


def test_files_are_read_as_spark_reads_them(
    session: SparkSession, df: DataFrame, documents: list[str], tmp_path: Path
) -> None:
    from superword.spark.session import read_files

    wanted = sorted(documents)
    df.select("text").write.parquet(str(tmp_path / "docs.parquet"))
    lines = "".join(json.dumps({"body": text}) + "\n" for text in documents)
    (tmp_path / "docs.jsonl").write_text(lines)
    for path, column in (("docs.parquet", "text"), ("docs.jsonl", "body")):
        read = read_files(session, [str(tmp_path / path)], column, None)
        assert sorted(row[column] for row in read.select(column).collect()) == wanted
    (tmp_path / "a.txt").write_text("one|two\n|three")
    for separator, texts in ((None, ["one|two\n|three"]), ("|", ["one", "two\n", "three"])):
        read = read_files(session, [str(tmp_path / "a.txt")], "text", separator)
        assert [row.text for row in read.collect()] == texts
    with pytest.raises(CorpusError, match="of one format"):
        read_files(session, ["a.txt", "b.jsonl"], "text", None)
    with pytest.raises(CorpusError, match="does not tell the format"):
        read_files(session, ["corpus"], "text", None)


def test_weights_give_the_model_of_repeated_documents(
    session: SparkSession, df: DataFrame, documents: list[str], tmp_path: Path
) -> None:
    from pyspark.sql import functions

    weights = {"0": 3, "1": 0, "*": 2}
    sourced = df.withColumn("source", (functions.col("number") % 4).cast("int"))
    repeated = [
        text
        for number, text in enumerate(documents)
        for _ in range(weights.get(str(number % 4), weights["*"]))
    ]
    wanted = superword.train(repeated, SIZE)
    trained = spark.train(sourced.repartition(3), SIZE, weights=weights, weight_column="source")
    assert trained._model.to_json() == wanted._model.to_json()
    for name, part in (("plays", documents[:4]), ("web", documents[4:])):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in part)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    read = session.read.json(str(tmp_path))
    trained = spark.train(read, SIZE, weights="plays=2,*=1")
    assert trained == superword.train(documents[:4] * 2 + documents[4:], SIZE)
    # `*` may name nothing; any other name must be that of a document, in whatever partition.
    spark.train(read, SIZE, weights="plays=1,web=1,*=1")
    for weights_by_name, unused in (("plays=2,code=3,*=1", "code"), ("p*=2,plays=1,*=3", "p*")):
        message = f"weights name the source {unused!r}, which no document has; correct it"
        with pytest.raises(CorpusError) as refused:
            spark.train(read, SIZE, weights=weights_by_name)
        assert str(refused.value) == message
    with pytest.raises(CorpusError, match="weights name the source '7'"):
        spark.train(sourced.repartition(3), SIZE, weights="7=2,*=1", weight_column="source")
    with pytest.raises(CorpusError, match="no such column; .* to weight documents by"):
        spark.train(df, SIZE, weight_column="source")


def test_the_command_trains_on_spark(
    session: SparkSession, documents: list[str], tmp_path: Path
) -> None:
    """It stops the session, so this is the last test that uses it."""
    rows = ({"body": text, "n": at % 3} for at, text in enumerate(documents))
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = tmp_path / "model.json"
    done = CliRunner().invoke(
        app,
        [
            *("train", str(tmp_path / "*.jsonl"), "--column", "body", "-o", str(model)),
            *("--engine", "spark", "--master", "local[2]", "--vocab-size", str(SIZE)),
            *("--weight-column", "n"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert done.stderr.count("rows shuffled") == 2
    repeated = [text for at, text in enumerate(documents) for _ in range(at % 3)]
    assert superword.load(model) == superword.train(repeated, SIZE)


@pytest.mark.slow
def test_a_master_with_two_workers_gives_the_same_model(tmp_path: Path) -> None:
    """Its output also shows that a worker was killed during the job and replaced."""
    script = REPOSITORY / "scripts/kill_a_worker.py"
    done = subprocess.run(
        [sys.executable, script, "--folder", tmp_path, "--megabytes", "1"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["workers"] == 2
    assert found["killed"] is True
    assert found["is_same_model"] is True
