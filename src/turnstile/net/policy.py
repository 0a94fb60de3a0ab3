"""The headers of an HTML page. Its Content-Security-Policy lets no foreign script, style or frame have any effect."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

_NOTHING_ELSE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def own_files_and_style(style: str) -> str:
    """For a page that links its files, and shows documents that it keeps itself: they may contain exactly this style.

    A document that a page makes (a blob) has the policy of that page.
    """
    return (
        f"default-src 'none'; style-src 'self' '{_hash(style)}'; script-src 'self'; connect-src 'self'; {_NOTHING_ELSE}"
    )


def own_files_and_import_map(import_map: str) -> str:
    """For a page of modules: only files of its own site count, and exactly this import map within the page."""
    return (
        f"default-src 'none'; style-src 'self'; script-src 'self' '{_hash(import_map)}'; connect-src 'self'; "
        f"img-src 'self'; {_NOTHING_ELSE}"
    )


def one_style_only(style: str) -> str:
    """For a page in one file: only exactly this style within the page counts, and no script at all."""
    return f"default-src 'none'; style-src '{_hash(style)}'; {_NOTHING_ELSE}"


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def page_headers(policy: str) -> Mapping[str, str]:
    """For a page that is made anew for each request."""
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
