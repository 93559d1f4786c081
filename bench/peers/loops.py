"""The faster event loop where it is installed; every subject gets the same."""

import asyncio
import importlib
from collections.abc import Coroutine
from importlib.util import find_spec
from typing import Any


def run(main: Coroutine[Any, Any, None]) -> None:
    if find_spec("uvloop") is None:
        asyncio.run(main)
    else:
        importlib.import_module("uvloop").run(main)
