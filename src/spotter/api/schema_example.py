"""A plausible value for a JSON schema: its own example where it has one, otherwise one of the right shape."""

from collections.abc import Mapping
from typing import Any, Final

_MAX_DEPTH: Final = 5
_TEXTS: Final = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T08:30:00Z",
    "email": "ana@example.com",
    "password": "…",
    "time": "08:30:00",
    "uri": "https://example.com",
    "uuid": "00000000-0000-7000-8000-000000000000",
}


def example_of(schema: Mapping[str, Any], document: Mapping[str, Any], depth: int = 0) -> Any:
    if "$ref" in schema:
        return example_of(_resolve(str(schema["$ref"]), document), document, depth)
    given = _given(schema)
    if given is not None:
        return given
    alternatives = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, [])]
    for one in alternatives:
        if one.get("type") != "null":
            return example_of(one, document, depth)
    return _shaped(schema, document, depth)


def _shaped(schema: Mapping[str, Any], document: Mapping[str, Any], depth: int) -> Any:
    if depth >= _MAX_DEPTH:
        return None  # a schema that contains itself
    if "properties" in schema:
        return {
            name: example_of(part, document, depth + 1)
            for name, part in schema["properties"].items()
            if name in schema.get("required", schema["properties"])
        }
    if schema.get("type") == "array":
        return [example_of(schema.get("items", {}), document, depth + 1)]
    return _plain(schema)


def _given(schema: Mapping[str, Any]) -> Any:
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("enum"):
        return schema["enum"][0]
    return next((schema[key] for key in ("example", "const", "default") if schema.get(key) is not None), None)


def _plain(schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    if kind == "object":
        return {}
    return _TEXTS.get(schema.get("format", ""), "text")


def _resolve(reference: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    place: Any = document
    for part in reference.removeprefix("#/").split("/"):
        place = place[part]
    assert isinstance(place, Mapping)
    return place
