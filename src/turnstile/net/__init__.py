"""What every HTTP edge shares: serving, limits, addresses that may be called, templates, static files."""
