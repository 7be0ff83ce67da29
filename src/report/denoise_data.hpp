// What the page of a cleaned sound shows, as JSON.
//
//   title, facts, problems, checked, command   as pages of all kinds have them
//   scores    rows of texts: ["before", SDR, SIR, SAR, segmental SNR], ["after", ...]; null: the truth is not known
//   pictures  {rows, columns, start, step, seconds, highest, low, high, uncertainty_end, before, after, uncertainty}:
//   each
//             picture in base64, a byte for every cell, column after column, the lowest frequency first; column j lies
//             between start + j step and start + (j+1) step seconds, rows between 0 and `highest` Hz. Bytes 0 .. 254 of
//             before and after are low .. high dB below the loudest cell; those of the uncertainty, the standard
//             deviation over the size of the mean, -uncertainty_end .. uncertainty_end dB, and 255: too faint to tell
//   sound     {rate, before, after}: 16-bit samples in base64; null: too many
#pragma once

#include <nlohmann/json.hpp>

#include "front/denoise/denoise_report.hpp"

namespace quasar {

nlohmann::ordered_json denoise_data(const DenoiseReport& report, In noisy);

}  // namespace quasar
