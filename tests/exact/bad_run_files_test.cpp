// No damaged or foreign file passes for a run.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <quasar/errors.hpp>

#include "io/run_file.hpp"
#include "io/seal.hpp"
#include "support/example_run.hpp"
#include "support/sealed_files.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::example_run;
using test::TempFolder;

std::string complaint(const std::filesystem::path& file) { return test::complaint_of(read_run, file); }

int group_of(int file, const char* name) {
  int group = -1;
  EXPECT_EQ(nc_inq_grp_ncid(file, name, &group), NC_NOERR);
  return group;
}

// The bytes of a run file without much but draws.
std::string small_run_file(const TempFolder& folder) {
  RunData run = example_run();
  run.info.configuration.clear();
  write_run(folder.file("run.nc"), run);
  std::ifstream in(folder.file("run.nc"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(BadRunFile, FilesThatAreNoRun) {
  TempFolder folder;
  EXPECT_EQ(complaint(folder.file("none.nc")), "none.nc: cannot be opened: No such file or directory");
  const std::string no_run =
      "is not a run file of this version of Quasar, or was cut short or changed after Quasar wrote it";
  EXPECT_EQ(complaint(folder.write("text.nc", "a,b\n1,2\n")), "text.nc: " + no_run);
  EXPECT_EQ(complaint(folder.write("empty.nc", "")), "empty.nc: " + no_run);
  test::error_message<DataError>([&] { read_run(folder.path()); });
  test::error_message<DataError>([] { read_run("/dev/null"); });

  int id = 0;
  ASSERT_EQ(nc_create(folder.file("foreign.nc").c_str(), NC_NETCDF4, &id), NC_NOERR);
  ASSERT_EQ(nc_close(id), NC_NOERR);
  EXPECT_EQ(complaint(folder.file("foreign.nc")), "foreign.nc: " + no_run);
  seal_file(folder.file("foreign.nc"));
  EXPECT_EQ(complaint(folder.file("foreign.nc")), "foreign.nc: is a netCDF file, but not a run of Quasar");
  const auto sealed_text = folder.write("sealed.nc", "a,b\n1,2\n");
  seal_file(sealed_text);
  EXPECT_NE(complaint(sealed_text).find("is not a netCDF file"), std::string::npos);
}

TEST(BadRunFile, NewerOrIncompleteRuns) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  const auto complaint_after = [&](auto&& change) {
    write_run(file, example_run());
    test::change_and_seal(file, change);
    return complaint(file);
  };
  EXPECT_EQ(complaint_after([](int id) {
              const long long newer = 3;
              return nc_put_att_longlong(id, NC_GLOBAL, "quasar_format", NC_INT64, 1, &newer);
            }),
            "run.nc: was written by a newer Quasar (format 3, known 2)");
  const auto with_check = [&](const char* text) {
    return complaint_after([&](int id) { return nc_put_att_text(id, NC_GLOBAL, "check", std::strlen(text), text); });
  };
  for (const char* text : {
           "[1]",
           R"({"warnings":5})",
           R"({"warnings":[5]})",
           R"({"ksd":5})",
           R"({"ksd":{"run":[1,2],"draws":3}})",
           R"({"ksd":{"run":{"ksd":"large"}}})",
           R"({"ksd":{"run":{"ksd":1},"exact":[]}})",
           R"({"exact":{"beyond_chance":"<script>","parameters":[]}})",
           R"({"exact":{"beyond_chance":0,"parameters":{}}})",
           R"({"exact":{"beyond_chance":0,"parameters":[{"name":"a","mean_error":{"value":0},"sd_error":0}]}})",
       }) {
    EXPECT_EQ(with_check(text), "run.nc: the attribute 'check' is not what a check writes") << text;
  }
  EXPECT_NE(with_check("{\"a\": <").find("run.nc: the attribute 'check':1:7: "), std::string::npos);
  EXPECT_EQ(complaint_after([](int id) { return nc_rename_grp(group_of(id, "sample_stats"), "elsewhere"); }),
            "run.nc: the group 'sample_stats' is missing");
  EXPECT_EQ(complaint_after([](int id) { return nc_rename_var(group_of(id, "posterior"), 0, "rows"); }),
            "run.nc: a group of draws has no coordinate 'chain'");
  EXPECT_NE(complaint_after([](int id) { return nc_del_att(id, NC_GLOBAL, "seed"); }).find("'seed'"),
            std::string::npos);
}

TEST(BadRunFile, APromiseOfMoreNumbersThanTheFileCanHoldIsRefused) {
  TempFolder folder;
  write_run(folder.file("run.nc"), example_run());
  test::change_and_seal(folder.file("run.nc"), [](int id) {
    const int posterior = group_of(id, "posterior");
    std::array<int, 2> dimensions = {};
    int variable = 0;
    nc_def_dim(posterior, "endless", 1'000'000'000'000, dimensions.data() + 1);
    nc_inq_dimid(posterior, "chain", dimensions.data());
    return nc_def_var(posterior, "huge", NC_DOUBLE, 2, dimensions.data(), &variable);
  });
  EXPECT_EQ(complaint(folder.file("run.nc")), "run.nc: is damaged: no room for the variable 'huge'");
}

TEST(BadRunFile, TruncatedFilesAreRefusedAtEveryLength) {
  TempFolder folder;
  const std::string bytes = small_run_file(folder);
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 50) {
    SCOPED_TRACE(size);
    complaint(folder.write("cut.nc", std::string_view(bytes).substr(0, size)));
  }
  complaint(folder.write("cut.nc", std::string_view(bytes).substr(0, bytes.size() - 1)));
}

TEST(BadRunFile, EveryFlippedBitIsNoticed) {
  TempFolder folder;
  std::string bytes = small_run_file(folder);
  for (std::size_t i = 0; i < bytes.size(); i += 97) {
    SCOPED_TRACE(i);
    const auto bit = static_cast<char>(1 << (i % 8));
    bytes[i] = static_cast<char>(bytes[i] ^ bit);
    complaint(folder.write("flipped.nc", bytes));
    bytes[i] = static_cast<char>(bytes[i] ^ bit);
  }
}

}  // namespace
}  // namespace quasar
