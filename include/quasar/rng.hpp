// quasar/rng.hpp -- random numbers with names.
//
// Every number is a pure function of (seed, chain, path of roles, iteration, element): Philox4x32-10 (Salmon et al.,
// SC 2011) keyed by the name, counting (iteration: two words, element, retry). Nothing is consumed and nothing has to
// be saved: the same name gives the same numbers on any thread, rank, vector width or block size. Uniforms, normals,
// indices, permutations and subsets are the same bits on every processor; the other distributions also call log and exp
// of the C library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <quasar/core.hpp>

namespace quasar {

class ElementDraws;
class Stream;

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t chain = 0);
  Rng child(std::string_view role, std::uint64_t k = 0) const;  // a new name below this one
  Rng at(std::uint64_t iteration) const;                        // the same name at another iteration
  Stream stream(std::string_view role) const;                   // the numbers behind child(role)

 private:
  Rng(std::uint64_t key, std::uint64_t iteration, int) : key_(key), iteration_(iteration) {}
  std::uint64_t key_;
  std::uint64_t iteration_ = 0;
};

// A cursor over the elements of one name. Each scalar draw takes one element; a block of n draws takes n.
// A rejection sampler spends the retry word, so element e never depends on its neighbours.
// Arguments out of range throw std::invalid_argument. One name holds 2^32 elements (2^33 normals) per iteration; beyond
// them std::length_error is thrown.
class Stream {
 public:
  Stream(std::uint64_t key, std::uint64_t iteration) : key_(key), iteration_(iteration) {}

  double uniform();  // open interval (0, 1)
  double normal();
  double exponential();
  double gamma(double shape);  // rate 1
  double beta(double a, double b);
  std::int64_t poisson(double mean);
  std::int64_t binomial(std::int64_t n, double p);
  Index index(Index n);           // uniform on 0 .. n-1
  Index categorical(In weights);  // proportional to weights >= 0

  void uniforms(Out out);  // element by element the same numbers as scalar calls
  void normals(Out out);
  void dirichlet(In alpha, Out out);
  void multinomial(std::int64_t n, In weights, std::span<std::int64_t> counts);
  void permutation(std::span<Index> out);                          // of 0 .. out.size()-1
  void sample_with_replacement(Index n, std::span<Index> out);     // from 0 .. n-1
  void sample_without_replacement(Index n, std::span<Index> out);  // distinct, random order; O(out.size()) memory

  std::uint64_t key() const { return key_; }
  std::uint64_t element() const { return element_; }
  void seek(std::uint64_t element) { element_ = element; }

 private:
  ElementDraws next_element();
  void draw_normals(double* to, std::size_t count);
  template <class Bound, class Use>
  void draw_indices(Index count, Bound bound, Use use);
  std::uint64_t key_, iteration_;
  std::uint64_t element_ = 0;
};

}  // namespace quasar
