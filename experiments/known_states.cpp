#include "experiments/known_states.hpp"

#include <cmath>

#include "models/sequences/transitions.hpp"

namespace quasar {

KnownStates drawn_from(const HmmModel& model, Index points, const Rng& rng) {
  KnownStates drawn{{Mat(model.centres.rows(), points)}, Path(static_cast<std::size_t>(points))};
  Stream states = rng.stream("states"), noise = rng.stream("noise");
  noise.normals(drawn.data.values.reshaped());
  drawn.data.values *= std::sqrt(model.variances[0]);
  Index state = states.categorical(model.initial);
  for (Index t = 0; t < points; ++t) {
    if (t > 0) state = states.categorical(Vec(model.transition.row(state)));
    drawn.data.values.col(t) += model.centres.col(state);
    drawn.states[static_cast<std::size_t>(t)] = static_cast<int>(state);
  }
  return drawn;
}

Path decoded(const Sequences& data, const Decoder& decoder) {
  return viterbi(data, {divergences(data, Emission::normal, decoder.centres), Vec::Zero(decoder.centres.cols()),
                        transition_costs(decoder.lambda, decoder.transition)})
      .states;
}

Path last_states(const Sequences& data, const Decoder& decoder) {
  const Mat transition = transition_costs(decoder.lambda, decoder.transition);
  Vec cost = Vec::Zero(decoder.centres.cols());
  Path states;
  for (Index t = 0; t < data.size(); ++t) {
    if (t > 0) cost = (transition.colwise() + cost).colwise().minCoeff().transpose().eval();
    cost += (decoder.centres.colwise() - data.values.col(t)).colwise().squaredNorm().transpose();
    Index best = 0;
    cost.array() -= cost.minCoeff(&best);
    states.push_back(static_cast<int>(best));
  }
  return states;
}

}  // namespace quasar
