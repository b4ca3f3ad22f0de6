"""A report as one HTML page that needs nothing else: no network, no script, no other file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from experiments.sections import Report

TEMPLATE = "report.html.j2"
PIXELS_PER_POINT = 96 / 72  # of CSS
PLAIN = " !$&'()*+,/:;=?@"  # characters of an SVG that a data URI may hold as they are
SMALLEST_SCALE = 0.72  # on a narrow screen; below it letters could not be read


@dataclass(frozen=True)
class Image:
    """A picture inside the page: its data URI and its size in CSS pixels."""

    address: str
    width: int
    height: int

    @property
    def least_width(self) -> int:
        """The width to which a narrow screen may shrink it."""
        return round(self.width * SMALLEST_SCALE)


def html(report: Report, drawn: Mapping[str, bytes]) -> str:
    """The page; ``drawn`` holds the SVG of every picture of the report by its name."""
    # Not select_autoescape, which goes by the end of the name: every value here is escaped.
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    images = {name: inline(svg) for name, svg in drawn.items()}
    return environment.get_template(TEMPLATE).render(report=report, images=images)


def inline(svg: bytes) -> Image:
    """An SVG whose size is in points, as Matplotlib writes it, to be put into a page."""
    root = ElementTree.fromstring(svg)
    width, height = (
        round(float(root.attrib[side].removesuffix("pt")) * PIXELS_PER_POINT)
        for side in ("width", "height")
    )
    # A quarter shorter than base64; line breaks would be lost, and indents say nothing.
    encoded = quote(b" ".join(svg.split()), safe=PLAIN)
    return Image(f"data:image/svg+xml,{encoded}", width, height)
