"""The program `turnstile`, also run as `python -m turnstile`. Ctrl-C ends it quietly, even during its imports."""

from turnstile.cli.interrupts import exit_on_interrupt


def main() -> None:
    with exit_on_interrupt():
        from turnstile.cli.main import main as run
    run()


if __name__ == "__main__":
    main()
