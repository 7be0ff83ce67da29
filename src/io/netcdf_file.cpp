#include "io/netcdf_file.hpp"

#include <H5Epublic.h>
#include <H5public.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

// Strings that the library allocated, copied and given back.
std::vector<std::string> adopt(std::vector<char*>& strings) {
  std::vector<std::string> texts;
  for (const char* string : strings) texts.emplace_back(string == nullptr ? "" : string);
  nc_free_string(strings.size(), strings.data());
  return texts;
}

// After a failed write HDF5 cannot close the file, would try again when the process ends, and crash. We close every
// file ourselves, so there is nothing left for it to do then.
void leave_the_end_of_the_process_alone() { [[maybe_unused]] static const herr_t once = H5dont_atexit(); }

// HDF5 prints every failure, also those that netCDF expects, unless each thread tells it not to.
void silence_this_thread() {
  [[maybe_unused]] thread_local const herr_t once = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// HDF5's failures all have one name; what the operating system said is left in errno, set to 0 before.
std::string cause_of(int status) {
  const int system_error = errno;
  const bool known = status == NC_EHDFERR && system_error != 0;
  return known ? std::strerror(system_error) : nc_strerror(status);
}

}  // namespace

std::unique_lock<std::recursive_mutex> one_at_a_time() {
  static std::recursive_mutex mutex;
  std::unique_lock lock(mutex);
  leave_the_end_of_the_process_alone();  // has to come before any other call
  silence_this_thread();
  return lock;
}

void NcGroup::fail(std::string_view cause) const { throw DataError(fmt::format("{}: {}", file_, cause)); }

void NcGroup::check(int status, std::string_view act, std::string_view name) const {
  if (status != NC_NOERR) fail(fmt::format("cannot {} '{}': {}", act, name, nc_strerror(status)));
}

NcGroup NcGroup::add_group(const std::string& name) const {
  int id = 0;
  check(nc_def_grp(id_, name.c_str(), &id), "add group", name);
  return {id, file_};
}

int NcGroup::add_dimension(const std::string& name, Index size) const {
  int id = 0;  // a size of 0 means "unlimited" to netCDF, which holds no entries until some are written
  check(nc_def_dim(id_, name.c_str(), static_cast<std::size_t>(size), &id), "add dimension", name);
  return id;
}

NcVariable NcGroup::add_variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) const {
  int id = 0;
  const int rank = static_cast<int>(dimensions.size());
  check(nc_def_var(id_, name.c_str(), type, rank, dimensions.data(), &id), "add variable", name);
  return describe(id);
}

void NcGroup::put_numbers(const NcVariable& variable, const NcSlab& slab, const double* numbers) const {
  errno = 0;
  const int status = nc_put_vara_double(id_, variable.id, slab.start.data(), slab.count.data(), numbers);
  if (status != NC_NOERR) fail(fmt::format("cannot write variable '{}': {}", variable.name, cause_of(status)));
}

void NcGroup::put_labels(const NcVariable& variable, const std::vector<std::string>& labels) const {
  check(nc_put_var_string(id_, variable.id, pointers(labels).data()), "write labels", variable.name);
}

// Strings rather than characters: they are marked as UTF-8 and may be longer than 64 KiB.
void NcGroup::put(const std::string& attribute, const std::string& text, int variable) const {
  if (text.empty()) return;  // readers disagree on what an empty attribute is
  const char* string = text.c_str();
  check(nc_put_att_string(id_, variable, attribute.c_str(), 1, &string), "write attribute", attribute);
}

void NcGroup::put(const std::string& attribute, const std::vector<std::string>& texts) const {
  auto strings = pointers(texts);
  const int status = nc_put_att_string(id_, NC_GLOBAL, attribute.c_str(), strings.size(), strings.data());
  check(status, "write attribute", attribute);
}

void NcGroup::put(const std::string& attribute, double number) const {
  check(nc_put_att_double(id_, NC_GLOBAL, attribute.c_str(), NC_DOUBLE, 1, &number), "write attribute", attribute);
}

