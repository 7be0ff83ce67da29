"""The diagnostics of arrays are those of the summary, element by element."""

import unittest

import numpy as np

import quasar
from quasar import diagnostics
from support import PackageTest


class Diagnostics(PackageTest):
    def test_the_numbers_are_the_summarys(self) -> None:
        run = quasar.sample("eight-schools", draws=200, warn=False)
        table, theta = run.summary(), run.posterior["theta"]
        for name in ("rhat", "ess_bulk", "ess_tail", "mcse_mean"):
            found = getattr(diagnostics, name)(theta)
            np.testing.assert_array_equal(found, table[name].iloc[:8], name)
            self.assertEqual(getattr(diagnostics, name)(run.posterior["mu"]), table.loc["mu", name])

    def test_shapes(self) -> None:
        draws = np.random.default_rng(1).normal(size=(4, 100, 2, 3))
        self.assertEqual(np.shape(diagnostics.ess_mean(draws)), (2, 3))
        self.assertEqual(diagnostics.mcse_sd(draws)[1, 2], diagnostics.mcse_sd(draws[:, :, 1, 2]))
        self.assertIsInstance(diagnostics.rhat(draws[:, :, 0, 0].tolist()), float)
        self.assertEqual(np.shape(diagnostics.mcse_quantile(draws, 0.5)), (2, 3))
        self.assertEqual(np.shape(diagnostics.ess_quantile(draws, 0.05)), (2, 3))

    def test_the_error_of_a_median(self) -> None:
        """sqrt(pi / (2 n)) for n independent normals. It is measured by the distance of two draws that are sqrt(n)
        ranks apart, a sum of as many spacings, each exponential: its relative error is n^(-1/4)."""
        n = 40_000
        found = diagnostics.mcse_quantile(np.random.default_rng(1).normal(size=(4, n // 4)), 0.5)
        expected = np.sqrt(np.pi / (2 * n))
        self.assertLess(abs(found / expected - 1), 4.5 * n**-0.25)

    def test_of_one_chain(self) -> None:
        chain = np.array([1.0, -1.0] * 50)
        correlation = diagnostics.autocorrelation(chain)
        self.assertAlmostEqual(correlation[0], 1)
        self.assertAlmostEqual(correlation[1], -0.99)
        self.assertAlmostEqual(diagnostics.ebfmi(chain), 99 * 4 / 100)

    def test_stein_discrepancy(self) -> None:
        points = np.random.default_rng(1).normal(size=(200, 2))
        fits = diagnostics.kernel_stein_discrepancy(points, -points)
        shifted = diagnostics.kernel_stein_discrepancy(points + 1, -(points + 1))
        self.assertLess(fits.u_statistic, 5 * fits.standard_error)
        self.assertGreater(shifted.ksd, 3 * fits.ksd)


if __name__ == "__main__":
    unittest.main()
