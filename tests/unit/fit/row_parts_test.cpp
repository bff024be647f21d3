// Solvers of folds and methods that share passes get what each would get alone.
#include "credence/row_parts.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

/// Rows in blocks of 1, 2 or 3 times 1,024, counting how often they are read.
class CountedRows final : public RowSource {
 public:
  explicit CountedRows(const Dataset& data) : data_(&data) {}
  RowsInfo info() const override { return info_of(*data_); }
  bool next(RowBlock& rows) override {
    if (at_ >= data_->rows()) return false;
    const std::size_t blocks = 1 + at_ / kBlockRows % 3;
    const std::size_t end = std::min(at_ + blocks * kBlockRows, data_->rows());
    std::vector<std::size_t> chosen;
    for (std::size_t i = at_; i < end; ++i) chosen.push_back(i);
    piece_ = data_->select(chosen);
    keys_ = row_keys(piece_);
    rows = {at_, piece_.scores, &piece_.votes, keys_};
    at_ = end;
    return true;
  }
  void rewind() override {
    at_ = 0;
    ++passes;
  }

  int passes = 0;

 private:
  const Dataset* data_;
  Dataset piece_;
  std::vector<std::uint64_t> keys_;
  std::size_t at_ = 0;
};

class RowParts : public ::testing::TestWithParam<bool> {};

TEST_P(RowParts, FoldsOfEveryMethodHaveTheBitsOfFitsToTheirRows) {
  auto set = testing_data::make_synthetic(5300, 4);
  if (GetParam()) {
    for (std::size_t i = 0; i < set.data.rows(); ++i) {
      set.data.ids.push_back("example " + std::to_string(i));
    }
  }
  const auto fold_of = [](std::size_t row) { return core::random_bits(5, row, 0) % 3; };
  std::vector<RowPart> parts;
  for (std::size_t f = 0; f < 3; ++f) {
    parts.push_back({[=](std::size_t row) { return fold_of(row) != f; }});
  }
  CountedRows source(set.data);
  const std::vector<RowsInfo> infos = infos_of(source, parts);
  std::vector<MethodSpec> methods;
  for (const std::string_view id : methods_allowed_by(set.data.evidence())) {
    methods.push_back(parse_method(std::string(id)));
  }
  std::vector<Solver> solvers;
  std::vector<PartSolver> asked;
  for (const MethodSpec& method : methods) {
    solvers.emplace_back(method, source.info());
    for (const RowsInfo& info : infos) solvers.emplace_back(method, info);
  }
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    asked.push_back({&solvers[s], s % 4 == 0 ? nullptr : &parts[s % 4 - 1]});
  }
  source.passes = 0;
  while (pass(asked, source)) {
  }
  // As many as the slowest needs, not their sum.
  EXPECT_LT(source.passes, 100);

  for (std::size_t s = 0; s < solvers.size(); ++s) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < set.data.rows(); ++i) {
      if (s % 4 == 0 || fold_of(i) != s % 4 - 1) rows.push_back(i);
    }
    const Dataset part = set.data.select(rows);
    if (s % 4 != 0) {
      EXPECT_EQ(infos[s % 4 - 1].rows, part.rows());
      EXPECT_EQ(infos[s % 4 - 1].evidence, part.evidence());
    }
    const Calibrator alone = fit(methods[s / 4], part), together = solvers[s].result();
    ASSERT_EQ(together.stages.size(), alone.stages.size());
    for (std::size_t j = 0; j < alone.stages.size(); ++j) {
      EXPECT_EQ(together.stages[j].theta, alone.stages[j].theta) << alone.method;
      EXPECT_EQ(together.stages[j].report.loss, alone.stages[j].report.loss) << alone.method;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutIds, RowParts, ::testing::Bool());

}  // namespace
}  // namespace credence
