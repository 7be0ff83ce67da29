#include "io/draws_csv.hpp"

#include <string>
#include <vector>

#include "io/draw_rows.hpp"
#include "io/quoted_field.hpp"

namespace quasar {
namespace {

void write_names(const Run& run, const Selection& selection, TextOutput& out) {
  out.write("chain,draw");
  for (const std::string& name : element_names(selection.layout)) out.print(",{}", quoted_field(name));
  for (const StatSpec& stat : run.stats) out.print(",{}", quoted_field(stat.name + "__"));
  out.write("\n");
}

void write_field(double number, TextOutput& out) {
  out.write(",");
  out.write_number(number);
}

}  // namespace

void write_draws_csv(const Run& run, const Selection& selection, TextOutput& out) {
  write_names(run, selection, out);
  std::vector<double> selected(static_cast<std::size_t>(selection.layout.size()));
  for (Index chain = 0; chain < run.chains(); ++chain) {
    DrawRows values(*run.source, Phase::sampling, chain, {Part::values, 0, run.layout.size()});
    DrawRows stats(*run.source, Phase::sampling, chain, {Part::stats, 0, std::ssize(run.stats)});
    for (Index draw = 0; draw < values.size(); ++draw) {
      out.print("{},{}", chain + 1, draw + 1);
      copy_selected(selection, values.next(), selected);
      for (const double number : selected) write_field(number, out);
      for (const double number : stats.next()) write_field(number, out);
      out.write("\n");
    }
  }
}

}  // namespace quasar
