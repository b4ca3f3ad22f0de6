"""A page opened in a real browser without a network, and what it was seen to do."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "headless_shell",
)  # fmt: skip
SECONDS = 120
# Runs in the page: collects what goes wrong, and when all is loaded tells the page around it.
WITNESS = """<script>
const faults = [];
addEventListener("error", e => faults.push(String(e.message || e.target.outerHTML)), true);
for (const kind of ["error", "warn"]) console[kind] = (...words) => faults.push(words.join(" "));
addEventListener("load", () => {
  const root = document.documentElement;
  const style = (element, name) => getComputedStyle(element)[name];
  parent.postMessage(JSON.stringify({
    faults,
    requests: performance.getEntriesByType("resource").map(entry => entry.name),
    window: innerWidth,
    page: root.scrollWidth,
    images: [...document.images].map(image => image.complete && image.naturalWidth),
    narrowest: Math.min(...[...document.images].map(image => image.width / image.naturalWidth)),
    background: style(document.body, "backgroundColor"),
  }), "*");
});
</script>"""
# Browsers refuse windows as narrow as a phone, but not frames.
FRAME = """<!DOCTYPE html><body style="margin: 0"><pre id="seen"></pre>
<script>addEventListener("message", e => document.querySelector("#seen").textContent = e.data)
</script><iframe src="page.html" width="{width}" height="800" style="border: 0"></iframe>"""


def find() -> str:
    """The browser's path; without one the test is skipped, or fails where CI is set."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    message = "no browser: install Chromium (Debian, Ubuntu: apt-get install chromium)"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def visit(page: str, width: int, folder: Path) -> dict[str, Any]:
    """Open the page in a frame so many CSS pixels wide; what WITNESS saw."""
    head = "<head>"
    assert head in page
    (folder / "page.html").write_text(page.replace(head, head + WITNESS, 1), encoding="utf-8")
    (folder / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
    command = [
        *(find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}"),
        *("--no-first-run", "--window-size=1400,900", "--virtual-time-budget=10000"),
        *("--dump-dom", (folder / "frame.html").as_uri()),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    seen = re.search(r'<pre id="seen">(.*?)</pre>', ended.stdout, re.DOTALL)
    assert seen is not None, ended.stderr[-2000:]
    witnessed: dict[str, Any] = json.loads(html.unescape(seen[1]))
    return witnessed
