"""The look that the web client and the pages of a league share: colours, type, motion, and plain elements.

The style sheets are in `static/`. A page loads them before its own.
"""

PACKAGE = "turnstile.net.theme"
STYLES = ("tokens.css", "elements.css")
