// Roff with the macros of man(7). A page has no date: the same program makes the same page.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "page.hpp"

namespace quasar::cli {
namespace {

// Characters that roff would take for commands or replace by typographic ones: a minus sign that can be copied is \-.
std::string_view written(char character) {
  switch (character) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '"':
      return "\\(dq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return {};
  }
}

// One line; a dot or quote at its beginning would make it a request.
std::string line(std::string_view text) {
  std::string result = text.starts_with('.') ? "\\&" : "";
  for (const char character : text) {
    const std::string_view replacement = written(character);
    result += replacement.empty() ? std::string(1, character) : std::string(replacement);
  }
  return result;
}

std::string lines(std::string_view text) {
  std::istringstream all{std::string(text)};
  std::string result, one;
  while (std::getline(all, one)) result += line(one) + "\n";
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

class RoffPage : public Page {
 public:
  void title(std::string_view name, std::string_view version, std::string_view doc) override {
    text_ += fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", upper(name), line(name), line(version));
    // neither cut words nor stretch lines: what is to be typed stays as it is
    text_ += ".nh\n.ad l\n";
    text_ += fmt::format(".SH NAME\n{} \\- {}\n", line(name), line(doc));
  }
  void section(std::string_view title) override { text_ += fmt::format(".SH \"{}\"\n", upper(line(title))); }
  void subsection(std::string_view title) override { text_ += fmt::format(".SS \"{}\"\n", line(title)); }
  void paragraph(std::string_view text) override { text_ += ".PP\n" + lines(text); }
  void entry(std::string_view term, std::string_view text) override {
    text_ += fmt::format(".TP\n.B \"{}\"\n{}", line(term), lines(text));
  }
  void code(std::string_view text) override { text_ += ".PP\n.RS 4\n.nf\n" + lines(text) + ".fi\n.RE\n"; }
  void see(std::string_view) override {}
};

}  // namespace

std::unique_ptr<Page> roff_page() { return std::make_unique<RoffPage>(); }

}  // namespace quasar::cli
