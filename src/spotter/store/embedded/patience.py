"""Waiting in small steps, with an end, that a cancelled caller can cut short."""

import threading
import time
from collections.abc import Callable

from spotter.errors import Unavailable


class Patience:
    def __init__(self) -> None:
        self._given_up = threading.Event()

    def give_up(self) -> None:
        self._given_up.set()

    def until(self, condition: Callable[[], bool], seconds: float, interval: float = 0.01) -> bool:
        """True as soon as the condition holds, False when the time is over."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            if self._given_up.wait(interval):
                raise Unavailable(
                    "Starting the embedded database was called off. Nothing was lost; start again."
                )
        return True
