// The value that a choice stands for.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <quasar/config.hpp>

namespace quasar {

template <class T>
T chosen(const Config& config, std::string_view name, std::initializer_list<std::pair<std::string_view, T>> values) {
  for (const auto& [text, value] : values) {
    if (text == config.text(name)) return value;
  }
  throw std::logic_error("a choice without a value");  // the lists of ParamSpec and here differ
}

}  // namespace quasar
