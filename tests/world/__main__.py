"""`python -m tests.world SEED [--trace]`: one world again, and what happened in it."""

import sys

from tests.world.world import Violation, World


def main(words: list[str]) -> int:
    seed = int(words[0])
    world = World(seed, is_traced="--trace" in words)
    try:
        world.run()
    except Violation as violation:
        print("\n".join(world.notes or ()))
        print(violation)
        return 1
    print("\n".join(world.notes or ()))
    print(
        f"World {seed}: {world.loop.time():.3f} simulated seconds, {world.loop.steps} steps, {world.fingerprint[:16]}"
    )
    for situation, times in sorted(world.reached.items()):
        print(f"  {times:5} {situation}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
