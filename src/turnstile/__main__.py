"""`python -m turnstile` is the program `turnstile`."""

from turnstile.cli import main

main()
