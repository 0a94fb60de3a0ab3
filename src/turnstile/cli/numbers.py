"""A check of numbers that several commands share."""

from math import isnan

import click


def number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """Reject NaN, which `click.FloatRange` accepts."""
    if isnan(value):
        raise click.BadParameter("nan is not a number; give one such as 0.1.")
    return value
