#include <fmt/core.h>

#include "page.hpp"

namespace quasar::cli {
namespace {

// Text is shown as it is written: what markdown or HTML would read as marks is escaped, but for `code`.
std::string prose(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '<') {
      result += "&lt;";
    } else {
      if (character == '*' || character == '[' || character == ']' || character == '\\') result += '\\';
      result += character;
    }
  }
  return result;
}

class MarkdownPage : public Page {
 public:
  void title(std::string_view name, std::string_view version, std::string_view doc) override {
    text_ += fmt::format("<!-- Written by {} {}: scripts/refresh_reference.sh; do not edit. -->\n", name, version);
    text_ += fmt::format("# The command line\n\n{}\n", prose(doc));
  }
  void section(std::string_view title) override { heading("##", title); }
  void subsection(std::string_view title) override { heading("###", title); }
  void paragraph(std::string_view text) override { block(prose(text)); }
  void entry(std::string_view term, std::string_view text) override {
    if (!in_list_) text_ += "\n";
    in_list_ = true;
    text_ += fmt::format("- `{}`: {}\n", term, prose(text));
  }
  void code(std::string_view lines) override { block(fmt::format("```text\n{}\n```", lines)); }
  void see(std::string_view page) override { block(fmt::format("More: [{0}](../{0}).", page)); }

 private:
  void heading(std::string_view marks, std::string_view title) { block(fmt::format("{} {}", marks, prose(title))); }
  void block(std::string_view text) {
    in_list_ = false;
    text_ += fmt::format("\n{}\n", text);
  }

  bool in_list_ = false;
};

}  // namespace

std::unique_ptr<Page> markdown_page() { return std::make_unique<MarkdownPage>(); }

}  // namespace quasar::cli
