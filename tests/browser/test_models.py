"""Opening tokenizers: of every kind, broken ones, hostile ones."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import superword
from superword.playground import PlaygroundServer, find_models
from superword.playground.server import SITE

KINDS = ["BPE", "PickyBPE", "BoundlessBPE", "SuperBPE", "extended", "imported", "pruned"]
WITH_SUPERWORDS = ["BoundlessBPE", "SuperBPE", "extended", "pruned"]
TEXT = "<|bos|>It was one of the best of times, naïve 日本.<|end|>"
HOSTILE = "</script><img src=x onerror=alert(1)>"
RESTART = """
(async (done) => {
  const { EngineClient } = await import("/app/engine_client.js");
  const client = new EngineClient();
  const file = await fetch("/samples/bpe.json");
  await client.open(7, new Uint8Array(await file.arrayBuffer()), "bpe.json");
  const count = () => client.call("encodeAll", [7], "the world", 99).then(
    ({ columns }) => columns[0].ids.length, (error) => error.message);
  const found = [await count()];
  const lost = count();
  client.restart("for a test");
  found.push(await count(), await lost);
  client.restart("for a test");
  client.restart("for a test");
  done([...found, await count()]);
})(arguments[0]);
"""


def test_dropped_models_of_every_kind_give_the_ids_of_the_core(
    page: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    train_kind: Callable[[str], superword.Tokenizer],
) -> None:
    monkeypatch.chdir(tmp_path)
    page.write(TEXT)
    for at in range(0, len(KINDS), 4):
        kinds = KINDS[at : at + 4]
        page.close_all()
        for kind in kinds:
            train_kind(kind).save(tmp_path / f"{kind}.json")
        page.drop(*(tmp_path / f"{kind}.json" for kind in kinds))
        page.wait_until(f"document.querySelectorAll('.column').length === {len(kinds)}")
        page.wait_until("![...document.querySelectorAll('.figure')].some(e => e.innerText === '–')")
        for column, kind in enumerate(kinds):
            tok = train_kind(kind)
            assert page.ids(column) == tok.encode_ordinary(TEXT), kind
            exec(page.copy("Copy as Python", column), {})
            superwords = page.find_all(f".column:nth-child({column + 1}) .token.superword")
            assert bool(superwords) == (kind in WITH_SUPERWORDS), kind
    assert page.messages() == []


def test_files_of_other_libraries_are_opened(
    page: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    train_kind: Callable[[str], superword.Tokenizer],
) -> None:
    monkeypatch.chdir(tmp_path)
    tok = train_kind("BPE")
    superword.export(tok, tmp_path / "tokenizer.json", "tokenizer.json")
    page.write(text := "It was one of the best of times.")
    page.close_all()
    page.find("#files").send_keys(str(tmp_path / "tokenizer.json"))
    page.wait_until("document.querySelector('.figure')?.textContent.includes('token')")
    assert page.ids() == tok.encode(text)
    exec(page.copy("Copy as Python"), {})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("garbage.bin", bytes(range(256)) * 40),
        ("other.json", b'{"format": "something else"}'),
        ("cut.json", (SITE / "samples" / "bpe.json").read_bytes()[:5000]),
        ("<img src=x onerror=alert(1)>.json", b"{"),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(
    page: Any, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    before = page.column_names()
    page.drop(path)
    page.wait_until("document.querySelector('.message')")
    (sentence,) = page.messages()
    assert sentence.startswith(f"{name}: ") and sentence.endswith(".")
    assert page.column_names() == before
    # The engine goes on.
    shutil.copy(SITE / "samples" / "bpe.json", tmp_path / "good.json")
    page.drop(tmp_path / "good.json")
    page.wait_until("document.querySelectorAll('.column').length === 3")
    assert page.messages() == []


def test_a_fifth_tokenizer_is_refused(page: Any, tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(SITE / "samples" / "bpe.json", tmp_path / f"{number}.json")
    page.drop(*sorted(tmp_path.iterdir()))
    page.wait_until("document.querySelector('.message')")
    assert page.messages() == ["2.json: 4 tokenizers are open; close one first."]
    assert len(page.column_names()) == 4


def test_a_dropped_text_is_shown(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("some notes", "utf-8")
    page.drop(path, type="text/plain")
    page.wait_until("document.getElementById('text').value === 'some notes'")


def test_no_token_becomes_markup(page: Any, tmp_path: Path) -> None:
    """Not as a pill, in its details, in its derivation, or in the description of the model."""
    tok = superword.train([HOSTILE] * 50, 291, pattern=r"[\s\S]+", deletion=None)
    longest = max((tok.token_bytes(id) for id in range(tok.vocab_size)), key=len)
    assert longest == HOSTILE.encode()
    path = tmp_path / f"{HOSTILE.replace('/', '')}.json"
    tok.save(path)
    page.write(HOSTILE)
    page.close_all()
    page.drop(path)
    page.wait_until("document.querySelectorAll('.tokens .token').length > 0")
    page.wait_until("document.querySelector('.tokens .token').textContent.includes('<img')")
    page.find(".tokens .token").click()
    page.wait_until("document.getElementById('derivation').open")
    assert HOSTILE.replace(" ", "·") in page.find("#derivation").text
    page.run("document.getElementById('derivation').close()")
    page.find(".about summary").click()
    page.wait_until("document.querySelector('.about-body')")
    for view in ("rules", "cut"):
        page.find(f"#tab-{view}").click()
        page.settle()
    assert page.find_all("img") == []
    assert len(page.find_all("script")) == 1


def test_models_of_the_command_line_are_opened(
    page: Any, tmp_path: Path, serve: Callable[..., PlaygroundServer]
) -> None:
    tok = superword.train(["to be or not to be"] * 3, 264)
    tok.save(tmp_path / "mine.json")
    (tmp_path / "broken.json").write_text("{}")
    models = find_models([tmp_path / "mine.json", tmp_path / "broken.json"])
    page.open(serve(PlaygroundServer(models)).address)
    assert page.column_names() == ["mine.json"]
    (sentence,) = page.messages()
    assert sentence.startswith("broken.json: ")


def test_models_in_the_package_are_opened_and_copied_by_name(
    page: Any, serve: Callable[..., PlaygroundServer]
) -> None:
    names = ["bpe-131k", "superword-131k@2048"]
    page.open(serve(PlaygroundServer(find_models(names))).address)
    page.write("at the end of the day, 東京")
    assert page.column_names() == names
    for column, name in enumerate(names):
        assert page.ids(column) == superword.load(name).encode("at the end of the day, 東京")
        code = page.copy("Copy as Python", column)
        assert f'superword.load("{name}")' in code
        exec(code, {})


def test_the_site_works_from_any_web_server(page: Any, tmp_path: Path) -> None:
    shutil.copytree(SITE, tmp_path / "docs" / "playground")
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        page.open(f"http://127.0.0.1:{server.server_port}/docs/playground/")
        assert page.column_names() == ["BPE on novels", "BoundlessBPE on novels"]
        assert min(page.token_counts()) > 10
        page.driver.get("about:blank")
        server.shutdown()
        thread.join()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """The web server of the standard library, without its log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def test_an_engine_that_stops_starts_again_with_its_models(page: Any) -> None:
    """It starts once: one that stops again before it has done anything is given up."""
    found = page.driver.execute_async_script(RESTART)
    reason = "for a test"
    assert found == [2, 2, f"the engine stopped: {reason}", f"the engine does not start: {reason}"]
