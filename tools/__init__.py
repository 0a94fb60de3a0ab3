"""What the project is made with: `python -m tools.pages` makes the generated pages."""
