// Topics in a file come back as they were; no damaged or foreign file passes for topics.
#include "io/topic_file.hpp"

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

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

FittedTopics example_topics() {
  FittedTopics found;
  found.info = {.method = "gamma-gp",
                .kind = "sampler",
                .data_source = "notes.csv",
                .data_hash = "fnv1a64:0123456789abcdef",
                .held_out_source = "0.1 of the tokens",
                .held_out_hash = "",
                .configuration = R"({"method":"gamma-gp"})",
                .seed = 18446744073709551615ULL,
                .documents = 3,
                .tokens = 40,
                .passes = 6,
                .burn_in = 2,
                .seconds = 1.25,
                .topic_count = "bounded",
                .converged = false,
                .stopped_early = true,
                .held_out_tokens = 4,
                .perplexity = 3.5,
                .unigram_perplexity = std::numeric_limits<double>::infinity(),
                .quasar_version = "0.1.0",
                .created_at = "2026-01-01T00:00:00+00:00"};
  found.words = {"earth", "</script>", "Käse", "line\nbreak"};
  found.word_counts = {20, 10, 10, 0};
  Eigen::MatrixXf phi(2, 4);
  phi << 0.5F, 0.25F, 0.125F, 0.125F, 0, 1, 0, 0;
  found.draws = {{phi, Vec::LinSpaced(2, 1, 2)}, {phi.colwise().reverse(), Vec::LinSpaced(2, 0, 3)}};
  found.prevalence = (Vec(2) << 0.75, 0.25).finished();
  found.trace = {{"alpha", "gamma"},   {1, 2, 4, 6}, {0.5, 1, 1.5, 1.75},
                 {nan, nan, nan, nan}, {2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  found.held_out = {{3, 6}, {1.25, 1.75}, {4, 3.5}};
  found.shares = (Eigen::MatrixXf(2, 3) << 0.25F, 1, 0.5F, 0.75F, 0, 0.5F).finished();
  found.documents = {"one", "", "<b>three</b>"};
  return found;
}

void expect_same(const FittedTopics& a, const FittedTopics& b) {
  TopicFitInfo::fields(a.info, [&](std::string_view name, const auto& value) {
    TopicFitInfo::fields(b.info, [&](std::string_view other, const auto& there) {
      if constexpr (std::is_same_v<decltype(value), decltype(there)>) {
        if (name == other) {
          EXPECT_EQ(value, there) << name;
        }
      }
    });
  });
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.word_counts, b.word_counts);
  ASSERT_EQ(a.draws.size(), b.draws.size());
  for (std::size_t i = 0; i < a.draws.size(); ++i) {
    EXPECT_EQ(a.draws[i].phi, b.draws[i].phi);
    EXPECT_EQ(a.draws[i].weights, b.draws[i].weights);
  }
  EXPECT_EQ(a.prevalence, b.prevalence);
  EXPECT_EQ(a.trace.names, b.trace.names);
  EXPECT_EQ(a.trace.passes, b.trace.passes);
  EXPECT_EQ(a.trace.seconds, b.trace.seconds);
  EXPECT_EQ(a.trace.objective.size(), b.trace.objective.size());
  EXPECT_EQ(a.trace.topics_in_use, b.trace.topics_in_use);
  EXPECT_EQ(a.trace.scalars, b.trace.scalars);
  EXPECT_EQ(a.held_out.perplexity, b.held_out.perplexity);
  EXPECT_EQ(a.held_out.passes, b.held_out.passes);
  EXPECT_EQ(a.held_out.seconds, b.held_out.seconds);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.documents, b.documents);
}

TEST(TopicFile, ComesBackAsItWas) {
  TempFolder folder;
  const FittedTopics topics = example_topics();
  write_topics(AtomicFile(folder.file("t.nc")), topics, IfExists::fail);
  expect_same(topics, read_topics(folder.file("t.nc")));
  EXPECT_EQ(read_topics_info(folder.file("t.nc")).passes, 6);

  FittedTopics bare = example_topics();
  bare.trace = {};
  bare.held_out = {};
  bare.shares.resize(0, 0);
  bare.documents.clear();
  bare.words.clear();
  bare.info.quasar_version.clear();
  write_topics(AtomicFile(folder.file("t.nc")), bare, IfExists::replace);
  const FittedTopics again = read_topics(folder.file("t.nc"));
  EXPECT_FALSE(again.info.quasar_version.empty());
  bare.info = again.info;
  expect_same(bare, again);
}