void NcGroup::put(const std::string& attribute, std::int64_t number) const {
  const long long value = number;
  check(nc_put_att_longlong(id_, NC_GLOBAL, attribute.c_str(), NC_INT64, 1, &value), "write attribute", attribute);
}

void NcGroup::put(const std::string& attribute, std::uint64_t number) const {
  const unsigned long long value = number;
  check(nc_put_att_ulonglong(id_, NC_GLOBAL, attribute.c_str(), NC_UINT64, 1, &value), "write attribute", attribute);
}

std::optional<NcGroup> NcGroup::find_group(const std::string& name) const {
  int id = 0;
  const int status = nc_inq_grp_ncid(id_, name.c_str(), &id);
  if (status == NC_ENOGRP) return std::nullopt;
  check(status, "find group", name);
  return NcGroup(id, file_);
}

NcGroup NcGroup::group(const std::string& name) const {
  const auto found = find_group(name);
  if (!found) fail(fmt::format("the group '{}' is missing", name));
  return *found;
}

std::vector<NcVariable> NcGroup::variables() const {
  int count = 0;
  check(nc_inq_nvars(id_, &count), "count", "variables");
  std::vector<NcVariable> variables;
  for (int i = 0; i < count; ++i) variables.push_back(describe(i));
  return variables;
}

NcVariable NcGroup::describe(int variable) const {
  const std::string number = std::to_string(variable);
  std::array<char, NC_MAX_NAME + 1> name = {};
  std::array<int, NC_MAX_VAR_DIMS> dimensions = {};
  int rank = 0;
  NcVariable out{.id = variable, .name = {}, .type = NC_NAT, .dims = {}, .shape = {}};
  check(nc_inq_var(id_, variable, name.data(), &out.type, &rank, dimensions.data(), nullptr), "look at variable",
        number);
  out.name = name.data();
  for (int axis = 0; axis < rank; ++axis) {
    std::size_t size = 0;
    check(nc_inq_dim(id_, dimensions[axis], name.data(), &size), "look at dimensions of", out.name);
    out.dims.emplace_back(name.data());
    out.shape.push_back(static_cast<Index>(size));
  }
  return out;
}

bool NcGroup::has_attribute(const std::string& name) const {
  return nc_inq_att(id_, NC_GLOBAL, name.c_str(), nullptr, nullptr) == NC_NOERR;
}

std::vector<double> NcGroup::get_numbers(const NcVariable& variable, const NcSlab& slab) const {
  std::vector<double> numbers(
      std::accumulate(slab.count.begin(), slab.count.end(), std::size_t{1}, std::multiplies<>()));
  if (numbers.empty()) return numbers;
  const int status = nc_get_vara_double(id_, variable.id, slab.start.data(), slab.count.data(), numbers.data());
  check(status, "read variable", variable.name);
  return numbers;
}

std::vector<std::string> NcGroup::get_labels(const NcVariable& variable) const {
  if (variable.type != NC_STRING || variable.shape.size() != 1)
    fail(fmt::format("'{}' holds no labels", variable.name));
  std::vector<char*> strings(static_cast<std::size_t>(variable.shape[0]), nullptr);
  if (!strings.empty()) check(nc_get_var_string(id_, variable.id, strings.data()), "read labels", variable.name);
  return adopt(strings);
}

std::map<std::string, std::string> NcGroup::texts() const {
  int count = 0;
  check(nc_inq_natts(id_, &count), "count", "attributes");
  std::map<std::string, std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::array<char, NC_MAX_NAME + 1> name = {};
    check(nc_inq_attname(id_, NC_GLOBAL, i, name.data()), "look at attribute", std::to_string(i));
    texts[name.data()] = get_text(name.data());
  }
  return texts;
}

