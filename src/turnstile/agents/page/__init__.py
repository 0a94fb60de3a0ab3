"""The page and the report of a league."""
