"""Speed, measured beside something worth comparing with; `python -m bench --help` says how. One contest a module."""
