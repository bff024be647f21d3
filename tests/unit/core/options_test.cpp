// What options are called by whom, and what they accept.
#include "credence/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace credence {
namespace {

void expect_speech(const std::string& text, const std::string& command_line,
                   const std::string& python, const std::string& plain) {
  EXPECT_EQ(render(text, Speech::command_line), command_line);
  EXPECT_EQ(render(text, Speech::python), python);
  EXPECT_EQ(render(text, Speech::plain), plain);
}

TEST(Speech, NamesAnOptionAsEachReaderWritesIt) {
  expect_speech("drop it with ‹skip_rows=FILE›.", "drop it with --skip-rows FILE.",
                "drop it with skip_rows=.", "drop it with skip_rows.");
  expect_speech("‹refits› and ‹lambda›", "--refit and --lambda",
                "refits= and lambda_=", "refits and lambda");
  expect_speech("‹allow_unmatched›", "--allow-unmatched", "allow_unmatched=True",
                "allow_unmatched");
  expect_speech("‹log_probs›", "--log-probs", "input=\"log_probs\"", "log_probs");
}

TEST(Speech, ShowsTheValueThatIsMeant) {
  expect_speech("without ‹gauge=raw›", "without --gauge raw", "without gauge=\"raw\"",
                "without gauge raw");
  expect_speech("‹gauge=log-probs›", "--gauge log-probs", "gauge=\"log_probs\"", "gauge log-probs");
  expect_speech("‹bins=20›", "--bins 20", "bins=20", "bins 20");
}

TEST(Speech, NamesVerbsAndWhereTheyWrite) {
  expect_speech("‹compare()› with ‹results_folder=DIR›", "'credence compare' with -o DIR",
                "credence.compare() with save()", "compare() with results_folder");
}

TEST(Speech, LeavesTextAloneThatOnlyLooksLikeAMention) {
  for (const std::string text :
       {"class ‹chat›", "‹", "‹rows", "›rows‹", "‹rows ›", "‹bake()›", "‹‹", ""}) {
    expect_speech(text, text, text, text);
  }
  // The quotation mark before a mention does not hide it.
  EXPECT_EQ(render("‹x ‹rows›", Speech::command_line), "‹x --rows");
}

TEST(Speech, OfEveryOptionIsAWordThatItsReaderKnows) {
  for (const OptionInfo& option : all_options()) {
    const std::string mark = mention(option.option);
    EXPECT_NE(render(mark, Speech::command_line), mark);
    EXPECT_EQ(render(mark, Speech::plain), option.id);
    EXPECT_EQ(&info(option.option), &option);
  }
}

TEST(Options, HelpNamesOnlyOptionsThatExist) {
  for (const OptionInfo& option : all_options()) {
    EXPECT_EQ(render(option.help, Speech::command_line).find("‹"), std::string::npos) << option.id;
    EXPECT_FALSE(option.help.empty()) << option.id;
  }
}

TEST(Options, AcceptTheEndsOfTheirRangesAndNothingBeyond) {
  EXPECT_TRUE(accepts(Option::level, 0.5) && accepts(Option::level, 0.9999));
  EXPECT_FALSE(accepts(Option::level, 0.49) || accepts(Option::level, 1.0));
  EXPECT_TRUE(accepts(Option::refits, 0.0) && accepts(Option::refits, 1e6));
  EXPECT_FALSE(accepts(Option::refits, 1e6 + 1) || accepts(Option::refits, -1.0));
  EXPECT_EQ(accepted_values(Option::folds), "a whole number from 2 to 1000");
  EXPECT_EQ(accepted_values(Option::epsilon), "a number from 0 to 1");
}

}  // namespace
}  // namespace credence
