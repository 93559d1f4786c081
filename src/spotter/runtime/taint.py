"""The rule of three (S7): who has read a stranger's words and somebody's private data may not send anything outside
unasked. Pure: it looks at what stands in the context, which is read off the log."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from spotter.runtime.tool import Tool
from spotter.runtime.verdicts import is_strange, was_judged
from spotter.sessions.events import Checkpoint, Knowledge, Result

UNTRUSTED: Final = "@untrusted"
PRIVATE: Final = "@private"
_STRANGE_SOURCES: Final = ("import", "quarantine")


@dataclass(frozen=True, slots=True)
class Taint:
    untrusted: bool = False
    private: bool = False

    @property
    def both(self) -> bool:
        return self.untrusted and self.private


def marks_of(fact: Knowledge | Result | Checkpoint) -> Iterable[str]:
    """What it brings into the context, beyond what is known of a result's tool. What was kept back counts for what was
    found in it: a telephone number gives no orders."""
    if is_strange(fact.moderation) or (fact.withheld is not None and not was_judged(fact.moderation)):
        yield UNTRUSTED
    if not isinstance(fact, Knowledge):
        return
    if fact.untrusted or fact.source.startswith(_STRANGE_SOURCES):
        yield UNTRUSTED
    if fact.private:
        yield PRIVATE


def taint_of(read: Iterable[str], find: Callable[[str], Tool | None]) -> Taint:
    """`read` names the tools whose results are in the context, and the marks of its knowledge. A tool that is not
    known here (any more, or in a log from elsewhere) is trusted with nothing."""
    untrusted = private = False
    for name in read:
        if name.startswith("@"):
            untrusted |= name == UNTRUSTED
            private |= name == PRIVATE
            continue
        tool = find(name)
        untrusted |= tool is None or tool.reads_untrusted
        private |= tool is not None and tool.reads_private
    return Taint(untrusted, private)
