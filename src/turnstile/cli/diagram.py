"""`turnstile diagram`: a machine as a picture."""

from pathlib import Path

import click

from turnstile.cli.arguments import machine_argument, refuse_folder
from turnstile.kernel.diagram import NoGraphviz, dot, mermaid, svg
from turnstile.kernel.inspect import AnyInspectable

MERMAID_ENDINGS = {"", ".mmd", ".md", ".txt"}
FORMS = {"mermaid": mermaid, "svg": svg, "dot": dot}


@click.command()
@machine_argument
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
def diagram(machine: AnyInspectable, form: str | None, output: Path | None) -> None:
    """Draw a machine from its table of transitions: a game by its name, or the table that games are played at.

    \b
    Examples:
      turnstile diagram e-card
      turnstile diagram e-card -o e-card.svg
      turnstile diagram table -o table.svg
    """
    refuse_folder(output)
    drawn = FORMS[form or _form_of(output)]
    try:
        picture = drawn(machine.machine)
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
