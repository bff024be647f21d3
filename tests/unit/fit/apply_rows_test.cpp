// A row's probabilities depend on that row alone: not on how many come with it, nor on whether they
// were computed in a tile or by themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/bins.hpp"
#include "credence/calibrator.hpp"
#include "credence/methods.hpp"
#include "map/all_maps.hpp"

namespace credence {
namespace {

/// A calibrator with random numbers: what it is like does not matter, every map is there.
Stage stage_of(const MapSpec& map, std::size_t classes, std::mt19937& random) {
  std::uniform_real_distribution<double> small(-0.2, 0.2), unit(0.0, 1.0);
  Stage stage{.target = Voted{}, .map = map, .theta = {}, .report = {}};
  const auto add = [&](std::size_t count, auto& distribution) {
    for (std::size_t i = 0; i < count; ++i) stage.theta.push_back(distribution(random));
  };
  const std::string_view name = map_name(map);
  std::visit(
      [&]<class M>(const M&) {
        if constexpr (map::Differentiable<M>) stage.theta = map::Math<M>::identity(classes);
      },
      map);
  for (double& number : stage.theta) number += small(random);
  if (name == "isotonic") {
    add(6, unit);
    std::sort(stage.theta.begin(), stage.theta.end());
    add(7, unit);
  }
  if (name == "histogram") {
    add(15, unit);
    stage.theta[4] = -1.0;
  }
  return stage;
}

/// Every third row is so sure of itself that the other classes underflow beside its top.
Matrix<float> scores_of(std::size_t rows, std::size_t classes, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, 3.0f);
  Matrix<float> scores(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    for (float& z : scores.row(i)) z = normal(random);
    if (i % 3 == 1) scores(i, i % classes) = 1500.0f;
    if (i % 5 == 2) scores(i, 0) = scores(i, classes - 1);
  }
  return scores;
}

template <class T>
void expect_same_alone_and_together(const Calibrator& calibrator, Scores scores) {
  const std::size_t rows = scores.rows(), classes = scores.cols();
  Matrix<T> together(rows, classes), apart(rows, classes);
  calibrator.apply(scores, together.view());
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
    for (std::size_t first = 0; first < rows; first += piece) {
      const std::size_t here = std::min(piece, rows - first);
      calibrator.apply(scores.block(first, here), apart.view().block(first, here));
    }
    EXPECT_EQ(std::memcmp(together.data(), apart.data(), rows * classes * sizeof(T)), 0)
        << map_name(calibrator.all_stages().back()->map) << ", " << classes
        << " classes, pieces of " << piece;
  }
}

TEST(ApplyRows, ARowGivesTheSameBitsAloneAsAmongOthers) {
  std::mt19937 random(7);
  for (const std::size_t classes : {2, 3, 8, 10, 17, 130, 520}) {
    const Matrix<float> scores = scores_of(classes < 500 ? 75 : 19, classes, random);
    for (const Gauge gauge : {Gauge::log_probs, Gauge::raw}) {
      for (const MapSpec& map : kMaps) {
        Calibrator calibrator;
        calibrator.gauge = gauge;
        calibrator.class_count = classes;
        calibrator.stages.push_back(stage_of(map, classes, random));
        expect_same_alone_and_together<double>(calibrator, scores.view());
        expect_same_alone_and_together<float>(calibrator, scores.view());
        for (const MapSpec& behind : {MapSpec{Temperature{}}, MapSpec{AdaptiveTemperature{}},
                                      MapSpec{MatrixAffine{}}, MapSpec{TopLabelIsotonic{}}}) {
          calibrator.stages.resize(1);
          calibrator.stages.push_back(stage_of(behind, classes, random));
          expect_same_alone_and_together<double>(calibrator, scores.view());
        }
      }
    }
  }
}

