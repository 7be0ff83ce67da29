#include "report/report.hpp"

#include "report/page.hpp"
#include "report/report_data.hpp"

namespace quasar {
namespace {

constexpr std::string_view body = R"(<main id="report"></main>
<noscript>This page draws its tables and pictures with scripts of its own; it loads nothing from elsewhere. Allow scripts to see it.</noscript>)";

}  // namespace

std::string report_page(const Run& run) {
  const nlohmann::ordered_json data = report_data(run);
  return page_with({.title = data["title"], .body = std::string(body), .data = data, .start = "showReport"});
}

}  // namespace quasar
