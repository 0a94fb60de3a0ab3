"""Callable functions, asked for by pages of other sites: the browser asks first whether it may."""

from tests.agents.loops import run
from tests.server.callable.calls import send
from tests.server.servers import site
from turnstile.server import ServerSettings


def test_the_preflight_mirrors_the_origin_and_the_headers_for_sites_that_are_allowed() -> None:
    async def main() -> None:
        allowing = ServerSettings(port=0, operations_port=0, dev=True, origins=("https://example.org",))
        asked = "authorization,content-type,x-client-version,x-firebase-client,x-firebase-gmpid"
        headers = {
            "Origin": "https://example.org",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": asked,
        }
        paths = (
            "/callable/startGame",
            "/demo/us-central1/placeBet",
            "/identitytoolkit.googleapis.com/v1/accounts:lookup",
            "/securetoken.googleapis.com/v1/token",
        )
        async with site(allowing) as here:
            for path in paths:
                async with here.client.options(here.url + path, headers=headers) as response:
                    assert response.status == 204
                    assert response.headers["Access-Control-Allow-Origin"] == "https://example.org"
                    assert response.headers["Access-Control-Allow-Headers"] == asked
                    assert response.headers["Access-Control-Allow-Methods"] == "POST"
            status, _ = await send(here, "/callable/startGame", {"data": {}}, Origin="https://example.org")
            assert status == 401
        async with site() as here, here.client.options(here.url + paths[0], headers=headers) as response:
            assert response.status == 403
            assert "Access-Control-Allow-Origin" not in response.headers

    run(main())
