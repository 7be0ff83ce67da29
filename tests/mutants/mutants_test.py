"""Every test must be able to fail: plants one bug at a time into a copy of the sources and expects a test to catch it.

A mutant is (file, what stands there, what a hasty hand could have written, the test programs of which one must fail). All
mutated files are headers or are compiled into the test program, so that nothing else has to be rebuilt.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["QUASAR_BIN"]).resolve().parent

KERNELS = ("exact/kernels", "invariance/kernels")
LEAPFROG = ("exact/leapfrog",)
HMC, NUTS, TRAJECTORY = "kernels/hmc/hmc.hpp", "kernels/hmc/nuts.hpp", "kernels/hmc/trajectory.hpp"
RHMC, IMPLICIT = "kernels/hmc/rhmc.cpp", "integrators/generalized_leapfrog.cpp"

MUTANTS = {
    "acceptance ratio inverted": (TRAJECTORY, "const double log_ratio = before - after;", "const double log_ratio = after - before;", KERNELS),
    "always accept": (TRAJECTORY, "choice.uniform() < info.accept_prob", "std::isfinite(after)", KERNELS),
    "kinetic energy missing at the end": (HMC, "return s.z.energy();", "return s.z.u;", KERNELS),
    "gradient cache stale after acceptance": ("kernels/hmc/hamiltonian.hpp", "    s.g.swap(s.z.g);\n", "", KERNELS),
    "potential cache stale after acceptance": ("kernels/hmc/hamiltonian.hpp", "    s.u = s.z.u;\n  }", "  }", KERNELS),
    "momentum drawn with H, not its inverse": ("integrators/leapfrog.hpp", "metric.solve(z.v, z.p);", "metric.apply(z.v, z.p);", KERNELS),
    "a little friction": ("integrators/leapfrog.hpp", "x[i] += step * v[i];", "x[i] += step * (v[i] *= 0.999);", LEAPFROG),
    "last half-kick short": ("integrators/leapfrog.hpp", "p[i] -= half * g[i];\n    v[i] -= half * hg[i];\n  }\n}", "p[i] -= 0.9 * half * g[i];\n    v[i] -= 0.9 * half * hg[i];\n  }\n}", LEAPFROG),
    "kicks twice too large": ("integrators/leapfrog.hpp", "const double half = 0.5 * step;", "const double half = step;", LEAPFROG),
    "sign of the gradient": ("integrators/potential.hpp", "  gradient = -gradient;\n", "", LEAPFROG),
    "support not looked at": ("integrators/potential.hpp", "if (!inside(target.support(), x)) return rejected;", "", LEAPFROG),
    "NUTS: newest half always taken": (NUTS, "choice.uniform() < std::exp(s.grown.log_weight - s.trajectory.log_weight)", "choice.uniform() < 2", KERNELS),
    "NUTS: halves taken without weights": (NUTS, "choice.uniform() < std::exp(right.log_weight - both)", "choice.uniform() < 0.5", KERNELS),
    "NUTS: a half that turned is used": (NUTS, "if (!build(info.tree_depth, s.grown)) return false;", "build(info.tree_depth, s.grown);", KERNELS),
    "NUTS: turns inside a half ignored": (NUTS, "      return straight;\n    }\n\n    bool leaf", "      return straight || true;\n    }\n\n    bool leaf", KERNELS),
    "NUTS: first half not checked with its neighbour": ("kernels/hmc/nuts.cpp", "start_a + start.dot(b.first.p) > 0 &&", "", ("exact/kernels",)),
    "NUTS: second half not checked with its neighbour": ("kernels/hmc/nuts.cpp", "end_b + end.dot(a.last.p) > 0", "true", ("exact/kernels",)),
    "NUTS: momenta of the new half not added": ("kernels/hmc/nuts.cpp", "  a.rho += b.rho;\n", "", ("exact/kernels",)),
    "RHMC: acceptance ratio inverted": (RHMC, "const double log_ratio = before - after;", "const double log_ratio = after - before;", ("invariance/rhmc",)),
    "RHMC: a failed solve can be accepted": (RHMC, "info.solver_failed ? infinity : s.z.energy()", "s.z.energy()", ("exact/rhmc",)),
    "RHMC: gradient cache stale after acceptance": (RHMC, "    s.g.swap(s.z.g);\n", "", ("exact/rhmc",)),
    "RHMC: energy without the log determinant": ("integrators/generalized_leapfrog.hpp", "0.5 * (p.dot(v) + metric.log_det())", "0.5 * p.dot(v)", ("exact/generalized_leapfrog",)),
    "RHMC: gradients of the metric not counted": ("integrators/generalized_leapfrog.hpp", "grad_evals_ + geometry_->grad_evals()", "grad_evals_", ("exact/generalized_leapfrog",)),
    "RHMC: force without the trace term": (IMPLICIT, "z.slope = z.g + 0.5 * z.slope;", "z.slope = z.g;", ("exact/generalized_leapfrog",)),
    "RHMC: drift with the metric of the end alone": (IMPLICIT, "half * (start_v_ + z.v)", "half * 2 * z.v", ("exact/generalized_leapfrog",)),
    "RHMC: reversal not checked": (IMPLICIT, "solver_.settings().reversal_checked()", "false", ("exact/generalized_leapfrog",)),
    "RHMC: momentum drawn with the inverse metric": ("metrics/local_metric.cpp", "p.array() *= root_diagonal_.array();", "p.array() /= root_diagonal_.array();", ("exact/geometry",)),
    "SoftAbs: derivative of each eigenvalue alone": ("integrators/softabs_geometry.cpp", "(values_[i] - values_[j]) / gap", "0.0", ("exact/geometry",)),
    "SoftAbs: eigenvalues without a scale": ("integrators/softabs_geometry.cpp", "scale = largest > 0 ? largest : 1", "scale = 1", ("exact/geometry",)),
    "SoftAbs: directions without the divided differences": ("integrators/softabs_geometry.cpp", "divided_.col(a).cwiseProduct(rotated_u_)", "rotated_u_", ("exact/geometry",)),
    "funnel: a mixed third derivative counted once": ("targets/funnel.cpp", "b(0, 0) * rest - 2 * cross", "b(0, 0) * rest - cross", ("exact/hessian",)),
    "observed metric used where it is indefinite": ("models/regression/normal_geometry.cpp", "e.mu * e.tau > e.cross * e.cross", "true", ("exact/geometry",)),
    "MALA: noise of half the variance": ("kernels/langevin/mala.hpp", "std::sqrt(2 * step_size)", "std::sqrt(step_size)", KERNELS),
    "RWM: acceptance inverted": ("kernels/metropolis/rwm.hpp", "return s.u - s.proposal_u;", "return s.proposal_u - s.u;", KERNELS),
    "RWM: cache stale": ("kernels/metropolis/rwm.hpp", "      s.g.swap(s.proposal_g);\n", "", KERNELS),
    "dense draw with the wrong factor": ("metrics/dense.hpp", "upper_.col(i).head(i + 1).dot(out.head(i + 1))", "covariance_.col(i).head(i + 1).dot(out.head(i + 1))", ("exact/metrics",)),
    "diagonal draw with variance for sd": ("metrics/diagonal.hpp", "out.array() *= sd_.array();", "out.array() *= variance_.array();", ("exact/metrics",)),
    "variance with divisor n": ("adapt/mass.hpp", "return squares_ / (count_ - 1);", "return squares_ / count_;", ("exact/metrics",)),
    "Fisher metric without the root": ("adapt/mass.hpp", "g_.variance().array()).sqrt()", "g_.variance().array())", ("exact/metrics",)),
    "L-BFGS: pairs not rotated to oldest first": ("metrics/lbfgs.cpp", "oldest_ = slot(1);", "oldest_ = 0;", ("exact/lbfgs",)),
    "L-BFGS: noise of a pair without its curvature": ("metrics/lbfgs_coefficients.cpp", "c = curvatures().sqrt() * zeta.array()", "c = curvatures() * zeta.array()", ("exact/lbfgs",)),
    "L-BFGS: newer steps left out of the inverse": ("metrics/lbfgs_coefficients.cpp", "a = sv / scale_;\n  a.noalias() += kept(sy_).triangularView<Eigen::StrictlyLower>() * b;\n", "a = sv / scale_;\n", ("exact/lbfgs",)),
    "L-BFGS: products kept after another start": ("metrics/lbfgs.cpp", "if (!was_uniform) renew_products();", "", ("exact/lbfgs",)),
    "L-BFGS: damping without its limit": ("metrics/lbfgs.cpp", "const double weight = 0.8 * initial", "const double weight = initial", ("exact/lbfgs",)),
    "curvature not looked at": ("metrics/curvature_pair.hpp", "p.sy > min_curvature * p.ss", "p.sy > 0", ("exact/lbfgs",)),
    "line search without its second condition": ("solvers/line_search.cpp", "flat = std::abs(t.slope) <= c2 * std::abs(start.slope)", "flat = true", ("exact/optimize",)),
    "line search goes to the wrong side": ("solvers/line_search.cpp", "if (t.slope * towards_high >= 0) high = low;", "if (t.slope * towards_high < 0) high = low;", ("exact/optimize",)),
    "dual averaging pushes the wrong way": ("adapt/dual_averaging.hpp", "mu - std::sqrt(count)", "mu + std::sqrt(count)", ("exact/adapt",)),
    "step size search counts too few gradients": ("adapt/warmup.hpp", "return tries;", "return tries - 1;", ("exact/chain",)),
    "warm-up ends without the averaged step size": ("adapt/warmup.hpp", "if (!fixed_ && averaging_.count > 0)", "if (false)", ("exact/adapt", "exact/chain")),
    "adapter state forgotten when saving": ("core/kernel_chain.hpp", '    visit("adapter", self.adapter_);\n', "", ("exact/chain",)),
    "thinning off by one": ("core/kernel_chain.hpp", "in_phase % spec_.schedule.thin == 0", "(in_phase + 1) % spec_.schedule.thin == 0", ("exact/chain",)),
    "low-rank draw with eigenvalues for their roots": ("metrics/low_rank.hpp", "return std::sqrt(eigenvalue);", "return eigenvalue;", ("exact/metrics",)),
    "low-rank metric of the covariance alone": ("adapt/fisher_low_rank.cpp", "covariance(basis.transpose() * g)", "covariance(basis.transpose() * x)", ("exact/low_rank_learning",)),
    "estimator: weight of a batch forgotten": ("estimators/gradient_estimator.cpp", "terms() / static_cast<double>(settings_.batch_size)", "1.0", ("exact/estimators",)),
    "estimator: anchor's terms added": ("estimators/gradient_estimator.cpp", "add_terms(s.anchor, ids, -weight,", "add_terms(s.anchor, ids, weight,", ("exact/estimators",)),
    "estimator: variance without the finite population": ("estimators/batches.cpp", "order_ == with_replacement ? 1 : 1 - static_cast<double>(size_) / static_cast<double>(terms_)", "1", ("exact/estimators",)),
    "estimator: anchor never renewed": ("estimators/gradient_estimator.cpp", "s.anchor_age >= settings_.anchor_every", "false", ("exact/estimators",)),
    "batches: one shuffle for all passes": ("estimators/batches.cpp", "if (pass != shuffle.pass)", "if (shuffle.pass < 0)", ("exact/estimators",)),
    "SGLD: noise of half the variance": ("kernels/langevin/euler.hpp", "std::sqrt(2 * step * temperature)", "std::sqrt(step * temperature)", ("exact/langevin",)),
    "PSGLD: v renewed at the wrong time": ("kernels/langevin/psgld.cpp", "if (params_.update_first) update_average(s);", "update_average(s);", ("exact/langevin",)),
    "PSGLD: sign of the divergence": ("kernels/langevin/psgld.cpp", "s.grad[i] -= share", "s.grad[i] += share", ("exact/langevin",)),
    "HAMCMC: a refused pair makes room for a member's own": ("kernels/langevin/hamcmc.cpp", "if (full && !kept) s.h.drop_oldest();", "", ("exact/langevin",)),
    "HAMCMC: an old pair stays when the memory is not full": ("kernels/langevin/hamcmc.cpp", "if (falls && !full) s.h.drop_oldest();", "", ("exact/langevin",)),
    "HAMCMC: learns on when frozen": ("kernels/langevin/hamcmc.cpp", "const bool learning = !params_.frozen;", "const bool learning = true;", ("exact/langevin",)),
    "mirror: momentum goes on into the wall": ("kernels/stochastic.cpp", "(*momentum)[i] = -(*momentum)[i]", "(*momentum)[i] = (*momentum)[i]", ("exact/langevin",)),
    "mirror: only once": ("kernels/stochastic.cpp", "std::remainder(x - in.lo, 2 * (in.hi - in.lo))", "x - in.lo", ("exact/langevin",)),
    "schedule: blocks begin one step late": ("kernels/step_schedule.hpp", "static_cast<double>((t - 1) % period)", "static_cast<double>(t % period)", ("exact/langevin",)),
    "tuning: the worse go on": ("samplers/tune.cpp", "return a->trial.ksd < b->trial.ksd;", "return a->trial.ksd > b->trial.ksd;", ("exact/tune",)),
    "probing without scales": ("adapt/lanczos.cpp", "y = scale.cwiseProduct(y - gradient.here) / length;", "y = (y - gradient.here) / length;", ("exact/low_rank_learning",)),
    "the last metric tried is taken": ("adapt/curvature_mass.cpp", "if (!(score < best)) return;", "best = score;", ("exact/low_rank_learning",)),
    "printed QNHMC keeps its matrix after a rejection": ("kernels/hmc/qnhmc_printed.hpp", "    s.proposed = s.curvature;\n", "", ("exact/quasi_newton",)),
    "printed QNHMC changes its matrix within a trajectory": ("kernels/hmc/qnhmc_printed.hpp", "s.proposed.add_pair(s.s, s.y);", "s.curvature.add_pair(s.s, s.y);", ("exact/quasi_newton",)),
    "ensemble metric from the member itself": ("kernels/hmc/hmc_bfgs.cpp", "for (Index i = 1; i + 1 < members; ++i)", "for (Index i = 1; i < members; ++i)", ("exact/quasi_newton",)),
    "ensemble gradients stale": ("kernels/hmc/hmc_bfgs.cpp", "s.gradients.col(s.turn) = s.g = s.member.g;", "s.g = s.member.g;", ("exact/quasi_newton",)),
    "naive QNHMC with the energy that is kept": ("kernels/hmc/qnhmc_naive.hpp", "return s.z.u + 0.5 * s.z.v.squaredNorm();", "return s.z.energy();", ("invariance/kernels",)),
    "records not cut back when resuming": ("io/record_file.cpp", "  file_->resize(offset_of(records, width_));\n", "", ("exact/record_file",)),
    "a torn record is taken for a sound one": ("io/record_file.cpp", "if (!same_bits(", "if (false && !same_bits(", ("exact/record_file",)),
    "counts start from zero when resuming": ("io/durable_run.cpp", "    recorder(i).go_on_from(saved.checkpoint.counts);\n", "", ("exact/durable_run",)),
    "lengths of records not saved": ("io/durable_run.cpp", "    return saved.checkpoint;\n", "    return {};\n", ("exact/durable_run",)),
    "resumed with another configuration": ("io/durable_run.cpp", "if (found.empty()) return;", "if (found.size() < 9) return;", ("exact/durable_run",)),
    "checksum of a run file not compared": ("io/seal.cpp", "found != seal_of(file, size)", "found.empty()", ("exact/bad_run_files",)),
}

# Headers whose code is instantiated in the library's samplers: the test program compiles those sources itself.
RECOMPILED = {
    "exact/chain": ["samplers/nuts.cpp"],
    "exact/durable_run": ["io/durable_run.cpp"],
    "exact/kernels": ["kernels/hmc/nuts.cpp"],
    "exact/low_rank_learning": ["adapt/curvature_mass.cpp", "adapt/fisher_low_rank.cpp", "adapt/lanczos.cpp"],
    "exact/quasi_newton": ["kernels/hmc/hmc_bfgs.cpp"],
    "exact/lbfgs": ["metrics/lbfgs.cpp", "metrics/lbfgs_coefficients.cpp"],
    "exact/optimize": ["solvers/line_search.cpp", "solvers/optimize.cpp"],
    "exact/generalized_leapfrog": ["integrators/generalized_leapfrog.cpp"],
    "exact/geometry": ["integrators/softabs_geometry.cpp", "metrics/local_metric.cpp", "models/regression/normal_geometry.cpp"],
    "exact/estimators": ["estimators/batches.cpp", "estimators/gradient_estimator.cpp"],
    "exact/hessian": ["targets/funnel.cpp"],
    "exact/langevin": ["kernels/langevin/hamcmc.cpp", "kernels/langevin/psgld.cpp", "kernels/stochastic.cpp"],
    "exact/tune": ["samplers/tune.cpp"],
    "exact/record_file": ["io/record_file.cpp"],
    "exact/rhmc": ["kernels/hmc/rhmc.cpp"],
    "exact/bad_run_files": ["io/seal.cpp"],
    "invariance/kernels": ["kernels/hmc/nuts.cpp"],
    "invariance/rhmc": ["kernels/hmc/rhmc.cpp"],
}


def compile_command(test):
    kind, name = test.split("/")
    source = str(ROOT / "tests" / kind / f"{name}_test.cpp")
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"] == source:
            return shlex.split(entry["command"])
    raise AssertionError(f"{source} is not compiled")


class Copy:
    """A copy of the sources to plant a bug into."""

    def __init__(self, folder):
        self.folder, self.src = pathlib.Path(folder), pathlib.Path(folder) / "src"
        shutil.copytree(ROOT / "src", self.src)

    def plant(self, file, old, new):
        text = (self.src / file).read_text()
        if text.count(old) != 1:
            raise AssertionError(f"{file} no longer says: {old}")
        (self.src / file).write_text(text.replace(old, new))

    def build(self, test, sources):
        """The test program with these files of the copy; all others come from the library."""
        command = [a.replace(f"-I{ROOT}/src", f"-I{self.src}") for a in compile_command(test)]
        program = self.folder / "program"
        run([*flags_of(command), *sources, "-o", str(program), *libraries()])
        return program

    def passes(self, test, planted=None):
        """A bug in a source file leaves the test's own object as it is; one in a header may be anywhere."""
        if planted and planted.endswith(".cpp"):
            sources = [TEST_OBJECTS.of(test), str(self.src / planted)]
        else:
            recompiled = [str(self.src / s) for s in RECOMPILED.get(test, [])]
            sources = [compile_command(test)[-1], *recompiled]
        return subprocess.run([self.build(test, sources)], capture_output=True).returncode == 0


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stderr)


