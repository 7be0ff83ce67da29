#include "models/factorization/drawn_rows.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <quasar/errors.hpp>

#include "core/fnv1a.hpp"
#include "models/factorization/make_factorization.hpp"
#include "models/factorization/mf.hpp"

namespace quasar {

namespace {

FactorizationSetup setup_in(const Config& config) {
  return config.values().contains("noise_sd") ? mf_setup(config) : bpmf_setup(config);
}

}  // namespace

// Draws are read by place: of another version's file, with another order, they would be read crosswise.
void require_recorded_order(const Config& config, const ConstantData& constants, const Layout& layout,
                            const std::string& run_name) {
  const auto [settings, users, items] = setup_in(config);
  const KeptRatings kept(constants);
  const RecordedOrder::Rows rows{std::ssize(kept.users.labels), std::ssize(kept.items.labels), settings.rank,
                                 settings.biases};
  const auto expected = recorded_variables(!settings.fixed, *users, *items, rows);
  const auto same = [](const Variable& a, const Variable& b) { return a.name == b.name && a.shape == b.shape; };
  if (std::ranges::equal(layout.variables, expected, same)) return;
  throw DataError(
      fmt::format("{}: its variables are not those of its model, or in another order: the file is of another "
                  "version. Sample again",
                  run_name));
}

DrawnRows::DrawnRows(const Config& config, std::shared_ptr<const KnownAndNew> rows)
    : DrawnRows(setup_in(config), std::move(rows)) {}

DrawnRows::DrawnRows(FactorizationSetup setup, std::shared_ptr<const KnownAndNew> rows)
    : rows_(std::move(rows)),
      settings_(setup.settings),
      users_(make_side(std::move(setup.users), "user", rows_->kept.users, rows_->new_users)),
      items_(make_side(std::move(setup.items), "item", rows_->kept.items, rows_->new_items)),
      conditional_(settings_.rank, settings_.biases) {}

DrawnRows::DrawnRows(const DrawnRows& other)
    : rows_(other.rows_),
      settings_(other.settings_),
      users_(copy_of(other.users_)),
      items_(copy_of(other.items_)),
      conditional_(settings_.rank, settings_.biases) {}

DrawnRows::Side DrawnRows::make_side(std::unique_ptr<RowPrior> prior, const std::string& name, const KeptSide& kept,
                                     const Newcomers& newcomers) const {
  Side side{name, kept, newcomers, std::move(prior)};
  side.recorded_prior = recorded_size(*side.prior);
  side.drawn.resize(settings_.width(), newcomers.size());
  side.is_drawn.resize(static_cast<std::size_t>(newcomers.size()));
  return side;
}

DrawnRows::Side DrawnRows::copy_of(const Side& side) const {
  Side copy{side.name, side.kept, side.newcomers, side.prior->clone(), side.recorded_prior};
  copy.drawn.resizeLike(side.drawn);
  copy.is_drawn.resize(side.is_drawn.size());
  return copy;
}

void DrawnRows::take(std::span<const double> draw, const Rng& rng) {
  const RecordedOrder order(!settings_.fixed, *users_.prior, *items_.prior,
                            {users_.known(), items_.known(), settings_.rank, settings_.biases});
  if (std::ssize(draw) != order.size) throw std::invalid_argument("a draw of another factorization");
  take_side(users_, draw.data(), {order.user_prior, order.user_bias, order.user_factors});
  take_side(items_, draw.data(), {order.item_prior, order.item_bias, order.item_factors});
  sigma_ = settings_.fixed ? rows_->kept.scale / std::sqrt(settings_.noise_precision) : draw[order.sigma];
  rng_ = rng;
}

void DrawnRows::take_side(Side& side, const double* draw, const Places& at) {
  side.hyper = draw + at.prior;
  side.biases = draw + at.biases;
  side.factors = draw + at.factors;
  side.law_known = false;
  std::fill(side.is_drawn.begin(), side.is_drawn.end(), 0);
}

double DrawnRows::expected(Index user, Index item) {
  const Row u = row(users_, items_, user), v = row(items_, users_, item);
  return rows_->kept.center + rows_->kept.scale * (u.factors.dot(v.factors) + u.bias + v.bias);
}

void DrawnRows::expected_of_items(Index user, Out out) {
  const Row u = row(users_, items_, user);
  const double center = rows_->kept.center, scale = rows_->kept.scale;
  auto known = out.head(items_.known());
  if (settings_.biases)
    known = (center + scale * (Eigen::Map<const Vec>(items_.biases, items_.known()).array() + u.bias)).matrix();
  else
    known.setConstant(center);
  const auto rank = static_cast<int>(settings_.rank), items = static_cast<int>(items_.known());
  cblas_dgemv(CblasColMajor, CblasTrans, rank, items, scale, items_.factors, rank, u.factors.data(), 1, 1, out.data(),
              1);
  for (Index item = items_.known(); item < out.size(); ++item) out[item] = expected(user, item);
}

DrawnRows::Row DrawnRows::row(Side& side, const Side& other, Index place) {
  const Index rank = settings_.rank;
  if (place < side.known()) {
    return {{side.factors + place * rank, rank}, settings_.biases ? side.biases[place] : 0};
  }
  const Index i = place - side.known();
  if (!side.is_drawn[static_cast<std::size_t>(i)]) draw_newcomer(side, other, i);
  return {{side.drawn.col(i).data(), rank}, settings_.biases ? side.drawn(rank, i) : 0};
}

// Without ratings the conditional is the prior itself.
void DrawnRows::draw_newcomer(Side& side, const Side& other, Index i) {
  const Newcomer& newcomer = side.newcomers[i];
  const Index count = std::ssize(newcomer.other);
  Mat others(settings_.width(), count);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), 0);
  for (Index k = 0; k < count; ++k) {
    const Index place = newcomer.other[static_cast<std::size_t>(k)];
    others.col(k).head(settings_.rank) = Eigen::Map<const Vec>(other.factors + place * settings_.rank, settings_.rank);
    if (settings_.biases) others(settings_.rank, k) = other.biases[place];
  }
  Vec normals(settings_.width());
  rng_.child(side.name, fnv1a(newcomer.label)).stream("row").normals(normals);
  const double tau = std::pow(rows_->kept.scale / sigma_, 2);
  conditional_.draw(law(side), tau, others, {columns, newcomer.value}, 1, normals, side.drawn.col(i));
  side.is_drawn[static_cast<std::size_t>(i)] = 1;
}

const RowLaw& DrawnRows::law(Side& side) const {
  if (!side.law_known) {
    Vec h(side.prior->size());
    side.prior->unconstrain(Eigen::Map<const Vec>(side.hyper, side.recorded_prior), h);
    side.law = side.prior->law(h);
    side.law_known = true;
  }
  return side.law;
}

}  // namespace quasar
