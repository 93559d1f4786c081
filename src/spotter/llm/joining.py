"""From fragments to the list of messages in a body: what a history keeps joined, and what has to be added."""

from typing import Final

from spotter.llm.prompt import History, Prompt


class Joining:
    """Joins a prompt's messages in one dialect, starting from what its history keeps joined already."""

    __slots__ = ("_cut", "_dialect", "_past", "_start", "fragments", "out")

    def __init__(self, prompt: Prompt, dialect: str) -> None:
        self._past = prompt.messages
        self._dialect = dialect
        self._start, done = (0, b"")
        if isinstance(self._past, History):
            self._start, done = self._past.joined.get(dialect, (0, b""))
        self.out: list[bytes] = [done] if done else []
        self.fragments: Final = self._past[self._start :]
        """Those that are not joined yet."""
        self._cut = (0, 0)

    def settle(self, position: int) -> None:
        """An assistant begins to speak at `position`: nothing before can change, and it is all in `out`."""
        self._cut = (position, len(self.out))

    def keep(self) -> None:
        position, count = self._cut
        if position and isinstance(self._past, History):
            self._past.joined[self._dialect] = (self._start + position, b",".join(self.out[:count]))
