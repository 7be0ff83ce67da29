// What quasar segment can be asked for: parameters, their values, and which of them a method takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <quasar/config.hpp>

#include "models/sequences/hmm_em.hpp"
#include "models/sequences/penalties.hpp"

namespace quasar {

enum class SegmentMethod { asymp_ihmm, asymp_hmm, hmm_em, ihmm_beam };

struct SegmentSettings {
  SegmentMethod method = SegmentMethod::asymp_ihmm;
  Emission emission = Emission::normal;
  Index states = 0;                                // 0: not given
  std::optional<double> lambda, lambda1, lambda2;  // none: chosen by the data
  Selector selector = Selector::bic;
  StateCovariance covariance = StateCovariance::shared;
  int restarts = 10;
  int chains = 4;                    // of the beam sampler
  Index warmup = 200, sweeps = 500;  // of each of them
  std::optional<bool> standardize;   // none: where there are several columns
  Index ahead = 1;                   // steps to forecast
  Index window = 0;                  // points of a sliding window; 0: none
  std::uint64_t seed = 1;
  int threads = 0;
};

std::span<const ParamSpec> segment_params();

// given: what was asked for, of which nothing may be foreign to the method. UsageError
SegmentSettings segment_settings(const Config& config, const Settings& given);

std::string_view to_string(SegmentMethod method);
std::string_view to_string(Emission emission);

}  // namespace quasar
