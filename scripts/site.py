"""The hooks of mkdocs.yml: README.md is the first page; a linked file outside docs/ becomes a page; references are filled in."""

import pathlib
import posixpath
import re
import subprocess
import sys

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import links

ROOT = pathlib.Path(__file__).resolve().parents[1]
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".toml": "toml", ".sh": "bash", ".json": "json"}
HEADER = re.compile(r"^(##+ .*\(\.\./\.\./(include/quasar/\w+\.hpp)\).*\n.*)$", re.MULTILINE)
DIRECTIVE = re.compile(r"^<!-- (::: [\w.]+) -->$", re.MULTILINE)

sources = {}  # of each page of the site: the file it comes from


def site_path(source):
    """Where a file of the repository stands in the site's docs/."""
    if source.startswith("docs/"):
        return source.removeprefix("docs/")
    if source == "README.md":
        return "index.md"
    if (ROOT / source).is_dir():
        return f"{source}/README.md"
    return source if source.endswith(".md") else f"{source}.md"


def page_of(source):
    """The text of the page of a file outside docs/: Markdown as it is, a folder as its list of files, others as code."""
    path = ROOT / source
    if path.is_dir():
        listed = subprocess.run(["git", "ls-files", "."], cwd=path, capture_output=True, text=True, check=True).stdout.split()
        return f"# {source}\n\n" + "".join(f"- [{name}]({name})\n" for name in listed)
    if path.suffix == ".md":
        return path.read_text()
    return f"# {source}\n\n~~~~{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text()}~~~~\n"


def target_of(link, source):
    """The file of the repository that a link in a file leads to."""
    folder = source if (ROOT / source).is_dir() else posixpath.dirname(source)
    return posixpath.normpath(posixpath.join(folder, link))


def linked_from(source, text):
    found = (target.partition("#")[0] for target, _ in links.links(text) if not links.is_elsewhere(target))
    return {target_of(path, source) for path in found if path}


def on_files(files, config):
    sources.clear()
    sources.update({file.src_uri: f"docs/{file.src_uri}" for file in files})
    texts = {f"docs/{file.src_uri}": file.content_string for file in files.documentation_pages()}
    outside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for source in outside:  # grows on the way
        texts[source] = page_of(source)
    wanted = set(outside).union(*(linked_from(source, text) for source, text in texts.items()))
    while wanted:
        source = wanted.pop()
        if source.startswith("docs/") or site_path(source) in sources or not (ROOT / source).exists():
            continue
        text = page_of(source)
        sources[site_path(source)] = source
        in_nav = InclusionLevel.INCLUDED if source in outside else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, site_path(source), content=text, inclusion=in_nav))
        wanted |= linked_from(source, text)
    return files


def on_page_markdown(markdown, page, **_):
    here = page.file.src_uri

    def in_site(link):
        path, hash_sign, anchor = link.partition("#")
        if links.is_elsewhere(link) or not path:
            return link
        return posixpath.relpath(site_path(target_of(path, sources[here])), posixpath.dirname(here)) + hash_sign + anchor

    if here.startswith("reference/"):
        markdown = DIRECTIVE.sub(r"\1", HEADER.sub(with_its_text, markdown))
    return links.replace_links(markdown, in_site)


def with_its_text(match):
    declarations = re.sub(r"^(#pragma|#include).*\n+", "", (ROOT / match[2]).read_text(), flags=re.MULTILINE)
    return f"{match[1]}\n\n~~~~cpp\n{declarations}~~~~"
