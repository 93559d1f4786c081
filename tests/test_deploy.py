"""What is deployed (B16): the image's steps run without an engine, and the files that describe it fit the program."""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from spotter import __version__
from spotter.cli import main as command
from spotter.settings import Settings

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SECRET = re.compile(r"SECRET|TOKEN|PASSWORD|API_KEY|DATABASE_URL")


def instructions(name: str) -> list[str]:
    """Of the Dockerfile, with lines that go on joined."""
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.split(" ", 1)[1].strip() for line in joined.splitlines() if line.startswith(f"{name} ")]


def step(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["deploy/image", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_images_steps_make_a_program_that_answers(tmp_path: Path) -> None:
    """All but the download: the environment is this one's packages, which are the lock's (`test_repository.py`). With
    SPOTTER_CHAOS=long they come from the lock itself."""
    prefix, out = tmp_path / "opt", tmp_path / "out"
    step("wheel", str(out), BUILD_PYTHON=sys.executable)
    (wheel,) = out.glob("*.whl")
    assert __version__ in wheel.name
    if os.environ.get("SPOTTER_CHAOS") == "long":
        step("dependencies", str(prefix))
    else:
        subprocess.run([sys.executable, "-m", "venv", prefix], check=True, timeout=300)
        (site,) = prefix.glob("lib/python*/site-packages")
        (site / "theirs.pth").write_text(sysconfig.get_path("purelib") + "\n")
    step("package", str(prefix), str(out))
    assert step("check", str(prefix)).strip() == f"spotter {__version__}"
    installed = prefix.glob("lib/python*/site-packages/spotter/__init__.py")
    where = subprocess.run(
        [prefix / "bin" / "python", "-I", "-c", "import spotter; print(spotter.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert Path(where.stdout.strip()) == next(installed), "it answered from the sources, not from the wheel"


def test_the_dockerfile_runs_these_steps_and_nothing_else() -> None:
    steps = [shlex.split(line) for line in instructions("RUN")]
    ours = [words[1] for words in steps if words[0] == "deploy/image"]
    assert ours == ["dependencies", "wheel", "package", "check"]
    (user,) = [words for words in steps if words[0] != "deploy/image"]
    assert {"groupadd", "useradd", "install"} <= set(user)
    known = re.findall(r"^(\w+)\)$", (ROOT / "deploy" / "image").read_text(), re.MULTILINE)
    assert sorted(known) == sorted(ours)


def test_the_image_is_not_roots_and_holds_no_secret() -> None:
    assert instructions("USER") == ["10001:10001"]
    assert not SECRET.search(" ".join([*instructions("ENV"), *instructions("ARG")]))
    sources = [line.split()[:-1] for line in instructions("COPY") if "--from" not in line]
    assert all((ROOT / path).exists() for paths in sources for path in paths)
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {".git", ".venv", "**/node_modules"} <= set(ignored)


def test_its_settings_and_commands_are_there() -> None:
    given = dict(re.findall(r"(\w+)=(\S+)", " ".join(instructions("ENV"))))
    known = {f"SPOTTER_{name.upper()}" for name in Settings.model_fields} | {"PORT"}
    ours = {name for name in given if name.startswith("SPOTTER_") or name == "PORT"}
    assert ours <= known
    (default,), (entry,) = instructions("CMD")[-1:], instructions("ENTRYPOINT")
    assert json.loads(entry) == ["spotter"]
    assert json.loads(default)[0] in command.commands
    (health,) = re.findall(r"HEALTHCHECK .*?CMD (\[.*?\])\nENTRYPOINT", DOCKERFILE, re.DOTALL)
    program = json.loads(health)
    assert program[0] == "python"
    compile(program[-1], "health check", "exec")
    assert "/api/health" in program[-1]


def test_the_manifest_fits_the_program() -> None:
    manifest = tomllib.loads((ROOT / "fly.toml").read_text())
    assert manifest["deploy"]["release_command"] in command.commands
    for line in manifest["processes"].values():
        name, *options = shlex.split(line)
        flags = {flag for one in command.commands[name].params for flag in (*one.opts, *one.secondary_opts)}
        assert set(options) <= flags
    known = {f"SPOTTER_{name.upper()}" for name in Settings.model_fields}
    assert set(manifest["env"]) <= known
    assert not [name for name in manifest["env"] if SECRET.search(name)]
    (check,) = manifest["http_service"]["checks"]
    assert check["path"] == "/api/health"
    assert manifest["http_service"]["internal_port"] == int(re.findall(r"PORT=(\d+)", DOCKERFILE)[0])
    grace = float(manifest["env"]["SPOTTER_SHUTDOWN_GRACE"])
    assert float(manifest["kill_timeout"].removesuffix("s")) > grace


@pytest.mark.parametrize(
    "name", ["DATABASE_URL", "DATABASE_POOLED_URL", "SPOTTER_SECRET_KEY", "OPENAI_API_KEY"]
)
def test_the_guide_names_what_has_to_be_set(name: str) -> None:
    assert name in (ROOT / "docs" / "deploy.md").read_text()
