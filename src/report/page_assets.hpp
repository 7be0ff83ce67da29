// The files of report/page as they were when the program was built (cmake/QuasarEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace quasar {

struct PageAsset {
  std::string_view name, text;  // "page.css" and what is in it
};

std::span<const PageAsset> page_assets();

}  // namespace quasar
