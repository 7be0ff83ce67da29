#include "messages.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "targets/stan_messages.hpp"

namespace quasar::python {

namespace nb = nanobind;

namespace {

class Messages {
 public:
  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < most) texts_.emplace_back(text);
    if (texts_.size() == most) texts_.emplace_back("and more than can be shown\n");
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  static constexpr std::size_t most = 10'000;  // a program that prints at every step must not fill the memory
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

Messages& messages() {
  static Messages all;
  return all;
}

std::vector<nb::bytes> taken() {
  std::vector<nb::bytes> all;
  for (const std::string& text : messages().take()) all.emplace_back(text.data(), text.size());
  return all;
}

}  // namespace

void add_messages(nanobind::module_& module) {
  pass_on_messages([](std::string_view text) { messages().add(text); });
  module.def("take_messages", taken, "What Stan programs have printed since the last call, in whatever encoding.");
}

}  // namespace quasar::python
