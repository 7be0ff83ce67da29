#include "models/alpha/alpha_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/stable.hpp>

#include "core/blas_threads.hpp"
#include "core/place.hpp"
#include "models/alpha/start_scale.hpp"

namespace quasar {

namespace {

using RowsFirst = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double infinite = std::numeric_limits<double>::infinity();

std::string named(const char* variable, const AlphaSource& source) {
  return source.name.empty() ? variable : std::string(variable) + "_" + source.name;
}

Mat without_gaps(const Mat& squares) { return squares.array().isNaN().select(-1, squares); }

}  // namespace

void SourceVariances::record(double* values) const {
  Eigen::Map<RowsFirst>(values, own.rows(), own.cols()) = gain();
  Eigen::Map<RowsFirst>(values + own.size(), own.rows(), own.cols()) = variance();
}

std::vector<Variable> SourceVariances::variables(Index rows, Index columns, const AlphaMixtureSettings& settings) {
  const std::vector<std::string> dims{settings.row_dim, settings.column_dim};
  return {{"gain", {rows, columns}, dims}, {"variance", {rows, columns}, dims}};
}

AlphaMixture::AlphaMixture(const Intensities& data, std::vector<AlphaSource> sources, AlphaMixtureSettings settings) {
  check_intensities(data);
  check_sources(sources, data.squares.rows());
  auto all = std::make_shared<Data>(
      Data{.squares = without_gaps(data.squares), .sources = std::move(sources), .settings = std::move(settings)});
  all->terms = (all->squares.array() >= 0).count();
  if (all->terms < all->squares.size()) {
    for (Index entry = 0; entry < all->squares.size(); ++entry) {
      if (all->squares.data()[entry] >= 0) all->seen.push_back(entry);
    }
  }
  for (const AlphaSource& one : all->sources) {
    all->dictionaries.emplace_back(one.fixed() ? Mat(one.dictionary.transpose()) : Mat());
    Place place{-1, 0, -1, one.fixed() ? 0 : one.rank * data.squares.rows(), one.rank * data.squares.cols()};
    if (!one.fixed()) place.w = std::exchange(all->moving, all->moving + place.w_size);
    place.h = std::exchange(all->moving, all->moving + place.h_size);
    all->places.push_back(place);
  }
  dim_ = all->moving;
  for (std::size_t c = 0; c < all->sources.size(); ++c) {
    if (!all->sources[c].gaussian()) all->places[c].phi = std::exchange(dim_, dim_ + data.squares.size());
  }
  if (dim_ > all->moving) all->conditionals = {{{all->moving, dim_ - all->moving}, all->settings.phi_every}};
  if (!all->settings.log_coordinates) {
    all->support.assign(at(dim_), {-infinite, infinite});
    std::fill_n(all->support.begin(), all->moving, Interval{0, infinite});
  }
  if (!all->settings.held_out.places.empty()) {
    if (all->sources.size() > 1) throw UsageError("alpha-mf: entries are held out from one source only");
    if (all->sources[0].alpha < IsotropicStableDensity::least_alpha) {
      throw UsageError("alpha-mf: held_out needs an alpha of 0.5 or more: below, densities are not known well enough");
    }
    all->density = std::make_unique<const IsotropicStableDensity>(all->sources[0].alpha);
  }
  data_ = std::move(all);
  if (data_->settings.log_coordinates) room_.theta.resize(data_->moving), room_.slopes.resize(data_->moving);
  const Index room = std::max(rows() * columns_together(), entries_together);
  room_.dispersion.assign(count(), Vec(room));
  room_.part = room_.dispersion;
  for (Vec* one : {&room_.total, &room_.slope, &room_.rest, &room_.proposed, &room_.mark}) one->resize(room);
  room_.uniforms.resize(room, 3);
}

Layout AlphaMixture::layout() const {
  Layout layout;
  const AlphaMixtureSettings& names = settings();
  const auto add = [&](std::string name, std::vector<Index> shape, std::vector<std::string> dims) {
    layout.variables.push_back({std::move(name), std::move(shape), std::move(dims)});
  };
  for (const AlphaSource& one : sources()) {
    if (names.record_level) add(named("level", one), {}, {});
  }
  if (data_->density) add("held_out", {}, {});
  if (names.record_share) {
    for (Variable& one : SourceVariances::variables(rows(), columns(), names))
      layout.variables.push_back(std::move(one));
  }
  for (const AlphaSource& one : sources()) {
    if (names.record_phi && !one.gaussian()) {
      add(named("phi", one), {rows(), columns()}, {names.row_dim, names.column_dim});
    }
  }
  for (const AlphaSource& one : sources()) {
    const std::string factor = named("factor", one);
    if (!one.fixed()) add(named("W", one), {rows(), one.rank}, {names.row_dim, factor});
    add(named("H", one), {one.rank, columns()}, {factor, names.column_dim});
  }
  return layout;
}

void AlphaMixture::constrain(In x, Out values, const Rng&) {
  const double* theta = positive(x);
  Index next = 0;
  for (std::size_t c = 0; c < count() && settings().record_level; ++c) values[next++] = level(c, theta);
  if (data_->density) {
    Vec logs(std::ssize(settings().held_out.places));
    held_out_log_densities(x, logs);
    values[next++] = logs.mean();
    theta = positive(x);
  }
  if (settings().record_share) {
    SourceVariances found;
    variances(x, 0, found);
    found.record(values.data() + next);
    next += SourceVariances::recorded * rows() * columns();
    theta = positive(x);
  }
  for (std::size_t c = 0; c < count() && settings().record_phi; ++c) {
    if (source(c).gaussian()) continue;
    Eigen::Map<RowsFirst>(values.data() + next, rows(), columns()) =
        Eigen::Map<const Mat>(log_phi(c, x, 0), rows(), columns()).array().exp();
    next += rows() * columns();
  }
  for (std::size_t c = 0; c < count(); ++c) {
    const Factors of = factors(c, theta, nullptr);
    const Place& place = data_->places[c];
    std::copy_n(of.w, place.w_size, values.data() + next);
    next += place.w_size;
    Eigen::Map<RowsFirst>(values.data() + next, source(c).rank, columns()) =
        Eigen::Map<const Mat>(of.h, source(c).rank, columns());
    next += place.h_size;
  }
}

// The geometric mean of sigma = L^(1/alpha), the scale of entries.
double AlphaMixture::level(std::size_t c, const double* theta) {
  const SingleThreadedBlas single;
  double sum = 0;
  for (Index column = 0; column < columns(); column += columns_together()) {
    const Index width = std::min(columns_together(), columns() - column);
    disperse(c, theta, column, width);
    sum += room_.dispersion[c].head(rows() * width).array().max(least_dispersion).log().sum();
  }
  return std::exp(sum / (source(c).alpha * static_cast<double>(rows() * columns())));
}

// Phi that is not told is drawn as at a start, by a name of its own, so that a file means the same point whenever it is
// read. A fixed number would leave entries far outside of their normal laws, where slopes have no bounds.
void AlphaMixture::unconstrain(In values, Out x) const {
  Index next = scalars() + (settings().record_share ? SourceVariances::recorded * rows() * columns() : 0);
  const Index recorded_phi = next;
  for (const AlphaSource& one : sources()) next += settings().record_phi && !one.gaussian() ? rows() * columns() : 0;
  for (std::size_t c = 0; c < count(); ++c) {
    const Place& place = data_->places[c];
    if (!source(c).fixed()) x.segment(place.w, place.w_size) = values.segment(next, place.w_size);
    next += place.w_size;
    Eigen::Map<Mat>(x.data() + place.h, source(c).rank, columns()) =
        Eigen::Map<const RowsFirst>(values.data() + next, source(c).rank, columns());
    next += place.h_size;
  }
  auto positive_ones = x.head(data_->moving);
  if ((positive_ones.array() <= 0).any()) throw UsageError("alpha-mf: W and H must be positive");
  if (settings().log_coordinates) positive_ones = positive_ones.array().log().matrix();
  draw_prior_phi(x, Rng(0).child("not recorded"));
  for (std::size_t c = 0; c < count(); ++c) raise_phi(c, dispersion_of(c, x), x);
  if (settings().record_phi) take_phi(values.tail(values.size() - recorded_phi), x);
}

// Of each source that has one, row after row; NaN: not given.
void AlphaMixture::take_phi(In values, Out x) const {
  Index next = 0;
  for (const Place& place : data_->places) {
    if (place.phi < 0) continue;
    const Mat given = Eigen::Map<const RowsFirst>(values.data() + next, rows(), columns());
    Eigen::Map<Mat> phi(x.data() + place.phi, rows(), columns());
    phi = given.array().isNaN().select(phi, given.array().log().matrix());
    next += given.size();
  }
}

void AlphaMixture::prior_draw(Out x, const Rng& rng) const {
  for (std::size_t c = 0; c < count(); ++c) {
    const Rng own = rng.child("source", c);
    const Place& place = data_->places[c];
    Stream w = own.stream("w"), h = own.stream("h");
    for (Index k = 0; k < place.w_size; ++k) x[place.w + k] = source(c).w.draw(w);
    for (Index k = 0; k < place.h_size; ++k) x[place.h + k] = source(c).h.draw(h);
  }
  if (settings().log_coordinates) x.head(data_->moving) = x.head(data_->moving).array().log().matrix();
  draw_prior_phi(x, rng);
}

void AlphaMixture::draw_prior_phi(Out x, const Rng& rng) const {
  for (std::size_t c = 0; c < count(); ++c) {
    if (source(c).gaussian()) continue;
    Stream phi = rng.child("source", c).stream("phi");
    for (double& one : x.segment(data_->places[c].phi, rows() * columns())) {
      one = std::numbers::ln2 + std::log(draw_positive_stable(source(c).alpha / 2, phi));
    }
  }
}

// L of one source, of W and H in whatever coordinates x has them.
Mat AlphaMixture::dispersion_of(std::size_t c, In x) const {
  const Place& place = data_->places[c];
  Vec of_w = x.segment(std::max<Index>(place.w, 0), place.w_size), of_h = x.segment(place.h, place.h_size);
  if (settings().log_coordinates) of_w = of_w.array().exp().matrix(), of_h = of_h.array().exp().matrix();
  const double* w = source(c).fixed() ? data_->dictionaries[c].data() : of_w.data();
  return Eigen::Map<const Mat>(w, source(c).rank, rows()).transpose() *
         Eigen::Map<const Mat>(of_h.data(), source(c).rank, columns());
}

// Phi not so small that an entry lies far outside of its normal law: no proposal from the prior would soon make up for
// that. v_c >= |x|^2 / 2 C, of C sources.
void AlphaMixture::raise_phi(std::size_t c, const Mat& dispersion, Out x) const {
  if (source(c).gaussian()) return;
  for (Index e = 0; e < dispersion.size(); ++e) {
    const double square = std::max(data_->squares.data()[e], std::numeric_limits<double>::min());
    const double least = std::log(square / (2 * static_cast<double>(count()))) -
                         source(c).power() * std::log(std::max(dispersion.data()[e], least_dispersion));
    double& phi = x[data_->places[c].phi + e];
    phi = std::max(phi, least);
  }
}

void AlphaMixture::scale_h(std::size_t c, double factor, Out x) const {
  auto h = x.segment(data_->places[c].h, data_->places[c].h_size);
  if (settings().log_coordinates)
    h.array() += std::log(factor);
  else
    h *= factor;
}

// W, H and Phi of the prior, H scaled so that every source has its share of the data's median, Phi raised.
void AlphaMixture::draw_start(Out x, const Rng& rng) const {
  prior_draw(x, rng);
  const double median = median_square(data_->squares) / static_cast<double>(count());
  for (std::size_t c = 0; c < count(); ++c) {
    Mat dispersion = dispersion_of(c, x);
    const double factor = typical_dispersion(source(c).alpha, median) / median_of(dispersion);
    if (factor > 0 && std::isfinite(factor)) {  // not of a dictionary of zeros, say
      scale_h(c, factor, x);
      dispersion *= factor;
    }
    raise_phi(c, dispersion, x);
  }
}

Index AlphaMixture::scalars() const {
  return (settings().record_level ? std::ssize(sources()) : 0) + (data_->density ? 1 : 0);
}

// p(x) = g(|x| / sigma) / sigma^2 with sigma = L^(1/alpha).
void AlphaMixture::held_out_log_densities(In x, Out logs) {
  const Factors at_x = factors(0, positive(x), nullptr);
  const HeldOutEntries& held = settings().held_out;
  const Index rank = source(0).rank;
  for (Index e = 0; e < logs.size(); ++e) {
    const Index place = held.places[at(e)];
    const double dispersion = Eigen::Map<const Vec>(at_x.w + place % rows() * rank, rank)
                                  .dot(Eigen::Map<const Vec>(at_x.h + place / rows() * rank, rank));
    const double sigma = std::pow(std::max(dispersion, least_dispersion), 1 / source(0).alpha);
    logs[e] = data_->density->log_at(std::sqrt(held.squares[at(e)]) / sigma) - 2 * std::log(sigma);
  }
}

void AlphaMixture::variances(In x, Index source, SourceVariances& found) {
  const SingleThreadedBlas single;
  const double* theta = positive(x);
  found.own.resize(rows(), columns());
  found.total.setZero(rows(), columns());
  const Index together = columns_together();
  for (Index column = 0; column < columns(); column += together) {
    const Index width = std::min(together, columns() - column), size = rows() * width;
    for (std::size_t c = 0; c < count(); ++c) {
      disperse(c, theta, column, width);
      vary(c, x, column, width);
      found.total.middleCols(column, width).reshaped() += room_.part[c].head(size);
    }
    found.own.middleCols(column, width).reshaped() = room_.part[at(source)].head(size);
  }
}

}  // namespace quasar
