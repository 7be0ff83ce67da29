// Pages show every character as it was written, whatever roff and markdown make of it.
#include "cli/page.hpp"

#include <gtest/gtest.h>

#include "cli/markdown_page.cpp"  // a program's sources, part of no library
#include "cli/roff_page.cpp"

namespace quasar::cli {
namespace {

TEST(RoffPage, KeepsDotsQuotesHyphensAndBackslashes) {
  const auto page = roff_page();
  page->paragraph(".gz is read\n'.' and \\ too");
  EXPECT_EQ(page->text(), ".PP\n\\&.gz is read\n\\(aq.\\(aq and \\e too\n");
}

TEST(RoffPage, ArgumentsOfMacrosMayHoldQuotes) {
  const auto page = roff_page();
  page->entry("--set \"a\"", "x^2 ~ `y`");
  EXPECT_EQ(page->text(), ".TP\n.B \"\\-\\-set \\(dqa\\(dq\"\nx\\(ha2 \\(ti \\(gay\\(ga\n");
}

TEST(MarkdownPage, EscapesMarksAndKeepsListsTogether) {
  const auto page = markdown_page();
  page->entry("--a", "<b> *c* [d] \\e");
  page->entry("--f", "`g`");
  page->paragraph("h");
  EXPECT_EQ(page->text(), "\n- `--a`: &lt;b> \\*c\\* \\[d\\] \\\\e\n- `--f`: `g`\n\nh\n");
}

}  // namespace
}  // namespace quasar::cli
