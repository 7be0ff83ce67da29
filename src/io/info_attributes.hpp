// What a file says of itself: the fields of a struct as attributes of a group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/netcdf_file.hpp"

namespace quasar {

template <class Info>
void write_attributes(const NcGroup& group, const Info& info) {
  Info::fields(info, [&]<class T>(std::string_view name, const T& value) {
    const std::string attribute(name);
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int>) {
      group.put(attribute, static_cast<std::int64_t>(value));
    } else {
      group.put(attribute, value);
    }
  });
}

template <class Info>
Info read_attributes(const NcGroup& group) {
  Info info;
  Info::fields(info, [&]<class T>(std::string_view name, T& value) {
    const std::string attribute(name);
    if constexpr (std::is_same_v<T, std::string>) {
      value = group.get_text(attribute);
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int>) {
      std::int64_t number = 0;
      group.get(attribute, number);
      value = static_cast<T>(number);
    } else {
      group.get(attribute, value);
    }
  });
  return info;
}

std::string utc_now();  // ISO 8601

// Adds what is written of every file: the version of this build and the time, unless they are there already.
template <class Info>
Info with_origin(Info info) {
  if (info.quasar_version.empty()) info.quasar_version = QUASAR_VERSION;
  if (info.created_at.empty()) info.created_at = utc_now();
  return info;
}

}  // namespace quasar
