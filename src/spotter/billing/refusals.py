"""Saying no to spending, so that people know what to do about it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from spotter.errors import PaymentRequired
from spotter.money import CREDIT, dollars

_WHOSE: Final = {
    "organisation": "Your organisation's",
    "user": "Your",
    "session": "This session's",
    "run": "This run's",
    "agent": "This agent's",
}
_PERIOD: Final = {"day": "budget for today", "month": "budget for this month", "total": "budget"}
_SHOWN: Final = ("limit", "cap_id", "scope", "period", "unit", "left", "needed", "resets_at")
_KEPT: Final = "What you said is recorded."


def refusal(why: Mapping[str, Any], unpriced: Sequence[str] = (), kept: str = _KEPT) -> PaymentRequired:
    """`why` is what the database said: which cap, what is left, when it begins anew."""
    shown = {name: why[name] for name in _SHOWN if why.get(name) is not None}
    if why.get("needed") is None and unpriced:
        return PaymentRequired(
            f"Nobody knows what {', '.join(unpriced)} costs, so a budget in money cannot be kept with it. {kept} An "
            "administrator can set a price for it, or a rate for models without a price.",
            extra={**shown, "unpriced": list(unpriced)},
        )
    if why["limit"] == "credits":
        more = f" More come with your plan at {why['resets_at']}." if why.get("resets_at") else ""
        return PaymentRequired(
            f"Your organisation has {why['left'] / CREDIT:g} credits left, and an answer may need "
            f"{why['needed'] / CREDIT:g}. {kept}{more} Ask an administrator for more credits.",
            extra=shown,
        )
    if why["scope"] == "guests":
        # What a gym spends on its visitors is not theirs to know.
        begins = f", or come back after {why['resets_at']}" if why.get("resets_at") else ""
        told = ("limit", "scope", "period", "resets_at")
        return PaymentRequired(
            f"The {_PERIOD[why['period']]} for visitors is used up. {kept} Sign in to go on{begins}.",
            extra={name: shown[name] for name in told if name in shown},
        )
    whose, period = _WHOSE[why["scope"]], _PERIOD[why["period"]]
    begins = f" It begins anew at {why['resets_at']}." if why.get("resets_at") else ""
    return PaymentRequired(
        f"{whose} {period} has {_amount(why['left'], why['unit'])} left, and an answer may need "
        f"{_amount(why['needed'], why['unit'])}. {kept}{begins} An administrator can raise the limit.",
        extra=shown,
    )


def _amount(amount: int, unit: str) -> str:
    return f"${dollars(amount)}" if unit == "money" else f"{amount} tokens"
