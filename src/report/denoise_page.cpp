#include "report/denoise_page.hpp"

#include "report/denoise_data.hpp"
#include "report/page.hpp"

namespace quasar {

std::string denoise_page(const DenoiseReport& report, In noisy) {
  const nlohmann::ordered_json data = denoise_data(report, noisy);
  return page_with({.title = data["title"], .body = std::string(report_body), .data = data, .start = "showSound"});
}

}  // namespace quasar
