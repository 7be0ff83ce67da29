#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "io/text_output.hpp"
#include "report/page_assets.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;

std::string as_utf8_text(std::string_view text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : as_utf8_text(text)) {
    if (const std::string_view replacement = entity(c); !replacement.empty()) {
      escaped += replacement;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string json_for_script(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('<', begin), text.size());
    safe.append(text, begin, end - begin);
    if (end < text.size()) safe += "\\u003c";
  }
  return safe;
}

std::string_view page_asset(std::string_view name) {
  for (const PageAsset& asset : page_assets()) {
    if (asset.name == name) return asset.text;
  }
  throw std::logic_error(fmt::format("there is no page asset '{}'", name));
}

std::string page_script() {
  std::string script;
  for (const PageAsset& asset : page_assets()) {
    if (asset.name.ends_with(".js")) script += asset.text;
  }
  return script;
}

std::string fill_page(std::string_view page, const std::map<std::string, std::string_view, std::less<>>& parts) {
  constexpr std::string_view open = "{{", close = "}}";
  std::string filled;
  while (true) {
    const std::size_t begin = page.find(open);
    const std::size_t end = begin == std::string_view::npos ? begin : page.find(close, begin);
    if (end == std::string_view::npos) break;
    const std::string_view name = page.substr(begin + open.size(), end - begin - open.size());
    const auto part = parts.find(name);
    if (part == parts.end()) throw std::logic_error(fmt::format("the page has a place '{}' for nothing", name));
    filled += page.substr(0, begin);
    filled += part->second;
    page.remove_prefix(end + close.size());
  }
  filled += page;
  return filled;
}

std::string page_with(const Page& page) {
  const std::string title = escape_html(page.title), data = json_for_script(page.data), script = page_script();
  return fill_page(page_asset("page.html"), {{"title", title},
                                             {"style", page_asset("page.css")},
                                             {"body", page.body},
                                             {"data", data},
                                             {"script", script},
                                             {"start", page.start}});
}

void write_page(const std::filesystem::path& path, std::string_view html, IfExists if_exists) {
  TextOutput out(path);
  out.write(html);
  out.finish();
  out.commit(if_exists);
}

std::string size_text(std::size_t bytes) {
  const double kilobytes = static_cast<double>(bytes) / 1000;
  return kilobytes < 1000 ? fmt::format("{:.0f} kB", kilobytes) : fmt::format("{:.1f} MB", kilobytes / 1000);
}

}  // namespace quasar
