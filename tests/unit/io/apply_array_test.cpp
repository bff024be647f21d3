#include "credence/apply_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/random.hpp"
#include "credence/error.hpp"

namespace credence::io {
namespace {

using testing::HasSubstr;

constexpr std::size_t kArrayRows = 40000, kArrayClasses = 10;  // more than a thread takes at a time

Stage temperature() {
  Stage stage;
  stage.target = Annotators{};
  stage.map = Temperature{};
  stage.theta = {0.45};
  return stage;
}

/// Half of everything, and a little of the next class.
Stage matrix() {
  Stage stage = temperature();
  stage.map = MatrixAffine{};
  stage.theta.assign(kArrayClasses * kArrayClasses + kArrayClasses, 0.0);
  for (std::size_t k = 0; k < kArrayClasses; ++k) {
    stage.theta[k * kArrayClasses + k] = 0.5;
    stage.theta[k * kArrayClasses + (k + 1) % kArrayClasses] = 0.01;
  }
  return stage;
}

AlignedCalibrator calibrator_for(const std::vector<std::string>& columns,
                                 const Stage& stage = temperature()) {
  LoadedCalibrator loaded;
  loaded.calibrator.method = "some";
  loaded.calibrator.class_count = kArrayClasses;
  loaded.calibrator.classes = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  loaded.calibrator.stages = {stage};
  loaded.info.score_kind = "logits";
  return {loaded, "model.json", kArrayClasses, columns, ScoreKind::logits, "scores"};
}

template <class T>
std::vector<T> drawn_logits() {
  std::vector<T> z(kArrayRows * kArrayClasses);
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = static_cast<T>(static_cast<float>(12.0 * core::uniform(3, i, 0) - 6.0));
  }
  return z;
}

template <class T>
NumberArray array_of(const std::vector<T>& z, NumberType type) {
  NumberArray array;
  array.type = type;
  array.data = reinterpret_cast<const std::byte*>(z.data());
  array.rows = z.size() / kArrayClasses;
  array.cols = kArrayClasses;
  array.row_stride = static_cast<std::ptrdiff_t>(kArrayClasses * sizeof(T));
  array.column_stride = sizeof(T);
  return array;
}

template <class T>
Matrix<T> applied(const AlignedCalibrator& calibrator, const NumberArray& array, int threads,
                  ScoreKind kind = ScoreKind::logits) {
  Matrix<T> out(array.rows, array.cols);
  apply_to_array(calibrator, array, kind, "scores", 0, out.view(), threads);
  return out;
}

template <class T>
void expect_equal(const Matrix<T>& found, const Matrix<T>& wanted) {
  ASSERT_EQ(found.rows(), wanted.rows());
  for (std::size_t i = 0; i < found.rows(); ++i) {
    for (std::size_t k = 0; k < found.cols(); ++k) ASSERT_EQ(found(i, k), wanted(i, k)) << i;
  }
}

TEST(ApplyToArray, HasTheBitsOfApplyForAnyNumberOfThreadsAndTypeOfNumbers) {
  const std::vector<float> z = drawn_logits<float>();
  const std::vector<double> wide = drawn_logits<double>();
  const std::vector<std::string> backwards{"j", "i", "h", "g", "f", "e", "d", "c", "b", "a"};
  for (const AlignedCalibrator& calibrator :
       {calibrator_for({}), calibrator_for(backwards), calibrator_for({}, matrix())}) {
    Matrix<double> wanted(kArrayRows, kArrayClasses);
    calibrator.apply(Scores(z.data(), kArrayRows, kArrayClasses), wanted.view(), 1);
    Matrix<float> rounded(kArrayRows, kArrayClasses);
    for (std::size_t i = 0; i < kArrayRows * kArrayClasses; ++i) {
      rounded.data()[i] = static_cast<float>(wanted.data()[i]);
    }
    for (const int threads : {1, 2, 7}) {
      for (const NumberArray& array :
           {array_of(z, NumberType::f32), array_of(wide, NumberType::f64)}) {
        expect_equal(applied<double>(calibrator, array, threads), wanted);
        expect_equal(applied<float>(calibrator, array, threads), rounded);
      }
    }
  }
}

TEST(ApplyToArray, BeginsAtAnyRow) {
  const std::vector<float> z = drawn_logits<float>();
  const AlignedCalibrator calibrator = calibrator_for({});
  const NumberArray array = array_of(z, NumberType::f32);
  const Matrix<double> all = applied<double>(calibrator, array, 1);
  Matrix<double> some(1000, kArrayClasses);
  apply_to_array(calibrator, array, ScoreKind::logits, "scores", 1234, some.view(), 2);
  for (std::size_t i = 0; i < some.rows(); ++i) {
    for (std::size_t k = 0; k < kArrayClasses; ++k) ASSERT_EQ(some(i, k), all(1234 + i, k));
  }
}

/// Logits of -inf stand for the smallest float32, here as elsewhere.
TEST(ApplyToArray, RaisesWhatIsNotFinite) {
  std::vector<float> z = drawn_logits<float>();
  z[17] = -std::numeric_limits<float>::infinity();
  const AlignedCalibrator calibrator = calibrator_for({});
  const Conversion finite =
      to_finite_logits(Scores(z.data(), kArrayRows, kArrayClasses), ScoreKind::logits);
  Matrix<double> wanted(kArrayRows, kArrayClasses);
  calibrator.apply(finite.scores.view(), wanted.view(), 1);
  expect_equal(applied<double>(calibrator, array_of(z, NumberType::f32), 2), wanted);
}

TEST(ApplyToArray, RefusesRoomThatDoesNotFit) {
  const std::vector<float> z = drawn_logits<float>();
  const AlignedCalibrator calibrator = calibrator_for({});
  const NumberArray array = array_of(z, NumberType::f32);
  NumberArray column = array;
  column.cols = 1;
  const auto apply = [&](const NumberArray& scores, std::size_t first, std::size_t rows,
                         std::size_t columns) {
    Matrix<float> out(rows, columns);
    apply_to_array(calibrator, scores, ScoreKind::logits, "scores", first, out.view(), 1);
  };
  EXPECT_THROW(apply(array, kArrayRows - 9, 10, kArrayClasses), Error);
  EXPECT_THROW(apply(array, kArrayRows + 1, 0, kArrayClasses), Error);
  EXPECT_THROW(apply(array, 0, 10, kArrayClasses - 1), Error);
  EXPECT_THROW(apply(column, 0, 10, 1), Error);
  EXPECT_NO_THROW(apply(array, kArrayRows, 0, kArrayClasses));
}

TEST(ApplyToArray, NamesTheFirstOfSeveralBadRowsWhicheverThreadFoundOne) {
  std::vector<float> z = drawn_logits<float>();
  for (const std::size_t row : {39999u, 31000u, 12345u, 26000u}) {
    z[row * kArrayClasses + 3] = std::numeric_limits<float>::quiet_NaN();
  }
  const AlignedCalibrator calibrator = calibrator_for({});
  for (const int threads : {1, 2, 4}) {
    try {
      applied<float>(calibrator, array_of(z, NumberType::f32), threads);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("row 12345, column 3"));
    }
  }
}

}  // namespace
}  // namespace credence::io
