// Work that survives its process: what is saved and when, what is gone on from, and what is refused.
#include "io/durable_work.hpp"

#include <gtest/gtest.h>

#include <string>

#include <quasar/errors.hpp>

#include "io/checked_file.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

constexpr KindsOfWork counting{.description = "count", .state = "count-1"};

struct Counter {  // the work: to count
  double steps = 0;
  int saves = 0;

  WorkInSteps work() {
    return {.save =
                [this](Writer& out) {
                  ++saves;
                  out("steps", steps);
                },
            .load = [this](Reader& in) { in("steps", steps); },
            .done = [this] { return steps; }};
  }
  void go_on(DurableWork& durable, double to) {
    while (steps < to) {
      ++steps;
      durable.save_when_due();
    }
  }
};

const nlohmann::json to_ten = {{"to", 10}};

class Durable : public testing::Test {
 protected:
  Durability durability(bool resume, bool overwrite = false, std::int64_t every = 4) const {
    return {.out = folder.file("x.txt"), .resume = resume, .overwrite = overwrite, .checkpoint_every = every};
  }
  template <class Error>
  std::string refusal(const nlohmann::json& decisive) const {  // of resuming
    Counter other;
    return test::error_message<Error>([&] { DurableWork(durability(true), counting, decisive, other.work()); });
  }
  const test::TempFolder folder;
};

TEST_F(Durable, GoesOnFromTheLastCheckpoint) {
  {
    Counter begun;
    DurableWork durable(durability(false), counting, to_ten, begun.work());
    begun.go_on(durable, 3);
    EXPECT_EQ(begun.saves, 0);
    begun.go_on(durable, 9);
    EXPECT_EQ(begun.saves, 2);  // at 4 and at 8
  }
  Counter resumed;
  DurableWork durable(durability(true), counting, to_ten, resumed.work());
  EXPECT_EQ(resumed.steps, 8);
  resumed.go_on(durable, 11);
  EXPECT_EQ(resumed.saves, 0);  // the next is due at 12
  resumed.go_on(durable, 12);
  EXPECT_EQ(resumed.saves, 1);
  EXPECT_TRUE(std::filesystem::exists(durable.folder()));
  durable.finish();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Durable, WithoutACheckpointItStartsAfresh) {
  { DurableWork(durability(false), counting, to_ten, Counter().work()); }
  Counter resumed;
  DurableWork durable(durability(true), counting, to_ten, resumed.work());
  EXPECT_EQ(resumed.steps, 0);
}

TEST_F(Durable, MayReplaceWhatItMightAtTheBeginning) {
  const auto may_replace = [&](const Durability& wanted) {
    return DurableWork(wanted, counting, to_ten, Counter().work()).if_exists() == IfExists::replace;
  };
  EXPECT_FALSE(may_replace(durability(false)));
  EXPECT_FALSE(may_replace(durability(true)));
  EXPECT_TRUE(may_replace(durability(true, true)));
  EXPECT_TRUE(may_replace(durability(false, true)));
  EXPECT_TRUE(may_replace(durability(true)));
}

TEST_F(Durable, OtherWorkIsRefused) {
  { DurableWork(durability(false), counting, to_ten, Counter().work()); }
  EXPECT_EQ(refusal<UsageError>({{"to", 11}, {"by", "two"}}),
            folder.file("x.txt.part").string() +
                " cannot be resumed: by: none there, \"two\" here; to: 10 there, 11 here. Resume it as it was begun, "
                "or start anew with --overwrite alone");
  const DurableWork here(durability(true), counting, to_ten, Counter().work());
  EXPECT_NE(refusal<UsageError>(to_ten).find("another process"), std::string::npos);
}

TEST_F(Durable, WhatIsDoneIsKnownByItsWork) {
  const auto done = [&](const Durability& wanted, const nlohmann::json& work, bool stopped_early = false) {
    return already_done(wanted, counting, to_ten, [&] { return FinishedWork{work, stopped_early}; });
  };
  const nlohmann::json to_two = {{"to", 2}};
  EXPECT_FALSE(done(durability(true), to_ten));  // no file
  const std::string out = folder.write("x.txt", "ten").string();
  EXPECT_TRUE(done(durability(true), to_ten));
  EXPECT_FALSE(done(durability(false), to_ten));
  EXPECT_FALSE(done(durability(true), to_ten, true));
  EXPECT_FALSE(done(durability(true, true), to_two));
  EXPECT_EQ(test::error_message<UsageError>([&] { done(durability(true), to_two); }),
            out +
                " cannot be resumed: to: 2 there, 10 here. Resume it as it was begun, or start anew with "
                "--overwrite alone");
  const auto unreadable = [&](bool overwrite) {
    return already_done(durability(true, overwrite), counting, to_ten,
                        []() -> FinishedWork { throw DataError("does not tell"); });
  };
  EXPECT_THROW(unreadable(false), DataError);
  EXPECT_FALSE(unreadable(true));
}

TEST_F(Durable, WhatIsDoneBesideWhatIsNot) {
  const std::string out = folder.write("x.txt", "ten").string();
  const auto done = [&](const nlohmann::json& wanted, const nlohmann::json& work) {
    return already_done(durability(true), counting, wanted, [&] { return FinishedWork{work}; });
  };
  { DurableWork(durability(false), counting, to_ten, Counter().work()); }
  EXPECT_THROW(done({{"to", 11}}, to_ten), UsageError);
  EXPECT_EQ(test::error_message<UsageError>([&] {
              done(to_ten, {{"to", 2}});
            }),
            out + " is not of the work in " + out + ".part: move it away, or add --overwrite to replace it at the end");
  EXPECT_TRUE(std::filesystem::exists(out + ".part"));
  EXPECT_TRUE(done(to_ten, to_ten));
  EXPECT_FALSE(std::filesystem::exists(out + ".part"));
}

TEST_F(Durable, DamagedFilesAreRefused) {
  std::filesystem::path part;
  {
    Counter begun;
    DurableWork durable(durability(false), counting, to_ten, begun.work());
    begun.go_on(durable, 4);
    part = durable.folder();
  }
  write_checked_file(part / "chain-1.state", counting.state, "no numbers");
  EXPECT_NE(refusal<DataError>(to_ten).find("chain-1.state: "), std::string::npos);
  EXPECT_TRUE(refusal<DataError>(to_ten).ends_with("; --overwrite begins anew")) << refusal<DataError>(to_ten);
  folder.write("x.txt.part/chain-1.state", "QSRFILE1");
  EXPECT_EQ(refusal<DataError>(to_ten), (part / "chain-1.state").string() + ": is cut short; --overwrite begins anew");
  for (const char* text : {"[]", "{}", R"({"work": {"to": 10}})", R"({"work": {"to": 10}, "replace": 1})"}) {
    write_checked_file(part / "run", counting.description, text);
    EXPECT_EQ(refusal<DataError>(to_ten),
              (part / "run").string() + ": does not tell what was begun; --overwrite begins anew")
        << text;
  }
  Counter anew;
  DurableWork durable(durability(false, true), counting, to_ten, anew.work());
  EXPECT_EQ(anew.steps, 0);
}

}  // namespace
}  // namespace quasar
