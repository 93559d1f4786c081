"""Values that must stay where they belong, and a net that catches them elsewhere.

To guard something new, add a canary, or an artefact to what a flow collects. Canaries are plain ASCII, so that no
encoding hides them.
"""

import io
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from spotter import logs
from spotter.ids import random_id
from spotter.settings import Settings

# Unlike any other number in any artefact.
EMAIL = "canary.ana@private-mail.example"
PHONE = "+49 1512 0406969"
CARD = "4929 0000 1234 5674"
PERSONAL = {"an e-mail": EMAIL, "a phone number": PHONE, "a card number": CARD}
MESSAGE = f"I am Ana, write to {EMAIL} or call {PHONE}, and charge my card {CARD}."


def secret(shape: str) -> str:
    """Of the shape a real one has, and nobody else's."""
    return f"{shape}canary{random_id().hex}"


@dataclass
class Net:
    """What a run left behind, by where, and what must not be in it."""

    canaries: dict[str, str] = field(default_factory=dict)
    artefacts: dict[str, list[str]] = field(default_factory=dict)
    written: Mapping[str, io.StringIO] = field(default_factory=dict)
    """Logs, which go on being written."""

    def plant(self, **canaries: str) -> None:
        self.canaries.update(canaries)

    def collect(self, where: str, text: str) -> None:
        self.artefacts.setdefault(where, []).append(text)

    @property
    def everything(self) -> dict[str, list[str]]:
        return {**self.artefacts, **{where: [log.getvalue()] for where, log in self.written.items()}}

    def caught(self) -> list[tuple[str, str, str]]:
        """(what, where, the words around it) of every canary that got out."""
        found = []
        for name, value in self.canaries.items():
            for where, texts in self.everything.items():
                for text in texts:
                    for spelt in {value, re.sub(r"[ +]", "", value)}:
                        if (place := text.find(spelt)) >= 0:
                            found.append((name, where, text[max(0, place - 120) : place + 60]))
        return found


class _Sink(logging.StreamHandler[io.StringIO]):
    """A second way to write the same lines."""


@contextmanager
def debug_logs() -> Iterator[dict[str, io.StringIO]]:
    """Everything any logger says at debug level, as the two formats write it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in (*logs.TALKATIVE, "uvicorn", "uvicorn.error")}
    as_json, as_text = io.StringIO(), io.StringIO()
    logs.configure_logs(Settings(log_level="DEBUG", log_format="json"), stream=as_json)
    sink = _Sink(as_text)
    sink.setFormatter(logs.TextFormatter(colour=False))
    root.addHandler(sink)
    try:
        yield {"json log": as_json, "text log": as_text}
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        for name, old in levels.items():
            logging.getLogger(name).setLevel(old)
