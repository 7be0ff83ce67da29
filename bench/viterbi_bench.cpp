// The cheapest path through a million points with ten states, against the arithmetic that it needs.
//
// A point needs K subtractions and K products for the squares, and for each of the K^2 pairs of states one sum and one
// comparison that chooses the cost and who has it; K more sums add the squares. The bare loop does these 2 K^2 + 3 K =
// 230 operations for each point, four states in a register, and nothing else: K is known when it is compiled, nothing
// is remembered and no path is followed back.
#include <cmath>

#include <quasar/rng.hpp>

#include "models/sequences/viterbi.hpp"
#include "side_by_side.hpp"

namespace {

using namespace quasar;

constexpr Index points = 1'000'000;
constexpr int states = 10, groups = 3;  // of four states each
constexpr double lambda = 1.8;

struct Problem {
  Sequences data;
  Mat centres = Mat(1, states), transition = Mat(states, states);
};

// Ten states on a line that are passed one after another, some left out: z + 1 mostly, else z + 2.
Problem problem() {
  Problem p{{Mat(1, points)}};
  Stream choice = Rng(1).stream("choice");
  p.transition.setConstant(-lambda * std::log(0.01));
  for (int k = 0; k < states; ++k) {
    p.centres(0, k) = 3 * k;
    p.transition(k, (k + 1) % states) = -lambda * std::log(0.75);
    p.transition(k, (k + 2) % states) = -lambda * std::log(0.17);
  }
  Rng(1).stream("noise").normals(p.data.values.reshaped());
  int z = 0;
  for (Index t = 0; t < points; ++t) {
    p.data.values(0, t) = std::sqrt(0.9) * p.data.values(0, t) + 3 * z;
    z = (z + (choice.uniform() < 0.8 ? 1 : 2)) % states;
  }
  return p;
}

using Four = double __attribute__((vector_size(32)));  // numbers in a register

struct BareProblem {
  Four centres[groups];
  Four transition[states][groups];
};

__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) double bare_loop(const double* x,
                                                                                               const BareProblem& p) {
  Four cost[groups] = {}, least[2][groups] = {}, who[2][groups] = {}, sum[groups] = {};
  for (Index t = 0; t < points; ++t) {
#pragma GCC unroll 10
    for (int j = 0; j < states; ++j) {  // two halves at a time, so that none waits for the other
      const int half = j % 2, state = half * states / 2 + j / 2;
      for (int g = 0; g < groups; ++g) {
        const Four through = cost[state / 4][state % 4] + p.transition[state][g];
        who[half][g] = j < 2 || through < least[half][g] ? Four{} + state : who[half][g];
        least[half][g] = j < 2 || through < least[half][g] ? through : least[half][g];
      }
    }
    for (int g = 0; g < groups; ++g) {
      const Four away = x[t] - p.centres[g];
      cost[g] = (least[1][g] < least[0][g] ? least[1][g] : least[0][g]) + away * away;
      sum[g] += least[1][g] < least[0][g] ? who[1][g] : who[0][g];
    }
  }
  double all = 0;
  for (int k = 0; k < states; ++k) all += cost[k / 4][k % 4] + sum[k / 4][k % 4];
  return all;
}

BareProblem bare(const Problem& p) {
  BareProblem b{};
  for (int k = 0; k < states; ++k) {
    b.centres[k / 4][k % 4] = p.centres(0, k);
    for (int j = 0; j < states; ++j) b.transition[j][k / 4][k % 4] = p.transition(j, k);
  }
  return b;
}

}  // namespace

int main() {
  const Problem p = problem();
  const BareProblem b = bare(p);
  const PathCosts costs{divergences(p.data, Emission::normal, p.centres), Vec::Zero(states), p.transition};
  double sink = 0;
  const auto plain = [&] { sink += bare_loop(p.data.values.data(), b); };
  report(
      "viterbi", 2, [&] { sink += viterbi(p.data, costs).cost; }, plain, "bare loop");
  report(
      "checkpointed", 4, [&] { sink += viterbi(p.data, costs, 1).cost; }, plain, "bare loop");
  fmt::print("{:.0f} operations a point; sum {:g}\n", 2.0 * states * states + 3 * states, sink);
}
