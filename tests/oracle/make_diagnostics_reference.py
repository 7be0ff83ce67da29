"""Writes data/diagnostics_reference.hpp: draws, and what ArviZ and R's posterior say about them.

    apt-get install r-cran-posterior
    python -m venv venv
    venv/bin/pip install arviz==0.23.4 arviz-stats==0.8.0 numpy==2.4.6 scipy==1.17.1
    venv/bin/python make_diagnostics_reference.py

The values stored as ArviZ's are those of ArviZ 0.x. The script stops unless
  - arviz-stats (ArviZ 1.x) gives the same, except where EXPECTED_DIFFERENCES names the reason;
  - a second computation with autocovariances summed directly, without FFT, gives the same: no stored value may hang on
    a rounding error (Geyer's sequence ends where a sum changes sign).
"""

import logging
import pathlib
import subprocess
import warnings

warnings.filterwarnings("ignore")

import arviz
import arviz.stats.diagnostics as arviz_diagnostics
import arviz_stats
import numpy as np
import scipy
from arviz.stats.stats_utils import quantile as arviz_quantile
from arviz_stats.base import array_stats

logging.getLogger("arviz").setLevel(logging.ERROR)

HERE = pathlib.Path(__file__).parent
OUTPUT = HERE / "data" / "diagnostics_reference.hpp"
STATISTICS = (
    ["mean", "sd", "q5", "q50", "q95", "rhat", "ess_bulk", "ess_tail", "ess_mean", "ess_q25"]
    + ["mcse_mean", "mcse_sd", "mcse_q5", "mcse_q50", "mcse_q95"]
)
LAGS = 6

# (case or "*", statistic): why ArviZ 1.x says something else
EXPECTED_DIFFERENCES = {
    ("*", "mcse_sd"): "1.x uses the ESS of x, 0.x and R posterior that of (x - mean)^2",
    ("negative_infinities", "q5"): "1.x interpolates between equal infinities to NaN",
    ("mostly_infinite", "q50"): "the same",
    ("mostly_infinite", "q95"): "the same",
    ("negative_infinities", "ess_tail"): "so no draw lies below it, and 1.x calls the tail constant",
    ("negative_infinities", "mcse_q5"): "the same",
}


def ar1(rng, rho, chains, draws):
    noise = rng.normal(size=(chains, draws))
    x = np.empty((chains, draws))
    x[:, 0] = noise[:, 0]
    for t in range(1, draws):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * noise[:, t]
    return x


def replaced(x, places, value):
    x = x.copy()
    for chain, draw in places:
        x[chain, draw] = value
    return x


def cut_to_the_shortest(chains):
    shortest = min(len(chain) for chain in chains)
    return np.array([chain[:shortest] for chain in chains])


def make_cases():
    rng = np.random.default_rng(20210604)
    normal = lambda chains, draws: rng.normal(size=(chains, draws))
    # the sequence reaches its last pair, which is positive though its even member is not
    last_pair_kept = [
        [1.45, 0.1, 0.33, 1.14, 0.82, 0.58, -0.38, -1.02, 0.38, -0.51],
        [0.83, 0.21, -0.75, 0.27, 0.71, 0.18, -0.78, 0.26, 0.36, 0.82],
    ]
    cases = {
        "independent": normal(4, 100),
        "ar1_0.5": ar1(rng, 0.5, 4, 100),
        "ar1_0.95": ar1(rng, 0.95, 4, 100),
        "ar1_-0.7": ar1(rng, -0.7, 4, 100),
        "ar1_-0.97_capped": ar1(rng, -0.97, 2, 60),
        "cauchy": rng.standard_cauchy(size=(4, 100)),
        "shifted_chain": normal(4, 50) + np.array([[0], [0], [0], [2]]),
        "scaled_chain": normal(4, 50) * np.array([[1], [1], [1], [8]]),
        "separated_chains": normal(3, 40) + np.array([[-50], [0], [50]]),
        "drifting": normal(2, 60) + np.linspace(0, 4, 60),
        "large_offset": 1e6 + normal(2, 50),
        "many_chains": normal(8, 25),
        "odd_draws": ar1(rng, 0.3, 3, 101) + np.array([[0], [0], [0.5]]),
        "integers": rng.poisson(3, size=(4, 60)).astype(float),
        "two_values": rng.permutation(np.repeat([-1.0, 1.0], 30)).reshape(2, 30),
        "rare_event": (rng.uniform(size=(4, 50)) < 0.02).astype(float),
        "single_chain": ar1(rng, 0.5, 1, 80),
        "constant": np.full((4, 20), 0.5),
        "one_chain_constant": replaced(normal(3, 30), [(1, t) for t in range(30)], 0.25),
        "each_chain_constant": np.repeat([[1.1], [2.3], [0.1]], 20, axis=1),
        "nan": replaced(normal(2, 12), [(1, 5)], np.nan),
        "one_infinity": replaced(normal(2, 40), [(0, 7)], np.inf),
        "negative_infinities": replaced(normal(2, 40), [(0, t) for t in (3, 4, 11, 12, 30, 31)], -np.inf),
        "mostly_infinite": replaced(normal(2, 12), [(c, t) for c in (0, 1) for t in range(2, 10)], np.inf),
        "one_draw": normal(3, 1),
        "two_draws": normal(3, 2),
        "three_draws": normal(3, 3),
        "four_draws": normal(2, 4),
        "five_draws": normal(2, 5),
        "nine_draws": normal(2, 9),
        "ten_draws": normal(3, 10),
        "twelve_draws": ar1(rng, 0.8, 2, 12),
        "last_pair_kept": np.array(last_pair_kept),
        # a run that was interrupted: chains of 40, 33 and 37 draws
        "unequal_chains_cut": cut_to_the_shortest([ar1(rng, 0.4, 1, draws)[0] for draws in (40, 33, 37)]),
        "heavy_ties": np.floor(np.abs(ar1(rng, 0.6, 4, 50))),
        "both_infinities": replaced(replaced(normal(2, 40), [(0, 5)], np.inf), [(1, 9)], -np.inf),
        "one_draw_one_chain": normal(1, 1),
        "two_draws_one_chain": normal(1, 2),
        "six_draws": normal(2, 6),
        "odd_single_chain": ar1(rng, 0.2, 1, 51),
        "alternating": np.tile([1, -1], 20) * (1 + 0.01 * normal(2, 40)),
        "nan_and_infinity": replaced(replaced(normal(2, 12), [(0, 2)], np.inf), [(1, 5)], np.nan),
    }
    return {name: np.round(x, 4) for name, x in cases.items()}


