// Initial points in JSON.
#include <cmath>
#include <memory>

#include <quasar/core.hpp>

#include "fuzz.hpp"
#include "io/init.hpp"

namespace {

using namespace quasar;

// x = (mu, log tau, A row by row); `total` is derived and never needed.
struct Model final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<Model>(*this); }
  Index dim() const override { return 6; }
  Eval logp_grad(In, Out) override { return {0}; }
  Layout layout() const override {
    return {{{"mu", {}, {}}, {"total", {}, {}}, {"tau", {}, {}}, {"A", {2, 2}, {}}}, {}};
  }
  void unconstrain(In values, Out x) const override { x << values[0], std::log(values[2]), values.tail(4); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_or_refuse([&] {
    constexpr int chains = 2;
    const std::vector<Vec> points = parse_json_init("fuzz.json", fuzz::text_of(data, size), Model(), chains);
    fuzz::require(points.size() == chains && points[0].allFinite() && points[1].allFinite());
  });
  return 0;
}
