// Whatever is passed, a call returns, says what was wrong and where, and writes nothing.
#include <cmath>
#include <cstdint>
#include <limits>

#include "calibrators.hpp"

namespace credence::c_testing {
namespace {

std::string last() { return credence_last_error(); }

testing::AssertionResult says(const std::string& part) {
  if (last().find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << last() << "' does not say '" << part << "'";
}

TEST(CErrors, ABadScoreIsNamedByRowAndColumnAndNothingIsWritten) {
  const Handle handle(as_json(fitted("slts")));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float bad : {kNan, kInf}) {
    std::vector<float> values(20 * kClasses, 0.5f);
    values[17 * kClasses + 2] = bad;
    const std::vector<float> before = values;
    EXPECT_EQ(credence_apply_f32(handle, CREDENCE_LOGITS, 20, kClasses, values.data(), nullptr,
                                 values.data(), nullptr),
              CREDENCE_ERROR_DATA);
    EXPECT_TRUE(says("row 17, column 2"));
    EXPECT_EQ(values[0], before[0]);
    EXPECT_EQ(std::string(credence_last_hint()).find("--"), std::string::npos)
        << "a C program has no command line";
    const credence_strides turned{1, 20};
    std::vector<float> out(20 * kClasses);
    EXPECT_EQ(credence_apply_f32(handle, CREDENCE_LOGITS, 20, kClasses, values.data(), &turned,
                                 out.data(), nullptr),
              CREDENCE_ERROR_DATA);
    // Element 70 lies in column 3, row 10, of the array read with the classes first.
    EXPECT_TRUE(says("row 10, column 3"));
  }
  const double not_one[] = {0.5, 0.1, 0.1, 0.1};
  double out[4];
  EXPECT_EQ(credence_apply_row_f64(handle, CREDENCE_PROBS, 4, not_one, out), CREDENCE_ERROR_DATA);
  EXPECT_TRUE(says("sum"));
  const double huge[] = {1e39, 0.0, 0.0, 0.0};
  EXPECT_EQ(credence_apply_row_f64(handle, CREDENCE_LOGITS, 4, huge, out), CREDENCE_ERROR_DATA);
}

TEST(CErrors, WhatIsNoCalibratorIsToldFromAWrongOne) {
  const auto status_of = [](const std::string& text) {
    credence_calibrator* calibrator = nullptr;
    const credence_status status = credence_load_memory(text.data(), text.size(), &calibrator);
    EXPECT_EQ(calibrator, nullptr);
    return status;
  };
  const std::string good = as_json(fitted("slts"));
  for (const std::string& text :
       {std::string("garbage!"), std::string("{}"), std::string("[1, 2]"),
        std::string(R"({"format": "another"})"), good.substr(0, good.size() / 2)}) {
    EXPECT_EQ(status_of(text), CREDENCE_ERROR_FORMAT) << text.substr(0, 30);
    EXPECT_EQ(std::string(credence_last_hint()).find("‹"), std::string::npos)
        << credence_last_hint();
  }
  std::string wrong = good;
  wrong.replace(wrong.find("\"slts\""), 6, "12345 ");
  EXPECT_EQ(status_of(wrong), CREDENCE_ERROR_MODEL);
}

TEST(CErrors, CallsThatMakeNoSenseAreRefused) {
  const Handle handle(as_json(fitted("slts")));
  float in[8] = {}, out[8] = {};
  const auto apply = [&](std::size_t rows, std::size_t classes, const float* from,
                         const credence_strides* from_strides, float* to,
                         const credence_strides* to_strides) {
    return credence_apply_f32(handle, CREDENCE_LOGITS, rows, classes, from, from_strides, to,
                              to_strides);
  };
  EXPECT_EQ(apply(0, 4, nullptr, nullptr, nullptr, nullptr), CREDENCE_OK);
  EXPECT_EQ(apply(1, 4, nullptr, nullptr, out, nullptr), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(apply(1, 4, in, nullptr, nullptr, nullptr), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(apply(1, 3, in, nullptr, out, nullptr), CREDENCE_ERROR_MODEL);
  EXPECT_TRUE(says("4 classes, the scores have 3"));
  EXPECT_EQ(apply(SIZE_MAX / 8, 4, in, nullptr, out, nullptr), CREDENCE_ERROR_USAGE);
  const credence_strides far{SIZE_MAX / 2, 1}, zero{0, 1}, tight{2, 1};
  EXPECT_EQ(apply(3, 4, in, &far, out, nullptr), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(apply(2, 4, in, nullptr, out, &zero), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(apply(2, 4, in, nullptr, out, &tight), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(apply(1, 4, in, nullptr, in + 1, nullptr), CREDENCE_ERROR_USAGE);
  EXPECT_TRUE(says("overlap"));
  EXPECT_EQ(apply(2, 4, in, &zero, out, nullptr), CREDENCE_OK) << "a row may be read many times";
  EXPECT_EQ(credence_apply_row_f32(handle, static_cast<credence_score_kind>(0), 4, in, out),
            CREDENCE_ERROR_USAGE);
  EXPECT_EQ(credence_apply_row_f32(nullptr, CREDENCE_LOGITS, 4, in, out), CREDENCE_ERROR_USAGE);
}

TEST(CErrors, RawCalibratorsTakeOnlyTheKindTheyWereFittedTo) {
  const Handle handle(as_json(fitted("dirichlet-soft", Gauge::raw)));
  const float in[] = {0.25f, 0.25f, 0.25f, 0.25f};
  float out[4];
  EXPECT_EQ(credence_get_gauge(handle), CREDENCE_GAUGE_RAW);
  EXPECT_EQ(credence_apply_row_f32(handle, CREDENCE_LOGITS, 4, in, out), CREDENCE_OK);
  EXPECT_EQ(credence_apply_row_f32(handle, CREDENCE_PROBS, 4, in, out), CREDENCE_ERROR_MODEL);
  EXPECT_TRUE(says("raw logits"));
}

TEST(CErrors, WhatIsNotACalibratorDoesNotLoad) {
  credence_calibrator* calibrator = reinterpret_cast<credence_calibrator*>(8);
  EXPECT_EQ(credence_load_file("/no/such/file.json", &calibrator), CREDENCE_ERROR_IO);
  EXPECT_EQ(calibrator, nullptr);
  EXPECT_TRUE(says("/no/such/file.json"));
  EXPECT_EQ(credence_load_file(nullptr, &calibrator), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(credence_load_file("x", nullptr), CREDENCE_ERROR_USAGE);
  EXPECT_EQ(credence_load_memory(nullptr, 0, &calibrator), CREDENCE_ERROR_USAGE);
  const std::string good = as_json(fitted("slts"));
  for (std::size_t size = 0; size < good.size() - 2; size += 7) {
    EXPECT_NE(credence_load_memory(good.data(), size, &calibrator), CREDENCE_OK) << size;
    EXPECT_EQ(calibrator, nullptr);
    EXPECT_FALSE(last().empty());
  }
  Calibrator hidden = fitted("slts");
  hidden.classes = {"a", std::string("a\0b", 3), "c", "d"};
  const std::string text = as_json(hidden);
  EXPECT_EQ(credence_load_memory(text.data(), text.size(), &calibrator), CREDENCE_ERROR_MODEL);
  credence_free(nullptr);
}

TEST(CErrors, ALongMessageIsCutAndNotInTheMiddleOfACharacter) {
  credence_calibrator* calibrator = nullptr;
  std::string path = "/no/";
  while (path.size() < 5000) path += "\xC3\xA9";
  EXPECT_NE(credence_load_file(path.c_str(), &calibrator), CREDENCE_OK);
  const std::string message = last();
  EXPECT_LT(message.size(), 3000u);
  EXPECT_NE(static_cast<unsigned char>(message.back()), 0xC3u);
}

}  // namespace
}  // namespace credence::c_testing
