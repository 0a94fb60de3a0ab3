"""The command line: a module or a package for each command, or for commands of one kind, gathered in `main`."""