std::string NcGroup::get_text(const std::string& attribute, int variable) const {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  const int status = nc_inq_att(id_, variable, attribute.c_str(), &type, &length);
  if (status == NC_ENOTATT) return {};
  check(status, "find attribute", attribute);
  if (type == NC_CHAR) {  // what other writers make of a string
    std::string text(length, '\0');
    check(nc_get_att_text(id_, variable, attribute.c_str(), text.data()), "read attribute", attribute);
    return text;
  }
  if (type != NC_STRING || length != 1) fail(fmt::format("the attribute '{}' is not a text", attribute));
  std::vector<char*> strings(1, nullptr);
  check(nc_get_att_string(id_, variable, attribute.c_str(), strings.data()), "read attribute", attribute);
  return adopt(strings).front();
}

void NcGroup::require_scalar(const std::string& attribute) const {
  std::size_t length = 0;
  check(nc_inq_attlen(id_, NC_GLOBAL, attribute.c_str(), &length), "find attribute", attribute);
  if (length != 1) fail(fmt::format("the attribute '{}' is not one number", attribute));
}

void NcGroup::get(const std::string& attribute, double& number) const {
  require_scalar(attribute);
  check(nc_get_att_double(id_, NC_GLOBAL, attribute.c_str(), &number), "read attribute", attribute);
}

void NcGroup::get(const std::string& attribute, std::int64_t& number) const {
  require_scalar(attribute);
  long long value = 0;
  check(nc_get_att_longlong(id_, NC_GLOBAL, attribute.c_str(), &value), "read attribute", attribute);
  number = value;
}

void NcGroup::get(const std::string& attribute, std::uint64_t& number) const {
  require_scalar(attribute);
  unsigned long long value = 0;
  check(nc_get_att_ulonglong(id_, NC_GLOBAL, attribute.c_str(), &value), "read attribute", attribute);
  number = value;
}

// Deflate shrinks by 1032 at most, so n bytes hold at most 1032 n numbers.
NcGroup plausible(const NcGroup& group, double file_size) {
  for (const NcVariable& variable : group.variables()) {
    double numbers = 1;
    for (const Index size : variable.shape) numbers *= static_cast<double>(size);
    if (numbers > 1032 * file_size) group.fail(fmt::format("is damaged: no room for the variable '{}'", variable.name));
  }
  return group;
}

NcVariable find_variable(const NcGroup& group, const std::string& name) {
  for (const NcVariable& variable : group.variables()) {
    if (variable.name == name) return variable;
  }
  group.fail(fmt::format("the variable '{}' is missing", name));
}

// The library takes a name with "://" for an address in the network; an absolute path never is one.
NcFile NcFile::create(const std::filesystem::path& path, const std::string& shown_name) {
  int id = 0;
  const int status = nc_create(std::filesystem::absolute(path).c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
  if (status != NC_NOERR) throw DataError(fmt::format("{}: cannot be written: {}", shown_name, nc_strerror(status)));
  nc_set_fill(id, NC_NOFILL, nullptr);  // every number is written once; filling first would double the work
  return {id, shown_name};
}

NcFile NcFile::open(const std::filesystem::path& path) {
  int id = 0;
  const int status = nc_open(std::filesystem::absolute(path).c_str(), NC_NOWRITE, &id);
  if (status != NC_NOERR) {
    throw DataError(fmt::format("{}: is not a netCDF file, or damaged: {}", path.string(), nc_strerror(status)));
  }
  return {id, path.string()};
}

NcFile NcFile::open_to_amend(const std::filesystem::path& path, const std::string& shown_name) {
  int id = 0;
  const int status = nc_open(std::filesystem::absolute(path).c_str(), NC_WRITE, &id);
  if (status != NC_NOERR) throw DataError(fmt::format("{}: cannot be amended: {}", shown_name, nc_strerror(status)));
  return {id, shown_name};
}

NcFile::~NcFile() {
  const auto lock = one_at_a_time();
  if (open_) nc_close(id_);
}

void NcFile::sync_and_close() {
  errno = 0;
  const int synced = nc_sync(id_);
  open_ = false;
  const int closed = nc_close(id_);
  for (const int status : {synced, closed}) {
    if (status != NC_NOERR) throw DataError(fmt::format("{}: cannot be written: {}", name_, cause_of(status)));
  }
}

}  // namespace quasar
