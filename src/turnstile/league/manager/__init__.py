"""The league manager as a pure machine: registration, schedule, rounds, results and standings."""