// ArviZ finds the scalars after the burn-in in the group it looks for.
TEST(TopicFile, ScalarsAfterTheBurnInAreThePosterior) {
  TempFolder folder;
  write_topics(AtomicFile(folder.file("t.nc")), example_topics(), IfExists::fail);
  int id = 0, group = 0, variable = 0;
  ASSERT_EQ(nc_open(folder.file("t.nc").c_str(), NC_NOWRITE, &id), NC_NOERR);
  ASSERT_EQ(nc_inq_grp_ncid(id, "posterior", &group), NC_NOERR);
  ASSERT_EQ(nc_inq_varid(group, "gamma", &variable), NC_NOERR);
  double values[2] = {};
  ASSERT_EQ(nc_get_var_double(group, variable, values), NC_NOERR);
  EXPECT_EQ(values[0], 6);
  EXPECT_EQ(values[1], 8);
  ASSERT_EQ(nc_close(id), NC_NOERR);
}

std::string complaint(const std::filesystem::path& file) { return test::complaint_of(read_topics, file); }

TEST(TopicFile, WhatIsNoTopics) {
  TempFolder folder;
  EXPECT_EQ(complaint(folder.file("none.nc")), "none.nc: cannot be opened: No such file or directory");
  EXPECT_EQ(
      complaint(folder.write("text.nc", "a,b\n")),
      "text.nc: is not a file of topics of this version of Quasar, or was cut short or changed after Quasar wrote it");
  write_run(folder.file("run.nc"), test::example_run());
  EXPECT_EQ(complaint(folder.file("run.nc")), "run.nc: is a run of quasar sample, not a file of topics");
  write_topics(AtomicFile(folder.file("t.nc")), example_topics(), IfExists::fail);
  EXPECT_EQ(test::error_message<DataError>([&] { read_run(folder.file("t.nc")); }),
            folder.file("t.nc").string() + ": holds topics, not a run: quasar topics show takes it");
  EXPECT_EQ(test::error_message<DataError>([&] {
              write_topics(AtomicFile(folder.file("t.nc")), example_topics(), IfExists::fail);
            }).find("t.nc appeared meanwhile"),
            folder.path().string().size() + 1);
}

template <class Change>
std::string after(const TempFolder& folder, Change&& change) {
  const auto file = folder.file("changed.nc");
  write_topics(AtomicFile(file), example_topics(), IfExists::replace);
  test::change_and_seal(file, change);
  return complaint(file);
}

int group_of(int file, const char* name) {
  int group = -1;
  EXPECT_EQ(nc_inq_grp_ncid(file, name, &group), NC_NOERR);
  return group;
}

// One number of a variable becomes another.
auto set_number(const char* group, const char* variable, std::vector<std::size_t> at, double value) {
  return [=](int file) {
    int id = 0;
    EXPECT_EQ(nc_inq_varid(group_of(file, group), variable, &id), NC_NOERR);
    return nc_put_var1_double(group_of(file, group), id, at.data(), &value);
  };
}
auto rename_variable(const char* group, const char* variable) {
  return [=](int file) {
    int id = 0;
    EXPECT_EQ(nc_inq_varid(group_of(file, group), variable, &id), NC_NOERR);
    return nc_rename_var(group_of(file, group), id, "other");
  };
}

