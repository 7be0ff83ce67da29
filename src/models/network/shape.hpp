// The shape of a fully connected network, and where its weights and biases lie in x.
//
//   z_0 = inputs,  z_l = f(z_{l-1} W_l + b_l),  the last layer without f.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

enum class Activation { sigmoid, tanh, relu };
enum class Output { softmax, gaussian };  // probabilities of classes, or the mean of a number

struct NetworkShape {
  std::vector<Index> widths;  // inputs, units of the hidden layers, outputs
  Activation activation = Activation::sigmoid;
  Output output = Output::softmax;

  Index layers() const { return std::ssize(widths) - 1; }
  Index inputs() const { return widths.front(); }
  Index outputs() const { return widths.back(); }
  Index in(Index layer) const { return widths[static_cast<std::size_t>(layer)]; }
  Index out(Index layer) const { return widths[static_cast<std::size_t>(layer) + 1]; }

  // The groups that have a precision of their own: the weights of a layer, in rows of one input each, and its biases.
  std::vector<Block> groups() const;
  std::vector<std::string> group_names() const;  // weights_1, bias_1, weights_2, ...
  Index parameters() const;                      // all of them, one group after the other
};

// The units of the hidden layers: "100,50"; empty: there are none. UsageError: not positive whole numbers.
std::vector<Index> parse_widths(std::string_view text);

}  // namespace quasar
