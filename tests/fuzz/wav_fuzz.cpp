// WAV files. The first byte says how many bytes a read returns, the second whether a rate is expected.
#include <cmath>

#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/wav.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size < 2) return 0;
  const std::size_t piece = 1 + std::size_t{data[0]};
  const std::optional<int> expected = data[1] % 2 == 0 ? std::nullopt : std::optional(16000);
  fuzz::read_or_refuse([&] {
    const WavSound sound = read_wav(fuzz::in_pieces(fuzz::text_of(data + 2, size - 2), piece), expected);
    fuzz::require(sound.samples.size() > 0 && sound.samples.size() < static_cast<Index>(size));
    fuzz::require(sound.samples.allFinite() && sound.rate > 0 && (!expected || sound.rate == *expected));
    fuzz::require(sound.clipped >= 0 && sound.clipped <= sound.samples.size());
    fuzz::require(!sound.silent || sound.clipped == 0);
  });
  return 0;
}
