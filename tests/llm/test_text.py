"""Characters, ids and names every provider takes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.llm.text import Mender, clean, json_bytes, json_object, json_text, wire_id, wire_name

anything = st.text(st.characters(exclude_categories=()))


@given(anything)
def test_clean_text_can_be_sent_and_good_text_is_left_alone(text: str) -> None:
    encoded = clean(text).encode()
    assert b"\x00" not in encoded
    assert json.loads(json_text(text)) == clean(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        assert "\ufffd" in clean(text) or len(clean(text)) < len(text)
    else:
        assert clean(text) == text.replace("\x00", "␀")


@given(st.lists(anything, max_size=6))
def test_a_mended_stream_is_the_mended_whole(chunks: list[str]) -> None:
    mender = Mender()
    mended = "".join([mender.feed(chunk) for chunk in chunks]) + mender.rest()
    assert mended == clean("".join(chunks))


@given(st.dictionaries(anything, anything | st.integers()))
def test_any_value_can_be_encoded(value: dict[str, object]) -> None:
    json.loads(json_bytes(value))


@given(anything, anything)
def test_ids_stay_apart(one: str, other: str) -> None:
    assert (wire_id(one) == wire_id(other)) == (one == other)
    assert 0 < len(wire_id(one)) <= 40


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ('{"a":  1}', b'{"a":  1}'),
        (" ", b"{}"),
        ("[1]", b'{"_invalid":"[1]"}'),
        ('{"a": NaN}', b'{"_invalid":"{\\"a\\": NaN}"}'),
        ('{"a": "\\ud800"}', '{"a":"\ufffd"}'.encode()),
        ('{"a": "\\ud83d\\ude00"}', b'{"a": "\\ud83d\\ude00"}'),
    ],
)
def test_arguments_as_an_object(raw: str, wanted: bytes) -> None:
    assert json_object(raw) == wanted


def test_names() -> None:
    assert wire_name("book_class") == "book_class"
    assert wire_name("teleport now!") == "teleport_now_"
    assert wire_name("") == "unnamed"
