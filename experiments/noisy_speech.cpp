#include "experiments/noisy_speech.hpp"

#include <fmt/core.h>

#include <filesystem>

#include <quasar/errors.hpp>

#include "io/input_file.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

Vec read_sentence(const std::filesystem::path& file) {
  return read_wav(InputFile(file.string()), sentences_rate).samples;
}

NoisySentence noisy_sentence(const std::filesystem::path& folder, int number) {
  const std::string name = fmt::format("sp{:02}", number);
  NoisySentence found{name, read_sentence(folder / "clean" / fmt::format("{}.wav", name)), {}};
  for (const std::string noise : noise_names) {
    const auto file = folder / fmt::format("{}_5dB", noise) / fmt::format("{}_{}_sn5.wav", name, noise);
    found.noisy.push_back(read_sentence(file));
    if (found.noisy.back().size() != found.clean.size()) {
      throw DataError(fmt::format("{}: is not as long as the clean sentence", file.string()));
    }
  }
  return found;
}

}  // namespace

NoisySpeech read_noisy_speech(const ExperimentOptions& options) {
  if (options.data_dir.empty()) {
    throw UsageError("this experiment reads NOIZEUS: --data-dir names the folder that has it in noizeus/");
  }
  const std::filesystem::path folder = std::filesystem::path(options.data_dir) / "noizeus";
  const int last = options.quick ? 7 : 30, tuned = options.quick ? 1 : 2;
  const std::size_t most_tests = options.quick ? 2 : 20;
  NoisySpeech found;
  for (int number = 1; number <= last; ++number) {
    if (number % 3 == 1) {
      const NoisySentence one = noisy_sentence(folder, number);
      found.training.push_back({one.name, one.clean});
      if (std::ssize(found.tuned) < tuned) found.tuned.push_back(one);
    } else if (found.test.size() < most_tests) {
      found.test.push_back(noisy_sentence(folder, number));
    }
  }
  return found;
}

}  // namespace quasar
