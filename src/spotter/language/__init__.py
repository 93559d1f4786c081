"""How texts are read when no provider is asked: a small language model in numpy, taught by our own texts.

It says what a whole message is about (safety) and what each piece of it wants (the offline model). Nothing here knows
what follows from that. The weights are made by `scripts/train_language.py`; decision 0020 says from what and why.
"""

from spotter.language.encoder import Encoder, Heard, encoder
from spotter.language.pieces import Piece

__all__ = ["Encoder", "Heard", "Piece", "encoder"]
