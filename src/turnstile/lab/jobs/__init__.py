"""Many numbered pieces of work, on one process, on all cores, or on a Ray cluster.

A piece, or chunk, is a range of numbers, such as matches 50 to 99. Its result depends only on the work and on the
range, so the results are the same whatever runs them. They are yielded in the order of the numbers.
"""

from turnstile.lab.jobs.failures import RayUnavailable, WorkersLost
from turnstile.lab.jobs.jobs import Crew, Work, run
from turnstile.lab.jobs.pace import LARGEST_CHUNK

__all__ = ["Crew", "Work", "run", "LARGEST_CHUNK", "RayUnavailable", "WorkersLost"]
