"""The command line: a module or a package for each command, gathered in `main`."""
