"""How long a connection may wait for a server that says nothing."""

from typing import Any, Final

# The kernel notices a peer that vanished without a word; without these, after two hours.
NOTICE_A_DEAD_PEER: Final[dict[str, Any]] = {
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
