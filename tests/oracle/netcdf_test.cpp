// The run file as the netCDF library itself sees it: the ArviZ schema. (arviz_reads_test.py beside this file asks
// ArviZ.)
#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>

#include "io/run_file.hpp"
#include "support/example_run.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::example_run;
using test::numbered_chains;
using test::TempFolder;

// The netCDF library, without our layer on it.
struct Raw {
  explicit Raw(const std::filesystem::path& path) { ok(nc_open(path.c_str(), NC_NOWRITE, &id)); }
  ~Raw() { nc_close(id); }
  static void ok(int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); }
  int group(const char* name) const {
    int group = -1;
    ok(nc_inq_grp_ncid(id, name, &group));
    return group;
  }
  int id = -1;
};

struct RawVariable {
  RawVariable(int group, const char* name) : group_(group) {
    Raw::ok(nc_inq_varid(group, name, &id_));
    int rank = 0;
    std::array<int, NC_MAX_VAR_DIMS> ids;
    Raw::ok(nc_inq_var(group, id_, nullptr, &type, &rank, ids.data(), nullptr));
    for (int axis = 0; axis < rank; ++axis) {
      std::array<char, NC_MAX_NAME + 1> dim = {};
      std::size_t size = 0;
      Raw::ok(nc_inq_dim(group, ids[axis], dim.data(), &size));
      dims.emplace_back(dim.data());
      shape.push_back(size);
    }
  }
  double at(std::vector<std::size_t> index) const {
    double value = 0;
    Raw::ok(nc_get_var1_double(group_, id_, index.data(), &value));
    return value;
  }
  std::string label(std::size_t index) const {
    char* text = nullptr;
    Raw::ok(nc_get_var1_string(group_, id_, &index, &text));
    std::string copy = text;
    nc_free_string(1, &text);
    return copy;
  }
  bool marked_as_bool() const {
    char* text = nullptr;
    if (nc_get_att_string(group_, id_, "dtype", &text) != NC_NOERR) return false;
    const bool marked = std::string(text) == "bool";
    nc_free_string(1, &text);
    return marked;
  }
  nc_type type = NC_NAT;
  std::vector<std::string> dims;
  std::vector<std::size_t> shape;

 private:
  int group_, id_ = -1;
};

TEST(RunFile, FollowsTheSchema) {
  TempFolder folder;
  const RunData run = example_run();
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  int groups = 0;
  Raw::ok(nc_inq_grps(file.id, &groups, nullptr));
  EXPECT_EQ(groups, 2);  // nothing saved of the warm-up, no divergences

  const int posterior = file.group("posterior"), stats = file.group("sample_stats");
  using Dims = std::vector<std::string>;
  EXPECT_EQ(RawVariable(posterior, "mu").dims, (Dims{"chain", "draw"}));
  EXPECT_EQ(RawVariable(posterior, "A").dims, (Dims{"chain", "draw", "row", "school"}));
  EXPECT_EQ(RawVariable(posterior, "z").dims, (Dims{"chain", "draw", "z_dim_0"}));
  EXPECT_EQ(RawVariable(posterior, "A").shape, (std::vector<std::size_t>{3, 5, 2, 3}));
  for (const char* name : {"chain", "draw", "row", "z_dim_0"}) {
    const RawVariable coordinate(posterior, name);
    EXPECT_EQ(coordinate.type, NC_INT64) << name;
    for (std::size_t i = 0; i < coordinate.shape[0]; ++i) EXPECT_EQ(coordinate.at({i}), double(i)) << name;
  }
  const RawVariable school(posterior, "school");
  EXPECT_EQ(school.type, NC_STRING);
  EXPECT_EQ(school.label(1), "St. Paul’s");

  EXPECT_EQ(RawVariable(posterior, "theta").type, NC_DOUBLE);
  EXPECT_EQ(RawVariable(posterior, "z").type, NC_INT64);
  EXPECT_EQ(RawVariable(stats, "lp").type, NC_DOUBLE);
  EXPECT_EQ(RawVariable(stats, "n_steps").type, NC_INT64);
  EXPECT_EQ(RawVariable(stats, "diverging").type, NC_BYTE);
  EXPECT_TRUE(RawVariable(stats, "diverging").marked_as_bool());
}

