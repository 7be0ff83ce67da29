#!/usr/bin/env python3
"""Runs the commands shown in README.md and docs/ and writes what they print below them.

    ```console                      ```bash
    $ ./quasar …                    ./quasar …        # a comment
    output                          ./quasar …
    ```                             ```

Output that is cut short (…) stays as it is. A command that fails has to show its message, "quasar: …". documented.py says
where commands run and what comments above a block mean.

  --check   writes nothing; the words of what is printed have to be those that are shown (numbers may differ by machine)
  --slow    runs the pages with blocks marked slow; without it, of such blocks only the names and options are checked
QUASAR_BIN names the program; default: ./quasar of this checkout.
"""

import difflib
import re
import shlex
import sys

import documented

COMMAND = re.compile(r"^\$ (?P<command>[^\n]*(?:\\\n[^\n]*)*)\n(?P<output>(?:(?!\$ )[^\n]*\n)*)", re.MULTILINE)
EXAMPLE = re.compile(r"^quasar [a-z]+ (?!.*\[OPTIONS\]).*$", re.MULTILINE)  # in a text, of which only the options are checked
TIME = re.compile(r"\d+\.\d+ s\b")


def printed_by(command, place, folder, shown=""):
    """Standard output and warnings; messages where some are shown, and only there may a command fail."""
    messages = re.search(r"^(quasar: |Killed)", shown, re.MULTILINE)
    result = documented.shell(command, folder)
    if result.returncode != 0 and not messages:
        raise documented.Broken(f"{place}: {command}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    starts = ("warning: ", "quasar: ") if messages else "warning: "
    shown_lines = [line for line in result.stderr.splitlines(keepends=True) if line.startswith(starts)]
    return result.stdout + "".join(shown_lines) + ("Killed\n" if result.returncode in (-9, 128 + 9) else "")


def differences(shown, printed):
    """What differs in words; where the shown text has a line "…", any lines may stand."""
    printed_words = documented.words(printed)
    if "…" not in shown.splitlines():
        return list(difflib.unified_diff(documented.words(shown), printed_words, "shown", "printed", lineterm="", n=0))
    parts = re.split(r"^…\n", shown, flags=re.MULTILINE)
    return [f"not printed: {line}" for part in parts for line in documented.words(part) if line not in printed_words]


def with_times_of(shown, printed):
    """What is printed; lines that differ from those shown in times alone stay, for the machine may be busy now."""
    old = {TIME.sub("# s", line): line for line in shown.splitlines(keepends=True)}
    return "".join(old.get(TIME.sub("# s", line), line) for line in printed.splitlines(keepends=True))


def check_arguments(command, place, folder):
    """Names and options of a command that is not run; quasar sample can check all of it."""
    program, *arguments = shlex.split(command, comments=True)
    if not program.endswith("quasar"):
        return
    if arguments[0] in ("sample", "optimize") and documented.shell(f"{command} --dry-run", folder).returncode == 0:
        return
    name = " ".join(arguments[:2] if arguments[0] in ("topics", "denoise") else arguments[:1])
    known = documented.shell(f"./quasar {name} --help", folder).stdout
    names = documented.shell("./quasar list experiments", folder).stdout
    for argument in arguments[1:]:
        if argument.startswith("--") and not re.search(rf"{argument.split('=')[0]}\b", known):
            raise documented.Broken(f"{place}: {command}: quasar {name} has no {argument}")
    if arguments[0] == "reproduce" and not re.search(rf"^{arguments[1]}\b", names, re.MULTILINE):
        raise documented.Broken(f"{place}: {command}: there is no experiment {arguments[1]}")


class Page:
    def __init__(self, page, folder, check, slow):
        self.page, self.folder, self.check, self.slow = page, folder, check, slow
        self.commands = 0
        self.wrong = []

    def fresh_text(self):
        return documented.FENCED.sub(self.fresh_block, self.page.read_text())

    def fresh_block(self, match):
        try:
            return self.run_block(match, documented.block_of(match, self.page))
        except documented.Broken as broken:
            self.wrong.append(str(broken))
            return match[0]

    def run_block(self, match, block):
        run = {"console": self.console, "bash": self.bash, "toml": self.toml, "text": self.text}.get(block.kind)
        if block.not_run or not run:
            if "file" in block.marks or "first" in block.marks:
                documented.prepare(block, self.folder)
            return match[0]
        documented.prepare(block, self.folder)
        fresh = run(block)
        if fresh is None:
            return match[0]
        body = "".join(match["indent"] + line if line.strip() else line for line in fresh.splitlines(keepends=True))
        return match[0].replace(match["text"], body)

    def only_look(self, block):
        return block.slow and not (self.slow and (documented.DATA or "DATA" not in block.text))

    def console(self, block):
        text = COMMAND.sub(lambda one: self.one_command(one, block), block.text)
        if not COMMAND.match(block.text):
            raise documented.Broken(f"{block.place}: a console block begins with a command: $ …")
        return text

    def one_command(self, match, block):
        command, shown = match["command"], match["output"]
        self.commands += 1
        if self.only_look(block):
            check_arguments(command, block.place, self.folder)
            return match[0]
        printed = printed_by(command, block.place, self.folder, shown)
        if self.check:
            self.compare(shown, printed, f"{block.place}: {command}")
        if "…" in shown.splitlines():
            return match[0]
        return f"$ {command}\n{with_times_of(shown, printed)}"

    def compare(self, shown, printed, what):
        found = differences(shown, printed)
        if found:
            self.wrong.append("\n".join([f"{what}: not what is printed; scripts/refresh_docs.py writes it anew", *found]))

    def bash(self, block):
        for command in block.text.replace("\\\n", " ").splitlines():
            if not command.strip() or command.startswith("#"):
                continue
            self.commands += 1
            if self.only_look(block):
                check_arguments(command, block.place, self.folder)
            else:
                printed_by(command, block.place, self.folder)

    def text(self, block):
        for command in EXAMPLE.findall(block.text):
            self.commands += 1
            check_arguments(f"./{command}", block.place, self.folder)

    def toml(self, block):
        name = block.marks.get("file", "documented.toml")
        (self.folder / name).write_text(block.text)
        self.commands += 1
        printed_by(f"./quasar sample {name} --dry-run", block.place, self.folder)


def main():
    check, slow = "--check" in sys.argv, "--slow" in sys.argv
    commands, wrong = 0, []
    for path in documented.PAGES:
        if slow and not any(block.slow for block in documented.blocks_of(path)):
            continue
        with documented.page_folder() as folder:
            page = Page(path, folder, check, slow)
            fresh = page.fresh_text()
        if not check and fresh != path.read_text():
            path.write_text(fresh)
        commands += page.commands
        wrong += page.wrong
    print(f"{commands} documented commands ran")
    if commands == 0:
        raise SystemExit("no documented command was found")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
