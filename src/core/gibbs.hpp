// Gibbs steps between the steps of any kernel: the blocks of x that a target can draw exactly, given the rest.
//
// A cycle of two kernels that each leave a law unchanged leaves it unchanged, so long as what decides whose turn it is
// does not look at x. Turns are therefore counted in passes over the data only where a step takes a fixed number of
// terms; a step on whole gradients, whose number may depend on x, counts as one pass.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// The coordinates that no conditional covers, which are left for a kernel to move. They come first.
Block moving_block(const Target& target);

// For kernels that can only move the whole of x: UsageError where the target has blocks to be drawn. who: "rhmc".
void expect_no_conditionals(const Target& target, const char* who);

class Gibbs {
 public:
  Gibbs(const Target& target, int members);  // of an ensemble; 1: a chain

  bool count(const Target& target, int member, double passes);        // of a step of that member; true: a block is due
  void draw_due(Target& target, int member, Vec& x, const Rng& rng);  // into x

  static void fields(auto& self, auto&& visit) { visit("passes", self.passes_); }

 private:
  Mat passes_;   // since the last draw: a row for each conditional, a column for each member
  Vec scratch_;  // as long as the longest block
};

}  // namespace quasar