def quantile_0(x, p):
    return np.nan if np.isnan(x).any() else arviz_quantile(x, p).item()


def arviz_0(x):
    ess = lambda **options: arviz.ess(x, **options)
    mcse = lambda **options: arviz.mcse(x, **options)
    return dict(
        mean=np.mean(x),
        sd=np.std(x, ddof=1),
        **{f"q{p}": quantile_0(x, p / 100) for p in (5, 50, 95)},
        rhat=arviz.rhat(x, method="rank"),
        ess_bulk=ess(method="bulk"),
        ess_tail=ess(method="tail"),
        ess_mean=ess(method="mean"),
        ess_q25=ess(method="quantile", prob=0.25),
        mcse_mean=mcse(method="mean"),
        mcse_sd=mcse(method="sd"),
        **{f"mcse_q{p}": mcse(method="quantile", prob=p / 100) for p in (5, 50, 95)},
    )


def arviz_1(x):
    axes = dict(chain_axis=0, draw_axis=1)
    ess = lambda **options: array_stats.ess(x, **axes, **options)
    mcse = lambda **options: array_stats.mcse(x, **axes, **options)
    return dict(
        **{f"q{p}": array_stats.quantile(x, p / 100, axis=None) for p in (5, 50, 95)},
        rhat=array_stats.rhat(x, method="rank", **axes),
        ess_bulk=ess(method="bulk"),
        ess_tail=ess(method="tail", prob=(0.05, 0.95)),
        ess_mean=ess(method="mean"),
        ess_q25=ess(method="quantile", prob=0.25),
        mcse_mean=mcse(method="mean"),
        mcse_sd=mcse(method="sd"),
        **{f"mcse_q{p}": mcse(method="quantile", prob=p / 100) for p in (5, 50, 95)},
    )


def direct_autocovariance(x, axis=1):
    n = x.shape[axis]
    centred = x - x.mean(axis=axis, keepdims=True)
    return np.array([np.correlate(row, row, "full")[n - 1 :] / n for row in centred])


def without_fft(x):
    by_fft = arviz_diagnostics._autocov
    arviz_diagnostics._autocov = direct_autocovariance
    try:
        return arviz_0(x)
    finally:
        arviz_diagnostics._autocov = by_fft


def same(a, b):
    return np.isclose(a, b, rtol=1e-10, atol=1e-13, equal_nan=True)


def reference(name, x):
    values = arviz_0(x)
    for statistic, value in without_fft(x).items():
        assert same(value, values[statistic]), f"{name}: {statistic} depends on rounding"
    for statistic, value in arviz_1(x).items():
        expected = ("*", statistic) in EXPECTED_DIFFERENCES or (name, statistic) in EXPECTED_DIFFERENCES
        assert expected or same(value, values[statistic]), f"{name}: {statistic} {values[statistic]} became {value}"
    return values


