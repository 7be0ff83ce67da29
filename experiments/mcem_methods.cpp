#include "experiments/mcem_methods.hpp"

#include <fmt/core.h>

namespace quasar {
namespace {

struct Sampler {
  const char* row;  // of the table
  const char* name;
  Settings settings;
  std::string remark = {};  // what sets it apart from others of the same row
};

Settings joined(Settings a, const Settings& b) {
  a.insert(b.begin(), b.end());
  return a;
}

Settings learning(const std::string& samples) { return {{"em_samples", samples}, {"em_growth", "0"}}; }

std::vector<Sampler> on_all_data(const McemSettings& s) {
  const Settings hmc{{"step_size", s.hmc_step}, {"leapfrog_steps", "10"}, {"jitter", "0"}};
  const Settings rhmc{{"step_size", s.rhmc_step},
                      {"leapfrog_steps", "10"},
                      {"jitter", "0"},
                      {"solver", "fixed_point"},
                      {"fixed_iterations", s.solver_iterations},
                      {"check_reversal", "false"}};
  return {{"HMC", "hmc", joined(hmc, {{"metric", "identity"}})},
          {"HMC-EM", "hmc-em", joined(hmc, learning(s.em_samples))},
          {"RHMC", "rhmc", rhmc}};
}

std::vector<Sampler> on_minibatches(const McemSettings& s) {
  const Settings sgnht{{"step_size", s.thermostat_step}, {"friction", "1"}};
  const Settings sg_nphmc{{"step_size", s.thermostat_step},
                          {"friction", "0.01"},
                          {"thermostat_friction", "0.01"},
                          {"thermostat_mass", "1"}};
  const Settings sgr_nphmc{{"step_size", s.rhmc_step},
                           {"friction", "0.01"},
                           {"thermostat_friction", "0.01"},
                           {"metric_exponent", "1"},
                           {"fixed_iterations", "3"}};
  const Settings em = learning(s.em_samples), nose_poincare_em = learning(s.nose_poincare_em_samples);
  std::vector<Sampler> samplers{
      {"SG-NPHMC", "sg-nphmc", sg_nphmc},
      {"SG-NPHMC-EM", "sg-nphmc-em", joined(sg_nphmc, nose_poincare_em)},
      {"SGR-NPHMC", "sgr-nphmc", sgr_nphmc},
      {"SGNHT", "sgnht", sgnht},
      {"SGNHT-EM", "sgnht-em", joined(joined(sgnht, em), {{"variant", "printed"}}), "printed"},
      {"SGNHT-EM", "sgnht-em", joined(sgnht, em), "variant a"}};
  for (const std::string& step : s.sghmc_steps) {
    const Settings sghmc{
        {"step_size", step}, {"friction", "10"}, {"noise_variance", "0"}, {"refresh", "true"}, {"first", "momentum"}};
    samplers.push_back({"SGHMC", "sghmc", sghmc, "e = " + step});
    samplers.push_back({"SGHMC-EM", "sghmc-em", joined(sghmc, em), "e = " + step});
  }
  return samplers;
}

}  // namespace

std::vector<RecoveryMethod> mcem_methods(const McemSettings& settings, const PrintedTable& printed) {
  std::vector<RecoveryMethod> methods;
  for (const Sampler& sampler : on_all_data(settings)) {
    methods.push_back({sampler.row, sampler.name, sampler.settings, printed.at(sampler.row)});
  }
  for (const Sampler& sampler : on_minibatches(settings)) {
    for (const BatchPolicy& batch : batch_policies) {
      Settings all = joined(sampler.settings, {{"leapfrog_steps", "10"}, {"batch_size", "100"}});
      all["batch"] = batch_setting(find_sampler(sampler.name), batch);
      const std::string remark = sampler.remark.empty() ? "" : ", " + sampler.remark;
      methods.push_back({fmt::format("{}{}, {}", sampler.row, remark, batch.label), sampler.name, std::move(all),
                         printed.at(sampler.row)});
    }
  }
  return methods;
}

}  // namespace quasar
