#include "estimators/sharded_sum.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include <quasar/errors.hpp>

#include "core/sum_chunk.hpp"
#include "core/timed.hpp"

namespace quasar {
namespace {

std::unique_ptr<FiniteSum> as_sum(std::unique_ptr<Target> target) {
  auto* model = dynamic_cast<FiniteSum*>(target.get());
  if (model == nullptr) throw UsageError("--shards: this model is no sum over data, so there is nothing to split");
  (void)target.release();  // now the other's
  return std::unique_ptr<FiniteSum>(model);
}

Share own_shards(int shards, const Exchange* exchange) {
  return exchange ? share_of(exchange->rank(), exchange->size(), shards) : Share{0, shards};
}

}  // namespace

ShardedSum::ShardedSum(std::unique_ptr<FiniteSum> model, int shards, Exchange* exchange)
    : model_(std::move(model)),
      shards_(shards),
      exchange_(exchange),
      own_(own_shards(shards, exchange)),
      partial_(model_->dim() + 2, std::bit_width(static_cast<std::uint64_t>(own_.size()))),
      group_end_(static_cast<std::size_t>(own_.size())) {}

std::unique_ptr<Target> ShardedSum::fork() const {
  return std::make_unique<ShardedSum>(as_sum(model_->fork()), shards_, exchange_);
}

// Leaves the sum of these shards in the column of the level; the levels above it are scratch. Where one has failed the
// count says so, and the rest may be anything.
template <class AddShard>
void ShardedSum::add_tree(Index first, Index count, Index level, AddShard&& add_shard) {
  auto sum = partial_.col(level);
  if (count == 1) {
    sum.setZero();
    const Eval eval = add_shard(first, sum.head(dim()));
    sum[dim()] = eval.logp;
    sum[dim() + 1] = eval.ok ? 0 : 1;
    return;
  }
  add_tree(first, count / 2, level, add_shard);
  if (failed(level)) return;  // the point is lost already
  add_tree(first + count / 2, count / 2, level + 1, add_shard);
  sum += partial_.col(level + 1);
}

template <class AddShard>
Eval ShardedSum::add_own_and_others(Out grad, AddShard&& add_shard) {
  {
    std::optional<Timed> timed;
    if (exchange_) timed.emplace(exchange_->times.gradient);
    add_tree(own_.begin, own_.size(), 0, add_shard);
  }
  if (exchange_) exchange_->sum({partial_.data(), static_cast<std::size_t>(partial_.rows())});
  if (failed(0)) return {0, false};
  grad += partial_.col(0).head(dim());
  return {partial_(dim(), 0)};
}

// In chunks, as FiniteSum::add_all takes them: models may need scratch for a whole range.
Eval ShardedSum::add_range(In x, Index begin, Index end, double weight, Out grad, Want want) {
  return add_own_and_others(grad, [&](Index shard, Out sum) {
    const Share range = share_of(static_cast<int>(shard), shards_, terms());
    Eval total{0};
    const Index stop = std::min(end, range.end);
    for (Index at = std::max(begin, range.begin); total.ok && at < stop; at += sum_chunk) {
      const Eval part = model_->add_range(x, at, std::min(at + sum_chunk, stop), weight, sum, want);
      total = {total.logp + part.logp, part.ok};
    }
    return total;
  });
}

Eval ShardedSum::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) {
  group_by_shard(ids);
  return add_own_and_others(grad, [&](Index shard, Out sum) {
    const auto place = static_cast<std::size_t>(shard - own_.begin);
    const Index begin = place == 0 ? 0 : group_end_[place - 1], count = group_end_[place] - begin;
    if (count == 0) return Eval{0};
    const auto group = std::span(std::as_const(grouped_)).subspan(static_cast<std::size_t>(begin));
    return model_->add_terms(x, group.first(static_cast<std::size_t>(count)), weight, sum, want);
  });
}

// A counting sort of those that are here, which keeps their order within a shard.
void ShardedSum::group_by_shard(std::span<const Index> ids) {
  const auto each_own = [&](auto&& use) {
    for (const Index id : ids) {
      const Index shard = owner_of(id, shards_, terms());
      if (own_.has(shard)) use(id, group_end_[static_cast<std::size_t>(shard - own_.begin)]);
    }
  };
  std::ranges::fill(group_end_, 0);
  each_own([](Index, Index& count) { ++count; });
  std::exclusive_scan(group_end_.begin(), group_end_.end(), group_end_.begin(), Index{0});
  grouped_.resize(ids.size());
  each_own([&](Index id, Index& next) { grouped_[static_cast<std::size_t>(next++)] = id; });
}

void ShardedSum::prefetch(std::span<const Index> ids) {
  announced_.clear();
  for (const Index id : ids) {
    if (own_.has(owner_of(id, shards_, terms()))) announced_.push_back(id);
  }
  model_->prefetch(announced_);
}

std::unique_ptr<Target> sharded(std::unique_ptr<Target> target, int shards, Exchange* exchange) {
  return std::make_unique<ShardedSum>(as_sum(std::move(target)), shards, exchange);
}

}  // namespace quasar
