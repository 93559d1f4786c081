"""The house rules that no other tool checks. Standard library only; run it with `make check`.

    python scripts/check_sizes.py [FOLDER]

Prints `file:line: what is wrong` for each broken rule and exits with 1; shows what is above the sizes we aim
for. A remark made twice in review becomes a rule here.
"""

import ast
import configparser
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

FILE_LIMIT, FILE_AIM = 400, 300
FUNCTION_LIMIT, FUNCTION_AIM = 70, 50
# Migrations are generated, read once and never edited again: one table after the other, as many as there are.
GENERATED = re.compile(r"src/spotter/.*/migrations/versions/[^/]+\.py")

# Spelled in two halves so that this file passes its own check.
MARKS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
MARKED_KINDS = {
    ".py",
    ".sh",
    ".toml",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".css",
    ".html",
    ".yml",
    ".yaml",
    ".sql",
    "",
}

VAGUE_NAME = re.compile(r"(utils?|helpers?|commons?|managers?|misc)|.*_(utils?|helpers?|managers?|v\d+)")
NAMED_FOLDERS = ("src/", "tests/", "scripts/", "bench/", "web/")

EXCUSE = re.compile(r"#\s*noqa:\s*BLE001\s+-\s+\S")
LAZY_IMPORTS_ALLOWED = re.compile(r"src/spotter/(cli\.py|llm/.*|offline/model\.py)")

INDEX_OPTION = re.compile(
    r"\s*(-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host)\b|.*\bhttps?://"
)


@dataclass(frozen=True, order=True)
class Fault:
    path: str
    line: int
    text: str


