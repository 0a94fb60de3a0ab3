"""`turnstile diagram`: a machine as a picture."""

from pathlib import Path

import click

from turnstile.cli.arguments import game_argument, refuse_folder
from turnstile.kernel import AnyGame
from turnstile.kernel.diagram import NoGraphviz, dot, mermaid, svg

MERMAID_ENDINGS = {"", ".mmd", ".md", ".txt"}
FORMS = {"mermaid": mermaid, "svg": svg, "dot": dot}


@click.command()
@game_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMS)),
    help="What to draw it as; by default as --output ends, or Mermaid.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, not to standard output.",
)
def diagram(game: AnyGame, form: str | None, output: Path | None) -> None:
    """Draw the machine of a game from its table of transitions.

    \b
    Examples:
      turnstile diagram e-card
      turnstile diagram e-card -o e-card.svg
    """
    refuse_folder(output)
    drawn = FORMS[form or _form_of(output)]
    try:
        picture = drawn(game.machine)
    except NoGraphviz as fault:
        raise click.ClickException(str(fault)) from None
    if output:
        output.write_text(picture)
    else:
        click.echo(picture, nl=False)


def _form_of(output: Path | None) -> str:
    """What a file should hold, by the end of its name."""
    if output is None or output.suffix in MERMAID_ENDINGS:
        return "mermaid"
    form = output.suffix.lstrip(".")
    if form not in FORMS:
        raise click.UsageError(
            f"{output.name} does not say what to draw: end it in .svg, .dot or .mmd, or give --format."
        )
    return form
