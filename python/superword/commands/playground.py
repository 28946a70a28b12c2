"""`superword playground`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from superword.commands.messages import errors_as_sentences, print_message, print_text
from superword.playground import PlaygroundServer, find_models
from superword.tokenizer import BUNDLED_MODELS

__all__ = ["playground_command"]

DEFAULT_MODELS = sorted(BUNDLED_MODELS)


def playground_command(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Up to four superword models, tokenizer.json files, their folders, or tiktoken "
            f"files; {' and '.join(DEFAULT_MODELS)} by default.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.", show_default=True)
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Show tokenizers side by side in the browser, on texts of your own.

    The page runs the tokenizers itself: nothing is uploaded. The server answers only to this
    machine, on 127.0.0.1, and ends with Ctrl-C.

    superword playground

    superword playground bpe.json model.json --port 8000 --no-browser
    """
    with (
        errors_as_sentences(),
        PlaygroundServer(find_models(models or DEFAULT_MODELS), port=port) as server,
    ):
        print_text(f"{server.address}\n")
        print_message("superword: the playground is at this address; Ctrl-C ends it")
        if browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print_message("")