def flags_of(command):
    flags = [a for a in command[: command.index("-o")] if a != "-O3"]
    return [*flags, "-O1", "-w", '-DQUASAR_VERSION="mutant"', f"-I{ROOT}"]


def libraries():
    hdf5 = subprocess.run(["pkg-config", "--libs-only-L", "hdf5"], capture_output=True, text=True).stdout.split()
    return [str(BUILD / "src" / "libquasar.a"), *hdf5, *"-lgtest_main -lgtest -lfmt -lhwy -lnetcdf -lhdf5 -lz -lopenblas".split()]


class TestObjects:
    """The object files of the tests, each compiled once."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._locks = collections.defaultdict(threading.Lock)

    def of(self, test):
        path = pathlib.Path(self._folder.name) / (test.replace("/", "_") + ".o")
        with self._locks[test]:
            if not path.exists():
                command = compile_command(test)
                run([*flags_of(command), "-c", command[-1], "-o", str(path)])
        return str(path)


TEST_OBJECTS = TestObjects()


def survives(mutant):
    file, old, new, tests = mutant
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        copy.plant(file, old, new)
        return all(copy.passes(test, file) for test in tests)


class Mutants(unittest.TestCase):
    def test_every_mutant_is_caught(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            futures = {name: pool.submit(survives, mutant) for name, mutant in MUTANTS.items()}
        for name, future in futures.items():
            with self.subTest(name):
                self.assertFalse(future.result(), f"survived: {name}")

    def test_without_a_mutant_all_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Copy(folder)
            for test in ("exact/leapfrog", "exact/chain", "exact/durable_run", "exact/record_file", "exact/bad_run_files"):
                self.assertTrue(copy.passes(test), test)


if __name__ == "__main__":
    unittest.main()
