"""Each rule of `scripts/check_sizes.py` is shown to fire, and to keep quiet about what is allowed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_sizes.py"
MARK = "TO" + "DO"

Check = Callable[..., list[str]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Writes one file into an empty tree, with an empty home, and returns what the script says about it."""
    tree, home = tmp_path / "tree", tmp_path / "home"
    tree.mkdir()
    home.mkdir()

    def run(path: str, text: str, **environment: str) -> list[str]:
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        bare = {
            name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "XDG_"))
        }
        answer = subprocess.run(
            [sys.executable, "-I", SCRIPT, tree],
            check=False,
            capture_output=True,
            text=True,
            env=bare | {"HOME": str(home), "GIT_CEILING_DIRECTORIES": str(tmp_path)} | environment,
        )
        assert answer.stderr == ""
        lines = [line for line in answer.stdout.splitlines() if line.startswith(path)]
        assert answer.returncode == (1 if lines else 0), answer.stdout
        return lines

    return run


def function_of(lines: int) -> str:
    return "def long() -> None:\n" + "    pass\n" * (lines - 1)


def test_a_clean_file_is_let_through(check: Check) -> None:
    assert check("src/spotter/amounts.py", "import os\n\n\ndef home() -> str:\n    return os.sep\n") == []


@pytest.mark.parametrize(("lines", "refused"), [(400, False), (401, True)])
def test_length_of_a_file(check: Check, lines: int, refused: bool) -> None:
    assert bool(check("src/spotter/long.py", "x = 1\n" * lines)) is refused


@pytest.mark.parametrize(("lines", "refused"), [(70, False), (71, True)])
def test_length_of_a_function(check: Check, lines: int, refused: bool) -> None:
    found = check("src/spotter/long.py", "\n" + function_of(lines))
    assert bool(found) is refused
    assert not refused or found[0].startswith("src/spotter/long.py:2: long() of 71 lines")


def test_sizes_bind_only_the_source(check: Check) -> None:
    assert check("tests/test_long.py", function_of(500)) == []


def test_generated_migrations_may_be_long(check: Check) -> None:
    assert check("src/spotter/store/migrations/versions/0001_first.py", function_of(500)) == []


@pytest.mark.parametrize(
    "catch",
    [
        "except:",
        "except Exception:",
        "except BaseException as error:",
        "except (ValueError, Exception):",
        "except Exception:  # noqa: BLE001",
        "except builtins.Exception:",
    ],
)
def test_catching_everything(check: Check, catch: str) -> None:
    found = check("src/spotter/guard.py", f"try:\n    pass\n{catch}\n    pass\n")
    assert [line.split(" ")[0] for line in found] == ["src/spotter/guard.py:3:"]


def test_suppressing_everything(check: Check) -> None:
    assert check(
        "src/spotter/guard.py", "import contextlib\nwith contextlib.suppress(Exception):\n    pass\n"
    )


@pytest.mark.parametrize(
    "catch", ["except ValueError:", "except Exception:  # noqa: BLE001 - tried again later"]
)
def test_catching_with_a_name_or_a_reason(check: Check, catch: str) -> None:
    assert check("src/spotter/guard.py", f"try:\n    pass\n{catch}\n    pass\n") == []


@pytest.mark.parametrize("body", ["raise", "logger.exception('lost')", "raise ValueError from None"])
def test_catching_everything_without_swallowing_it(check: Check, body: str) -> None:
    assert check("src/spotter/guard.py", f"try:\n    pass\nexcept Exception:\n    {body}\n") == []


@pytest.mark.parametrize("path", ["src/spotter/cli.py", "src/spotter/llm/openai.py", "tests/test_cli.py"])
def test_late_imports_where_they_are_allowed(check: Check, path: str) -> None:
    assert check(path, "def late() -> None:\n    import json\n") == []


@pytest.mark.parametrize("statement", ["import json", "from json import dumps"])
def test_late_imports_elsewhere(check: Check, statement: str) -> None:
    found = check("src/spotter/store/engine.py", f"def late() -> None:\n    if True:\n        {statement}\n")
    assert [line.split(" ")[0] for line in found] == ["src/spotter/store/engine.py:3:"]


