// What Stan programs print, and why they reject points: texts for the user, passed on by one handler of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace quasar {

using MessageHandler = std::function<void(std::string_view)>;  // gets whole lines; called by one thread at a time

void pass_on_messages(MessageHandler handler);         // an empty one: to standard error, as at first
void pass_on_message(std::string_view text) noexcept;  // what the handler throws is dropped

// The first few different reasons for something that may happen often, then one line that says there are more.
class FirstReasons {
 public:
  explicit FirstReasons(std::string what) : what_(std::move(what)) {}
  void pass_on(std::string_view why);

 private:
  static constexpr std::size_t shown = 5;
  std::string what_;
  std::atomic<bool> full_ = false;
  std::mutex mutex_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace quasar
