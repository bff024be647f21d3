// Several models at once: fit, apply, evaluate, and what is refused.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Two models of 60 examples as tables with ids, the second in reverse order, and their votes.
class Models : public ProgramTest {
 protected:
  Models() {
    std::ostringstream a, b, votes;
    a << "id,x,y,z\n";
    votes << "id,x,y,z\n";
    std::string reversed;
    for (int i = 0; i < 60; ++i) {
      const int truth = i % 3;
      const auto score = [&](int k, int shift) {
        const double noise = 0.35 * ((i * 7 + k * 5 + shift * 11) % 9 - 4);
        return (k == truth ? 1.5 : 0.0) + noise;
      };
      a << "e" << i << "," << score(0, 0) << "," << score(1, 0) << "," << score(2, 0) << "\n";
      std::ostringstream row;
      // Another order of the classes, too.
      row << "e" << i << "," << score(2, 1) << "," << score(0, 1) << "," << score(1, 1) << "\n";
      reversed = row.str() + reversed;
      votes << "e" << i;
      for (int k = 0; k < 3; ++k) votes << "," << (k == truth ? 4 : (i + k) % 3 == 0 ? 1 : 0);
      votes << "\n";
    }
    b << "id,z,x,y\n" << reversed;
    write("a.csv", a.str());
    write("b.csv", b.str());
    write("v.csv", votes.str());
  }
  Outcome fit_both(const std::string& output = "both.json") const {
    return run({"fit", "--method", "auto", "--logits", "a.csv", "--logits", "b.csv", "--votes",
                "v.csv", "-o", output});
  }
};

TEST_F(Models, AreJoinedByIdAndNamedInTheFile) {
  const Outcome fitted = fit_both();
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("auto of 2 models: 60 examples, 3 classes"));
  const json file = json::parse(text_of("both.json"));
  EXPECT_EQ(file["format"], "credence-panel");
  EXPECT_EQ(file["models"][1]["name"], "b.csv");
  EXPECT_EQ(file["models"][1]["calibrator"]["classes"], (json{"x", "y", "z"}));

  // Rows and columns are those of the first file, however the second is arranged.
  ASSERT_EQ(
      run({"apply", "both.json", "--logits", "a.csv", "--logits", "b.csv", "-o", "p.csv"}).code, 0);
  EXPECT_THAT(text_of("p.csv"), testing::StartsWith("id,x,y,z\ne0,"));
  std::istringstream lines(text_of("b.csv"));
  std::string head, rows;
  std::getline(lines, head);
  for (std::string line; std::getline(lines, line);) rows = line + "\n" + rows;
  write("c.csv", head + "\n" + rows);
  ASSERT_EQ(
      run({"apply", "both.json", "--logits", "a.csv", "--logits", "c.csv", "-o", "q.csv"}).code, 0);
  EXPECT_EQ(text_of("p.csv"), text_of("q.csv"));
}

TEST_F(Models, AreScoredTogether) {
  ASSERT_EQ(fit_both().code, 0);
  ASSERT_EQ(run({"apply", "both.json", "--logits", "a.csv", "--logits", "b.csv", "-o", "p.csv",
                 "--dtype", "float64"})
                .code,
            0);
  const std::vector<std::string> how{"--votes", "v.csv", "--resamples", "0", "--format", "json"};
  std::vector<std::string> together{"evaluate", "both.json", "--logits",
                                    "a.csv",    "--logits",  "b.csv"};
  std::vector<std::string> as_given{"evaluate", "--probs", "p.csv"};
  together.insert(together.end(), how.begin(), how.end());
  as_given.insert(as_given.end(), how.begin(), how.end());
  const Outcome panel = run(together), given = run(as_given);
  ASSERT_EQ(panel.code, 0) << panel.err;
  EXPECT_THAT(panel.err, HasSubstr("these are the rows the calibrator was fitted on"));
  const json a = json::parse(panel.out), b = json::parse(given.out);
  EXPECT_EQ(a["metrics"]["nll"], b["metrics"]["nll"]);
}

TEST_F(Models, OfAnotherNumberAreRefusedWithTheirNames) {
  ASSERT_EQ(fit_both().code, 0);
  const Outcome one = run({"apply", "both.json", "--logits", "a.csv", "-o", "p.csv"});
  EXPECT_NE(one.code, 0);
  EXPECT_THAT(one.err, HasSubstr("both.json reads the scores of 2 models, 1 was given"));
  EXPECT_THAT(one.err, HasSubstr("a.csv b.csv"));
  ASSERT_EQ(
      run({"fit", "--method", "slts", "--logits", "a.csv", "--votes", "v.csv", "-o", "one.json"})
          .code,
      0);
  const Outcome two =
      run({"evaluate", "one.json", "--logits", "a.csv", "--logits", "b.csv", "--votes", "v.csv"});
  EXPECT_NE(two.code, 0);
  EXPECT_THAT(two.err, HasSubstr("one.json reads the scores of 1 model, 2 were given"));
}

TEST_F(Models, AreOnlyForAuto) {
  const Outcome fitted = run({"fit", "--method", "slts", "--logits", "a.csv", "--logits", "b.csv",
                              "--votes", "v.csv", "-o", "m.json"});
  EXPECT_NE(fitted.code, 0);
  EXPECT_THAT(fitted.err, HasSubstr("the scores of 2 models are given; expected those of one"));
  EXPECT_THAT(fitted.err, HasSubstr("'credence fit --method auto' combines several models"));
  const Outcome compared =
      run({"compare", "--logits", "a.csv", "--logits", "b.csv", "--votes", "v.csv"});
  EXPECT_NE(compared.code, 0);
  EXPECT_THAT(compared.err, HasSubstr("the scores of 2 models are given; expected those of one"));
}

TEST_F(Models, OfOtherExamplesAreRefused) {
  std::string text = text_of("b.csv");
  text.replace(text.find("e7,"), 3, "f7,");
  write("b.csv", text);
  const Outcome fitted = fit_both();
  EXPECT_NE(fitted.code, 0);
  EXPECT_THAT(fitted.err, HasSubstr("7"));
  write("b.csv", text.substr(0, text.rfind("e0,")));
  EXPECT_NE(fit_both().code, 0);
}

TEST_F(Models, CannotBeExported) {
  ASSERT_EQ(fit_both().code, 0);
  const Outcome exported = run({"export", "both.json", "-o", "both.onnx"});
  EXPECT_NE(exported.code, 0);
  EXPECT_THAT(exported.err, HasSubstr("a calibrator for several models cannot be used here"));
}

}  // namespace
}  // namespace credence::cli_test
