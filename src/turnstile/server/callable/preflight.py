"""What a browser asks before a page of another site sends a request that is not simple (CORS).

The door has refused sites that the operator has not named. For the others, the headers that the browser asks for are
allowed: the Firebase client adds headers of its own, and more of them with every release.
"""

from typing import Any

from starlette.responses import Response

from turnstile.server.endpoint import Auth, Call, Endpoint

REMEMBER_SECONDS = 600


async def answer_preflight(call: Call[Any, Any]) -> Response:
    """Allow the request that the browser is about to send."""
    asked = call.request.headers.get("access-control-request-headers", "")
    headers = {"Access-Control-Allow-Methods": "POST", "Access-Control-Max-Age": str(REMEMBER_SECONDS)}
    if asked:
        headers |= {"Access-Control-Allow-Headers": asked, "Vary": "Access-Control-Request-Headers"}
    return Response(status_code=204, headers=headers)


def preflight_of(post: Endpoint) -> Endpoint:
    """The preflight of an endpoint that takes POST."""
    return Endpoint(
        method="OPTIONS",
        path=post.path,
        name=post.name,
        doc=answer_preflight.__doc__ or "",
        handle=answer_preflight,
        status=204,
        auth=Auth.ANYONE,
        write_problem=post.write_problem,
    )
