"""What people read in Python sources: docstrings and messages, each line with the number that it has there.

Writes a line of JSON for each file that it is given: `file`, `docstrings`, `messages`.
"""

import ast
import json
import re
import sys
from pathlib import Path

#: In a comment behind a string that programs compare with.
KEPT = "prose: kept"
WORDS = re.compile(r"\b[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}")
#: Lines under titles, and names of parameters: neither is a sentence.
TITLE = re.compile(r"\s*([-=~]{3,}|\*{0,2}\w+(, \*{0,2}\w+)*)\s*$")


def docstrings(tree: ast.AST) -> list[ast.Constant]:
    """The constants that are docstrings, those of attributes among them."""
    found = []
    for node in ast.walk(tree):
        for child in getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else []:
            value = child.value if isinstance(child, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found.append(value)
    return found


def without_examples(lines: list[str]) -> list[str]:
    """Lines of a docstring whose examples and what they print are blank."""
    kept, example = [], False
    for line in lines:
        example = line.startswith(">>>") or (example and line != "")
        kept.append("" if example or TITLE.match(line) else line)
    return kept


def texts(source: str) -> tuple[str, str]:
    """Docstrings and messages of a source."""
    tree = ast.parse(source)
    lines = source.splitlines()
    documentation, messages = [""] * len(lines), [""] * len(lines)
    documented = docstrings(tree)
    for node in documented:
        own = [line.strip().strip('"').strip() for line in lines[node.lineno - 1 : node.end_lineno]]
        documentation[node.lineno - 1 : node.end_lineno] = without_examples(own)
    known = {id(node) for node in documented}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in known:
            if WORDS.search(node.value):
                # What is broken into lines in the source is one string by its parser.
                end = node.end_lineno or node.lineno
                own = lines[node.lineno - 1 : end]
                if any(KEPT in line for line in own):
                    continue
                for number, line in enumerate(own, node.lineno):
                    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line) or [line.strip()]
                    text = re.sub(r"\{[^}]*\}|\\.", " … ", " ".join(words))
                    messages[number - 1] = text.lstrip("#-*> ") + (" ." if number == end else "")
    return "\n".join(documentation), "\n".join(messages)


for name in sys.argv[1:]:
    docs, said = texts(Path(name).read_text(encoding="utf-8"))
    print(json.dumps({"file": name, "docstrings": docs, "messages": said}))
