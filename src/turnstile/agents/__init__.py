"""The agents of the league as processes: what is around the machines of `turnstile.league`, and between them."""
