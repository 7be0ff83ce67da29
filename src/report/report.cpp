#include "report/report.hpp"

#include "report/page.hpp"
#include "report/report_data.hpp"

namespace quasar {

std::string report_page(const Run& run) {
  const nlohmann::ordered_json data = report_data(run);
  const std::string title = escape_html(data["title"].get_ref<const std::string&>());
  const std::string script = page_script(), json = json_for_script(data);
  return fill_page(page_asset("report.html"),
                   {{"title", title}, {"style", page_asset("page.css")}, {"script", script}, {"data", json}});
}

}  // namespace quasar
