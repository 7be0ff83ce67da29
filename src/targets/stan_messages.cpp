#include "targets/stan_messages.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <memory>

namespace quasar {
namespace {

void to_standard_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

// The handler is called under a lock of its own: whoever sets another one need not wait for a call to end.
struct Passing {
  std::mutex choice, call;
  std::shared_ptr<const MessageHandler> handler = std::make_shared<const MessageHandler>(to_standard_error);
};

Passing& passing() {
  static Passing* const forever = new Passing;  // libraries are never unloaded and may print until the very end
  return *forever;
}

std::shared_ptr<const MessageHandler> chosen_handler() {
  const std::lock_guard lock(passing().choice);
  return passing().handler;
}

}  // namespace

void pass_on_messages(MessageHandler handler) {
  if (!handler) handler = to_standard_error;
  auto chosen = std::make_shared<const MessageHandler>(std::move(handler));
  const std::lock_guard lock(passing().choice);
  passing().handler.swap(chosen);
}

void pass_on_message(std::string_view text) noexcept {
  try {
    const auto handler = chosen_handler();
    const std::lock_guard lock(passing().call);
    (*handler)(text);
  } catch (...) {  // a library written in C cannot be left by an exception
  }
}

void FirstReasons::pass_on(std::string_view why) {
  if (full_) return;
  {
    const std::lock_guard lock(mutex_);
    if (full_ || seen_.contains(why)) return;  // a known reason costs no allocation
    if (seen_.size() == shown) {
      full_ = true;
      why = "more reasons are not shown";
    } else {
      seen_.emplace(why);
    }
  }
  pass_on_message(fmt::format("{}: {}\n", what_, why));
}

}  // namespace quasar
