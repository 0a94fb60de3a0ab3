"""The real store, on a real file, in a process that is killed, loses its power or its disk, at every write it makes.

    python -m tests.crash                       everything, at every write
    python -m tests.crash kill --every 10       one mode, at every tenth
    python -m tests.crash torn --at 37          one moment again

`shim` is the disk that fails, `scenarios` what is being done meanwhile, `judging` what must be found afterwards.
"""
