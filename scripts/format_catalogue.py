"""Writes the catalogue's data files in their one form, so that a change shows up as the lines it changes.

python scripts/format_catalogue.py [--check]
"""

import json
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "src" / "spotter" / "training" / "catalogue" / "data"

# What stands on one line together; cues come last, each on a line of its own.
LINES = (
    ("id", "name"),
    ("aliases",),
    ("primary", "secondary"),
    ("equipment",),
    ("level", "unit", "mechanic", "force", "unilateral"),
    ("range", "seconds", "intensity"),
    ("joints", "flags"),
    ("suits",),
)


def written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def exercise_text(exercise: dict[str, Any]) -> str:
    unknown = exercise.keys() - {key for line in LINES for key in line} - {"cues"}
    if unknown:
        raise SystemExit(f"{exercise.get('id')}: no such field: {', '.join(sorted(unknown))}")
    lines = [
        "      " + ", ".join(f"{written(key)}: {written(exercise[key])}" for key in line if key in exercise)
        for line in LINES
        if any(key in exercise for key in line)
    ]
    cues = ",\n".join(f"        {written(cue)}" for cue in exercise["cues"])
    lines.append(f'      "cues": [\n{cues}\n      ]')
    return "    {\n" + ",\n".join(lines) + "\n    }"


def ladder_text(ladder: dict[str, Any]) -> str:
    rungs = ",\n".join(f"        {written(rung)}" for rung in ladder["rungs"])
    head = ",\n".join(
        f"      {written(key)}: {written(value)}" for key, value in ladder.items() if key != "rungs"
    )
    return f'    {{\n{head},\n      "rungs": [\n{rungs}\n      ]\n    }}'


def formatted(text: str) -> str:
    content = json.loads(text)
    ((kind, entries),) = content.items()
    write = ladder_text if kind == "ladders" else exercise_text
    return f"{{\n  {written(kind)}: [\n" + ",\n".join(write(entry) for entry in entries) + "\n  ]\n}\n"


def main(arguments: list[str]) -> int:
    changed = 0
    for path in sorted(DATA.glob("*.json")):
        before = path.read_text(encoding="utf-8")
        after = formatted(before)
        if before != after:
            changed += 1
            print(path.name)
            if "--check" not in arguments:
                path.write_text(after, encoding="utf-8")
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
