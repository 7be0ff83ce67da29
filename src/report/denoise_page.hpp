// The page of a cleaned sound: what it looked and sounded like before and after, and how sure the result is.
#pragma once

#include <string>

#include "front/denoise/denoise_report.hpp"

namespace quasar {

std::string denoise_page(const DenoiseReport& report, In noisy);  // noisy: the samples that were cleaned

}  // namespace quasar