def main(arguments: list[str]) -> int:
    root = Path(arguments[0] if arguments else ".").resolve()
    paths = files_of(root)
    faults: list[Fault] = []
    above_aim: list[Fault] = []
    places = download_places()
    for path in paths:
        faults += check_name(path)
        try:
            text = (root / path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue  # a picture, a link to nowhere, or gone since it was listed
        faults += check_text(path, text, places)
        if path.startswith("src/") and path.endswith(".py"):
            sizes, rest = check_source(path, text)
            faults += [fault for fault, over_limit in sizes if over_limit]
            above_aim += [fault for fault, over_limit in sizes if not over_limit]
            faults += rest
    for fault in sorted(faults):
        print(f"{fault.path}:{fault.line}: {fault.text}")
    print_summary(len(paths), faults, above_aim)
    return 1 if faults else 0


def print_summary(files: int, faults: list[Fault], above_aim: list[Fault]) -> None:
    if above_aim:
        print(f"{len(above_aim)} above what we aim for ({FILE_AIM} lines a file, {FUNCTION_AIM} a function):")
        for fault in sorted(above_aim):
            print(f"  {fault.path}:{fault.line}: {fault.text}")
    if faults:
        print(f"{len(faults)} broken rule{'s' if len(faults) > 1 else ''} in {files} files")


def files_of(root: Path) -> list[str]:
    """What is in the repository, or would be after `git add`; without git, what is not hidden."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=False,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0:
        found = [name for name in listing.stdout.split("\0") if name]
    else:
        found = [
            str(path.relative_to(root)) for path in root.rglob("*") if not hidden(path.relative_to(root))
        ]
    return sorted(name for name in set(found) if (root / name).is_file())


def hidden(path: Path) -> bool:
    return any(part in {"node_modules", "__pycache__"} or part.startswith(".") for part in path.parts[:-1])


def check_name(path: str) -> Iterator[Fault]:
    if not path.startswith(NAMED_FOLDERS):
        return
    for part in Path(path).parts[1:]:
        if VAGUE_NAME.fullmatch(part.split(".")[0].lower()):
            yield Fault(path, 1, f"{part!r} says nothing: name the thing that lives there")


def check_text(path: str, text: str, places: set[str]) -> Iterator[Fault]:
    marked_kind = Path(path).suffix in MARKED_KINDS and Path(path).name != "LICENSE"
    requirements = path.startswith("requirements/") or Path(path).name.startswith("requirements")
    package_lock = Path(path).name in {"package-lock.json", "npm-shrinkwrap.json"}
    for number, line in enumerate(text.splitlines(), start=1):
        if marked_kind and (mark := MARKS.search(line)):
            yield Fault(path, number, f"{mark[0]}: do it now, or write an issue")
        if requirements and INDEX_OPTION.match(line):
            yield Fault(path, number, "a lock names no address to download from (make lock)")
        if package_lock and '"resolved"' in line and "://" in line:
            yield Fault(path, number, 'a lock names no address to download from (npm: omit "resolved")')
        # The name itself is not printed: this output may end up in a public log.
        if any(place in line for place in places):
            yield Fault(path, number, "names a place this machine downloads packages from")


def check_source(path: str, text: str) -> tuple[list[tuple[Fault, bool]], list[Fault]]:
    """Sizes above the aim (and whether above the limit too), and the other faults of one source file."""
    try:
        tree = ast.parse(text)
    except SyntaxError as problem:
        return [], [Fault(path, problem.lineno or 1, f"cannot be parsed: {problem.msg}")]
    lines = text.splitlines()
    faults = [
        Fault(path, number, "catches everything: name the errors, or say why with `# noqa: BLE001 - reason`")
        for number in broad_catches(tree)
        if not EXCUSE.search(lines[number - 1])
    ]
    if not LAZY_IMPORTS_ALLOWED.fullmatch(path):
        faults += [
            Fault(path, n, "import inside a function: imports go to the top") for n in inner_imports(tree)
        ]
    return [] if GENERATED.fullmatch(path) else list(sizes_of(path, tree, len(lines))), faults


def sizes_of(path: str, tree: ast.AST, lines: int) -> Iterator[tuple[Fault, bool]]:
    if lines > FILE_AIM:
        what = f"file of {lines} lines (limit {FILE_LIMIT}, aim {FILE_AIM})"
        yield Fault(path, 1, what), lines > FILE_LIMIT
    for function in functions_of(tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > FUNCTION_AIM:
            what = f"{function.name}() of {length} lines (limit {FUNCTION_LIMIT}, aim {FUNCTION_AIM})"
            yield Fault(path, function.lineno, what), length > FUNCTION_LIMIT


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def broad_catches(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ExceptHandler)
            and (node.type is None or is_broad(node.type))
            and swallows(node)
        ):
            yield node.lineno
        if (
            isinstance(node, ast.Call)
            and last_name(node.func) == "suppress"
            and any(map(is_broad, node.args))
        ):
            yield node.lineno


def swallows(handler: ast.ExceptHandler) -> bool:
    """Passing the error on, or logging it with its traceback, needs no excuse: ruff would call that one unused."""
    passes_on = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
    calls = [node.func for node in ast.walk(handler) if isinstance(node, ast.Call)]
    return not passes_on and not any(
        isinstance(call, ast.Attribute) and call.attr == "exception" for call in calls
    )


def is_broad(kind: ast.expr) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(last_name(each) in {"Exception", "BaseException"} for each in kinds)


def last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def inner_imports(tree: ast.AST) -> list[int]:
    numbers = {
        node.lineno
        for function in functions_of(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return sorted(numbers)


def download_places() -> set[str]:
    """Hosts and folders this machine takes packages from, by its own pip, uv and npm configuration."""
    settings = [*pip_settings(), *uv_settings(), *npm_settings()]
    return {place for setting in settings for word in setting.split() if (place := place_of(word))}


def place_of(word: str) -> str | None:
    if word.startswith("/"):
        return word.rstrip("/") if word.count("/") > 1 else None
    parts = urlsplit(word if "://" in word else f"//{word}")
    if parts.scheme == "file":
        return place_of(unquote(parts.path))
    try:
        host = parts.hostname
    except ValueError:
        return None
    return host if host and "." in host and not host.startswith("127.") else None


def pip_settings() -> Iterator[str]:
    names = ("index-url", "extra-index-url", "find-links", "trusted-host")
    yield from from_environment(f"PIP_{name.replace('-', '_').upper()}" for name in names)
    home = Path.home()
    folders = [Path("/etc"), Path("/etc/xdg/pip"), Path("/Library/Application Support/pip"), home / ".pip"]
    folders += [config_home() / "pip", home / "Library/Application Support/pip", Path(sys.prefix)]
    files = [folder / "pip.conf" for folder in folders]
    if named := os.environ.get("PIP_CONFIG_FILE"):
        files.append(Path(named))
    parser = configparser.RawConfigParser(strict=False)
    for file in files:
        try:
            parser.read_string(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
    for section in parser.sections():
        yield from (parser.get(section, name) for name in names if parser.has_option(section, name))


def uv_settings() -> Iterator[str]:
    names = ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")
    for value in from_environment(names):
        yield re.sub(r"(^|\s)[\w-]+=(?=\w+://)", " ", value)  # UV_INDEX may be name=address
    for file in (config_home() / "uv" / "uv.toml", Path("/etc/uv/uv.toml")):
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
        yield from re.findall(r"\w+://[^\s\"',]+", json.dumps(content))


def npm_settings() -> Iterator[str]:
    yield from from_environment(("npm_config_registry", "NPM_CONFIG_REGISTRY"))
    named = [os.environ.get(name, "") for name in ("npm_config_userconfig", "NPM_CONFIG_USERCONFIG")]
    for file in [
        Path.home() / ".npmrc",
        Path("/etc/npmrc"),
        Path("/usr/etc/npmrc"),
        *map(Path, filter(None, named)),
    ]:
        try:
            content = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        # Only the addresses: the same file holds secrets that are none of our business.
        yield from re.findall(r"(?m)^\s*(?:@[\w-]+:)?registry\s*=\s*(\S+)", content)


def from_environment(names: Iterable[str]) -> Iterator[str]:
    return (value for name in names if (value := os.environ.get(name)))


def config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
