// quasar/fields.hpp -- the one idiom for plain data. A struct lists its members once, with names:
//
//   static void fields(auto& self, auto&& visit) { visit("u", self.u); visit("g", self.g); }
//
// and saving, loading, the names and types of statistics and the filling of records are all visitors of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/errors.hpp>

namespace quasar {

template <class T>
concept HasFields = requires(T& t) {
  T::fields(t, [](std::string_view, auto&) {});
};

// Appends named values to a byte string: name, element count, raw elements, in the machine's byte order. Or hands the
// bytes on as they come, where nobody wants all of them in memory.
class Writer {
 public:
  Writer() = default;
  explicit Writer(std::function<void(std::string_view)> take) : take_(std::move(take)) {}
  template <class T>
  void operator()(std::string_view name, const T& value) {
    if constexpr (HasFields<T>) {
      header(name, 0);
      T::fields(value, *this);
    } else if constexpr (std::is_arithmetic_v<T>) {
      raw(name, &value, 1);
    } else {  // Vec, Mat, std::vector of numbers
      raw(name, value.data(), static_cast<std::size_t>(value.size()));
    }
  }
  const std::string& bytes() const { return bytes_; }  // none, where they were handed on

 private:
  void header(std::string_view name, std::uint64_t count);
  void append(std::string_view bytes);
  template <class E>
  void raw(std::string_view name, const E* data, std::size_t count) {
    header(name, count);
    append({reinterpret_cast<const char*>(data), count * sizeof(E)});
  }
  std::function<void(std::string_view)> take_;
  std::string bytes_;
};

// Reads back what Writer wrote, into an object that is already sized; a wrong name or size is a DataError that names
// it.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(std::string_view name, T& value) {
    if constexpr (HasFields<T>) {
      expect(name, 0);
      T::fields(value, *this);
    } else if constexpr (std::is_arithmetic_v<T>) {
      raw(name, &value, 1);
    } else {
      raw(name, value.data(), static_cast<std::size_t>(value.size()));
    }
  }
  bool at_end() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }  // what has not been read yet

 private:
  void expect(std::string_view name, std::uint64_t count);
  static void expect_truth_values(std::string_view name, std::string_view bytes);  // a bool of 2 is no bool
  std::string_view take(std::string_view name, std::size_t size);
  template <class E>
  void raw(std::string_view name, E* data, std::size_t count) {
    expect(name, count);
    const std::string_view bytes = take(name, count * sizeof(E));
    if constexpr (std::is_same_v<E, bool>) expect_truth_values(name, bytes);
    bytes.copy(reinterpret_cast<char*>(data), bytes.size());
  }
  std::string_view bytes_;
};

struct StatSpec {
  enum Type { real, integer, boolean };
  std::string name;
  Type type = real;
};

// The statistics that a step's Info lists, and their values in the same order.
template <HasFields Info>
std::vector<StatSpec> stat_specs() {
  std::vector<StatSpec> specs;
  const Info info{};
  Info::fields(info, [&]<class T>(std::string_view name, const T&) {
    const auto type = std::is_same_v<T, bool> ? StatSpec::boolean
                      : std::is_integral_v<T> ? StatSpec::integer
                                              : StatSpec::real;
    specs.push_back({std::string(name), type});
  });
  return specs;
}

template <HasFields Info>
void fill_stats(const Info& info, std::span<double> out) {
  std::size_t i = 0;
  Info::fields(info, [&](std::string_view, const auto& value) { out[i++] = static_cast<double>(value); });
}

}  // namespace quasar
