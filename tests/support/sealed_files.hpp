// Files that were changed behind our back and sealed as if they had always been so, and what is said of them.
#pragma once

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include <quasar/errors.hpp>

#include "io/seal.hpp"
#include "support/error_message.hpp"

namespace quasar::test {

// change(id) gets the open netCDF file and returns a status of netCDF.
template <class Change>
void change_and_seal(const std::filesystem::path& file, Change&& change) {
  int id = 0;
  EXPECT_EQ(nc_open(file.c_str(), NC_WRITE, &id), NC_NOERR);
  EXPECT_EQ(change(id), NC_NOERR);
  EXPECT_EQ(nc_close(id), NC_NOERR);
  seal_file(file);
}

// The message of read(file), from the name of the file on.
template <class Read>
std::string complaint_of(Read&& read, const std::filesystem::path& file) {
  const std::string message = error_message<DataError>([&] { read(file); });
  EXPECT_TRUE(message.starts_with(file.string())) << message;
  return message.substr(std::min(message.size(), file.parent_path().string().size() + 1));
}

}  // namespace quasar::test
