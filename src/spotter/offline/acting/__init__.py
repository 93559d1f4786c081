"""What to do about a message, with the tools there are: a prompt goes in, the next calls or the last words come out.

Nothing here is kept between two calls: all that is known is read from the prompt again each time, like any model does.
"""

from spotter.offline.acting.mind import mind
from spotter.offline.acting.steps import Step, next_step

__all__ = ["Step", "mind", "next_step"]
