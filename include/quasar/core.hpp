// quasar/core.hpp -- the vocabulary shared by every model, sampler and front end.
#pragma once

#include <Eigen/Core>

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quasar {

using Index = Eigen::Index;
using Vec = Eigen::VectorXd;  // always double; float only inside a model
using Mat = Eigen::MatrixXd;
using In = const Eigen::Ref<const Vec>&;  // read-only argument
using Out = Eigen::Ref<Vec>;              // caller-owned result, already sized

class Rng;     // a name, not a state                                     quasar/rng.hpp
class Stream;  // the numbers behind one name                              quasar/rng.hpp

struct Block {  // the coordinates of x that one kernel moves
  Index begin, size;
};
struct Interval {
  double lo, hi;
};

enum class Want { gradient, both };  // stochastic kernels do not pay for logp

// Which threads may evaluate the forks of one target: any at any time; one at a time; or one each, because the forks
// wait for each other and are evaluated together.
enum class Threads { any, one, per_chain };

struct Eval {
  double logp;
  bool ok = true;  // false: reject this point; an exception stops the run
};

struct Variable {
  std::string name;
  std::vector<Index> shape;       // empty: a scalar
  std::vector<std::string> dims;  // one name per axis; empty: default names
  bool integer = false;
  Index size() const;
};

struct Layout {
  std::vector<Variable> variables;
  std::map<std::string, std::vector<std::string>> coords;  // labels of a dimension, where it has any
  Index size() const;
};

struct ConstantData {  // what a model keeps of its data, to be stored with the draws: scales of columns, for instance
  Layout layout;
  Vec values;                                     // all of the layout
  std::map<std::string, std::string> attributes;  // texts, the name of the response for instance
};

// Optional metric G(x): diagonal (D numbers, D x 1) or dense (D x D).
struct Geometry {
  virtual ~Geometry() = default;
  virtual bool diagonal() const = 0;
  virtual bool reciprocal() const { return false; }        // G = diag(1/x): implicit steps have closed forms
  virtual bool metric(In x, Mat& g) = 0;                   // false: not positive definite here
  virtual void directional(In x, In u, Mat& out) = 0;      // column i = (dG/dx_i) u; D x 1 if G_ii depends on x_i alone
  virtual void contract(In x, const Mat& a, Out out) = 0;  // out_i = tr(a dG/dx_i); a has the shape of G
  virtual void divergence(In x, Out out) = 0;              // Gamma_i = sum_j d(G^-1)_ij/dx_j
  virtual std::int64_t grad_evals() const { return 0; }    // gradients of the target that all this has taken so far
};

// Optional derivatives of U = -log pi beyond the gradient: SoftAbs takes differences of gradients where there are none.
struct Hessian {
  virtual ~Hessian() = default;
  virtual void second_derivatives(In x, Mat& h) = 0;                // h_ij = d2U/dx_i dx_j; sizes h
  virtual void third_derivatives(In x, const Mat& b, Out out) = 0;  // out_i = sum_jk b_jk dh_jk/dx_i; b is symmetric
};

struct Conditional {  // x[block] | rest can be drawn exactly
  Block block;
  Index every = 1;  // passes over the data between two draws of it; a step on whole gradients is one. 0: each step
};

// One chain's evaluator: shared const data, its own scratch. Not thread-safe by design: every chain owns a fork.
struct Target {
  virtual ~Target() = default;
  virtual std::unique_ptr<Target> fork() const = 0;  // as a rule the copy constructor
  virtual Index dim() const = 0;
  virtual Threads threads() const { return Threads::any; }
  virtual Eval logp_grad(In x, Out grad) = 0;                       // at the whole x; overwrites grad
  virtual std::string_view rejection() const { return {}; }         // why the last point was not ok; empty: no word
  virtual Layout layout() const;                                    // default: one vector "x"
  virtual void constrain(In x, Out values, const Rng& rng);         // all of layout(); default: values = x
  virtual void unconstrain(In values, Out x) const;                 // inverse of constrain; derived values may be NaN
  virtual void draw_start(Out x, const Rng& rng) const;             // where a chain may begin; default: uniform(-2, 2)
  virtual ConstantData constant_data() const { return {}; }         // enough to predict from the draws alone
  virtual std::span<const Interval> support() const { return {}; }  // natural coordinates only
  virtual Geometry* geometry() { return nullptr; }
  virtual Hessian* hessian() { return nullptr; }
  virtual std::span<const Conditional> conditionals() const { return {}; }
  virtual void draw_conditional(Index i, In x, Out out, const Rng& rng);
};

// log pi(x) = prior(x) + sum_i term_i(x)
struct FiniteSum : Target {
  virtual Index terms() const = 0;
  virtual Eval prior(In x, Out grad, Want want) = 0;                                                 // overwrites
  virtual Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) = 0;  // accumulates
  virtual Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want);  // contiguous: no gather
  virtual void prefetch(std::span<const Index> /*ids*/) {}         // these terms will be asked for next
  virtual bool proper_prior() const { return true; }               // false: the prior alone cannot be sampled
  virtual Eval add_all(In x, double weight, Out grad, Want want);  // add_range over fixed chunks, in order
  Eval logp_grad(In x, Out grad) final;                            // prior + add_all: the oracle of every estimator
};

// H, about the posterior covariance: identity, diagonal, dense, low-rank, L-BFGS.
template <class P>
concept Preconditioner = std::copyable<P> && requires(const P& p, In v, Out out, Stream& r) {
  p.apply(v, out);  // H v      Langevin drift, HMC velocity
  p.solve(v, out);  // H^-1 v   the momentum of a velocity
  p.draw(r, out);   // N(0, H)  Langevin noise, fresh velocity
};

struct StepInfo {  // what the runner and adapters read of any step
  double accept_prob = 1;
  double step_size = std::numeric_limits<double>::quiet_NaN();  // NaN: the kernel has none
  std::int64_t grad_evals = 0;
  double data_passes = 0;  // over the terms of a sum; a kernel on whole gradients leaves it to the chain to count
  bool diverged = false;
};

// Params: tunable data. State: what the next step needs beside x. Info: what this step reports.
template <class K>
concept Kernel = std::copyable<K> && std::copyable<typename K::State> &&
    std::derived_from<typename K::Info, StepInfo> &&
    requires(K& k, const K& c, typename K::State& s, Vec& x, const Rng& r) {
  { k.params() } -> std::same_as<typename K::Params&>;
  { c.init(x, r) } -> std::same_as<typename K::State>;  // allocates everything
  c.rebase(x, s);                                       // another kernel moved x: renew what is cached
  // const: a step cannot tune itself; it moves its block of x in place
  { c.step(x, s, r) } -> std::same_as<typename K::Info>;
};

// Dual averaging, mass from draws and gradients, ...: run in warm-up only. Returns the gradients it spent itself.
template <class A, class K>
concept Adapter = std::copyable<A> &&
    requires(A& a, K& k, const Vec& x, typename K::State& s, const typename K::Info& i, const Rng& r) {
  { a.begin(k, x, s, r) } -> std::same_as<std::int64_t>;      // once, before the first warm-up step
  { a.update(k, x, s, i, r) } -> std::same_as<std::int64_t>;  // after each warm-up step
  a.finish(k, x, s);                                          // once, after the last
};

}  // namespace quasar
