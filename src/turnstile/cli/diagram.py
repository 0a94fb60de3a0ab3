"""`turnstile diagram`: a machine as a state diagram, in Mermaid, SVG or DOT."""

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
    help="The format; by default that of the ending of --output, or Mermaid.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)
def diagram(machine: AnyInspectable, form: str | None, output: Path | None) -> None:
    """Draw a machine as a state diagram.

    MACHINE is a game, or another machine: table, manager, referee or player. The diagram shows its transition table.

    \b
    Examples:
      turnstile diagram e-card
      turnstile diagram e-card -o e-card.svg
      turnstile diagram table -o table.svg
    """
    refuse_folder(output)
    draw = FORMS[form or _form_of(output)]
    try:
        picture = draw(machine.machine)
    except NoGraphviz as fault:
        raise click.ClickException(str(fault)) from None
    if output:
        output.write_text(picture)
    else:
        click.echo(picture, nl=False)


def _form_of(output: Path | None) -> str:
    """The format that the ending of a file name stands for."""
    if output is None or output.suffix in MERMAID_ENDINGS:
        return "mermaid"
    form = output.suffix.lstrip(".")
    if form not in FORMS:
        raise click.UsageError(f"Unknown ending of {output.name}: use .svg, .dot or .mmd, or add --format.")
    return form
