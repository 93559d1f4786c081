"""The installation's secret: derived keys, the file, and several processes that start at once."""

import logging
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from pydantic import SecretStr

from spotter.errors import StartupRefused
from spotter.identity.keyring import SECRET_FILE, Keyring, load_keyring
from spotter.settings import Settings

SECRET = bytes(range(32))
GOLDEN = "7a32f1759af2cd5cf9ad27af7ef7dc4bece533e4670da3176db57f7415a8b4ff"
GOLDEN_FINGERPRINT = "54a5919ef922b1fd"


def settings(data_dir: Path, secret: str | None = None) -> Settings:
    return Settings(data_dir=data_dir, secret_key=SecretStr(secret) if secret else None)


@limits(max_examples=30)
@given(st.text("ab/", min_size=1, max_size=3), st.text("ab/", min_size=1, max_size=3))
def test_each_label_has_its_own_key(one: str, other: str) -> None:
    ring = Keyring(SECRET)
    assert ring.derive(one) == Keyring(SECRET).derive(one)
    assert (ring.derive(one) == ring.derive(other)) == (one == other)
    assert ring.derive(one) != Keyring(SECRET[::-1]).derive(one)


def test_derived_keys_do_not_change_between_releases() -> None:
    # A change here signs everybody out and loses every sealed secret.
    assert Keyring(SECRET).derive("golden").hex() == GOLDEN
    assert Keyring(SECRET).fingerprint == GOLDEN_FINGERPRINT


def test_length_is_as_asked() -> None:
    assert len(Keyring(SECRET).derive("x", 64)) == 64
    assert Keyring(SECRET).derive("x", 64)[:32] == Keyring(SECRET).derive("x")


def test_a_short_secret_or_no_label_is_our_bug() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Keyring(b"short")
    with pytest.raises(ValueError, match="label"):
        Keyring(SECRET).derive("")


def test_fingerprint_tells_installations_apart() -> None:
    assert Keyring(SECRET).fingerprint == Keyring(SECRET).fingerprint
    assert Keyring(SECRET).fingerprint != Keyring(SECRET + b"x").fingerprint


def test_nothing_prints_the_secret() -> None:
    ring = Keyring(SECRET)
    for shown in (repr(ring), str(ring), f"{ring}", f"{[ring]}"):
        assert SECRET.hex() not in shown
        assert repr(SECRET) not in shown
    with pytest.raises(TypeError):
        pickle.dumps(ring)
    with pytest.raises(TypeError):
        vars(ring)


def test_the_setting_wins_and_no_file_is_made(tmp_path: Path) -> None:
    ring = load_keyring(settings(tmp_path, "s" * 16 + "é" * 16))
    assert ring.fingerprint == Keyring(("s" * 16 + "é" * 16).encode()).fingerprint
    assert list(tmp_path.iterdir()) == []


def test_bytes_in_the_environment_that_are_no_text(tmp_path: Path) -> None:
    assert load_keyring(settings(tmp_path, "\udcff" * 32)).fingerprint


def test_first_start_makes_the_file_and_the_second_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there"
    first = load_keyring(settings(folder))
    assert stat.S_IMODE((folder / SECRET_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == [SECRET_FILE]
    assert load_keyring(settings(folder)).fingerprint == first.fingerprint
    assert load_keyring(settings(tmp_path / "other")).fingerprint != first.fingerprint


def test_umask_cannot_open_the_file(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_keyring(settings(tmp_path))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\n", id="newline"),
        pytest.param(b"\0" * 64, id="zeros after a power cut"),
        pytest.param(b"ab" * 31, id="truncated"),
        pytest.param(b"ab" * 33, id="long"),
        pytest.param(b"zz" * 32, id="not hex"),
        pytest.param("é".encode() * 32, id="not ascii"),
        pytest.param(b"ab" * 32 + b"\nab", id="two lines"),
    ],
)
def test_a_damaged_file_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / SECRET_FILE
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StartupRefused, match=r"damaged.*Restore the file from a backup") as refused:
        load_keyring(settings(tmp_path))
    assert str(path) in refused.value.detail
    assert path.read_bytes() == content


def test_a_folder_or_a_dangling_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / SECRET_FILE).mkdir()
    with pytest.raises(StartupRefused, match="not a file"):
        load_keyring(settings(tmp_path))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / SECRET_FILE).symlink_to(tmp_path / "gone")
    with pytest.raises(StartupRefused, match="cannot be used"):
        load_keyring(settings(tmp_path / "b"))
    assert not (tmp_path / "gone").exists()


def test_a_data_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupRefused, match="SPOTTER_SECRET_KEY"):
        load_keyring(settings(tmp_path / "file"))


def test_no_hard_links_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    with pytest.raises(StartupRefused, match="no hard links"):
        load_keyring(settings(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_file_others_can_read_is_used_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    load_keyring(settings(tmp_path))
    assert caplog.messages == []
    (tmp_path / SECRET_FILE).chmod(0o640)
    with caplog.at_level(logging.WARNING):
        load_keyring(settings(tmp_path))
    assert "chmod 600" in caplog.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_leaves_the_file_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, 65534, 65533)
    load_keyring(settings(tmp_path))
    status = (tmp_path / SECRET_FILE).stat()
    assert (status.st_uid, status.st_gid) == (65534, 65533)
    assert stat.S_IMODE(status.st_mode) == 0o600


RACER = """
import sys, time
from pathlib import Path
from spotter.identity.keyring import load_keyring
from spotter.settings import Settings
base = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(*(load_keyring(Settings(data_dir=base / str(n))).fingerprint for n in range(12)), flush=True)
"""


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    """Four processes make twelve secrets at the same moments; each secret has one winner whom all follow."""
    command = [sys.executable, "-c", RACER, str(tmp_path)]
    racers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for _ in range(4)
    ]
    streams = [(racer.stdin, racer.stdout) for racer in racers]
    for _, out in streams:
        assert out is not None
        assert out.readline() == "ready\n"
    for into, _ in streams:
        assert into is not None
        into.write("go\n")
    seen = {racer.communicate(timeout=30)[0] for racer in racers}
    assert [racer.returncode for racer in racers] == [0] * 4
    assert len(seen) == 1
    assert len(set(seen.pop().split())) == 12
    assert {path.name for folder in tmp_path.iterdir() for path in folder.iterdir()} == {SECRET_FILE}
