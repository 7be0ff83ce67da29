#include "front/manifolds/pca_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr Index stored_block = Index{1} << 17;  // numbers

using Visit = std::function<void(Index begin, const Eigen::Map<const Mat>& block)>;

void visit_blocks(const PcaData& data, Index dim, Index rows, const Visit& visit) {
  const Index most = std::max<Index>(1, stored_block / dim);
  Mat scratch;
  if (data.stored) scratch.resize(dim, std::min(most, rows));
  for (Index begin = 0; begin < rows; begin += most) {
    const Index count = std::min(most, rows - begin);
    if (data.stored) data.stored->read(begin, count, scratch.data());
    const double* at = data.stored ? scratch.data() : data.columns.data() + begin * dim;
    visit(begin, {at, dim, count});
  }
}

std::string variable_name(const PcaData& data, Index i) {
  return data.names.empty() ? fmt::format("column {}", i + 1)
                            : fmt::format("column {} ('{}')", i + 1, data.names[static_cast<std::size_t>(i)]);
}

void require_finite(const PcaData& data, Index begin, const Eigen::Map<const Mat>& block) {
  if (block.allFinite()) return;
  for (Index j = 0; j < block.cols(); ++j) {
    for (Index i = 0; i < block.rows(); ++i) {
      if (std::isfinite(block(i, j))) continue;
      throw DataError(
          fmt::format("row {}, {}: {} is not a finite number", begin + j + 1, variable_name(data, i), block(i, j)));
    }
  }
}

}  // namespace

PcaData pca_data(Table table) {
  for (Index i = 0; i < table.columns(); ++i) {
    if (table.has_labels(i)) {
      throw DataError(fmt::format("{}: column {} ('{}') holds labels; principal components are of numbers",
                                  table.source, i + 1, table.names[static_cast<std::size_t>(i)]));
    }
  }
  return {std::move(table.names), table.stored ? Mat() : Mat(table.values.transpose()), table.stored};
}

PreparedPca prepare(PcaData data, bool center, bool scale) {
  const Index rows = data.stored ? data.stored->rows() : data.columns.cols();
  const Index dim = data.stored ? std::ssize(data.names) : data.columns.rows();
  if (rows == 0 || dim == 0) throw DataError("principal components of no data");
  if (center && rows < 2) throw DataError("principal components need at least 2 rows, or center=false");
  PreparedPca prepared{nullptr, Vec::Zero(dim), Vec::Ones(dim)};
  Vec sum = Vec::Zero(dim), squares = Vec::Zero(dim);
  visit_blocks(data, dim, rows, [&](Index begin, const auto& block) {
    require_finite(data, begin, block);
    sum += block.rowwise().sum();
  });
  const auto count = static_cast<double>(rows);
  if (center) prepared.mean = sum / count;
  visit_blocks(data, dim, rows, [&](Index, const auto& block) {
    squares += (block.colwise() - prepared.mean).array().square().matrix().rowwise().sum();
  });
  if (!squares.allFinite()) throw DataError("the squares of the data overflow: divide the columns by their size first");
  if (scale) {
    prepared.scale = (squares / (center ? count - 1 : count)).cwiseSqrt();
    for (Index i = 0; i < dim; ++i) {
      if (prepared.scale[i] > 1e-14 * std::abs(prepared.mean[i])) continue;
      throw DataError(variable_name(data, i) + " is constant and cannot be scaled; leave it out, or use scale=false");
    }
  }
  prepared.total = squares.cwiseQuotient(prepared.scale.cwiseAbs2()).sum() / count;
  if (data.stored) {
    prepared.terms = terms_of_rows(data.stored, prepared.mean, prepared.scale);
  } else {
    Mat& columns = data.columns;
    columns.colwise() -= prepared.mean;
    if (scale) columns.array().colwise() /= prepared.scale.array();
    prepared.terms = terms_in_memory(std::move(columns));
  }
  return prepared;
}

Mat all_terms(const TermBlocks& terms) {
  Mat scratch;
  return terms.block(0, terms.terms(), scratch);
}

}  // namespace quasar