Calibrator pool_of(std::size_t classes, Gauge gauge, std::mt19937& random) {
  Calibrator pool;
  pool.gauge = gauge;
  pool.class_count = classes;
  const std::vector<std::vector<MapSpec>> members{{Identity{}},
                                                  {Temperature{}},
                                                  {MatrixAffine{}},
                                                  {TopLabelHistogram{}},
                                                  {MatrixAffine{}, AdaptiveTemperature{}}};
  for (std::size_t m = 0; m < members.size(); ++m) {
    Member member{"member", (1.0 + static_cast<double>(m)) / 15.0, {}};
    for (const MapSpec& map : members[m]) {
      member.stages.push_back(stage_of(map, classes, random));
    }
    pool.members.push_back(std::move(member));
  }
  return pool;
}

TEST(ApplyRows, ARowOfAPoolGivesTheSameBitsAloneAsAmongOthers) {
  std::mt19937 random(8);
  for (const std::size_t classes : {2, 3, 10, 130}) {
    const Matrix<float> scores = scores_of(75, classes, random);
    for (const Gauge gauge : {Gauge::log_probs, Gauge::raw}) {
      const Calibrator pool = pool_of(classes, gauge, random);
      expect_same_alone_and_together<double>(pool, scores.view());
      expect_same_alone_and_together<float>(pool, scores.view());
    }
  }
}

TEST(ApplyRows, APoolIsTheWeightedMeanOfItsMembers) {
  std::mt19937 random(9);
  const std::size_t classes = 10, rows = 75;
  const Matrix<float> scores = scores_of(rows, classes, random);
  const Calibrator pool = pool_of(classes, Gauge::log_probs, random);
  Matrix<double> given(rows, classes), own(rows, classes), expected(rows, classes);
  pool.apply(scores.view(), given.view());
  for (const Member& member : pool.members) {
    Calibrator alone;
    alone.class_count = classes;
    alone.stages = member.stages;
    alone.apply(scores.view(), own.view());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < classes; ++k) expected(i, k) += member.weight * own(i, k);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < classes; ++k) {
      // A temperature alone is computed by another kernel, which rounds otherwise.
      EXPECT_NEAR(given(i, k), expected(i, k), 1e-14) << "row " << i;
    }
  }
}

/// Stages that ignore a shift skip the normalisation before them; what they give is what they would
/// give with it.
TEST(ApplyRows, AStageBehindAnotherReadsItsLogProbabilities) {
  std::mt19937 random(11);
  const std::size_t classes = 10, rows = 75;
  const Matrix<float> scores = scores_of(rows, classes, random);
  for (const Gauge gauge : {Gauge::log_probs, Gauge::raw}) {
    for (const MapSpec& map : kMaps) {
      for (const MapSpec& behind :
           {MapSpec{Temperature{}}, MapSpec{AdaptiveTemperature{}}, MapSpec{TopLabelHistogram{}}}) {
        Calibrator both, front, back;
        both.class_count = front.class_count = back.class_count = classes;
        both.gauge = front.gauge = gauge;
        both.stages = {stage_of(map, classes, random), stage_of(behind, classes, random)};
        front.stages = {both.stages[0]};
        back.stages = {both.stages[1]};
        Matrix<double> between(rows, classes), at_once(rows, classes), in_turn(rows, classes);
        Matrix<float> logs(rows, classes);
        front.apply(scores.view(), between.view());
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t k = 0; k < classes; ++k) {
            logs(i, k) = static_cast<float>(std::log(std::max(between(i, k), 1e-38)));
          }
        }
        both.apply(scores.view(), at_once.view());
        back.apply(logs.view(), in_turn.view());
        for (std::size_t i = 0; i < rows; ++i) {
          if (i % 3 == 1) continue;  // float32 loses what lies 1,500 below the top
          for (std::size_t k = 0; k < classes; ++k) {
            // Log-probabilities near -20 in float32 are off by 1e-6.
            EXPECT_NEAR(at_once(i, k), in_turn(i, k), 1e-5)
                << map_name(map) << " then " << map_name(behind) << ", row " << i;
          }
        }
      }
    }
  }
}

