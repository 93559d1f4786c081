"""The time somebody says they have, as it is kept and as it is planned by."""

import pytest

from spotter.errors import InvalidInput
from spotter.training import understood
from spotter.training.lengths import minutes_of
from spotter.training.preferences import PreferenceType


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("45", 45),
        ("about 40", 40),
        ("45 minutes", 45),
        ("45min", 45),
        ("a 20-minute slot", 20),
        ("1 hour", 60),
        ("an hour", 60),
        ("2 hours", 120),
        ("1.5 hours", 90),
        ("1,5 h", 90),
        ("1½ hours", 90),
        ("½ hour", 30),
        ("1h30", 90),
        ("1 h 15 min", 75),
        ("1 hour and 10 minutes", 70),
        ("one and a half hours", 90),
        ("an hour and a half", 90),
        ("half an hour", 30),
        ("Half-hour", 30),
        ("three quarters of an hour", 45),
        ("a quarter of an hour", 15),
        ("forty-five minutes", 45),
        ("30-45 min", 30),
        ("30 – 45", 30),
        ("between 30 and 45 minutes", 30),
        ("30 minutes to an hour", 30),
        ("1-2 hours", 60),
        ("3 times a week, 30 minutes each", 30),
        ("1 hour 3 times a week", 60),
    ],
)
def test_how_long(said: str, minutes: int) -> None:
    assert minutes_of(said) == minutes


@pytest.mark.parametrize(
    "said", ["", "mornings", "1", "0 minutes", "at 17:30", "3 days", "20 months", "90000 minutes", "1-2"]
)
def test_what_is_not_clear_is_not_guessed_but_asked_for_again(said: str) -> None:
    assert minutes_of(said) is None
    with pytest.raises(InvalidInput, match="how long"):
        understood.details_of(PreferenceType.TIME_AVAILABLE, said, {})
