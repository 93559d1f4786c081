"""Server-sent events out of bytes, as they come. Much of what a streamed answer costs goes into the clients' own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    name: str
    data: bytes


class EventParser:
    """Any cut of the bytes gives the same events. What is not ended by an empty line is none, as the standard says."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[ServerEvent]:
        piece = self._rest + piece
        if b"\r" in piece:
            piece = _plain_line_ends(piece)
        *blocks, self._rest = piece.split(b"\n\n")
        return [event for block in blocks if (event := _event(block)) is not None]


def _plain_line_ends(piece: bytes) -> bytes:
    # A last \r may be the first half of \r\n: it stays until we know.
    end = len(piece) - piece.endswith(b"\r")
    return piece[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n") + piece[end:]


def _event(block: bytes) -> ServerEvent | None:
    """None for comments, and for what carries no data."""
    if block.startswith(b"data: ") and b"\n" not in block:
        return ServerEvent("", block[6:])
    name = ""
    data: list[bytes] = []
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value.decode()
    return ServerEvent(name, b"\n".join(data)) if data else None
