"""The referee as a pure machine: one match, from its assignment to the report; and its own registration."""
