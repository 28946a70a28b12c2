"""The web server: loopback only, own files only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from superword.playground.models import ServedModel, list_models

__all__ = ["PlaygroundServer"]

SITE = Path(__file__).parent / "site"
HOST = "127.0.0.1"
MODEL_LIST = "models.json"

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
# Only scripts and styles of the site run, and nothing can be sent anywhere else.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Resource(NamedTuple):
    """What the server serves: what reads it, and its type."""

    read: Callable[[], bytes]
    content_type: str


class PlaygroundServer(ThreadingHTTPServer):
    """Serve the playground and models on 127.0.0.1.

    The addresses are fixed when it starts. A file is read when it is asked for, so that the page
    shows a model that was trained anew when it is reloaded.

    Args:
        models: The tokenizers to open.
        port: The port; 0 takes a free one.

    Raises:
        OSError: If the port is taken.

    Example:
        >>> with PlaygroundServer([]) as server:
        ...     server.address.startswith("http://127.0.0.1:")
        True
    """

    daemon_threads = True

    def __init__(self, models: Sequence[ServedModel] = (), *, port: int = 0) -> None:
        self.models = list(models)
        self.resources = find_site_files() | {
            f"/models/{at}": Resource(model.read, "application/octet-stream")
            for at, model in enumerate(models)
        }
        try:
            super().__init__((HOST, port), PlaygroundHandler)
        except OSError as error:
            reason = f"{error.strerror}; choose another port, or 0 for a free one"
            raise OSError(error.errno, reason, f"port {port}") from None
        own = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        # Browsers leave out the port of HTTP.
        self.own_hosts = own | ({HOST, "localhost"} if self.server_port == 80 else set())

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def read(self, target: str) -> tuple[bytes, str] | None:
        """Return the content at a path and its type, or nothing if there is no such path."""
        path = target.partition("?")[0]
        resource = self.resources.get("/index.html" if path == "/" else path)
        if resource is None:
            return None
        content = resource.read()
        if path == f"/{MODEL_LIST}":
            content = list_models(self.models, content)
        return content, resource.content_type

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that the browser gave up, as when a page is reloaded."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def find_site_files() -> dict[str, Resource]:
    """Return the files of the page by their paths. The server serves no other."""
    return {
        f"/{path.relative_to(SITE).as_posix()}": Resource(
            path.read_bytes, CONTENT_TYPES[path.suffix]
        )
        for path in sorted(SITE.rglob("*"))
        if path.suffix in CONTENT_TYPES
    }


class PlaygroundHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD requests of the own page, and refuses all others."""

    server: PlaygroundServer
    server_version = "superword"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Send a file."""
        self.answer()

    def do_HEAD(self) -> None:
        """Send the headers of a file."""
        self.answer()

    def answer(self) -> None:
        """Check where the request comes from, and send the file or a refusal."""
        # A foreign page can point its own name at 127.0.0.1, but its Host header tells.
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.own_hosts]:
            return self.refuse(HTTPStatus.FORBIDDEN, "this server answers only to 127.0.0.1")
        origins = {f"http://{host}" for host in self.server.own_hosts}
        if not set(self.headers.get_all("Origin", [])) <= origins:
            return self.refuse(HTTPStatus.FORBIDDEN, "this server answers only to its own page")
        try:
            found = self.server.read(self.path)
        except OSError:
            return self.refuse(HTTPStatus.NOT_FOUND, "the file is gone")
        if found is None:
            return self.refuse(HTTPStatus.NOT_FOUND, "there is no such file")
        self.send(HTTPStatus.OK, *found)

    def refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Send why there is no answer."""
        self.send(status, f"{sentence}\n".encode(), "text/plain; charset=utf-8")

    def send(self, status: HTTPStatus, content: bytes, content_type: str) -> None:
        """Send an answer, without the content to a HEAD request."""
        self.send_response(status)
        headers = {"Content-Type": content_type, "Content-Length": str(len(content)), **HEADERS}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal shows the address."""
