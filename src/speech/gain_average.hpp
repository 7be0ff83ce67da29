// What the draws of a sampler say of the speech in a spectrogram.
#pragma once

#include <quasar/chain.hpp>
#include <quasar/core.hpp>

namespace quasar {

// Means over draws of the gain g, of g^2 and of the variance that is left of the speech given W, H and Phi.
struct GainAverage final : Sink {
  using RowsFirst = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Index bins, frames;
  RowsFirst gain, squared, left;
  double draws = 0;

  GainAverage(Index rows = 0, Index columns = 0)
      : bins(rows), frames(columns), gain(RowsFirst::Zero(rows, columns)), squared(gain), left(gain) {}

  void on_draw(const Draw& draw) override {
    const Index size = bins * frames;
    const Eigen::Map<const RowsFirst> g(draw.values.data(), bins, frames),
        rest(draw.values.data() + size, bins, frames);
    draws += 1;
    gain += (g - gain) / draws;
    squared += (g.cwiseAbs2() - squared) / draws;
    left += (rest - left) / draws;
  }

  static void fields(auto& self, auto&& visit) {
    visit("draws", self.draws);
    visit("gain", self.gain);
    visit("squared", self.squared);
    visit("left", self.left);
  }
};

}  // namespace quasar
