"""For operators: health, metrics and logs of a server, and the limit on its open files."""
