"""The server of the playground answers only to its own page, and serves only its own files."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import superword
from superword.cli import app
from superword.errors import ModelFormatError
from superword.playground import PlaygroundServer, find_models
from superword.playground.server import SITE, find_site_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PlaygroundServer]:
    superword.train(["to be or not to be"] * 3, 260).save(folder / "model.json")
    (folder / "secret.txt").write_text("secret")
    with PlaygroundServer(find_models([folder / "model.json"])) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: PlaygroundServer, target: str, method: str = "GET", **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    """Send a request as it is: http.client neither follows nor tidies paths."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, target, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()}
    connection.close()
    return found


def test_it_listens_on_the_loopback_only(server: PlaygroundServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_and_all_its_files_are_served_with_their_types(server: PlaygroundServer) -> None:
    assert ask(server, "/")[1] == (SITE / "index.html").read_bytes()
    for path, resource in find_site_files().items():
        status, content, headers = ask(server, path)
        assert status == 200, path
        assert path == "/models.json" or content == resource.read()
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
    assert ask(server, "/superword.wasm", "HEAD")[2]["content-type"] == "application/wasm"


def test_every_file_of_the_site_has_a_type() -> None:
    files = {f"/{path.relative_to(SITE).as_posix()}" for path in SITE.rglob("*") if path.is_file()}
    assert files == set(find_site_files())


def test_given_models_are_served_as_they_are_now(server: PlaygroundServer, folder: Path) -> None:
    listing = json.loads(ask(server, "/models.json")[1])
    assert listing["open"] == ["model.json"]
    assert listing["models"][0] == {"name": "model.json", "url": "models/0"}
    assert len(listing["models"]) > 1, "the samples can still be opened"
    path = folder / "model.json"
    assert ask(server, "/models/0")[1] == path.read_bytes()
    before = path.read_bytes()
    path.write_bytes(b"trained anew")
    assert ask(server, "/models/0")[1] == b"trained anew"
    path.unlink()
    assert ask(server, "/models/0")[:2] == (404, b"the file is gone\n")
    path.write_bytes(before)


@pytest.mark.parametrize(
    "target",
    [
        "/../server.py",
        "/..%2fserver.py",
        "/%2e%2e/server.py",
        "/samples/../../server.py",
        "/samples/..",
        "//etc/passwd",
        "/models/0/../secret.txt",
        "/models/1",
        "/models/-1",
        "/models/00",
        "/models/",
        "/models",
        "/samples",
        "/server.py",
        "/index.html/",
        "/index.html%00.js",
        "\\..\\server.py",
        "*",
    ],
)
def test_no_other_path_leads_anywhere(server: PlaygroundServer, target: str) -> None:
    status, content, _ = ask(server, target)
    assert (status, content) == (404, b"there is no such file\n")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", ""],
)
def test_foreign_hosts_are_refused(server: PlaygroundServer, host: str) -> None:
    status, content, _ = ask(server, "/models/0", Host=host.format(port=server.server_port))
    assert (status, content) == (403, b"this server answers only to 127.0.0.1\n")


def test_localhost_is_no_foreign_host(server: PlaygroundServer) -> None:
    assert ask(server, "/", Host=f"localhost:{server.server_port}")[0] == 200


def test_a_request_without_a_host_or_with_two_is_refused(server: PlaygroundServer) -> None:
    own = f"Host: 127.0.0.1:{server.server_port}\r\n"
    for hosts in ("", own + "Host: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\n{hosts}\r\n".encode())
            with connection.makefile("rb") as answer:
                assert b" 403 " in answer.readline()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}"])
def test_foreign_origins_are_refused(server: PlaygroundServer, origin: str) -> None:
    status, content, _ = ask(server, "/models/0", Origin=origin.format(port=server.server_port))
    assert (status, content) == (403, b"this server answers only to its own page\n")


def test_its_own_origin_is_none_of_them(server: PlaygroundServer) -> None:
    assert ask(server, "/models/0", Origin=server.address.rstrip("/"))[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_written(server: PlaygroundServer, method: str) -> None:
    assert ask(server, "/models/0", method)[0] == 501


def test_models_that_the_browser_cannot_open_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        find_models([tmp_path / "none.json"])
    with pytest.raises(ModelFormatError, match="neither"):
        find_models([tmp_path])
    with pytest.raises(ValueError, match="up to 4 tokenizers side by side, not 5"):
        find_models(["model.json"] * 5)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(300_000_000)
    with pytest.raises(ModelFormatError, match="300,000,000 bytes; the browser opens up to"):
        find_models([large])
    done = CliRunner().invoke(app, ["playground", str(tmp_path / "none.json"), "--no-browser"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("superword: ") and done.stderr.count("\n") == 1


def test_folders_and_equal_names_are_told_apart(tmp_path: Path) -> None:
    tok = superword.train(["to be or not to be"] * 3, 260)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        tok.save(tmp_path / name / "superword.json")
    models = find_models([tmp_path / "one", *[tmp_path / "two" / "superword.json"] * 2])
    with PlaygroundServer(models) as server:
        found = server.read("/models.json")
        assert found is not None
        names = json.loads(found[0])["open"]
    assert names == ["one/superword.json", "superword.json", "superword.json (2)"]


def test_a_port_that_is_taken_is_refused_in_a_sentence(server: PlaygroundServer) -> None:
    command = ["playground", "--no-browser", "--port", str(server.server_port)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert done.stderr == (
        f"superword: port {server.server_port}: Address already in use; choose another port, or 0 "
        "for a free one\n"
    )


@pytest.mark.parametrize("options", [[], ["--no-browser"]])
def test_the_browser_is_opened_unless_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    opened: list[str] = []

    def interrupt(server: PlaygroundServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(PlaygroundServer, "serve_forever", interrupt)
    done = CliRunner().invoke(app, ["playground", *options])
    assert done.exit_code == 0
    assert opened == ([] if options else [done.stdout.strip()])


def test_connections_that_are_given_up_print_nothing(
    server: PlaygroundServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for error in (ConnectionResetError(), BrokenPipeError(), TimeoutError()):
        try:
            raise error
        except OSError:
            server.handle_error(None, None)
    assert capsys.readouterr().err == ""


def test_the_command_prints_its_address_and_ends_with_ctrl_c() -> None:
    code = "from superword.cli import app; app()"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "playground", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=10) as page:
            assert b"<!doctype html>" in page.read()
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, printed) == (0, "")
    assert "Ctrl-C ends it" in said
