// Run configurations in TOML: values as a user would type them, places of mistakes.
#include "io/toml_config.hpp"

#include <gtest/gtest.h>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::TempFolder;

TomlConfig config_of(std::string_view text) {
  TempFolder folder;
  return read_toml(folder.write("c.toml", text));
}

template <class Error>
std::string complaint(std::string_view text) {
  TempFolder folder;
  const auto file = folder.write("c.toml", text);
  const std::string message = test::error_message<Error>([&] { read_toml(file); });
  EXPECT_TRUE(message.starts_with(folder.path().string())) << message;
  return message.substr(std::min(message.size(), folder.path().string().size() + 1));
}

TEST(TomlConfig, ValuesBecomeTheTextAUserWouldType) {
  const TomlConfig config = config_of(R"([run]
model = "eight-schools"
draws = 1_000
warmup = 1e3
overwrite = true
quiet = false
variables = ["mu", "tau"]
seed = 9223372036854775807
[sampler]
step_size = 0.1
tiny = 1e-300
sizes = [1, 2.5]
none = []
)");
  EXPECT_EQ(config.tables.at("run"), (Settings{{"model", "eight-schools"},
                                               {"draws", "1000"},
                                               {"warmup", "1000"},
                                               {"overwrite", "true"},
                                               {"quiet", "false"},
                                               {"variables", "mu,tau"},
                                               {"seed", "9223372036854775807"}}));
  EXPECT_EQ(config.tables.at("sampler"),
            (Settings{{"step_size", "0.1"}, {"tiny", "1e-300"}, {"sizes", "1,2.5"}, {"none", ""}}));
  EXPECT_TRUE(config.tables.at("model").empty());
}

TEST(TomlConfig, EveryKeyKnowsItsLine) {
  TempFolder folder;
  const auto file = folder.write("c.toml", "[run]\n\nmodel = 'x'\n[sampler]\na = 1 # here\nb = [\n 1,\n 2]\n");
  const TomlConfig config = read_toml(file);
  EXPECT_EQ(config.where("run", "model"), file.string() + ":3");
  EXPECT_EQ(config.where("sampler", "a"), file.string() + ":5");
  EXPECT_EQ(config.where("sampler", "b"), file.string() + ":6");
}

TEST(TomlConfig, InputsAreFoundBesideTheFileOutputsInTheCurrentFolder) {
  TempFolder folder;
  std::filesystem::create_directory(folder.file("sub"));
  const TomlConfig config = read_toml(folder.write("sub/c.toml",
                                                   "[run]\ndata = '../heart.csv'\ninit = 'start.json'\nheld_out = "
                                                   "'new.csv'\nout = 'run.nc'\n[model]\ndata = 'untouched'\n"
                                                   "dictionary = 'w.csv'\n"));
  EXPECT_EQ(config.tables.at("run").at("data"), folder.file("heart.csv").string());
  EXPECT_EQ(config.tables.at("run").at("init"), folder.file("sub/start.json").string());
  EXPECT_EQ(config.tables.at("run").at("held_out"), folder.file("sub/new.csv").string());
  EXPECT_EQ(config.tables.at("run").at("out"), "run.nc");
  EXPECT_EQ(config.tables.at("model").at("data"), "untouched");
  EXPECT_EQ(config.tables.at("model").at("dictionary"), folder.file("sub/w.csv").string());
  EXPECT_EQ(config_of("[run]\ndata = '/data/heart.csv'\n").tables.at("run").at("data"), "/data/heart.csv");
}

TEST(TomlConfig, AnEmptyTextIsNoInput) {
  const TomlConfig config = config_of("[run]\ndata = ''\ninit = ''\nbridgestan = ''\n[model]\ndictionary = ''\n");
  EXPECT_EQ(config.tables.at("run"), (Settings{{"data", ""}, {"init", ""}, {"bridgestan", ""}}));
  EXPECT_EQ(config.tables.at("model"), (Settings{{"dictionary", ""}}));
}

TEST(TomlConfig, AnEmptyFileIsAnEmptyConfiguration) {
  for (const auto& [name, settings] : config_of("").tables) EXPECT_TRUE(settings.empty()) << name;
}

TEST(TomlConfig, TextThatIsNotTomlIsBadData) {
  EXPECT_TRUE(complaint<DataError>("[run]\nmodel = \n").starts_with("c.toml:2:"));
  EXPECT_TRUE(complaint<DataError>("[run]\nmodel = x\n").starts_with("c.toml:2:9: "));
  EXPECT_TRUE(complaint<DataError>("[run]\nseed = 1\nseed = 2\n").starts_with("c.toml:3:"));
  EXPECT_TRUE(complaint<DataError>("[run\n").starts_with("c.toml:1:"));
  EXPECT_TRUE(complaint<DataError>("[run]\na = '\xff'\n").starts_with("c.toml:2:"));
  EXPECT_TRUE(complaint<DataError>(std::string_view("\0\0", 2)).starts_with("c.toml:1:"));
}

TEST(TomlConfig, KeysOfManyPartsAreRefused) {
  std::string dots;
  for (int i = 0; i < 17; ++i) dots += "a . ";
  const std::string key = dots + "a";
  const std::string refused = "a key with too many dots";
  EXPECT_EQ(complaint<DataError>("[" + key + "]\n"), "c.toml:1: " + refused);
  EXPECT_EQ(complaint<DataError>("[run]\n" + key + " = 1\n"), "c.toml:2: " + refused);
  EXPECT_EQ(complaint<DataError>("[run]\n'='." + key + " = 1\n"), "c.toml:2: " + refused);
  EXPECT_EQ(complaint<DataError>("[run]\n\"\\\",\"." + key + " = 1\n"), "c.toml:2: " + refused);
  EXPECT_EQ(complaint<DataError>("[run]\na = {b = \"\"\"\n\\\"\"\"\"\", " + key + " = 1}\n"), "c.toml:3: " + refused);
  EXPECT_EQ(complaint<DataError>("[run]\na = {b = '''\n\\''', " + key + " = 1}\n"), "c.toml:3: " + refused);
  // The same dots where they are no key.
  const TomlConfig config = config_of("[run]\n# " + key + "\na = '" + key + "'\nb = \"\"\"\n" + key + "\"\"\"\nc = [" +
                                      "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8]\n");
  EXPECT_EQ(config.tables.at("run").at("a"), key);
  EXPECT_EQ(config.tables.at("run").at("b"), key);
}

TEST(TomlConfig, MisplacedThingsAreWrongUsage) {
  EXPECT_EQ(complaint<UsageError>("model = 'x'\n"),
            "c.toml:1: 'model' stands outside the tables [run], [model] and [sampler]");
  EXPECT_EQ(complaint<UsageError>("[run]\n[samplr]\n"), "c.toml:2: unknown table 'samplr'; did you mean 'sampler'?");
  EXPECT_EQ(complaint<UsageError>("[run]\na = 2020-01-01\n"),
            "c.toml:2: 'a' must be a number, true or false, a string, or an array of these");
  for (const std::string text :
       {"[run.sub]\na = 1\n", "[[run]]\na = 1\n", "[run]\na = [[1]]\n", "[run]\na = ['b,c']\n"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(complaint<UsageError>(text), "");
  }
}

TEST(TomlConfig, FilesThatCannotBeRead) {
  TempFolder folder;
  EXPECT_EQ(test::error_message<DataError>([&] { read_toml(folder.file("none.toml")); }),
            folder.file("none.toml").string() + ": cannot be opened: No such file or directory");
  test::error_message<DataError>([&] { read_toml(folder.path()); });
}

}  // namespace
}  // namespace quasar