TEST(TopicFile, NumbersThatCannotBe) {
  TempFolder folder;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(after(folder, set_number("topics", "phi", {1, 0, 2}, nan)),
            "changed.nc: is damaged: a probability of 'phi' is none");
  EXPECT_EQ(after(folder, set_number("topics", "phi", {0, 1, 2}, -0.5)),
            "changed.nc: is damaged: a probability of 'phi' is none");
  EXPECT_EQ(after(folder, set_number("topics", "phi", {0, 1, 2}, 0.5)),
            "changed.nc: is damaged: a topic of 'phi' does not sum to 1");
  EXPECT_EQ(after(folder, set_number("topics", "weights", {0, 1}, -1)),
            "changed.nc: is damaged: a weight is negative or no number");
  EXPECT_EQ(after(folder, set_number("topics", "weights", {1, 1}, 0)),
            "changed.nc: is damaged: all weights of a draw are 0");
  EXPECT_EQ(after(folder, set_number("topics", "prevalence", {1}, inf)),
            "changed.nc: is damaged: a share of 'prevalence' is negative or no number");
  EXPECT_EQ(after(folder, set_number("topics", "word_count", {1}, -3)),
            "changed.nc: is damaged: a count of words is negative");
  EXPECT_EQ(after(folder, set_number("trace", "passes", {1}, 5)), "changed.nc: is damaged: its trace is out of order");
  EXPECT_EQ(after(folder, set_number("documents", "share", {2, 0}, nan)),
            "changed.nc: is damaged: a share of a document is negative or no number");
  const auto negative = [](int file) {
    const double less = -1;
    return nc_put_att_double(file, NC_GLOBAL, "burn_in", NC_DOUBLE, 1, &less);
  };
  EXPECT_EQ(after(folder, negative), "changed.nc: is damaged: an attribute is out of range");
  const auto newer = [](int file) {
    const long long version = 99;
    return nc_put_att_longlong(file, NC_GLOBAL, "quasar_topics", NC_INT64, 1, &version);
  };
  EXPECT_EQ(after(folder, newer), "changed.nc: was written by a newer Quasar (format 99, known 1)");
}

TEST(TopicFile, VariablesThatAreMissingOrOfAnotherShape) {
  TempFolder folder;
  for (const char* name : {"prevalence", "word_count"}) {
    EXPECT_EQ(after(folder, rename_variable("topics", name)),
              std::string("changed.nc: the variable '") + name + "' is missing");
  }
  for (const char* name : {"phi", "weights"}) {  // some versions of the library cannot read what they renamed
    EXPECT_TRUE(after(folder, rename_variable("topics", name)).starts_with("changed.nc: ")) << name;
  }
  const auto other_topics = [](int file) {  // shares of three topics, where there are two
    const int group = group_of(file, "documents");
    int dims[2] = {}, id = 0;
    EXPECT_EQ(nc_inq_varid(group, "share", &id), NC_NOERR);
    EXPECT_EQ(nc_rename_var(group, id, "old"), NC_NOERR);
    EXPECT_EQ(nc_inq_dimid(group, "document", &dims[0]), NC_NOERR);
    EXPECT_EQ(nc_def_dim(group, "three", 3, &dims[1]), NC_NOERR);
    return nc_def_var(group, "share", NC_FLOAT, 2, dims, &id);
  };
  const auto other_words = [](int file) {  // two names, where there are four words
    const int group = group_of(file, "topics");
    int dim = 0, id = 0;
    EXPECT_EQ(nc_inq_varid(group, "word", &id), NC_NOERR);
    EXPECT_EQ(nc_rename_var(group, id, "old"), NC_NOERR);
    EXPECT_EQ(nc_inq_dimid(group, "topic", &dim), NC_NOERR);
    return nc_def_var(group, "word", NC_STRING, 1, &dim, &id);
  };
  EXPECT_EQ(after(folder, other_words), "changed.nc: is damaged: its words differ in number");
  EXPECT_EQ(after(folder, other_topics), "changed.nc: the variable 'share' is not of the shape that topics have");
  const auto huge = [](int file) {  // a promise of more numbers than there is memory for
    const int group = group_of(file, "topics");
    int dim = 0, id = 0;
    EXPECT_EQ(nc_def_dim(group, "huge", std::size_t{1} << 45, &dim), NC_NOERR);
    return nc_def_var(group, "more", NC_FLOAT, 1, &dim, &id);
  };
  EXPECT_EQ(after(folder, huge), "changed.nc: is damaged: no room for the variable 'more'");
}

// Every byte counts: whichever is flipped, and wherever the file ends, it is refused.
TEST(TopicFile, DamagedBytes) {
  TempFolder folder;
  write_topics(AtomicFile(folder.file("t.nc")), example_topics(), IfExists::fail);
  std::ifstream in(folder.file("t.nc"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_THROW(read_topics(folder.write("bad.nc", flipped)), DataError) << at;
    EXPECT_THROW(read_topics(folder.write("short.nc", whole.substr(0, at))), DataError) << at;
  }
}

}  // namespace
}  // namespace quasar
