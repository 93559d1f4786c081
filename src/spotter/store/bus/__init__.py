"""The bus between processes: LISTEN/NOTIFY on one direct connection, packed and coalesced.

The promise is *wake-ups, at most once*. The log in the database is the truth; a notice only says that
there is something new in it, or carries a piece of text that nobody stores. A reader therefore

1. subscribes, 2. reads the log, 3. follows the notices, and re-reads the log on every `Resync`.

A `Resync` comes after every (re)connection, every `poll_interval` seconds (less often in long silence),
when the reader was too slow for its buffer, and when a sender had to drop notices. What is delivered of
one topic from one process is in the order it was published. Readers in the sender's own
process are woken directly, without the database, whether it is there or not. While no other process
listens nothing is sent at all; one that comes greets the others, and is told to re-read.
"""

from spotter.store.bus.bus import Bus
from spotter.store.bus.notices import Counters, Delta, Highest, Latest, Message, Notice, Resync, ResyncReason
from spotter.store.bus.subscribers import Subscription

__all__ = [
    "Bus",
    "Counters",
    "Delta",
    "Highest",
    "Latest",
    "Message",
    "Notice",
    "Resync",
    "ResyncReason",
    "Subscription",
]
