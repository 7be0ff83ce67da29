// Run files that were changed after they were written: the input is a list of changes to a sound file. Whatever really
// changes it is refused before the netCDF library sees it.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz.hpp"
#include "io/run_file.hpp"

namespace {

using namespace quasar;

// HDF5 does not read files that live in memory alone.
struct TemporaryFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("quasar-fuzz-" + std::to_string(getpid()) + ".nc");
  ~TemporaryFile() { std::filesystem::remove(path); }
};

std::string sound_file(const std::filesystem::path& path) {
  RunData run;
  run.layout.variables = {{"x", {2}, {}}};
  run.stats = {{"lp", StatSpec::real}};
  run.check = R"({"warnings": []})";
  run.sampling.resize(1);
  run.sampling[0].append(std::vector<double>{1, 2}, std::vector<double>{3});
  write_run(path, run);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Four bytes a change: where (three), and what is flipped there; 0 flips nothing but ends the file there.
std::string changed(std::string bytes, const std::uint8_t* data, std::size_t size) {
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t place = (std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % (bytes.size() + 1);
    if (data[3] == 0) bytes.resize(place);
    if (place < bytes.size()) bytes[place] = static_cast<char>(bytes[place] ^ data[3]);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFile file;
  static const std::string sound = sound_file(file.path);
  const std::string bytes = changed(sound, data, size);
  std::ofstream(file.path, std::ios::binary) << bytes;
  bool read = false;
  fuzz::read_or_refuse([&] {
    const Run run = open_run_file(file.path);
    read = run.draws() == 1;
  });
  fuzz::require(read == (bytes == sound));
  return 0;
}
