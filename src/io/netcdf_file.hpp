// The netCDF C library, checked and self-closing: a failed call is a DataError that names the file and the act.
#pragma once

#include <netcdf.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// The library is not thread-safe. Whoever opens, reads, writes or closes a file of it holds this.
[[nodiscard]] std::unique_lock<std::recursive_mutex> one_at_a_time();

struct NcSlab {  // the part of a variable that one call moves: one entry per axis
  std::vector<std::size_t> start, count;
};

struct NcVariable {
  int id;
  std::string name;
  nc_type type;
  std::vector<std::string> dims;
  std::vector<Index> shape;
  NcSlab whole() const { return {std::vector<std::size_t>(shape.size(), 0), {shape.begin(), shape.end()}}; }
};

class NcGroup {  // a view; the file outlives it
 public:
  NcGroup(int id, std::string file) : id_(id), file_(std::move(file)) {}
  [[noreturn]] void fail(std::string_view cause) const;  // DataError "file: cause"

  NcGroup add_group(const std::string& name) const;
  int add_dimension(const std::string& name, Index size) const;
  NcVariable add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) const;
  void put_numbers(const NcVariable& variable, const NcSlab& slab,
                   const double* numbers) const;  // converted to its type
  void put_labels(const NcVariable& variable, const std::vector<std::string>& labels) const;
  void put(const std::string& attribute, const std::string& text, int variable = NC_GLOBAL) const;  // empty: left out
  void put(const std::string& attribute, const std::vector<std::string>& texts) const;
  void put(const std::string& attribute, double number) const;
  void put(const std::string& attribute, std::int64_t number) const;
  void put(const std::string& attribute, std::uint64_t number) const;

  std::optional<NcGroup> find_group(const std::string& name) const;
  NcGroup group(const std::string& name) const;  // DataError when it is not there
  std::vector<NcVariable> variables() const;     // in the order they were added
  bool has_attribute(const std::string& name) const;
  std::vector<double> get_numbers(const NcVariable& variable, const NcSlab& slab) const;
  std::vector<std::string> get_labels(const NcVariable& variable) const;
  std::map<std::string, std::string> texts() const;                                    // its text attributes
  std::string get_text(const std::string& attribute, int variable = NC_GLOBAL) const;  // empty when it is not there
  void get(const std::string& attribute, double& number) const;
  void get(const std::string& attribute, std::int64_t& number) const;
  void get(const std::string& attribute, std::uint64_t& number) const;

 private:
  void check(int status, std::string_view act, std::string_view name) const;
  void require_scalar(const std::string& attribute) const;
  NcVariable describe(int variable) const;

  int id_;
  std::string file_;  // as messages call it
};

// A damaged file can promise more numbers than there is memory for: DataError where a variable does not fit into a file
// of so many bytes. The same group otherwise.
NcGroup plausible(const NcGroup& group, double file_size);

NcVariable find_variable(const NcGroup& group, const std::string& name);  // DataError when it is not there

class NcFile {
 public:
  static NcFile create(const std::filesystem::path& path, const std::string& shown_name);
  static NcFile open(const std::filesystem::path& path);
  static NcFile open_to_amend(const std::filesystem::path& path, const std::string& shown_name);
  NcFile(NcFile&& other) noexcept
      : id_(other.id_), name_(std::move(other.name_)), open_(std::exchange(other.open_, false)) {}
  NcFile& operator=(NcFile&&) = delete;
  ~NcFile();

  NcGroup root() const { return {id_, name_}; }
  void sync_and_close();  // after which every byte is with the operating system

 private:
  NcFile(int id, std::string name) : id_(id), name_(std::move(name)) {}

  int id_;
  std::string name_;
  bool open_ = true;
};

}  // namespace quasar
