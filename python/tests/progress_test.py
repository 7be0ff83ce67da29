"""What a run shows while it goes on: bars, lines, messages; and that none of it can cost the run."""

import io
import os
import pty
import subprocess
import sys
import unittest
from unittest import mock

import quasar
from quasar.job import show
from quasar.messages import show_messages
from quasar.progress import NotebookBars, Quarters, TerminalBars, display_for


class Displays(unittest.TestCase):
    CHAINS = (quasar.ChainProgress(50, 100, 0, 0.25), quasar.ChainProgress(100, 100, 3, None))

    def test_quarters(self) -> None:
        stream = io.StringIO()
        display = Quarters(stream, 2)
        display.show(self.CHAINS)
        display.show(self.CHAINS)
        lines = "chain 1: 50/100 iterations (50 %)  step 0.25\nchain 2: 100/100 iterations (100 %)    3 divergences\n"
        self.assertEqual(stream.getvalue(), lines)

    def test_bars_are_drawn_over_themselves(self) -> None:
        stream = io.StringIO()
        display = TerminalBars(stream)
        display.show(self.CHAINS)
        display.show(self.CHAINS)
        first, second = stream.getvalue().split("\033[2A")
        self.assertEqual(first.count("█"), 12 + 24)
        self.assertIn("50/100", first)
        self.assertIn("done", second)

    def test_nothing_is_printed_where_there_is_no_terminal_unless_asked(self) -> None:
        for progress, printed in ((None, False), (False, False), (True, True)):
            program = f"import quasar; quasar.sample('gaussian', progress={progress}, warn=False)"
            result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            self.assertEqual(bool(result.stderr), printed, result.stderr)

    def test_bars_in_a_terminal(self) -> None:
        leader, follower = pty.openpty()
        program = "import os, quasar; os.get_terminal_size = lambda fd: os.terminal_size((100, 40)); "
        program += "quasar.sample('gaussian', draws=10, warmup=10, warn=False)"
        subprocess.run([sys.executable, "-c", program], stderr=follower, check=True)
        os.close(follower)
        self.assertIn("chain 4", os.read(leader, 10000).decode())
        os.close(leader)

    def test_messages_are_not_drawn_over(self) -> None:
        """The bars go, the message comes, the bars are drawn below it."""
        stream = io.StringIO()
        job = mock.Mock(progress=self.CHAINS)
        display = TerminalBars(stream)
        with (
            mock.patch("quasar._core.take_messages", side_effect=[[], [b"it works \xc3", b"\xbc \xff\n"], []]),
            mock.patch.object(sys, "stderr", stream),
        ):
            for _ in range(3):
                show(job, display)
        first, second, third = stream.getvalue().split("\033[2A")
        bars = first
        self.assertEqual(second, "\033[Jit works ü \N{REPLACEMENT CHARACTER}\n" + bars)
        self.assertEqual(third, bars)

    def test_lines_fit_into_the_terminal(self) -> None:
        long = quasar.ChainProgress(10**11, 10**12, 10**11, 1.23e-5)
        for columns in (80, 130):
            with mock.patch("os.get_terminal_size", return_value=os.terminal_size((columns, 40))):
                stream = mock.Mock(fileno=lambda: 2)
                TerminalBars(stream).show([long])
            ((text,), _) = stream.write.call_args
            self.assertLessEqual(len(text.removeprefix("\033[2K").rstrip("\n")), columns)
        self.assertIn("100000000000 divergences", text)

    def test_a_screen_that_fails_costs_nothing(self) -> None:
        class Closed(io.StringIO):
            def write(self, _text: str) -> int:
                raise BrokenPipeError

        closed = io.StringIO()
        closed.close()
        for stream in (None, Closed(), closed):
            with (
                self.subTest(stream),
                mock.patch.object(sys, "stderr", stream),
                mock.patch("quasar._core.take_messages", return_value=[b"a message\n"]),
            ):
                show_messages()
                for progress in (True, None):
                    run = quasar.sample("gaussian", draws=10, warmup=10, progress=progress, warn=False)
                    self.assertEqual(run.draws, 10)

    def test_notebooks_are_known_by_their_kernel(self) -> None:
        for shell, is_one in ((mock.Mock(spec=["kernel"]), True), (mock.Mock(spec=[]), False), (None, False)):
            with mock.patch.dict(sys.modules, IPython=mock.Mock(get_ipython=lambda shell=shell: shell)):
                self.assertEqual(isinstance(display_for(None, 4), NotebookBars), is_one)

    def test_notebooks_get_a_table(self) -> None:
        with mock.patch("IPython.display.display") as display:
            bars = NotebookBars()
            bars.show(self.CHAINS)
            bars.show(self.CHAINS)  # nothing new: nothing sent
            bars.show(self.CHAINS[1:])
        display.assert_called_once()
        ((content,), options) = display.call_args
        self.assertIn("<progress value='50' max='100'>", content["text/html"])
        self.assertTrue(options["raw"])
        display.return_value.update.assert_called_once()


if __name__ == "__main__":
    unittest.main()
