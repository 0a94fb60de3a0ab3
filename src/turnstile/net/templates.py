"""HTML from Jinja templates. A package keeps its templates in a folder `templates`.

Every value is escaped, and a name that is not given to a template is an error. Jinja is imported when the first page is
made: most commands make none.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def render(package: str, template: str, /, **values: object) -> str:
    """A template of a package, filled in with these values."""
    return environment(package).get_template(template).render(values)


@cache
def environment(package: str) -> "Environment":
    """The templates of a package. They are compiled once per process."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
