// What SIMD code computes must not depend on the processor.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace quasar::test {

// Runs `body` once with each instruction set that this processor has.
template <class Body>
void with_each_instruction_set(Body body) {
  const std::vector<std::int64_t> all = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : all) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace quasar::test
