#include "report/topics_page.hpp"

#include "report/page.hpp"
#include "report/topics_data.hpp"

namespace quasar {

std::string topics_page(const FittedTopics& found) {
  const nlohmann::ordered_json data = topics_data(found);
  return page_with({.title = data["title"], .body = std::string(report_body), .data = data, .start = "showTopics"});
}

}  // namespace quasar
