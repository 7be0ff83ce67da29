"""Gamma processes from Python are those of the library."""

import unittest

import numpy as np

import quasar
from quasar.gamma_process import GammaProcess
from support import PackageTest

PROCESS = GammaProcess(alpha=2, gamma=1.5, c=1)


class Draws(PackageTest):
    def test_atoms(self) -> None:
        atoms = PROCESS.draw(30, seed=3)
        self.assertEqual(atoms.weights.shape, atoms.rounds.shape)
        self.assertTrue(np.all(atoms.weights > 0))
        self.assertTrue(np.all(np.diff(atoms.rounds) >= 0))
        self.assertGreaterEqual(atoms.rounds[0], 1)
        self.assertLessEqual(atoms.rounds[-1], 30)
        np.testing.assert_array_equal(atoms.weights, PROCESS.draw(30, seed=3).weights)
        self.assertEqual(len(PROCESS.draw(0).weights), 0)

    def test_the_printed_construction_weighs_less(self) -> None:
        """2.25 on average, where both others have 3; the standard deviation of each is at most sqrt(3)."""
        for construction, mean in (("rounds", 3), ("sticks", 3), ("shared-stick", 2.25)):
            masses = [PROCESS.draw(25, seed=i, construction=construction).weights.sum() for i in range(2000)]
            self.assertLess(abs(np.mean(masses) - mean), 4.5 * np.sqrt(3 / 2000), construction)


class Truncation(PackageTest):
    def test_digits(self) -> None:
        self.assertAlmostEqual(PROCESS.truncation_error(10, 5), 0.88856071, 8)
        self.assertAlmostEqual(PROCESS.truncation_bound(10, 5), 0.98075718, 8)

    def test_rounds(self) -> None:
        fewest, by_rule = PROCESS.rounds_for(10, 0.01), PROCESS.rounds_for(10, 0.01, by="bound")
        self.assertLessEqual(fewest, by_rule)
        self.assertLessEqual(PROCESS.truncation_error(10, fewest), 0.01)
        self.assertGreater(PROCESS.truncation_error(10, fewest - 1), 0.01)

    def test_what_cannot_be(self) -> None:
        with self.assertRaisesRegex(quasar.UsageError, "alpha has to be a positive number, not -1"):
            GammaProcess(alpha=-1).draw(3)
        with self.assertRaisesRegex(quasar.UsageError, "not 'stick'"):
            PROCESS.draw(3, construction="stick")  # type: ignore[arg-type]
        for by in ("error", "bound"):
            with self.assertRaisesRegex(quasar.UsageError, "1e[+]15 are the most"):
                GammaProcess(alpha=1e20).rounds_for(10, 0.1, by=by)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "not by 'guess'"):
            PROCESS.rounds_for(10, 0.1, by="guess")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
