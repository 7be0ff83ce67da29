// Images and labels. The first byte says how many bytes a read returns, the second how many of the rest are labels.
#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/idx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size < 2) return 0;
  const std::size_t piece = 1 + std::size_t{data[0]};
  const std::string_view rest = fuzz::text_of(data + 2, size - 2);
  const std::string_view labels = rest.substr(0, data[1]), images = rest.substr(labels.size());
  fuzz::read_or_refuse([&] {
    const Images read = read_idx_images(fuzz::in_pieces(images, piece), fuzz::in_pieces(labels, piece));
    fuzz::require(read.rows > 0 && read.cols > 0 && read.pixels.rows() == read.rows * read.cols);
    fuzz::require(read.pixels.cols() > 0 && read.pixels.cols() == std::ssize(read.labels));
    fuzz::require(read.pixels.minCoeff() >= 0 && read.pixels.maxCoeff() <= 255);
  });
  return 0;
}
