#include "models/regression/design_settings.hpp"

namespace quasar {

namespace {

template <class T>
T value_or(const Config& config, std::string_view name, const T& otherwise) {
  const auto found = config.values().find(name);
  return found == config.values().end() ? otherwise : std::get<T>(found->second);
}

}  // namespace

DesignSettings design_settings(const Config& config) {
  DesignSettings settings;
  settings.target = value_or<std::string>(config, "target", "");
  settings.predictors = value_or<std::string>(config, "predictors", "");
  settings.categorical = value_or<std::string>(config, "categorical", "");
  settings.interactions = value_or<std::string>(config, "interactions", "");
  settings.group = value_or<std::string>(config, "group", "");
  settings.drop_missing = value_or<std::string>(config, "missing", "error") == "drop";
  settings.standardize_response = value_or(config, "standardize", true);
  settings.scaling = settings.standardize_response ? Scaling::standardize : Scaling::raw;
  settings.intercept = value_or(config, "intercept", true);
  return settings;
}

}  // namespace quasar
