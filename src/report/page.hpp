// A page that stands alone: one HTML file, which loads nothing from elsewhere.
//
// Names in it come from data: text goes through escape_html, what a script reads through json_for_script.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "io/atomic_file.hpp"

namespace quasar {

// For text between tags and for values of attributes in double or single quotes. What is not UTF-8 becomes U+FFFD.
std::string escape_html(std::string_view text);

// JSON that nothing in it can end the script element of: every < is written \u003c, all beyond ASCII is escaped, and
// what is not UTF-8 becomes U+FFFD. Numbers that are not finite are null.
std::string json_for_script(const nlohmann::ordered_json& json);

struct Page {
  std::string title;            // text
  std::string body;             // HTML
  nlohmann::ordered_json data;  // what the scripts read
  std::string_view start;       // the function of report/page/*.js that is called when all is there
};

// The body of a page whose scripts make all that it shows.
inline constexpr std::string_view report_body = R"(<main id="report"></main>
<noscript>This page draws its tables and pictures with scripts of its own; it loads nothing from elsewhere. Allow scripts to see it.</noscript>)";

std::string page_with(const Page& page);

// A file of report/page: "page.css". std::logic_error: there is none.
std::string_view page_asset(std::string_view name);
std::string page_script();  // all files *.js of report/page: they only declare, so that any order will do

// Puts the parts in the place of {{their name}} in one pass: what a part holds is not looked at again. The caller has
// escaped them. std::logic_error: a name that has no part.
std::string fill_page(std::string_view page, const std::map<std::string, std::string_view, std::less<>>& parts);

// Writes the file in one step. DataError: it cannot be written, or is there and must not be replaced.
void write_page(const std::filesystem::path& path, std::string_view html, IfExists if_exists);

// "612 kB", "1.2 MB"
std::string size_text(std::size_t bytes);

}  // namespace quasar
