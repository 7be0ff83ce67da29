#include "report/report.hpp"

#include "report/page.hpp"
#include "report/report_data.hpp"

namespace quasar {

std::string report_page(const Run& run) {
  const nlohmann::ordered_json data = report_data(run);
  return page_with({.title = data["title"], .body = std::string(report_body), .data = data, .start = "showReport"});
}

}  // namespace quasar
