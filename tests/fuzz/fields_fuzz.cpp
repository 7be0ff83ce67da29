// Saved state: bytes read back into an object that is already sized.
#include <vector>

#include <quasar/fields.hpp>

#include "fuzz.hpp"

namespace {

using namespace quasar;

struct Inner {
  Mat matrix = Mat::Zero(2, 2);
  std::int64_t count = 0;
  bool frozen = false;
  static void fields(auto& self, auto&& visit) {
    visit("matrix", self.matrix);
    visit("count", self.count);
    visit("frozen", self.frozen);
  }
};

struct Outer {
  Vec x = Vec::Zero(3);
  std::vector<int> empty, whole = {1, 2};
  Inner inner;
  double step = 0;
  static void fields(auto& self, auto&& visit) {
    visit("x", self.x);
    visit("empty", self.empty);
    visit("whole", self.whole);
    visit("inner", self.inner);
    visit("step", self.step);
  }
};

}  // namespace

// What is read must be written again byte by byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_or_refuse([&] {
    Outer state;
    Reader reader(fuzz::text_of(data, size));
    reader("state", state);
    Writer writer;
    writer("state", state);
    fuzz::require(fuzz::text_of(data, size).starts_with(writer.bytes()));
    fuzz::require(reader.at_end() == (writer.bytes().size() == size));
  });
  return 0;
}