def posterior(cases):
    """{case: {statistic: values}} and the versions of posterior and R."""
    given = "".join(
        f"{name} {x.shape[0]} {x.shape[1]} {' '.join(repr(float(v)) for v in x.ravel())}\n" for name, x in cases.items()
    )
    script = ["Rscript", "--vanilla", HERE / "posterior_reference.R"]
    said = subprocess.run(script, input=given, capture_output=True, text=True, check=True).stdout.splitlines()
    values = {name: {} for name in cases}
    for line in said[1:]:
        name, statistic, *numbers = line.split()
        values[name][statistic] = [np.nan if number == "NA" else float(number) for number in numbers]
    return values, said[0].split()[1:]


# Where the draws do not vary ArviZ divides one rounding error by another.
def varies(chain):
    return np.ptp(chain) > 0


def arviz_autocorrelation(chain):
    return arviz.autocorr(chain) if varies(chain) else np.full(chain.size, np.nan)


def arviz_ebfmi(x):
    return [arviz.bfmi(chain).item() if varies(chain) else np.nan for chain in x]


# The time follows from the ESS. An odd number of draws leaves the middle one out of it.
def arviz_autocorrelation_time(x, ess_mean):
    used = x.shape[0] * (x.shape[1] // 2 * 2)
    return used / ess_mean


def literal(value):
    if np.isnan(value):
        return "kNaN"
    if np.isinf(value):
        return "kInf" if value > 0 else "-kInf"
    text = repr(float(value))
    return text.removesuffix(".0")


def wrapped(values, indent):
    line, lines = indent, []
    for value in values:
        item = literal(value) + ","
        if len(line) + len(item) + 1 > 120:
            lines.append(line)
            line = indent
        line += item if line == indent else " " + item
    return "\n".join(lines + [line])


def listed(values):
    return "{" + ", ".join(literal(value) for value in values) + "}"


def case_text(name, x, said_by_posterior):
    said_by_arviz = reference(name, x)
    time = arviz_autocorrelation_time(x, said_by_arviz["ess_mean"])
    values = lambda said: [f"       /*{statistic}*/ {literal(said(statistic))}," for statistic in STATISTICS]
    return "\n".join(
        [f'    {{"{name}", {x.shape[0]}, {x.shape[1]},']
        + ["     {", wrapped(x.ravel(), "         "), "     },"]
        + ["     {  // ArviZ", *values(lambda statistic: said_by_arviz[statistic]), "     },"]
        + ["     {  // posterior", *values(lambda statistic: said_by_posterior[statistic][0]), "     },"]
        + [f"     /*autocorrelation_time*/ {literal(time)},"]
        + [f"     /*autocorrelation*/ {listed(arviz_autocorrelation(x[0])[:LAGS])},"]
        + [f"     /*posterior_autocorrelation*/ {listed(said_by_posterior['autocorrelation'][:LAGS])},"]
        + [f"     /*ebfmi*/ {listed(arviz_ebfmi(x))},"]
        + [f"     /*posterior_ebfmi*/ {listed(said_by_posterior['ebfmi'])}}},"]
    )


HEADER = """\
// Draws, and what ArviZ and R's posterior say about them. Written by make_diagnostics_reference.py with arviz {arviz},
// arviz-stats {arviz_stats}, numpy {numpy}, scipy {scipy}, posterior {posterior}, R {r}: do not edit.
#pragma once

#include <limits>
#include <vector>

namespace quasar::reference {{

// clang-format off
struct Statistics {{
  double {statistics};
}};

struct DiagnosticsCase {{
  const char* name;
  int chains, draws_per_chain;
  std::vector<double> draws;  // chain after chain
  Statistics arviz, posterior;
  double autocorrelation_time;
  std::vector<double> autocorrelation, posterior_autocorrelation;  // of the first chain, first lags
  std::vector<double> ebfmi, posterior_ebfmi;                      // of each chain, taken as energies
}};

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

inline const std::vector<DiagnosticsCase> kDiagnosticsCases = {{
{cases}
}};
// clang-format on

}}  // namespace quasar::reference
"""


def main():
    cases = make_cases()
    said_by_posterior, (posterior_version, r_version) = posterior(cases)
    text = HEADER.format(
        arviz=arviz.__version__,
        arviz_stats=arviz_stats.__version__,
        numpy=np.__version__,
        scipy=scipy.__version__,
        posterior=posterior_version,
        r=r_version,
        statistics=", ".join(STATISTICS),
        cases="\n".join(case_text(name, x, said_by_posterior[name]) for name, x in cases.items()),
    )
    OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
