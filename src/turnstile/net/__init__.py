"""What every HTTP server and client shares: serving, request limits, allowed addresses, templates, static files."""
