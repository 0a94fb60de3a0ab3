"""The headers of an HTML page. Its Content-Security-Policy lets no foreign script, style or frame have any effect."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

_NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

OWN_FILES_ONLY = f"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; {_NOTHING_ELSE}"
"""For a page that links its style sheets and scripts: only those of its own site count, and none within the page."""


def one_style_only(style: str) -> str:
    """For a page in one file: only exactly this style within the page counts, and no script at all."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; {_NOTHING_ELSE}"


def page_headers(policy: str) -> Mapping[str, str]:
    """For a page that is made anew for each request."""
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
