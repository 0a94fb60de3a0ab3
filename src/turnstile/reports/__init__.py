"""Reports: one page with plots about many matches of a simulation, a tournament or a league.

`reading` reads the matches of a file, `analysis` counts them, `figures` makes plots from the counts, and `page` and
`png` draw those. The markup is in `templates/`, the style sheet in `static/`.
"""
