#!/usr/bin/env python3
"""Records a session of camicia as an animated SVG: docs/img/session.svg.

    cargo build --release && python3 docs/img/session.py

CAMICIA=PATH names another build of the program.

Every line is what the program printed; only the pauses are ours. The commands run in a folder of
their own, which is thrown away. It needs Python 3.8 or later and no other package.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("CAMICIA", ROOT / "target/release/camicia")).resolve()
COMMANDS = [
    "camicia play -- '---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---'",
    "camicia play -- '---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA'",
    "camicia search --games 2e7 --keep 3",
    "camicia match uno --bot builtin:greedy --bot builtin:counter --games 500",
]
COLUMNS, ROWS = 92, 30
CHAR, LINE, PAD, BAR = 8.43, 19, 14, 34
LOOK = {
    "1": "font-weight:700",
    "31": "fill:#ff8a80",
    "32": "fill:#7ee2a0",
    "33": "fill:#f2cc60",
    "36": "fill:#79c0ff",
    "2": "opacity:.6",
}
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def run(command, folder):
    """What a command prints, in colours."""
    environment = dict(os.environ, CLICOLOR_FORCE="1", TERM="xterm", COLUMNS=str(COLUMNS))
    environment["PATH"] = f"{PROGRAM.parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, text=True, capture_output=True
    )
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout.rstrip("\n").split("\n")


def spans(line):
    """A line of coloured text as the inside of an SVG text."""
    out, style, at, column = [], [], 0, 0
    for found in list(ESCAPE.finditer(line)) + [None]:
        piece = line[at : found.start() if found else len(line)]
        piece = piece[: max(0, COLUMNS - column)]
        column += len(piece)
        if piece:
            text = html.escape(piece, quote=False)
            look = ";".join(style)
            out.append(f'<tspan style="{look}">{text}</tspan>' if look else text)
        if found:
            at = found.end()
            for code in (found[1] or "0").split(";"):
                style = [] if code == "0" else style + [LOOK[code]] if code in LOOK else style
    return "".join(out)


def main():
    lines, moments, now = [], [], 0.6
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            lines.append(f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m")
            moments.append(now)
            now += 0.9
            for line in run(command, folder):
                lines.append(line)
                moments.append(now)
                now += 0.07
            lines.append("")
            moments.append(now)
            now += 1.6
    lines.pop()
    moments.pop()
    now += 4
    width, height = round(PAD * 2 + COLUMNS * CHAR), BAR + PAD + ROWS * LINE
    # The view scrolls a line at a time once the screen is full.
    scroll = []
    for number, moment in enumerate(moments):
        over = max(0, number + 1 - ROWS)
        if over:
            scroll.append((moment, over))
    keys = [f"0%,{100 * scroll[0][0] / now:.3f}%{{transform:translateY(0)}}"] if scroll else []
    for (moment, over), after in zip(scroll, scroll[1:] + [(now, 0)]):
        start, end = 100 * moment / now + 0.001, 100 * after[0] / now
        keys.append(f"{start:.3f}%,{end:.3f}%{{transform:translateY({-over * LINE}px)}}")
    last = -scroll[-1][1] * LINE if scroll else 0
    style = [
        f"text{{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#e6eaee;white-space:pre}}",
        f".roll{{animation:roll {now:.2f}s steps(1) infinite}}",
        f"@keyframes roll{{{''.join(keys)}}}",
        f".l{{opacity:0;animation:{now:.2f}s steps(1) infinite}}",
        f"@media(prefers-reduced-motion:reduce),print{{.l{{animation:none!important;opacity:1}}"
        f".roll{{animation:none;transform:translateY({last}px)}}}}",
    ]
    body = []
    for number, (line, moment) in enumerate(zip(lines, moments)):
        share = 100 * moment / now
        style.append(f"@keyframes l{number}{{0%,{share:.3f}%{{opacity:0}}{share + 0.001:.3f}%,100%{{opacity:1}}}}")
        if line:
            y = BAR + PAD + LINE * number + 6
            body.append(
                f'<text class="l" style="animation-name:l{number}" x="{PAD}" y="{y}">{spans(line)}</text>'
            )
    top = BAR + PAD - 11
    words = html.escape("A session of camicia: " + "; ".join(COMMANDS))
    dots = "".join(
        f'<circle cx="{18 + 20 * i}" cy="17" r="6" fill="{colour}"/>'
        for i, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"])
    )
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t">\n'
        f'<title id="t">{words}</title>\n<style>{"".join(style)}</style>\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="#161b22"/>{dots}\n'
        f'<svg y="{top}" width="{width}" height="{height - top}" viewBox="0 {top} {width} {height - top}">'
        f'<g class="roll">\n' + "\n".join(body) + "\n</g></svg>\n</svg>\n"
    )
    (Path(__file__).parent / "session.svg").write_text(text, encoding="utf-8")


main()
