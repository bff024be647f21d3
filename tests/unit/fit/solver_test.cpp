// A solver driven from outside gets the bytes of fit(), however the rows are divided.
#include "credence/solver.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>

#include "core/random.hpp"
#include "errors.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using Bytes = std::vector<std::byte>;

/// Rows [first, end) of a data set with votes of their own.
struct Piece {
  RowBlock rows;
  Votes votes;
  std::vector<std::uint64_t> keys;

  Piece(const Dataset& data, std::size_t first, std::size_t end) {
    std::vector<std::size_t> chosen(end - first);
    std::iota(chosen.begin(), chosen.end(), first);
    votes = data.votes.select(chosen);
    const std::vector<std::uint64_t> all = row_keys(data);
    if (!all.empty()) keys.assign(all.begin() + long(first), all.begin() + long(end));
    rows = {first, data.scores.block(first, end - first), &votes, keys};
  }
  Piece(const Piece&) = delete;
};

/// The answer of another process, which sees the request as bytes only.
Bytes answer_elsewhere(const Bytes& request, const Piece& piece) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      const Bytes out = to_bytes(accumulate(request_from_bytes(request), piece.rows));
      std::size_t done = 0;
      while (done < out.size()) {
        const ssize_t wrote = write(ends[1], out.data() + done, out.size() - done);
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
      }
      code = done == out.size() ? 0 : 1;
    } catch (...) {
    }
    _exit(code);
  }
  close(ends[1]);
  Bytes in;
  std::byte buffer[65536];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    in.insert(in.end(), buffer, buffer + got);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the other process failed");
  return in;
}

void expect_same(const Calibrator& driven, const Calibrator& fitted, const std::string& what) {
  ASSERT_EQ(driven.stages.size(), fitted.stages.size()) << what;
  for (std::size_t s = 0; s < fitted.stages.size(); ++s) {
    EXPECT_EQ(driven.stages[s].theta, fitted.stages[s].theta) << what;
    EXPECT_EQ(driven.stages[s].report.loss, fitted.stages[s].report.loss) << what;
    EXPECT_EQ(driven.stages[s].report.stop, fitted.stages[s].report.stop) << what;
    EXPECT_EQ(driven.stages[s].report.passes, fitted.stages[s].report.passes) << what;
  }
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names;
  for (const Method& method : kMethods) names.emplace_back(method.id);
  names.insert(names.end(), {"annotators+histogram", "dirichlet-soft then ts",
                             "soft-platt then ir-soft", "ir-soft then soft-platt"});
  return names;
}

struct SolverOfMethod : testing::TestWithParam<std::string> {
  testing_data::Synthetic set = testing_data::make_synthetic(5000, 4);
};

TEST_P(SolverOfMethod, DrivenByBytesOfTwoProcessesGivesTheBitsOfFit) {
  const Dataset& data = set.data;
  const MethodSpec method = parse_method(GetParam());
  const Calibrator fitted = fit(method, data, {.threads = 1});
  const Piece first(data, 0, 2048), second(data, 2048, 3072), third(data, 3072, 5000);
  Solver solver(method, info_of(data));
  while (const Request* request = solver.next()) {
    const Bytes asked = to_bytes(*request);
    // The last piece first, one of them computed twice.
    std::vector<State> states;
    states.push_back(state_from_bytes(answer_elsewhere(asked, third)));
    states.push_back(accumulate(request_from_bytes(asked), second.rows));
    states.push_back(state_from_bytes(answer_elsewhere(asked, first)));
    states.push_back(state_from_bytes(answer_elsewhere(asked, second)));
    solver.tell(state_from_bytes(to_bytes(merge(std::move(states)))));
  }
  expect_same(solver.result(), fitted, GetParam());
}

/// The calibrator of a solver whose answers come from these rows.
Calibrator driven(Solver solver, const RowBlock& rows) {
  while (const Request* request = solver.next()) solver.tell(accumulate(*request, rows));
  return solver.result();
}

