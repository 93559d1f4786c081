"""Promises the repository itself makes: locks without addresses, rooms that introduce themselves, a quick command."""

import ast
import os
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "spotter"
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))

ROOMS = sorted(path for path in SOURCE.iterdir() if path.is_dir() and any(path.glob("*.py")))
MODULES = sorted(SOURCE.glob("*.py"))


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"(?m)^([a-z0-9][a-z0-9._-]*)==(\S+)", lock.read_text()))


def normal(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_there_are_locks_for_each_purpose() -> None:
    assert [lock.name for lock in LOCKS] == ["build.txt", "dev.txt", "node.txt", "runtime.txt"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_address(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"(?m)://|^\s*-(-index-url|-extra-index-url|-find-links|-trusted-host|i|f)\b", text)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_line_of_a_lock_is_a_pin_with_hashes(lock: Path) -> None:
    logical = re.sub(r"\\\n", " ", lock.read_text()).splitlines()
    requirements = [line for line in logical if line.strip() and not line.lstrip().startswith("#")]
    assert requirements
    for line in requirements:
        assert re.match(r"[a-z0-9][a-z0-9._-]*==\S+ .*--hash=sha256:[0-9a-f]{64}", line), line


def test_the_locks_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    runtime = {normal(each) for each in [*project["project"]["dependencies"], *extras["fast"]]}
    build = {normal(each) for each in project["build-system"]["requires"]}
    dev = runtime | build | {normal(each) for each in extras["dev"]}
    for name, wanted in {"runtime": runtime, "build": build, "dev": dev}.items():
        missing = wanted - pins(ROOT / "requirements" / f"{name}.txt").keys()
        assert not missing, f"run `make lock`: requirements/{name}.txt lacks {sorted(missing)}"


@pytest.mark.parametrize("name", ["runtime", "build"])
def test_the_development_lock_contains_the_others(name: str) -> None:
    """`make run` and `make test` share one .venv, so they must agree about every version."""
    inner, outer = pins(ROOT / "requirements" / f"{name}.txt"), pins(ROOT / "requirements" / "dev.txt")
    assert inner.items() <= outer.items()


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_room_says_what_lives_there(room: Path) -> None:
    face = room / "__init__.py"
    assert face.exists(), f"{room.name} has no __init__.py"
    assert ast.get_docstring(ast.parse(face.read_text())), f"{room.name}/__init__.py has no docstring"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_every_module_beside_the_rooms_has_a_docstring(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text()))


def test_the_architecture_page_names_every_room() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    names = [f"{room.name}/" for room in ROOMS] + [
        module.name for module in MODULES if module.stem != "__init__"
    ]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_no_room_is_marked_as_coming_later_once_it_is_there() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    later = re.findall(r"(?m)^\| `([\w.]+)/?` \|.*\| later \|$", page)
    assert later, "the table of rooms has changed its shape; adapt this test"
    present = {path.name for path in [*ROOMS, *MODULES]}
    assert [name for name in later if name in present] == []


def test_decision_records_have_their_three_parts() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [record.name[:4] for record in records] == [
        f"{number:04}" for number in range(1, len(records) + 1)
    ]
    for record in records:
        headings = re.findall(r"(?m)^## (.+)$", record.read_text())
        assert headings[:3] == ["Context", "Decision", "Consequences"], record.name


@pytest.mark.parametrize("script", [".ci/run", "scripts/setup", "scripts/find-python"])
def test_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())]
    dead = [
        f"{page.name}: {link}"
        for page, link in links
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert dead == []
