// Loading a library: what is missing or wrong is told with the file and the cause; what it prints is passed on.
#include "targets/stan_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/stan_programs.hpp"
#include "support/temp_folder.hpp"
#include "targets/library_file.hpp"
#include "targets/stan_messages.hpp"
#include "targets/stan_program.hpp"

namespace quasar {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& file) {
  return test::error_message<DataError>([&] { StanLibrary(load_library(file)); });
}

void expect_refused(const std::string& file, const std::string& cause) {
  const std::string message = refusal(file);
  EXPECT_EQ(message.rfind(file + ": ", 0), 0U) << message;
  EXPECT_NE(message.find(cause), std::string::npos) << message;
}

TEST(StanLibrary, EveryFunctionThatIsNeeded) {
  for (const std::string symbol :
       {"bs_model_construct", "bs_model_destruct", "bs_free_error_msg", "bs_name", "bs_param_names", "bs_param_num",
        "bs_param_unc_num", "bs_param_constrain", "bs_param_unconstrain", "bs_log_density_gradient", "bs_rng_construct",
        "bs_rng_destruct"}) {
    const std::string file = test::stan_program("without_" + symbol);
    EXPECT_EQ(refusal(file), file + ": is no BridgeStan library: it has no " + symbol);
  }
}

TEST(StanLibrary, WhatItCanDoWithout) {
  EXPECT_EQ(StanLibrary(load_library(test::stan_program("without_bs_model_info"))).model_info, nullptr);
  EXPECT_NO_THROW(StanLibrary(load_library(test::stan_program("without_bs_set_print_callback"))));
}

TEST(StanLibrary, APrintCallbackThatIsRefused) {
  const LoadedLibrary library = load_library(test::stan_program("print_callback_fails"));
  EXPECT_NO_THROW(StanLibrary{library});
  const auto texts_left = reinterpret_cast<int (*)()>(dlsym(library.handle, "stan_test_texts_left"));
  ASSERT_NE(texts_left, nullptr);
  EXPECT_EQ(texts_left(), 0);
}

TEST(StanLibrary, OtherVersions) {
  expect_refused(test::stan_program("without_bs_major_version"),
                 "was made by BridgeStan 1 or older; version 2 is needed");
  expect_refused(test::stan_program("version_7"), "was made by BridgeStan 7; version 2 is needed");
}

TEST(StanLibrary, FilesThatAreNone) {
  const test::TempFolder folder;
  expect_refused(folder.file("missing.so"), "cannot open shared object file: No such file or directory");
  expect_refused(folder.write("text.so", "model { x ~ normal(0, 1); }\n"), "cannot be loaded as a library");
  expect_refused(folder.write("empty.so", ""), "file too short");
  expect_refused(folder.path(), "it is not a file");
  ASSERT_EQ(mkfifo(folder.file("pipe.so").c_str(), 0600), 0);
  expect_refused(folder.file("pipe.so"), "it is not a file");
  EXPECT_EQ(compiled_with_threads(folder.file("pipe.so")), std::nullopt);
  expect_refused("", "cannot be loaded as a library");
}

TEST(StanLibrary, ANameThatGoesOnAfterItsEnd) {
  const std::string file = test::stan_program("gaussian");
  EXPECT_EQ(refusal(file + '\0' + "more"),
            file + ": cannot be loaded as a library: its name goes on after a NUL character");
}

TEST(StanLibrary, UndefinedSymbols) {
  expect_refused(test::stan_program("without_program"), "undefined symbol: _ZN9stan_test");
}

TEST(StanLibrary, CutOff) {
  const test::TempFolder folder;
  const fs::path whole = test::stan_program("gaussian"), cut = folder.file("cut.so");
  const auto size = fs::file_size(whole);
  for (const auto kept : {size / 8, size / 2, size - 1}) {
    fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, kept);
    expect_refused(cut, "cannot be loaded as a library");
    fs::remove(cut);  // the next one is another file to the loader
  }
}

TEST(StanLibrary, ThreadsAreSeenBeforeLoading) {
  EXPECT_EQ(compiled_with_threads(test::stan_program("gaussian")), true);
  EXPECT_EQ(compiled_with_threads(test::stan_program("gaussian_without_threads")), false);
  EXPECT_EQ(compiled_with_threads(test::stan_program("shapes")), std::nullopt);
  EXPECT_EQ(compiled_with_threads("missing.so"), std::nullopt);
}

