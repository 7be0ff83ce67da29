#include "core/many_gammas.hpp"

#include <algorithm>

#include "simd/gamma_draws.hpp"

namespace quasar {

void ManyGammas::draw(const Rng& name, In shapes, Out out) {
  Stream normals = name.stream("normals"), accept = name.stream("accept"), boost = name.stream("boost");
  Stream others = name.stream("others");
  for (Index first = 0; first < shapes.size(); first += chunk) {
    const Index size = std::min(chunk, shapes.size() - first);
    const auto whole = static_cast<Index>(simd::padded(static_cast<std::size_t>(size)));
    std::fill_n(std::copy_n(shapes.data() + first, size, shape_.begin()), whole - size, 1.0);
    normals.normals(Eigen::Map<Vec>(normal_.data(), whole));
    accept.uniforms(Eigen::Map<Vec>(accept_.data(), whole));
    boost.uniforms(Eigen::Map<Vec>(boost_.data(), whole));
    simd::gamma_draws({shape_.data(), normal_.data(), accept_.data(), boost_.data()}, static_cast<std::size_t>(size),
                      out_.data());
    for (Index i = 0; i < size; ++i) {
      double& value = out_[static_cast<std::size_t>(i)];
      if (value >= 0) continue;
      others.seek(static_cast<std::uint64_t>(first + i));
      value = others.gamma(shapes[first + i]);
    }
    std::copy_n(out_.begin(), size, out.data() + first);
  }
}

}  // namespace quasar
