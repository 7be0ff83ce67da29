#include <algorithm>

#include <quasar/run_data.hpp>

namespace quasar {
namespace {

constexpr Index bytes_at_once = Index{256} << 20;  // of draws that for_each_element holds

class MemoryDraws final : public DrawSource {
 public:
  MemoryDraws(const std::vector<ChainDraws>& sampling, const std::vector<ChainDraws>& warmup)
      : sampling_(sampling), warmup_(warmup) {}

  Index chains() const override { return std::ssize(sampling_); }
  bool has(Phase phase) const override { return phase == Phase::sampling || !warmup_.empty(); }
  Index draws(Phase phase) const override { return common_draws(chains_of(phase)); }
  void read(const DrawSlab& slab, std::span<double> out) const override {
    const ChainDraws& chain = chains_of(slab.phase)[static_cast<std::size_t>(slab.chain)];
    const std::vector<double>& numbers = slab.part == Part::values ? chain.values : chain.stats;
    const Index width = chain.draws == 0 ? 0 : std::ssize(numbers) / chain.draws;
    for (Index i = 0; i < slab.draws; ++i) {
      const auto first = numbers.begin() + (slab.first_draw + i) * width + slab.first_column;
      std::copy_n(first, slab.columns, out.begin() + i * slab.columns);
    }
  }

 private:
  const std::vector<ChainDraws>& chains_of(Phase phase) const { return phase == Phase::sampling ? sampling_ : warmup_; }

  const std::vector<ChainDraws>&sampling_, &warmup_;
};

// Consecutive columns, each as draws x chains.
std::vector<Mat> columns_of(const DrawSource& source, Part part, Index first, Index count) {
  const Index draws = source.draws(Phase::sampling), chains = source.chains();
  std::vector<Mat> columns(static_cast<std::size_t>(count), Mat(draws, chains));
  std::vector<double> numbers(static_cast<std::size_t>(draws * count));
  for (Index c = 0; c < chains; ++c) {
    source.read({Phase::sampling, part, c, 0, draws, first, count}, numbers);
    const Eigen::Map<const Mat> by_column(numbers.data(), count, draws);
    for (Index k = 0; k < count; ++k) columns[static_cast<std::size_t>(k)].col(c) = by_column.row(k).transpose();
  }
  return columns;
}

Mat statistic_of(const RunHeader& header, const DrawSource& source, std::string_view name) {
  const auto found =
      std::find_if(header.stats.begin(), header.stats.end(), [&](const StatSpec& stat) { return stat.name == name; });
  if (found == header.stats.end()) return {};
  return columns_of(source, Part::stats, found - header.stats.begin(), 1).front();
}

}  // namespace

void ChainDraws::append(std::span<const double> draw_values, std::span<const double> draw_stats) {
  values.insert(values.end(), draw_values.begin(), draw_values.end());
  stats.insert(stats.end(), draw_stats.begin(), draw_stats.end());
  ++draws;
}

Index common_draws(std::span<const ChainDraws> chains) {
  const auto shortest = std::min_element(chains.begin(), chains.end(),
                                         [](const ChainDraws& a, const ChainDraws& b) { return a.draws < b.draws; });
  return shortest == chains.end() ? 0 : shortest->draws;
}

std::unique_ptr<const DrawSource> view_of(const RunData& run) {
  return std::make_unique<MemoryDraws>(run.sampling, run.warmup);
}

Mat draws_of(const Run& run, Index element) { return columns_of(*run.source, Part::values, element, 1).front(); }
Mat draws_of(const RunData& run, Index element) { return columns_of(*view_of(run), Part::values, element, 1).front(); }

Mat statistic(const Run& run, std::string_view name) { return statistic_of(run, *run.source, name); }
Mat statistic(const RunData& run, std::string_view name) { return statistic_of(run, *view_of(run), name); }

void for_each_element(const Run& run, const std::function<void(Index, const Mat&)>& use) {
  const Index size = run.layout.size();
  const Index column_bytes = std::max<Index>(1, run.draws() * run.chains() * Index{sizeof(double)});
  const Index at_once = std::clamp<Index>(bytes_at_once / column_bytes, 1, std::max<Index>(1, size));
  for (Index first = 0; first < size; first += at_once) {
    const auto columns = columns_of(*run.source, Part::values, first, std::min(at_once, size - first));
    for (Index k = 0; k < std::ssize(columns); ++k) use(first + k, columns[static_cast<std::size_t>(k)]);
  }
}

}  // namespace quasar
