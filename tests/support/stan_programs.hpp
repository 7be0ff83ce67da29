// The Stan programs of tests/support/bridgestan, compiled.
#pragma once

#include <string>
#include <vector>

#include "targets/stan_messages.hpp"

namespace quasar::test {

inline std::string stan_program(const std::string& name) { return QUASAR_STAN_PROGRAMS "/" + name + ".so"; }

// What is passed on while this lives.
class PassedOn {
 public:
  PassedOn() {
    pass_on_messages([this](std::string_view text) { texts_.emplace_back(text); });
  }
  PassedOn(const PassedOn&) = delete;
  PassedOn& operator=(const PassedOn&) = delete;
  ~PassedOn() { pass_on_messages({}); }

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace quasar::test