TEST(StanLibrary, OfAnotherMachine) {
  const test::TempFolder folder;
  const fs::path other = folder.file("other.so");
  fs::copy_file(test::stan_program("gaussian"), other);
  std::fstream file(other, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(18);  // e_machine
  file.put(8);     // MIPS
  file.close();
  expect_refused(other, "cannot be loaded as a library");
}

// The loader would search the folders of the system for a bare name.
TEST(StanLibrary, BareNamesAreFilesHere) {
  expect_refused("libc.so.6", "cannot open shared object file: No such file or directory");
  const fs::path before = fs::current_path();
  fs::current_path(QUASAR_STAN_PROGRAMS);
  EXPECT_NO_THROW(load_library("gaussian.so"));
  fs::current_path(before);
}

std::string name_of_program(const std::string& file) { return StanProgram(file, {}, 1).name(); }

TEST(StanLibrary, CompiledAgain) {
  const test::TempFolder folder;
  const fs::path file = folder.file("model.so");
  for (const std::string program : {"gaussian", "half_normal", "shapes", "gaussian"}) {
    fs::remove(file);
    fs::copy_file(test::stan_program(program), file);
    EXPECT_EQ(name_of_program(file), program);
    EXPECT_EQ(name_of_program(file), program);
  }
}

// Only its end is changed here: a library whose code is written over cannot even be left.
TEST(StanLibrary, WrittenOver) {
  const test::TempFolder folder;
  const fs::path file = folder.file("model.so"), link = folder.file("link.so");
  fs::copy_file(test::stan_program("gaussian"), file);
  fs::create_symlink(file, link);
  EXPECT_EQ(name_of_program(file), "gaussian");
  std::ofstream(file, std::ios::app) << "more";
  expect_refused(file, "changed since this process loaded it: a new process is needed");
  expect_refused(link, "changed since this process loaded it: a new process is needed");
  fs::remove(file);
  fs::copy_file(test::stan_program("half_normal"), file);
  EXPECT_EQ(name_of_program(file), "half_normal");
}

TEST(StanLibrary, OfOneNameInTwoFolders) {
  const test::TempFolder folder;
  const fs::path before = fs::current_path();
  for (const std::string program : {"gaussian", "half_normal"}) {
    fs::create_directory(folder.file(program));
    fs::current_path(folder.file(program));
    fs::copy_file(test::stan_program(program), "model.so");
    EXPECT_EQ(name_of_program("model.so"), program);
  }
  fs::current_path(before);
}

using Texts = std::vector<std::string>;

TEST(Messages, PrintsArePassedOn) {
  const test::PassedOn passed_on;
  const StanProgram program(test::stan_program("gaussian"), {R"({"print": 1})", ""}, 1);
  const double x[3] = {0, 0, 0};
  double logp = 0, grad[3];
  EXPECT_FALSE(program.log_density_gradient(x, logp, grad));
  EXPECT_EQ(passed_on.texts(), (Texts{"made\n", "evaluated\n"}));
}

TEST(Messages, AThrowingHandlerHarmsNobody) {
  const test::PassedOn restored;
  pass_on_messages([](std::string_view) { throw std::runtime_error("no"); });
  EXPECT_NO_THROW(StanProgram(test::stan_program("gaussian"), {R"({"print": 1})", ""}, 1));
}

// A handler may itself choose the next one.
TEST(Messages, AHandlerCanBeReplacedFromWithin) {
  const test::PassedOn restored;
  Texts texts;
  pass_on_messages(
      [&](std::string_view) { pass_on_messages([&](std::string_view text) { texts.emplace_back(text); }); });
  pass_on_message("one");
  pass_on_message("two");
  EXPECT_EQ(texts, (Texts{"two"}));
}

TEST(Messages, FiveDifferentReasonsAreShown) {
  const test::PassedOn passed_on;
  FirstReasons reasons("no");
  for (int i = 0; i < 9; ++i) {
    reasons.pass_on(std::to_string(i));
    reasons.pass_on(std::to_string(i));
  }
  EXPECT_EQ(passed_on.texts(),
            (Texts{"no: 0\n", "no: 1\n", "no: 2\n", "no: 3\n", "no: 4\n", "no: more reasons are not shown\n"}));
}

}  // namespace
}  // namespace quasar
