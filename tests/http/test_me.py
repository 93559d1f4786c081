"""Who am I."""

import httpx

from tests.support.people import Gym


async def test_each_role_sees_itself(http: httpx.AsyncClient, gym: Gym) -> None:
    for person in gym.everybody:
        answer = await http.get("/api/me", headers=person.headers)
        assert answer.status_code == 200
        assert answer.json()["email"] == person.email
        assert answer.json()["role"] == person.role
        assert answer.json()["organisation"]["slug"] == gym.slug


async def test_without_a_sign_in_it_says_what_to_send(http: httpx.AsyncClient) -> None:
    answer = await http.get("/api/me")
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Authorization: Bearer" in answer.json()["detail"]
