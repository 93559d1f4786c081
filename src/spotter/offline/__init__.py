"""The model that needs no key and no network: it understands by rules (`understanding`), acts through the tools it is
given (`acting`), picks tools for agents it knows nothing about (`choosing`), and is labelled as what it is wherever it
answers. Deterministic: the same prompt in the same minute gets the same answer.
"""

from spotter.offline.model import OfflineModel

__all__ = ["OfflineModel"]
