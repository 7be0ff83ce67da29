#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

#include "io/printable.hpp"
#include "io/text_output.hpp"

namespace quasar {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t longest_npy_header = 1 << 16;
constexpr Index most_npy_numbers = Index{1} << 40;

[[noreturn]] void refuse_npy(const InputFile& file, const std::string& why) {
  throw DataError(fmt::format("{}: {}", printable(file.name()), why));
}

std::string read_npy_bytes(InputFile& file, std::size_t count, const char* what) {
  constexpr std::size_t block = 1 << 20;  // what a header promises is not allocated before it is there
  std::string bytes;
  while (bytes.size() < count) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(count, before + block));
    const std::size_t got = file.read({bytes.data() + before, bytes.size() - before});
    bytes.resize(before + got);
    if (got == 0) refuse_npy(file, fmt::format("ends in {}: {} of {} bytes are there", what, before, count));
  }
  return bytes;
}

struct NpyHeader {
  std::string kind;  // "<f8"
  bool columns_first = false;
  std::vector<Index> shape;
};

// The header's dict, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, and nothing else of Python.
class NpyHeaderText {
 public:
  NpyHeaderText(const InputFile& file, std::string_view text) : file_(file), rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> found;
    expect('{');
    list('}', [&] {
      const std::string name = quoted();
      if (!found.insert(name).second) damaged();
      expect(':');
      if (name == "descr") {
        if (next() != '\'') refuse_npy(file_, "holds records, not numbers of one kind");
        header.kind = quoted();
      } else if (name == "fortran_order") {
        header.columns_first = truth();
      } else if (name == "shape") {
        header.shape = sizes();
      } else {
        damaged();
      }
    });
    if (found.size() != 3 || rest_.find_first_not_of(" \n") != std::string_view::npos) damaged();
    return header;
  }

 private:
  [[noreturn]] void damaged() const { refuse_npy(file_, "its header is damaged"); }
  char next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    if (rest_.empty()) damaged();
    return rest_.front();
  }
  bool skip(char one) {
    if (next() != one) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char one) {
    if (!skip(one)) damaged();
  }
  // What stands between commas, up to the character that ends the list.
  template <class ReadOne>
  void list(char end, ReadOne&& read_one) {
    while (!skip(end)) {
      read_one();
      if (!skip(',') && next() != end) damaged();
    }
  }
  std::string quoted() {
    expect('\'');
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) damaged();
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    next();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    damaged();
  }
  std::vector<Index> sizes() {
    std::vector<Index> found;
    expect('(');
    list(')', [&] {
      next();
      Index size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0) damaged();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      found.push_back(size);
    });
    return found;
  }

  const InputFile& file_;
  std::string_view rest_;
};

template <class Number>
double npy_number(const char* bytes, bool swapped) {
  std::array<char, sizeof(Number)> raw;
  std::copy_n(bytes, raw.size(), raw.begin());
  if (swapped) std::ranges::reverse(raw);
  return static_cast<double>(std::bit_cast<Number>(raw));
}

struct NpyKind {
  std::string_view name;
  std::size_t size;  // of a part, in bytes
  double (*part)(const char* bytes, bool swapped);
  std::size_t parts = 1;  // 2: complex
};
constexpr NpyKind npy_kinds[] = {
    {"f8", 8, npy_number<double>},        {"f4", 4, npy_number<float>},         {"i8", 8, npy_number<std::int64_t>},
    {"i4", 4, npy_number<std::int32_t>},  {"i2", 2, npy_number<std::int16_t>},  {"i1", 1, npy_number<std::int8_t>},
    {"u8", 8, npy_number<std::uint64_t>}, {"u4", 4, npy_number<std::uint32_t>}, {"u2", 2, npy_number<std::uint16_t>},
    {"u1", 1, npy_number<std::uint8_t>},  {"b1", 1, npy_number<std::uint8_t>},  {"c16", 8, npy_number<double>, 2},
    {"c8", 4, npy_number<float>, 2}};

const NpyKind& npy_kind(const InputFile& file, const std::string& name, std::size_t most_parts) {
  const bool has_order = !name.empty() && std::string_view("<>|=").find(name.front()) != std::string_view::npos;
  const auto kind = std::ranges::find(npy_kinds, std::string_view(name).substr(has_order), &NpyKind::name);
  if (!has_order || kind == std::end(npy_kinds)) {
    refuse_npy(file, fmt::format("holds numbers of the kind '{}'; astype(float) makes them readable", printable(name)));
  }
  if (kind->parts > most_parts) {
    refuse_npy(file, fmt::format("holds complex numbers (of the kind '{}'), real ones are needed", printable(name)));
  }
  return *kind;
}

