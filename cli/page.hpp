// A page of the manual: what stands in it is said once (manual.cpp), and written as roff or as markdown.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quasar::cli {

class Page {
 public:
  virtual ~Page() = default;
  virtual void title(std::string_view name, std::string_view version, std::string_view doc) = 0;
  virtual void section(std::string_view title) = 0;
  virtual void subsection(std::string_view title) = 0;
  virtual void paragraph(std::string_view text) = 0;
  virtual void entry(std::string_view term, std::string_view text) = 0;  // an option, and what it does
  virtual void code(std::string_view lines) = 0;                         // as they are typed
  virtual void see(std::string_view page) = 0;                           // page: of the documentation

  const std::string& text() const { return text_; }

 protected:
  std::string text_;
};

std::unique_ptr<Page> roff_page();      // for man
std::unique_ptr<Page> markdown_page();  // for the documentation

}  // namespace quasar::cli
