// Learned speech in a file comes back as it was, bit for bit; no damaged or foreign file passes for it.
#include "front/denoise/speech_file.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include <quasar/errors.hpp>

#include "io/run_file.hpp"
#include "io/seal.hpp"
#include "support/error_message.hpp"
#include "support/example_run.hpp"
#include "support/sealed_files.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::TempFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

SpeechModel example_speech() {
  SpeechModel model;
  model.plane = {.sample_rate = 16000, .frame = 6, .hop = 2};
  model.alpha = 1.0 / 3;
  model.dictionary.resize(4, 3);
  model.dictionary << 1, 0.1, 4, 1, 0.9, 0, 1, 2.0 / 3, 0, 1, 4 - 1 - 2.0 / 3, 0;
  model.activations = {.shape = 0.7, .scale = 1e6 / 7};
  model.level = 0.0625;
  model.files = {"one.wav", "", "Käse\n<b>.wav"};
  model.seconds_of_speech = 10.8;
  model.rounds = 500;
  model.seed = 18446744073709551615ULL;
  model.work = R"({"rounds":500})";
  return model;
}

void expect_same_speech(const SpeechModel& a, const SpeechModel& b) {
  EXPECT_EQ(a.plane.sample_rate, b.plane.sample_rate);
  EXPECT_EQ(a.plane.frame, b.plane.frame);
  EXPECT_EQ(a.plane.hop, b.plane.hop);
  EXPECT_EQ(a.alpha, b.alpha);
  EXPECT_EQ(a.dictionary, b.dictionary);
  EXPECT_EQ(a.activations.shape, b.activations.shape);
  EXPECT_EQ(a.activations.scale, b.activations.scale);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.files, b.files);
  EXPECT_EQ(a.seconds_of_speech, b.seconds_of_speech);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.work, b.work);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SpeechFile, ComesBackAsItWas) {
  TempFolder folder;
  const SpeechModel model = example_speech();
  write_speech(AtomicFile(folder.file("s.nc")), model, IfExists::fail);
  expect_same_speech(model, read_speech(folder.file("s.nc")));

  SpeechModel bare = model;  // learned from arrays, which have no names
  bare.files.clear();
  bare.work.clear();
  write_speech(AtomicFile(folder.file("s.nc")), bare, IfExists::replace);
  expect_same_speech(bare, read_speech(folder.file("s.nc")));
}

TEST(SpeechFile, TheSameModelMakesTheSameBytes) {
  TempFolder folder;
  write_speech(AtomicFile(folder.file("a.nc")), example_speech(), IfExists::fail);
  write_speech(AtomicFile(folder.file("b.nc")), example_speech(), IfExists::fail);
  EXPECT_EQ(bytes_of(folder.file("a.nc")), bytes_of(folder.file("b.nc")));
}

std::string complaint(const std::filesystem::path& file) { return test::complaint_of(read_speech, file); }

TEST(SpeechFile, WhatIsNoSpeech) {
  TempFolder folder;
  EXPECT_EQ(complaint(folder.file("none.nc")), "none.nc: cannot be opened: No such file or directory");
  EXPECT_EQ(
      complaint(folder.write("text.nc", "a,b\n")),
      "text.nc: is not a file of speech of this version of Quasar, or was cut short or changed after Quasar wrote it");
  write_run(folder.file("run.nc"), test::example_run());
  EXPECT_EQ(complaint(folder.file("run.nc")), "run.nc: is a run of quasar sample, not a file of speech");
  write_speech(AtomicFile(folder.file("s.nc")), example_speech(), IfExists::fail);
  EXPECT_EQ(test::error_message<DataError>([&] { read_run(folder.file("s.nc")); }),
            folder.file("s.nc").string() + ": holds speech, not a run: quasar denoise run takes it");
  EXPECT_EQ(test::error_message<DataError>([&] {
              write_speech(AtomicFile(folder.file("s.nc")), example_speech(), IfExists::fail);
            }).find("s.nc appeared meanwhile"),
            folder.path().string().size() + 1);
}

template <class Change>
std::string after(const TempFolder& folder, Change&& change) {
  const auto file = folder.file("changed.nc");
  write_speech(AtomicFile(file), example_speech(), IfExists::replace);
  test::change_and_seal(file, change);
  return complaint(file);
}

auto set_number(const char* variable, std::vector<std::size_t> at, double value) {
  return [=](int file) {
    int id = 0;
    EXPECT_EQ(nc_inq_varid(file, variable, &id), NC_NOERR);
    return nc_put_var1_double(file, id, at.data(), &value);
  };
}
auto set_real(const char* name, double value) {
  return [=](int file) { return nc_put_att_double(file, NC_GLOBAL, name, NC_DOUBLE, 1, &value); };
}
auto set_integer(const char* name, long long value) {
  return [=](int file) { return nc_put_att_longlong(file, NC_GLOBAL, name, NC_INT64, 1, &value); };
}

