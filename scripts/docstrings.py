"""The package's docstrings as Markdown, for the Python reference: sessions become code, columns of names become lists."""

import re

import griffe

COLUMN = re.compile(r"\S.*? {2,}(?=\S)")


def as_markdown(paragraph):
    if paragraph.startswith(">>>"):
        return f"```pycon\n{paragraph}\n```"
    first = COLUMN.match(paragraph)
    if first is None:
        return paragraph
    column = first.end()
    rows = ((line[:column].strip(), line[column:]) for line in paragraph.splitlines())
    return "\n".join(f"- `{name.replace(', ', '`, `')}`: {text}" if name else f"    {text}" for name, text in rows)


class Docstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = "\n\n".join(map(as_markdown, obj.docstring.value.split("\n\n")))
