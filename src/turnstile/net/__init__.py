"""What every HTTP server and client here shares: serving, request limits, and which addresses may be called.

Import names from the modules: `serving`, `limits`, `addresses`, `probe`.
"""