TEST(SpeechFile, NumbersThatCannotBe) {
  TempFolder folder;
  const std::string damaged = "changed.nc: is damaged: ", dictionary = damaged + "a number of its dictionary";
  EXPECT_EQ(after(folder, set_number("dictionary", {3, 2}, nan)), dictionary + " is negative or none");
  EXPECT_EQ(after(folder, set_number("dictionary", {0, 0}, inf)), dictionary + " is negative or none");
  EXPECT_EQ(after(folder, set_number("dictionary", {1, 1}, -0.9)), dictionary + " is negative or none");
  EXPECT_EQ(after(folder, set_number("dictionary", {1, 1}, 0.91)),
            damaged + "a component of its dictionary has not the mean 1");
  for (const double value : {0.0, -1.0, 1e-200, 1e200, nan, inf}) {
    EXPECT_EQ(after(folder, set_real("level", value)), damaged + "its level is out of range") << value;
    for (const char* name : {"activation_shape", "activation_scale"}) {
      EXPECT_EQ(after(folder, set_real(name, value)), damaged + "the law of its activations is out of range") << value;
    }
  }
  for (const double value : {0.0, 0.09, 2.0001, nan}) {
    EXPECT_EQ(after(folder, set_real("alpha", value)), damaged + "its alpha is not between 0.1 and 2") << value;
  }
  for (const long long value : {0LL, -8000LL, 1LL << 40}) {
    EXPECT_EQ(after(folder, set_integer("sample_rate", value)), damaged + "its sample rate is out of range") << value;
  }
  for (const long long value : {0LL, 1LL, 7LL, 1LL << 62, -6LL}) {
    EXPECT_EQ(after(folder, set_integer("frame", value)), damaged + "its frames are out of range") << value;
  }
  for (const long long value : {0LL, 4LL}) {
    EXPECT_EQ(after(folder, set_integer("hop", value)), damaged + "its frames are out of range") << value;
  }
  EXPECT_EQ(after(folder, set_integer("frame", 8)),
            damaged + "its dictionary has 4 bins, and frames of 8 samples have 5");
  EXPECT_EQ(after(folder, set_integer("rounds", -1)), damaged + "an attribute is out of range");
  EXPECT_EQ(after(folder, set_real("seconds_of_speech", nan)), damaged + "an attribute is out of range");
  EXPECT_EQ(after(folder, set_integer("quasar_speech", 99)),
            "changed.nc: was written by a newer Quasar (format 99, known 1)");
}

TEST(SpeechFile, WhatIsMissingOrOfAnotherShape) {
  TempFolder folder;
  for (const char* name : {"sample_rate", "frame", "hop", "alpha", "activation_shape", "activation_scale", "level",
                           "seconds_of_speech", "rounds", "seed"}) {
    EXPECT_EQ(after(folder, [=](int file) { return nc_del_att(file, NC_GLOBAL, name); }),
              std::string("changed.nc: is damaged: the attribute '") + name + "' is missing");
  }
  EXPECT_EQ(after(folder, [](int file) { return nc_del_att(file, NC_GLOBAL, "quasar_speech"); }),
            "changed.nc: is a netCDF file, but has no speech of Quasar");
  EXPECT_EQ(after(folder,
                  [](int file) {
                    const double two[] = {1, 1};
                    return nc_put_att_double(file, NC_GLOBAL, "alpha", NC_DOUBLE, 2, two);
                  }),
            "changed.nc: the attribute 'alpha' is not one number");
  const auto other_dictionary = [](int file) {  // a spectrum alone
    int id = 0, dim = 0;
    EXPECT_EQ(nc_inq_varid(file, "dictionary", &id), NC_NOERR);
    EXPECT_EQ(nc_rename_var(file, id, "old"), NC_NOERR);
    EXPECT_EQ(nc_inq_dimid(file, "bin", &dim), NC_NOERR);
    return nc_def_var(file, "dictionary", NC_DOUBLE, 1, &dim, &id);
  };
  EXPECT_EQ(after(folder, other_dictionary),
            "changed.nc: the variable 'dictionary' is not of the shape that speech has");
  const auto huge = [](int file) {  // a promise of more numbers than there is memory for
    int dim = 0, id = 0;
    EXPECT_EQ(nc_def_dim(file, "huge", std::size_t{1} << 45, &dim), NC_NOERR);
    return nc_def_var(file, "more", NC_FLOAT, 1, &dim, &id);
  };
  EXPECT_EQ(after(folder, huge), "changed.nc: is damaged: no room for the variable 'more'");
}

// Every byte counts: whichever is flipped, and wherever the file ends, it is refused.
TEST(SpeechFile, DamagedBytes) {
  TempFolder folder;
  write_speech(AtomicFile(folder.file("s.nc")), example_speech(), IfExists::fail);
  const std::string whole = bytes_of(folder.file("s.nc"));
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_THROW(read_speech(folder.write("bad.nc", flipped)), DataError) << at;
    EXPECT_THROW(read_speech(folder.write("short.nc", whole.substr(0, at))), DataError) << at;
  }
}

// What nobody could read is not written, and no file is left behind.
TEST(SpeechFile, AModelThatCannotBeIsNotWritten) {
  TempFolder folder;
  SpeechModel model = example_speech();
  model.activations.scale = nan;
  EXPECT_EQ(
      test::error_message<RunError>([&] { write_speech(AtomicFile(folder.file("s.nc")), model, IfExists::fail); }),
      folder.file("s.nc").string() + ": what was learned is not written: the law of its activations is out of range");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace quasar
