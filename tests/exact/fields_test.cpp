// Saved state: what is written is read back; anything else is refused by the name of the field.
#include <gtest/gtest.h>

#include <vector>

#include <quasar/fields.hpp>

#include "support/error_message.hpp"

namespace quasar {
namespace {

struct State {
  std::vector<double> none;
  Vec x = Vec::Zero(2);
  bool frozen = false;
  static void fields(auto& self, auto&& visit) {
    visit("none", self.none);
    visit("x", self.x);
    visit("frozen", self.frozen);
  }
};

std::string saved(const State& state) {
  Writer writer;
  writer("state", state);
  return writer.bytes();
}

std::string complaint(const std::string& bytes) {
  return test::error_message<DataError>([&] {
    State state;
    Reader reader(bytes);
    reader("state", state);
  });
}

TEST(Fields, WhatIsSavedIsLoadedAndAnEmptyVectorTakesNoPart) {
  State before, after;
  before.x << 1.5, -2;
  before.frozen = true;
  const std::string bytes = saved(before);
  Reader reader(bytes);
  reader("state", after);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(after.x, before.x);
  EXPECT_TRUE(after.frozen);
}

TEST(Fields, EveryByteStringThatBreaksOffIsRefused) {
  const std::string whole = saved({});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(complaint(whole.substr(0, size)).starts_with("saved state ends inside '")) << size;
  }
}

TEST(Fields, OtherNamesSizesAndTruthValuesAreRefused) {
  const auto changed = [](std::size_t from_the_end, char byte) {
    std::string bytes = saved({});
    bytes[bytes.size() - from_the_end] = byte;
    return bytes;
  };
  EXPECT_EQ(complaint(changed(1, 2)), "saved state has a 'frozen' neither true nor false");
  EXPECT_EQ(complaint(changed(9, 3)), "saved state has 3 values of 'frozen', not 1");
  EXPECT_EQ(complaint(changed(10, 'm')), "saved state has 'frozem' where 'frozen' is expected");
}

}  // namespace
}  // namespace quasar
