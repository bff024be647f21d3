// A card says what the files say: every number is theirs, and no name can become markup.
#include "credence/model_card.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "credence/fit.hpp"
#include "credence/report.hpp"
#include "report/card_scores.hpp"
#include "synthetic.hpp"

namespace credence::report {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Case {
  io::LoadedCalibrator loaded;
  std::string results;
};

/// A comparison and the calibrator it recommends, as the files of `compare` hold them.
const Case& compared() {
  static const Case made = [] {
    const auto set = testing_data::make_synthetic(600, 3);
    CompareOptions options;
    options.bootstrap.resamples = 50;
    options.metrics.draws = 5;
    const Comparison comparison = compare(set.data, options);
    const SplitResult& split = comparison.splits.front();
    Case out;
    out.loaded.calibrator = split.method(split.recommended).calibrator;
    out.loaded.info = {.fingerprint = "00112233445566778899aabbccddeeff",
                       .rows = comparison.calibration.rows,
                       .score_kind = "logits",
                       .evidence = "distributions",
                       .seed = 42,
                       .votes_per_example = comparison.calibration.votes_per_example};
    Provenance provenance;
    provenance.program = "credence";
    provenance.score_kind = "logits";
    provenance.fingerprint = "ffeeddccbbaa99887766554433221100";
    out.results = results_json(results_of(comparison, provenance));
    return out;
  }();
  return made;
}

CardOptions with_results(const std::string& results) {
  CardOptions options;
  options.results = results;
  return options;
}

TEST(ModelCard, EveryScoreIsThatOfTheResults) {
  const Case& made = compared();
  const std::string card = model_card(made.loaded, with_results(made.results));
  const auto json = nlohmann::json::parse(made.results);
  const auto& methods = json["splits"][0]["methods"];
  const auto method = std::find_if(methods.begin(), methods.end(), [&](const auto& one) {
    return one["name"] == made.loaded.calibrator.method;
  });
  ASSERT_NE(method, methods.end());
  int seen = 0;
  for (const char* name : {"nll", "brier", "ece_expected", "ece_true", "ece_voted", "accuracy"}) {
    const auto found = (*method)["metrics"].find(name);
    if (found == (*method)["metrics"].end() || (*found)["value"].is_null()) continue;
    ++seen;
    // Exact in the head, four digits in the table.
    EXPECT_THAT(card, HasSubstr(fmt::format("    - type: {}\n      value: {}\n", name,
                                            (*found)["value"].dump())));
    std::string cell = fmt::format("| {} | {:.4g}", name, (*found)["value"].get<double>());
    if (!(*found)["low"].is_null()) {
      cell += fmt::format(" ({:.4g} to {:.4g}) |", (*found)["low"].get<double>(),
                          (*found)["high"].get<double>());
    }
    EXPECT_THAT(card, HasSubstr(cell));
  }
  EXPECT_GE(seen, 3);
  EXPECT_THAT(card, HasSubstr(fmt::format("Measured on {} examples",
                                          json["splits"][0]["evaluation_rows"].get<int>())));
}

TEST(ModelCard, ResultsOfAnotherCalibratorAreRefused) {
  const Case& made = compared();
  const auto refused = [&](auto change) {
    io::LoadedCalibrator other = made.loaded;
    change(other);
    try {
      model_card(other, with_results(made.results));
    } catch (const Error& error) {
      return error.code() == ErrorCode::model && !error.hint().empty();
    }
    return false;
  };
  EXPECT_FALSE(refused([](io::LoadedCalibrator&) {}));
  EXPECT_TRUE(refused([](io::LoadedCalibrator& one) { one.calibrator.method = "nobody"; }));
  EXPECT_TRUE(refused([](io::LoadedCalibrator& one) { ++one.info.rows; }));
  EXPECT_TRUE(refused([](io::LoadedCalibrator& one) { one.info.votes_per_example += 0.5; }));
  EXPECT_TRUE(refused([](io::LoadedCalibrator& one) { one.info.score_kind = "probs"; }));
  EXPECT_THROW(model_card(made.loaded, with_results("{}")), Error);
}

TEST(ModelCard, ATemperatureThatTheResultsDoNotHaveIsRefused) {
  const Case& made = compared();
  const auto json = nlohmann::json::parse(made.results);
  for (const auto& method : json["splits"][0]["methods"]) {
    if (method["name"] != "slts") continue;
    io::LoadedCalibrator one = made.loaded;
    one.calibrator.method = "slts";
    one.calibrator.stages = {{.target = Annotators{},
                              .map = Temperature{},
                              .theta = {1.0 / (method["temperature"].get<double>() * 1.01)},
                              .report = {}}};
    EXPECT_THROW(model_card(one, with_results(made.results)), Error);
    return;
  }
  FAIL() << "the comparison has no slts";
}

TEST(ModelCard, WithoutResultsItSaysSo) {
  const std::string card = model_card(compared().loaded);
  EXPECT_THAT(card, HasSubstr("None were given."));
  EXPECT_THAT(card, Not(HasSubstr("model-index")));
  EXPECT_THAT(card, HasSubstr("| examples | " + std::to_string(compared().loaded.info.rows)));
  EXPECT_THAT(card, HasSubstr("`00112233445566778899aabbccddeeff`"));
}

TEST(ModelCard, ItSaysWhomTheProbabilitiesAgreeWith) {
  io::LoadedCalibrator loaded = compared().loaded;
  loaded.calibrator.stages.back().target = Annotators{};
  EXPECT_THAT(model_card(loaded), HasSubstr("agree with what annotators say"));
  loaded.calibrator.stages.back().target = Voted{};
  EXPECT_THAT(model_card(loaded), HasSubstr("agree with the majority labels"));
  loaded.calibrator.stages.back().target = NoTarget{};
  EXPECT_THAT(model_card(loaded), Not(HasSubstr("agree with")));
}

TEST(ModelCard, TheExampleNamesTheOutputOfTheNetwork) {
  CardOptions options;
  options.graph = {.file = "net.onnx", .output = "calibrated_probabilities", .is_network = true};
  const std::string card = model_card(compared().loaded, options);
  EXPECT_THAT(card, HasSubstr("session.run([\"calibrated_probabilities\"], "));
  EXPECT_THAT(card, HasSubstr("give it what the network reads"));
}

TEST(ModelCard, HostileNamesStayText) {
  io::LoadedCalibrator loaded = compared().loaded;
  loaded.calibrator.classes = {"<script>alert(1)</script>", "a | b\n# c", "![x](http://y) `z`"};
  loaded.calibrator.method = "x\n---\nlicense: none";
  loaded.info.fingerprint = "`</code>";
  CardOptions options;
  options.calibrator_file = "a\n```\n<b>.json";
  const std::string card = model_card(loaded, options);
  EXPECT_THAT(card, Not(HasSubstr("<script")));
  EXPECT_THAT(card, Not(HasSubstr("\n# c")));
  EXPECT_THAT(card, Not(HasSubstr("![x]")));
  EXPECT_THAT(card, Not(HasSubstr("`</code>")));
  EXPECT_THAT(card, Not(HasSubstr("\nlicense: none")));
  EXPECT_THAT(card, Not(HasSubstr("a\n```")));
}

TEST(ModelCard, LimitsSayHowTheFitEnded) {
  io::LoadedCalibrator loaded = compared().loaded;
  loaded.calibrator.stages.front().report.stop = Stop::at_bound;
  loaded.info.votes_per_example = 1.0;
  loaded.calibrator.classes.clear();
  const std::string card = model_card(loaded);
  EXPECT_THAT(card, HasSubstr("lies on its bound"));
  EXPECT_THAT(card, HasSubstr("fewer than two annotations"));
  EXPECT_THAT(card, HasSubstr("no names"));
  EXPECT_THAT(card, HasSubstr("fit again"));
}

}  // namespace
}  // namespace credence::report