TEST_P(SolverOfMethod, SavedAtAnyRequestContinuesToTheBitsOfFit) {
  const Dataset& data = set.data;
  const MethodSpec method = parse_method(GetParam());
  const Calibrator fitted = fit(method, data, {.threads = 1});
  const Piece all(data, 0, data.rows());
  Solver solver(method, info_of(data), {}, true);
  std::vector<Bytes> saved{solver.save()};
  while (const Request* request = solver.next()) {
    solver.tell(accumulate(*request, all.rows));
    saved.push_back(solver.save());
  }
  for (const Bytes& bytes : saved) {
    Solver resumed = Solver::resume(bytes);
    EXPECT_EQ(resumed.save(), bytes);
    expect_same(driven(std::move(resumed), all.rows), fitted, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, SolverOfMethod, testing::ValuesIn(all_methods()),
                         [](const auto& named) {
                           std::string name = named.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

/// Blocks of random sizes, as a reader of large files would give them.
class Pieces final : public RowSource {
 public:
  Pieces(const Dataset& data, std::uint64_t seed) : data_(&data), seed_(seed) {}
  RowsInfo info() const override { return info_of(*data_); }
  bool next(RowBlock& rows) override {
    if (at_ >= data_->rows()) return false;
    const std::size_t blocks = 1 + core::random_bits(seed_, at_, 0) % 3;
    const std::size_t end = std::min(at_ + blocks * kBlockRows, data_->rows());
    piece_ = std::make_unique<Piece>(*data_, at_, end);
    rows = piece_->rows;
    at_ = end;
    return true;
  }
  void rewind() override { at_ = 0; }

 private:
  const Dataset* data_;
  std::uint64_t seed_;
  std::size_t at_ = 0;
  std::unique_ptr<Piece> piece_;
};

TEST(Solvers, ResumedAsksForWhatTheSavedOneAskedFor) {
  const auto set = testing_data::make_synthetic(3000, 3);
  const Piece all(set.data, 0, 3000);
  // In the second stage, from a start of its own.
  const MethodSpec method = parse_method("soft-platt then ts");
  const Calibrator start = fit(method, set.data, {.max_passes = 3});
  Solver solver(method, info_of(set.data), {.start = &start}, true);
  while (solver.next() != nullptr && solver.next()->front.empty()) {
    solver.tell(accumulate(*solver.next(), all.rows));
  }
  ASSERT_NE(solver.next(), nullptr);
  Solver resumed = Solver::resume(solver.save());
  ASSERT_NE(resumed.next(), nullptr);
  EXPECT_EQ(*resumed.next(), *solver.next());
  // An answer that was on its way to the first is as good for the second.
  resumed.tell(accumulate(*solver.next(), all.rows));
}

TEST(Solvers, SavedWithTheRowsOfASampleContinuesToTheBitsOfFit) {
  const auto set = testing_data::make_synthetic(9000, 3);
  const Piece all(set.data, 0, 9000);
  const MethodSpec method = parse_method("soft-platt");
  Solver solver(method, info_of(set.data), {}, true);
  ASSERT_EQ(solver.next()->sums, Request::Sums::rows);
  solver.tell(accumulate(*solver.next(), all.rows));
  expect_same(driven(Solver::resume(solver.save()), all.rows), fit(method, set.data), method.name);
}

TEST(Solvers, OnlyWhatWasMadeToBeSavedCanBe) {
  const auto set = testing_data::make_synthetic(50, 3);
  const Solver solver(parse_method("ts"), info_of(set.data));
  EXPECT_EQ(test::error_of([&] { (void)solver.save(); }).code(), ErrorCode::usage);
}

TEST(Solvers, DamagedOnesAreRefused) {
  const auto set = testing_data::make_synthetic(1500, 3);
  const Piece all(set.data, 0, 1500);
  Solver solver(parse_method("soft-platt"), info_of(set.data), {}, true);
  solver.tell(accumulate(*solver.next(), all.rows));
  const Bytes good = solver.save();
  for (std::size_t length = 0; length < good.size(); length += 7) {
    EXPECT_THROW((void)Solver::resume(std::span(good).first(length)), Error) << length;
  }
}

TEST(Solvers, ManyInLockstepOverASourceGiveTheBitsOfFit) {
  // Large enough for every kind of start from a sample of the rows.
  const auto set = testing_data::make_synthetic(70001, 3);
  std::vector<MethodSpec> methods;
  for (const std::string& name : all_methods()) methods.push_back(parse_method(name));
  for (const std::uint64_t seed : {1, 2}) {
    Pieces source(set.data, seed);
    const std::vector<Calibrator> together = fit(methods, source, {.threads = 2});
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const Calibrator alone = fit(methods[i], set.data, {.threads = 3, .chunk_rows = 1024});
      expect_same(together[i], alone, methods[i].name);
    }
  }
}

TEST(Solvers, ManyClassesAreFittedFromPiecesToo) {
  const auto set = testing_data::make_synthetic(2500, 33);  // 1,122 parameters: no Hessian
  const MethodSpec methods[] = {parse_method("dirichlet-soft")};
  Pieces source(set.data, 3);
  expect_same(fit(methods, source).front(), fit(methods[0], set.data), "dirichlet-soft");
}

TEST(Solvers, StatesThatDoNotFitAreRefused) {
  const auto set = testing_data::make_synthetic(3000, 3);
  const Piece first(set.data, 0, 1024), second(set.data, 1024, 2048), third(set.data, 2048, 3000);
  Solver solver(parse_method("slts"), info_of(set.data));
  const Request request = *solver.next();
  const State a = accumulate(request, first.rows), b = accumulate(request, second.rows),
              c = accumulate(request, third.rows);
  EXPECT_THROW(merge({a, c}), Error) << "a gap";
  EXPECT_THROW(merge({merge({a, b}), b, c}), Error) << "an overlap";
  EXPECT_THROW(solver.tell(merge({a, b})), Error) << "rows are missing";
  State stale = merge({a, b, c});
  stale.number += 1;
  EXPECT_THROW(solver.tell(stale), Error) << "the answer to another request";
  EXPECT_EQ(solver.next()->number, request.number) << "refusing must change nothing";
  solver.tell(merge({a, b, c}));
  EXPECT_NE(solver.next()->number, request.number);
}

TEST(Solvers, DamagedBytesAreRefusedAndNeverBelieved) {
  const auto set = testing_data::make_synthetic(1500, 3);
  const Piece all(set.data, 0, 1500);
  Solver solver(parse_method("dirichlet-soft"), info_of(set.data));
  const Bytes request = to_bytes(*solver.next()),
              state = to_bytes(accumulate(*solver.next(), all.rows));
  EXPECT_EQ(to_bytes(request_from_bytes(request)), request);
  EXPECT_EQ(to_bytes(state_from_bytes(state)), state);
  for (std::size_t size = 0; size < request.size(); ++size) {
    EXPECT_THROW(request_from_bytes({request.data(), size}), Error) << size;
  }
  for (std::size_t size = 0; size < state.size(); size += 7) {
    EXPECT_THROW(state_from_bytes({state.data(), size}), Error) << size;
  }
  Bytes longer = state;
  longer.push_back(std::byte{0});
  EXPECT_THROW(state_from_bytes(longer), Error);
  // Whatever a byte is changed to: an error, or a value of the same length; no crash, no memory.
  for (std::size_t i = 0; i < request.size(); ++i) {
    Bytes changed = request;
    changed[i] ^= std::byte{0xff};
    try {
      EXPECT_EQ(to_bytes(request_from_bytes(changed)).size(), request.size());
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace credence