@pytest.mark.parametrize("path", ["src/spotter/a.py", "tests/test_a.py", "Makefile", "web/src/app.tsx"])
def test_marks_of_unfinished_work(check: Check, path: str) -> None:
    assert [line.split(" ")[0] for line in check(path, f"\n# {MARK} later\n")] == [f"{path}:2:"]


def test_marks_inside_words_are_words(check: Check) -> None:
    assert check("src/spotter/a.py", f"# {MARK}S and x{MARK}\n") == []


@pytest.mark.parametrize(
    "path",
    [
        "src/spotter/utils.py",
        "src/spotter/common/prices.py",
        "tests/helpers.py",
        "src/spotter/session_manager.py",
        "src/spotter/loop_v2.py",
        "web/src/utils.test.ts",
    ],
)
def test_names_that_say_nothing(check: Check, path: str) -> None:
    assert len(check(path, "")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.org/simple",
        "--find-links wheels",
        "-i x",
        "a @ https://example.org/a.whl",
    ],
)
def test_addresses_in_requirements(check: Check, line: str) -> None:
    assert check("requirements/runtime.txt", f"a==1\n{line}\n") == [
        "requirements/runtime.txt:2: a lock names no address to download from (make lock)"
    ]


def test_addresses_in_a_package_lock(check: Check) -> None:
    assert check("web/package-lock.json", '{"a": {\n"resolved": "https://example.org/a.tgz"}}\n')
    assert check("web/package-lock.json", '{"a": {\n"resolved": "../local"}}\n') == []


@pytest.mark.parametrize(
    "setting",
    [
        {"PIP_INDEX_URL": "https://someone:secret@wheels.example.org/simple"},
        {"PIP_EXTRA_INDEX_URL": "https://other.example.net/simple https://wheels.example.org/simple"},
        {"PIP_TRUSTED_HOST": "wheels.example.org"},
        {"UV_INDEX": "inner=https://wheels.example.org/simple"},
        {"npm_config_registry": "https://wheels.example.org/npm/"},
    ],
)
def test_a_host_this_machine_downloads_from(check: Check, setting: dict[str, str]) -> None:
    found = check("docs/install.md", "Get it\nfrom wheels.example.org.\n", **setting)
    assert found == ["docs/install.md:2: names a place this machine downloads packages from"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".config/pip/pip.conf", "[global]\nextra-index-url =\n    https://wheels.example.org/simple\n"),
        (".pip/pip.conf", "[install]\ntrusted-host = wheels.example.org\n"),
        (".config/uv/uv.toml", '[[index]]\nurl = "https://wheels.example.org/simple"\n'),
        (".npmrc", "@spotter:registry=https://wheels.example.org/npm/\n"),
    ],
)
def test_a_host_in_the_configuration_of_this_user(
    check: Check, tmp_path: Path, file: str, content: str
) -> None:
    (tmp_path / "home" / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "home" / file).write_text(content)
    assert check("README.md", "see https://wheels.example.org/simple\n")


def test_a_folder_this_machine_takes_wheels_from(check: Check) -> None:
    assert check("README.md", "look in /srv/wheels/a.whl\n", PIP_FIND_LINKS="/srv/wheels")
    assert check("README.md", "look in /srv/wheels/a.whl\n", PIP_FIND_LINKS="file:///srv/wheels/")
    assert check("README.md", "look in /srv/wheels/a.whl\n") == []


def test_what_is_above_the_aim_is_shown_but_passes(check: Check, tmp_path: Path) -> None:
    assert check("src/spotter/long.py", function_of(60)) == []
    answer = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "tree"], check=True, capture_output=True, text=True
    )
    assert "1 above what we aim for" in answer.stdout
    assert "src/spotter/long.py:1: long() of 60 lines" in answer.stdout


def test_a_file_that_cannot_be_parsed(check: Check) -> None:
    assert check("src/spotter/broken.py", "def (:\n")[0].startswith(
        "src/spotter/broken.py:1: cannot be parsed"
    )
