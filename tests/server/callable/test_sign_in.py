"""The routes of the Auth emulator, as the Firebase client calls them."""

import json
from typing import Any

import pytest

from tests.agents.loops import run
from tests.server.callable.calls import send
from tests.server.servers import Site, site

ACCOUNTS = "/identitytoolkit.googleapis.com/v1/accounts:"
TOKEN = "/securetoken.googleapis.com/v1/token"  # noqa: S105
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def ask(here: Site, path: str, body: Any, **headers: str) -> tuple[int, Any]:
    status, text = await send(here, path + "?key=any", body, **headers)
    return status, json.loads(text)


def test_a_players_token_signs_in_is_looked_up_and_renewed() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            body = {"token": ana.token, "returnSecureToken": True, "clientType": "CLIENT_TYPE_WEB"}
            status, signed_in = await ask(here, ACCOUNTS + "signInWithCustomToken", body)
            assert (status, signed_in["localId"], signed_in["expiresIn"]) == (200, ana.player, "3600")
            assert signed_in["isNewUser"] is False
            status, found = await ask(here, ACCOUNTS + "lookup", {"idToken": signed_in["idToken"]})
            assert status == 200
            assert [(each["localId"], each["displayName"]) for each in found["users"]] == [(ana.player, "Ana")]
            form = f"grant_type=refresh_token&refresh_token={signed_in['refreshToken']}".encode()
            status, renewed = await ask(here, TOKEN, form, **FORM)
            assert status == 200
            assert (renewed["user_id"], renewed["expires_in"]) == (ana.player, "3600")
            assert (await here.ask("GET", "/api/me", token=renewed["id_token"]))["player"] == ana.player

    run(main())


def test_signing_in_anonymously_registers_a_player() -> None:
    async def main() -> None:
        async with site() as here:
            status, signed_in = await ask(here, ACCOUNTS + "signUp", {"returnSecureToken": True})
            assert (status, signed_in["isNewUser"]) == (200, True)
            me = await here.ask("GET", "/api/me", token=signed_in["idToken"])
            assert me == {"player": signed_in["localId"], "name": "Guest"}
            status, signed_in = await ask(here, ACCOUNTS + "signUp", {"displayName": "Ana"})
            me = await here.ask("GET", "/api/me", token=signed_in["idToken"])
            assert me["name"] == "Ana"

    run(main())


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("signInWithCustomToken", {"token": "wrong"}, "INVALID_CUSTOM_TOKEN"),
        ("signInWithCustomToken", {}, "INVALID_ARGUMENT"),
        ("lookup", {"idToken": "wrong"}, "INVALID_ID_TOKEN"),
        ("signUp", {"email": "a@example.org", "password": "x"}, "OPERATION_NOT_ALLOWED"),
        ("signUp", {"displayName": "x" * 33}, "INVALID_ARGUMENT"),
        ("signInWithPassword", {"email": "a@example.org", "password": "x"}, "OPERATION_NOT_ALLOWED"),
        ("update", {"displayName": "Ana"}, "OPERATION_NOT_ALLOWED"),
        ("delete", {"idToken": "wrong"}, "OPERATION_NOT_ALLOWED"),
    ],
)
def test_what_is_refused_has_a_name_that_the_client_knows(path: str, body: Any, name: str) -> None:
    async def main() -> None:
        async with site() as here:
            status, told = await ask(here, ACCOUNTS + path, body)
            assert (status, told["error"]["code"]) == (400, 400)
            assert told["error"]["message"].startswith(name + " : ")

    run(main())


@pytest.mark.parametrize("form", [b"", b"refresh_token=wrong", b"refresh_token=", b"&".join([b"a=1"] * 20), b"\xff"])
def test_a_refresh_token_that_is_not_valid_is_refused(form: bytes) -> None:
    async def main() -> None:
        async with site() as here:
            status, told = await ask(here, TOKEN, form, **FORM)
            assert status == 400
            assert told["error"]["message"].startswith("INVALID_REFRESH_TOKEN : ")
            status, told = await ask(here, TOKEN, {"refresh_token": "wrong"})
            assert (status, told["error"]["message"].split(" : ")[0]) == (400, "INVALID_ARGUMENT")

    run(main())


def test_too_many_invalid_tokens_must_wait() -> None:
    async def main() -> None:
        async with site() as here:
            found = [await ask(here, ACCOUNTS + "lookup", {"idToken": "wrong"}) for _ in range(25)]
            status, told = found[-1]
            assert status == 429
            assert told["error"]["message"].startswith("TOO_MANY_ATTEMPTS_TRY_LATER : ")
            async with here.client.post(here.url + ACCOUNTS + "lookup", json={"idToken": "wrong"}) as response:
                assert response.headers["Retry-After"] == "1"

    run(main())
