"""The links of a Markdown page: where they are, and where they lead."""

import re

CODE = re.compile(r"^( *)```.*?^\1```$|<!--.*?-->|`[^`\n]+`", re.DOTALL | re.MULTILINE)
LINK = re.compile(
    r"(?<=\]\()(?P<inline>[^()\s]+)(?=[)\s])"  # [text](target), ![text](target "title")
    r"|^\[[^\]\n]+\]:[ ]+(?P<reference>\S+)"  # [text]: target
    r"|<(?:img|a|source)\b[^>]*?(?:src|href|srcset)=\"(?P<html>[^\"]+)\"",
    re.MULTILINE,
)
HEADING = re.compile(r"^#+ +(.+?) *#*$|<a (?:id|name)=\"([^\"]+)\"", re.MULTILINE)


def without_code(text, also_spans=True):
    """The same text, of the same length, with blanks for code and comments."""
    def blank(match):
        keep = not also_spans and match[0].startswith("`") and not match[0].startswith("```")
        return match[0] if keep else re.sub(r"[^\n]", " ", match[0])

    return CODE.sub(blank, text)


def links(text):
    """Of each link its target and where that stands."""
    for match in LINK.finditer(without_code(text)):
        name = match.lastgroup
        yield match[name], match.span(name)


def is_elsewhere(target):
    return re.match(r"[a-z]+:", target) is not None


def replace_links(text, replacement):
    for target, (begin, end) in reversed(list(links(text))):
        text = text[:begin] + replacement(target) + text[end:]
    return text


def anchors(text):
    """What a link may name after #: the headings, as GitHub and the site write them."""
    found, seen = set(), {}
    for heading, name in HEADING.findall(without_code(text, also_spans=False)):
        slug = name or re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found
