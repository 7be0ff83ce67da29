// A checksum behind the last byte of a finished file: any flipped bit and any missing end is noticed before a library
// tries to make sense of the rest. HDF5 keeps the length of its own part, so netCDF readers never see the seal.
#pragma once

#include <filesystem>
#include <string_view>

namespace quasar {

void seal_file(const std::filesystem::path& path);  // DataError: it cannot be read or written

// Takes the seal off, so that the file can be changed and sealed again. DataError as of check_seal.
void break_seal(const std::filesystem::path& path);

// DataError: the file has no seal, or its content is not what was sealed. what: it should be, for the message.
void check_seal(const std::filesystem::path& path, std::string_view what = "a run file");

}  // namespace quasar
