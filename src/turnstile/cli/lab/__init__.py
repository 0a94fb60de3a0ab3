"""The commands for researchers and bot builders: many matches, and what they show."""
