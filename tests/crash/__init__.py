"""The real store and a real host, on a real file, in a process that dies or loses its disk, at every write it makes.

    python -m tests.crash                       everything, at every write
    python -m tests.crash kill --every 10       one mode, at every tenth
    python -m tests.crash torn --at 37          one moment again
    python -m tests.crash --what host           a host on the store, not the store alone

`shim` is the disk that fails. A store alone does the steps of `scenarios`, and `judging` says what must be found then.
A host lives through the `evenings` of `players`, who know what they were told and take it from there.
"""
