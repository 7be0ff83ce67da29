#include "front/read_intensities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <quasar/errors.hpp>

#include "io/csv.hpp"
#include "io/npy.hpp"
#include "models/alpha/make_alpha_mf.hpp"

namespace quasar {
namespace {

InputFile of_memory(const std::string& name, std::string text) {
  return {name, [held = std::make_shared<const std::string>(std::move(text)),
                 done = std::size_t{0}](std::span<char> to) mutable {
            const std::size_t count = held->copy(to.data(), to.size(), done);
            done += count;
            return count;
          }};
}

Mat read_real_matrix(const std::string& path, std::string bytes) {
  const NpyArray array = read_npy(of_memory(path, std::move(bytes)));
  if (array.shape.size() != 2) {
    throw DataError(fmt::format("{}: has {} dimension{}; a matrix has 2", path, array.shape.size(),
                                array.shape.size() == 1 ? "" : "s"));
  }
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const ByRows>(array.values.data(), array.shape[0], array.shape[1]);
}

Table read_npy_matrix(const std::string& path) {
  std::string bytes = read_text(path);
  Table table{.source = path, .names = {}, .values = {}, .lines = {}, .content_hash = content_hash(bytes)};
  if (is_complex_npy(of_memory(path, bytes))) {
    table.values = read_npy_complex_matrix(of_memory(path, std::move(bytes))).cwiseAbs();
  } else {
    table.values = read_real_matrix(path, std::move(bytes));
  }
  for (Index j = 0; j < table.values.cols(); ++j) table.names.push_back(fmt::format("{}", j + 1));
  return table;
}

}  // namespace

Table read_intensities(const std::string& path) {
  if (is_npy(path)) return read_npy_matrix(path);
  return read_csv(InputFile(path), [](const auto&) {
    return CsvOptions{.all_may_be_missing = true, .advise = false, .on_missing = ""};
  });
}

void read_dictionary(const Config& parameters, Table& data) {
  if (!is_of_intensities(parameters) || parameters.text("dictionary").empty()) return;
  auto dictionary = std::make_shared<Table>(read_intensities(parameters.text("dictionary")));
  data.content_hash = content_hash(data.content_hash + dictionary->content_hash);
  data.dictionary = std::move(dictionary);
}

}  // namespace quasar