TEST(RunFile, ElementsStandWhereTheirIndicesSay) {
  TempFolder folder;
  const RunData run = example_run();
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  const RawVariable matrix(file.group("posterior"), "A"), steps(file.group("sample_stats"), "n_steps");
  for (std::size_t chain = 0; chain < 3; ++chain) {
    for (std::size_t draw = 0; draw < 5; ++draw) {
      const double* values = run.sampling[chain].values.data() + draw * 12;  // mu, theta[3], then A row by row
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(matrix.at({chain, draw, i, j}), values[4 + 3 * i + j]);
      }
      EXPECT_EQ(steps.at({chain, draw}), run.sampling[chain].stats[draw * 3 + 2]);
    }
  }
}

TEST(RunFile, EveryGroupOfDrawsCarriesTheAttributesOfArviz) {
  TempFolder folder;
  RunData run = example_run();
  run.warmup = numbered_chains(2, 0);
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  for (const char* name : {"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats"}) {
    for (const char* attribute : {"created_at", "inference_library", "inference_library_version", "creation_library",
                                  "creation_library_version", "creation_library_language", "sample_dims",
                                  "sampling_time", "tuning_steps", "inference_library_settings"}) {
      EXPECT_EQ(nc_inq_att(file.group(name), NC_GLOBAL, attribute, nullptr, nullptr), NC_NOERR) << name << attribute;
    }
    double seconds = 0;
    Raw::ok(nc_get_att_double(file.group(name), NC_GLOBAL, "sampling_time", &seconds));
    EXPECT_EQ(seconds, std::string(name).starts_with("warmup_") ? 0.5 : 1.25);
  }
}

TEST(RunFile, MembersOfAnEnsembleAreRowsWithACoordinate) {
  TempFolder folder;
  RunData run = example_run();
  run.info.members = 2;
  run.sampling.push_back(run.sampling.front());
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  const RawVariable ensemble(file.group("posterior"), "ensemble");
  EXPECT_EQ(ensemble.dims, std::vector<std::string>{"chain"});
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(ensemble.at({row}), row < 2 ? 0.0 : 1.0);
  const RunData back = read_run(folder.file("run.nc"));
  EXPECT_EQ(back.info.members, 2);
  EXPECT_EQ(back.layout.variables.size(), run.layout.variables.size());
}

TEST(RunFile, WhatIsNotKnownIsLeftOut) {
  TempFolder folder;
  RunData run = example_run();
  run.info.data_source.clear();
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  EXPECT_EQ(nc_inq_att(file.id, NC_GLOBAL, "data_source", nullptr, nullptr), NC_ENOTATT);
  EXPECT_EQ(nc_inq_att(file.id, NC_GLOBAL, "data_hash", nullptr, nullptr), NC_NOERR);
}

TEST(RunFile, EveryGroupSaysWhoWroteItAndWhen) {
  TempFolder folder;
  RunData run = example_run();
  run.warmup = numbered_chains(2, 1000);
  run.constants.layout.variables = {{"scale", {}, {}}};
  run.constants.values = Vec{{2}};
  run.tuning.assign(3, {.step_size = 0.5, .inverse_metric = Vec{{1, 2}}});
  run.divergences = {{.chain = 1, .iteration = 3, .warmup = false, .position = {1, 2}}};
  write_run(folder.file("run.nc"), run);
  const Raw file(folder.file("run.nc"));
  int groups = 0;
  Raw::ok(nc_inq_grps(file.id, &groups, nullptr));
  EXPECT_EQ(groups, 7);
  for (const char* name : {"posterior", "sample_stats", "warmup_posterior", "warmup_sample_stats", "constant_data",
                           "tuning", "divergences"}) {
    for (const char* attribute : {"created_at", "inference_library", "inference_library_version", "creation_library",
                                  "creation_library_version", "creation_library_language"}) {
      EXPECT_EQ(nc_inq_att(file.group(name), NC_GLOBAL, attribute, nullptr, nullptr), NC_NOERR) << name << attribute;
    }
  }
}

}  // namespace
}  // namespace quasar
