"""The coach's four agents, played without a key: one file each, with what they share.

Which of them speaks is told by the tools there are. All that is known of the visit is read from its tools' results.
"""

from spotter.offline.coaching.playing import is_coach, play

__all__ = ["is_coach", "play"]
