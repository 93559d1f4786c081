"""Money in whole micro-dollars: sums are exact, whatever the order. Credits are counted in millionths, likewise."""

from typing import Final, NewType

MicroDollars = NewType("MicroDollars", int)
MicroCredits = NewType("MicroCredits", int)

DOLLAR: Final = 1_000_000
CREDIT: Final = 1_000_000
BASIS: Final = 10_000
"""Basis points in a whole: 2000 of them are 20 %."""


def half_up(numerator: int, denominator: int) -> int:
    """A quotient as a whole number, halves away from nothing: 0.5 is 1. For amounts that are not negative."""
    return (2 * numerator + denominator) // (2 * denominator)


def with_markup(cost: int, markup: int) -> MicroDollars:
    """What is charged for a cost, `markup` in basis points; rounded half up, once for each call."""
    return MicroDollars(half_up(cost * (BASIS + markup), BASIS))


def in_credits(amount: int, rate: int) -> MicroCredits:
    """Micro-dollars in millionths of a credit that is worth `rate` micro-dollars; rounded half up."""
    return MicroCredits(half_up(amount * CREDIT, rate))


def dollars(amount: int) -> str:
    """For people and for CSV: exact, with at least two decimals."""
    sign, amount = "-" if amount < 0 else "", abs(amount)
    fraction = f"{amount % DOLLAR:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}{amount // DOLLAR}.{fraction}"