/// The one map that is computed in float32: sums of hundreds of classes must not show it.
TEST(ApplyRows, ATemperatureInFloatIsWithinAMillionth) {
  std::mt19937 random(2);
  for (const std::size_t classes : {3, 100, 1000}) {
    for (const float spread : {0.01f, 1.0f, 3.0f}) {
      Matrix<float> scores(100, classes), narrow(100, classes);
      Matrix<double> exact(100, classes);
      std::normal_distribution<float> normal(0.0f, spread);
      for (std::size_t i = 0; i < scores.rows(); ++i) {
        for (float& z : scores.row(i)) z = normal(random);
      }
      Calibrator calibrator;
      calibrator.class_count = classes;
      calibrator.stages.push_back(stage_of(Temperature{}, classes, random));
      calibrator.apply(scores.view(), narrow.view());
      calibrator.apply(scores.view(), exact.view());
      for (std::size_t i = 0; i < 100 * classes; ++i) {
        ASSERT_NEAR(static_cast<double>(narrow.data()[i]), exact.data()[i], 1e-6) << classes;
      }
    }
  }
}

/// Adding a number to a row changes nothing, however large it is: what float32 scores can say of
/// each other is exact.
TEST(ApplyRows, HugeScoresLoseNothing) {
  std::mt19937 random(5);
  for (const MapSpec& map : kMaps) {
    Calibrator calibrator;
    calibrator.class_count = 3;
    calibrator.stages.push_back(stage_of(map, 3, random));
    for (const bool alone : {true, false}) {
      const std::size_t rows = alone ? 1 : 20;
      Matrix<float> huge(rows, 3), plain(rows, 3), far(rows, 3);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          huge(i, k) = 1e30f;
          far(i, k) = k == 1 ? 1e30f : -1e30f;
        }
      }
      Matrix<double> p(rows, 3), q(rows, 3);
      calibrator.apply(huge.view(), p.view());
      calibrator.apply(plain.view(), q.view());
      EXPECT_EQ(std::memcmp(p.data(), q.data(), rows * 3 * sizeof(double)), 0) << map_name(map);
      calibrator.apply(far.view(), p.view());
      EXPECT_NEAR(p(0, 0) + p(0, 1) + p(0, 2), 1.0, 1e-15) << map_name(map);
    }
  }
}

/// A file may hold any finite numbers: rows that overflow come out as NaN, and nothing is read that
/// is not theirs.
TEST(ApplyRows, ParametersThatOverflowAreSurvived) {
  std::mt19937 random(6);
  Calibrator calibrator;
  calibrator.class_count = 5;
  Stage overflowing = stage_of(DiagonalAffine{}, 5, random);
  for (double& number : overflowing.theta) number = -1e308;
  for (const MapSpec& map : {MapSpec{TopLabelIsotonic{}}, MapSpec{TopLabelHistogram{}}}) {
    calibrator.stages = {overflowing, stage_of(map, 5, random)};
    for (const std::size_t rows : {std::size_t{1}, std::size_t{20}}) {
      const Matrix<float> scores = scores_of(rows, 5, random);
      Matrix<double> p(rows, 5);
      calibrator.apply(scores.view(), p.view());
      for (std::size_t i = 0; i < 5 * rows; ++i) {
        EXPECT_TRUE(std::isnan(p.data()[i]) || (p.data()[i] >= 0.0 && p.data()[i] <= 1.0));
      }
    }
  }
}

TEST(ApplyRows, ABinWithoutATableIsTheBinOfTheTable) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const int count : {1, 2, 7, 10, 15, 100}) {
    const core::UnitBins table(count);
    const auto bins = static_cast<std::size_t>(count);
    const auto expect_same = [&](double x) {
      EXPECT_EQ(core::unit_bin(x, bins), table.index(x)) << x << " in " << count;
    };
    for (int b = 0; b <= count; ++b) {
      const double edge = static_cast<double>(b) / count;
      for (const double x : {std::nextafter(edge, -1.0), edge, std::nextafter(edge, 2.0)}) {
        expect_same(x);
      }
    }
    for (int i = 0; i < 1000; ++i) expect_same(unit(random));
    expect_same(std::numeric_limits<double>::quiet_NaN());
    expect_same(1e300);
  }
}

}  // namespace
}  // namespace credence
