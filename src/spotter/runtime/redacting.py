"""What others wrote, without personal data, where the organisation says that none is kept of it. Pure."""

from typing import Any
from uuid import UUID

from pydantic_core import to_json

from spotter.safety import Action, CategoryName, ModerationDecision, Policy
from spotter.safety.normalise import normalise
from spotter.safety.personal_data import personal_data, redact


def redacts_outside(policy: Policy) -> bool:
    """Only where it was chosen. A front desk whose lists have no numbers in them can call nobody, so by default what
    tools return is passed on whole, and who may see it was decided where it was read."""
    chosen = policy.categories.get(CategoryName.PERSONAL_DATA)
    return chosen is not None and chosen.outside is Action.REDACT


def kept_of(text: str, data: Any, decision: ModerationDecision, policy: Policy) -> tuple[str, Any]:
    """The text and the data behind it as they may be stored. They are looked at apart: a tool may tell less than it
    returns."""
    if not redacts_outside(policy):
        return text, data
    clean = without_personal_data(data, policy)
    if is_text_of(data, text):
        text = to_json(clean).decode()
        return _redacted(text, policy), clean
    return kept_text(text, decision, policy), clean


def kept_text(text: str, decision: ModerationDecision, policy: Policy) -> str:
    return decision.redacted if redacts_outside(policy) and decision.redacted is not None else text


def is_text_of(data: Any, text: str) -> bool:
    return isinstance(data, dict | list) and to_json(data).decode() == text


def without_personal_data(value: Any, policy: Policy, announced_by: str = "") -> Any:
    """`announced_by` is the field's name: a word after «password» is one, and alone it is any word."""
    match value:
        case str() if not _is_id(value):
            return _after_its_name(value, announced_by, policy)
        case int() if not isinstance(value, bool):
            clean = _after_its_name(str(value), announced_by, policy)
            return value if clean == str(value) else clean
        case list():
            return [without_personal_data(one, policy, announced_by) for one in value]
        case dict():
            return _fields(value, policy)
        case _:
            return value


def _fields(fields: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """Names are data too where something is counted by address. No entry is lost because two of them look alike now."""
    clean: dict[str, Any] = {}
    for name, value in fields.items():
        shown = _redacted(name, policy)
        if shown in clean:
            shown = f"{shown} {len(clean) + 1}"
        clean[shown] = without_personal_data(value, policy, name)
    return clean


def _after_its_name(value: str, name: str, policy: Policy) -> str:
    head = f"{name}: " if name else ""
    clean = _redacted(head + value, policy)
    return clean.removeprefix(head) if clean.startswith(head) else _redacted(value, policy)


def _redacted(text: str, policy: Policy) -> str:
    found = personal_data(normalise(text), policy.regions)
    return redact(text, found, policy.regions) if found else text


def _is_id(text: str) -> bool:
    """Our own ids are made of numbers too, and whoever goes on with a result needs them whole."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
