// What C programs get is what the engine gives, however their arrays lie.
#include <cstring>
#include <thread>

#include "calibrators.hpp"

extern "C" int c99_layout_is_kept(void);

namespace credence::c_testing {
namespace {

TEST(CInterface, TheHeaderIsC99AndItsNumbersAreKept) { EXPECT_TRUE(c99_layout_is_kept()); }

TEST(CInterface, EveryMethodGivesTheBitsOfTheEngine) {
  const Scores scores = data().scores.view();
  for (const char* method : kMethodNames) {
    SCOPED_TRACE(method);
    const Calibrator engine = fitted(method);
    const Handle handle(as_json(engine));
    Matrix<float> want(kRows, kClasses), got(kRows, kClasses);
    engine.apply(scores, want.view());
    ASSERT_EQ(credence_apply_f32(handle, CREDENCE_LOGITS, kRows, kClasses, scores.data(), nullptr,
                                 got.data(), nullptr),
              CREDENCE_OK);
    EXPECT_EQ(std::memcmp(want.data(), got.data(), kRows * kClasses * sizeof(float)), 0);
    Matrix<double> wide(kRows, kClasses), in_place(kRows, kClasses);
    engine.apply(scores, wide.view());
    std::copy_n(scores.data(), kRows * kClasses, in_place.data());
    ASSERT_EQ(credence_apply_f64(handle, CREDENCE_LOGITS, kRows, kClasses, in_place.data(), nullptr,
                                 in_place.data(), nullptr),
              CREDENCE_OK);
    EXPECT_EQ(std::memcmp(wide.data(), in_place.data(), kRows * kClasses * sizeof(double)), 0);
    for (std::size_t i = 0; i < kRows; ++i) {
      float row[kClasses];
      std::copy_n(scores.row(i).data(), kClasses, row);
      ASSERT_EQ(credence_apply_row_f32(handle, CREDENCE_LOGITS, kClasses, row, row), CREDENCE_OK);
      ASSERT_EQ(std::memcmp(row, want.row(i).data(), sizeof row), 0) << "row " << i;
    }
  }
}

TEST(CInterface, StridesReachEveryLayout) {
  const Scores scores = data().scores.view();
  const Calibrator engine = fitted("soft-platt");
  const Handle handle(as_json(engine));
  Matrix<float> want(kRows, kClasses);
  engine.apply(scores, want.view());

  // One table: an id, the scores, and room for the probabilities.
  constexpr std::size_t kWidth = 1 + 2 * kClasses;
  std::vector<float> table(kRows * kWidth, -7.0f);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(scores.row(i).data(), kClasses, &table[i * kWidth + 1]);
  }
  const credence_strides wide{kWidth, 1};
  ASSERT_EQ(credence_apply_f32(handle, CREDENCE_LOGITS, kRows, kClasses, &table[1], &wide,
                               &table[1 + kClasses], &wide),
            CREDENCE_OK)
      << credence_last_error();
  // Classes first, in place.
  std::vector<float> columns(kRows * kClasses);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kClasses; ++k) columns[k * kRows + i] = scores(i, k);
  }
  const credence_strides turned{1, kRows};
  ASSERT_EQ(credence_apply_f32(handle, CREDENCE_LOGITS, kRows, kClasses, columns.data(), &turned,
                               columns.data(), &turned),
            CREDENCE_OK)
      << credence_last_error();
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(table[i * kWidth], -7.0f);
    for (std::size_t k = 0; k < kClasses; ++k) {
      ASSERT_EQ(table[i * kWidth + 1 + k], scores(i, k));
      ASSERT_EQ(table[i * kWidth + 1 + kClasses + k], want(i, k));
      ASSERT_EQ(columns[k * kRows + i], want(i, k));
    }
  }
}

TEST(CInterface, TheKindOfScoresIsHonoured) {
  const Handle handle(as_json(fitted("dirichlet-soft")));
  const double logits[] = {2.0, 0.0, -1.0, -40.0};
  double sum = 0.0, logs[4], probs[4], a[4], b[4], c[4];
  for (const double z : logits) sum += std::exp(z);
  for (int k = 0; k < 4; ++k) {
    logs[k] = logits[k] - std::log(sum);
    probs[k] = std::exp(logs[k]);
  }
  ASSERT_EQ(credence_apply_row_f64(handle, CREDENCE_LOGITS, 4, logits, a), CREDENCE_OK);
  ASSERT_EQ(credence_apply_row_f64(handle, CREDENCE_LOG_PROBS, 4, logs, b), CREDENCE_OK);
  ASSERT_EQ(credence_apply_row_f64(handle, CREDENCE_PROBS, 4, probs, c), CREDENCE_OK);
  for (int k = 0; k < 4; ++k) {
    // Scores are rounded to float32: 2^-24 of 40 at most, and parameters of the map are a few
    // units.
    EXPECT_NEAR(a[k], b[k], 1e-5);
    EXPECT_NEAR(a[k], c[k], 1e-5);
  }
  const float impossible[] = {1.0f, 0.0f, 0.0f, 0.0f};
  float out[4];
  EXPECT_EQ(credence_apply_row_f32(handle, CREDENCE_PROBS, 4, impossible, out), CREDENCE_OK);
  EXPECT_GT(out[1], 0.0f);
}

TEST(CInterface, ThreadsShareACalibratorAndKeepTheirOwnErrors) {
  const Scores scores = data().scores.view();
  const Calibrator engine = fitted("ats");
  const Handle handle(as_json(engine));
  Matrix<float> want(kRows, kClasses);
  engine.apply(scores, want.view());
  std::vector<std::thread> team;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    team.emplace_back([&, t] {
      for (std::size_t round = 0; round < 50; ++round) {
        Matrix<float> got(kRows, kClasses);
        credence_apply_f32(handle, CREDENCE_LOGITS, kRows, kClasses, scores.data(), nullptr,
                           got.data(), nullptr);
        wrong[t] += std::memcmp(want.data(), got.data(), kRows * kClasses * sizeof(float)) != 0;
        credence_apply_f32(handle, CREDENCE_LOGITS, 1, t + 100, scores.data(), nullptr, got.data(),
                           nullptr);
        const std::string message = credence_last_error();
        wrong[t] += message.find(std::to_string(t + 100)) == std::string::npos;
      }
    });
  }
  for (std::thread& thread : team) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST(CInterface, QueriesSayWhatTheFileSays) {
  Calibrator engine = fitted("slts");
  engine.classes = {"a", "b", "\xC3\xA9", "d"};
  const Handle handle(as_json(engine));
  EXPECT_EQ(credence_class_count(handle), 4u);
  EXPECT_STREQ(credence_class_name(handle, 2), "\xC3\xA9");
  EXPECT_EQ(credence_class_name(handle, 4), nullptr);
  EXPECT_STREQ(credence_method(handle), "slts");
  EXPECT_EQ(credence_get_gauge(handle), CREDENCE_GAUGE_LOG_PROBS);
  EXPECT_EQ(credence_fitted_kind(handle), CREDENCE_LOGITS);
  EXPECT_STREQ(credence_fingerprint(handle), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(credence_fitted_rows(handle), kRows);
  EXPECT_EQ(credence_votes_per_example(handle), 5.0);
  EXPECT_EQ(credence_temperature(handle), engine.temperature());
  EXPECT_EQ(credence_format_version(), 2u);
}

}  // namespace
}  // namespace credence::c_testing
