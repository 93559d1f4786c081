"""Answers in a given shape: the initializer's choice, the checkpoint's summary, and anything else as far as it goes."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from spotter.llm.faults import ModelRefused
from spotter.llm.port import JsonSchema
from spotter.llm.prompt import Prompt, UserMessage
from spotter.offline.acting.dialogue import SUMMARY, is_said, last_text
from spotter.offline.acting.mind import mind
from spotter.offline.acting.state import MADE
from spotter.offline.choosing import AGENT_CHOICE, Offered, chosen_agent, fill_arguments
from spotter.offline.sources import pick_sources
from spotter.offline.summarising import Said, summarise
from spotter.offline.understanding import EMPTY
from spotter.training import recall

SELECTION: Final = "context_selection"
_MESSAGE: Final = re.compile(r"<message>\n(.*)\n</message>", re.DOTALL)
_RECORD: Final = re.compile(r"\A<record>\n(.*)\n</record>\Z", re.DOTALL)
_SPEAKER: Final = re.compile(r"^(person|assistant|result): ?", re.MULTILINE)
_CALLS: Final = re.compile(r"\bcalls ([a-z_]+) (\{.*)", re.DOTALL)
_LOOKING: Final = ("fetch_data", "get_", "validate_", "message_", "idle")
_DEEPEST: Final = 6


def record_of(prompt: Prompt) -> str | None:
    """The conversation that has to be summarised, when that is the task."""
    messages = [fragment.message for fragment in prompt.messages]
    if len(messages) != 1 or not isinstance(messages[0], UserMessage):
        return None
    found = _RECORD.match(messages[0].text)
    return found[1] if found else None


def summary(record: str, now: datetime) -> str:
    """What was said and done, and the workout on the table as it was shown: its ids are needed to go on."""
    said: list[Said] = []
    table, made, tool = "", "", ""
    for speaker, text in _pieces(record):
        if speaker == "result":
            if recall.on_table(text):
                table = text
            elif tool == "log_workout" and text.startswith("Logged"):
                table = ""
            if tool and not tool.startswith(_LOOKING):
                said.append(Said("action", text.partition("\n")[0]))
        elif speaker == "assistant":
            call = _CALLS.search(text)
            tool = call[1] if call else ""
            made = _made(call[2]) or made if call else made
            spoken = _spoken(call[1], call[2]) if call else text
            if spoken:
                said.append(Said("assistant", spoken))
        elif text.startswith(SUMMARY):
            said.append(Said("summary", text.removeprefix(SUMMARY)))
            table = text if recall.on_table(text) else table
        elif is_said(UserMessage(text)):
            said.append(Said("user", text))
    lines = [summarise([each for each in said if each.text], mind().understander, now)]
    if shown := _table_lines(table):
        lines += ["On the table:", *shown, *([made] if made else [])]
    return "\n".join(lines)


def _pieces(record: str) -> list[tuple[str, str]]:
    parts = _SPEAKER.split(record)[1:]
    return [
        (speaker, recall.unwrapped(text.rstrip("\n")) if speaker == "result" else text.rstrip("\n"))
        for speaker, text in zip(parts[::2], parts[1::2], strict=True)
    ]


def _spoken(tool: str, arguments: str) -> str:
    name = {"message_notify_user": "message", "message_ask_user": "question"}.get(tool)
    found = re.search(rf'"{name}":\s*"((?:[^"\\]|\\.)*)', arguments) if name else None
    return _unquoted(found[1]) if found else ""


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _made(arguments: str) -> str:
    found = re.search(rf'"reason":\s*"({re.escape(MADE)}[^"]*)"', arguments)
    return found[1] if found else ""


def _table_lines(text: str) -> list[str]:
    shown = [line.strip() for line in text.splitlines() if recall.on_table(line)]
    minutes = recall.minutes_of(text)
    return [*shown, *([f"About {minutes:g} min."] if shown and minutes else [])]


def shaped(prompt: Prompt, wanted: JsonSchema, now: datetime) -> dict[str, Any]:
    said = last_text(prompt.messages)
    if wanted.name == SELECTION:
        return _selection(said, wanted.schema, now)
    if wanted.name == AGENT_CHOICE:
        return chosen_agent("\n".join(section.text for section in prompt.system), said)
    filled = fill_arguments(Offered(wanted.name, "", wanted.schema), said, now)
    return {**_least(wanted.schema, wanted.schema, 0, wanted.name), **filled.arguments}


def _selection(said: str, schema: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Everything the message needs, also what was told before: the caller knows whether it has changed since."""
    found = _MESSAGE.search(said)
    message = found[1] if found else said
    offered = schema.get("properties", {}).get("data_sources", {}).get("items", {}).get("enum", [])
    understood = mind().understand(message, now, EMPTY)
    selection = pick_sources(understood, [str(name) for name in offered])
    return {"data_sources": list(selection.sources), "reasoning": selection.reason}


def _least(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int, name: str) -> dict[str, Any]:
    """The smallest object that is allowed. It claims as little as possible."""
    properties = schema.get("properties", {})
    return {
        str(key): _value(properties.get(key, {}), root, depth + 1, name) for key in schema.get("required", ())
    }


def _value(rule: Mapping[str, Any], root: Mapping[str, Any], depth: int, name: str) -> Any:
    if depth > _DEEPEST:
        raise _cannot(name)
    if isinstance(rule.get("$ref"), str):
        rule = root.get("$defs", {}).get(rule["$ref"].rpartition("/")[2], {})
    for either in ("anyOf", "oneOf"):
        if options := rule.get(either):
            nothing = any(each.get("type") == "null" for each in options)
            return None if nothing else _value(options[0], root, depth + 1, name)
    if "const" in rule:
        return rule["const"]
    if "default" in rule:
        return rule["default"]
    if options := rule.get("enum"):
        return next((each for each in options if str(each).lower() in _UNSURE), options[0])
    return _plain(rule, root, depth, name)


_UNSURE: Final = frozenset({"unknown", "none", "unsure", "other", "null", "no"})


def _plain(rule: Mapping[str, Any], root: Mapping[str, Any], depth: int, name: str) -> Any:
    kind = rule.get("type", "object" if "properties" in rule else "string")
    kinds: Sequence[str] = kind if isinstance(kind, list) else [str(kind)]
    if "null" in kinds:
        return None
    match kinds[0]:
        case "object":
            return _least(rule, root, depth, name)
        case "array" if not rule.get("minItems"):
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return max(0, rule.get("minimum", 0))
        case "string" if not rule.get("minLength") and "pattern" not in rule and "format" not in rule:
            return ""
        case _:
            raise _cannot(name)


def _cannot(name: str) -> ModelRefused:
    return ModelRefused(
        f"The offline model cannot answer in the shape {name!r}: it would have to make something up. Set a provider "
        "key, or ask for fewer required fields."
    )
