"""The playground: a static page that runs the core in the browser, and its server.

In reading order:
    models  The tokenizers that the page opens, and their addresses.
    server  The web server: loopback only, own files only.

The page is in the folder `site`. It also works from any other web server.
"""

from superword.playground.models import ServedModel, find_models
from superword.playground.server import PlaygroundServer

__all__ = ["PlaygroundServer", "ServedModel", "find_models"]
