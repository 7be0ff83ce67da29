// Arrays of NumPy, read as real and as complex numbers. The first byte says how many bytes a read returns.
#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size < 1) return 0;
  const std::size_t piece = 1 + std::size_t{data[0]};
  const std::string_view bytes = fuzz::text_of(data + 1, size - 1);
  fuzz::read_or_refuse([&] {
    const NpyArray array = read_npy(fuzz::in_pieces(bytes, piece));
    Index count = 1;
    for (const Index axis : array.shape) count *= axis;
    fuzz::require(!array.shape.empty() && array.shape.size() <= 3 && count == std::ssize(array.values));
    fuzz::require(array.values.size() < size);
  });
  fuzz::read_or_refuse([&] {
    const Eigen::MatrixXcd matrix = read_npy_complex_matrix(fuzz::in_pieces(bytes, piece));
    fuzz::require(matrix.size() > 0 && matrix.size() < static_cast<Index>(size) && matrix.allFinite());
  });
  return 0;
}