Index npy_count(const InputFile& file, const std::vector<Index>& shape) {
  if (shape.empty() || shape.size() > 3) {
    refuse_npy(file, fmt::format("has {} dimensions; one to three are read", shape.size()));
  }
  Index count = 1;  // of the sizes that are not 0: what is empty must not be wide without end either
  for (const Index size : shape) {
    if (size > 0 && count > most_npy_numbers / size) refuse_npy(file, "claims more numbers than can be read");
    count *= std::max<Index>(size, 1);
  }
  return std::ranges::count(shape, 0) > 0 ? 0 : count;
}

NpyHeader read_npy_header(InputFile& file) {
  const std::string start = read_npy_bytes(file, 8, "its first bytes");
  if (start.starts_with("PK")) refuse_npy(file, "is an archive (.npz); numpy.save writes an array alone");
  if (!start.starts_with(npy_magic)) refuse_npy(file, "is no array of NumPy (.npy)");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) refuse_npy(file, fmt::format("is of version {}, which is not known", version));
  const std::string sizes = read_npy_bytes(file, version == 1 ? 2 : 4, "its header");
  std::size_t size = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) size |= std::size_t{static_cast<unsigned char>(sizes[i])} << (8 * i);
  if (size > longest_npy_header) refuse_npy(file, "its header is damaged");
  const std::string text = read_npy_bytes(file, size, "its header");
  return NpyHeaderText(file, text).parse();
}

// The place, rows first, of the number that stands at place i with columns first.
std::size_t rows_first(std::size_t i, const std::vector<Index>& shape) {
  std::size_t place = 0, stride = 1;
  for (const Index size : shape) stride *= static_cast<std::size_t>(size);
  for (const Index size : shape) {
    const auto n = static_cast<std::size_t>(size);
    stride /= n;
    place += i % n * stride;
    i /= n;
  }
  return place;
}

struct NpyNumbers {
  std::vector<Index> shape;
  std::size_t parts;           // of a number
  std::vector<double> values;  // part after part; the last index runs fastest
};

NpyNumbers read_npy_numbers(InputFile& file, std::size_t most_parts) {
  const NpyHeader header = read_npy_header(file);
  const NpyKind& kind = npy_kind(file, header.kind, most_parts);
  const auto count = static_cast<std::size_t>(npy_count(file, header.shape));
  const std::string bytes = read_npy_bytes(file, count * kind.parts * kind.size, "its numbers");
  char more = 0;
  if (file.read({&more, 1}) > 0) refuse_npy(file, "has bytes behind its last number");
  const bool swapped = header.kind.front() == '>';
  NpyNumbers numbers{header.shape, kind.parts, std::vector<double>(count * kind.parts)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = header.columns_first ? rows_first(i, header.shape) : i;
    for (std::size_t part = 0; part < kind.parts; ++part) {
      const char* there = bytes.data() + (i * kind.parts + part) * kind.size;
      numbers.values[place * kind.parts + part] = kind.part(there, swapped);
    }
  }
  return numbers;
}

}  // namespace

bool is_npy(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".npy") || name.ends_with(".npy.gz") || name.ends_with(".npz");
}

bool is_complex_npy(InputFile file) {
  const std::string kind = read_npy_header(file).kind;
  return kind.size() > 1 && kind[1] == 'c';
}

NpyArray read_npy(InputFile file) {
  NpyNumbers numbers = read_npy_numbers(file, 1);
  return {std::move(numbers.shape), std::move(numbers.values)};
}

Eigen::MatrixXcd read_npy_complex_matrix(InputFile file) {
  const NpyNumbers numbers = read_npy_numbers(file, 2);
  if (numbers.shape.size() != 2) {
    refuse_npy(file, fmt::format("is {}, not a matrix; reshape makes one of it", fmt::join(numbers.shape, " x ")));
  }
  if (numbers.values.empty()) refuse_npy(file, "has no numbers");
  Eigen::MatrixXcd matrix(numbers.shape[0], numbers.shape[1]);
  auto value = numbers.values.begin();
  for (Index row = 0; row < matrix.rows(); ++row) {
    for (Index col = 0; col < matrix.cols(); ++col) {
      const double real = *value++, imaginary = numbers.parts == 2 ? *value++ : 0;
      if (!std::isfinite(real) || !std::isfinite(imaginary)) {
        refuse_npy(file, fmt::format("the number in row {}, column {} is not finite", row + 1, col + 1));
      }
      matrix(row, col) = {real, imaginary};
    }
  }
  return matrix;
}

void write_npy(const std::filesystem::path& path, const Mat& matrix, IfExists if_exists) {
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}", matrix.rows(), matrix.cols());
  header.append(64 - (npy_magic.size() + 4 + header.size() + 1) % 64, ' ');  // the numbers begin at a multiple of 64
  header += '\n';
  TextOutput out{path};
  out.write(npy_magic);
  out.write(std::string{1, 0, static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)});
  out.write(header);
  out.write({reinterpret_cast<const char*>(matrix.data()), static_cast<std::size_t>(matrix.size()) * sizeof(double)});
  out.finish();
  out.commit(if_exists);
}

}  // namespace quasar
