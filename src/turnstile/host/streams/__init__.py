"""The streams of a table: what each seat is told, and the lines that carry it to readers."""
