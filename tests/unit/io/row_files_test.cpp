// Files read in passes: the facts, the notes and the rows that load_dataset gives.
#include "credence/row_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "credence/checkpoint.hpp"
#include "errors.hpp"
#include "synthetic.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

/// The scores and votes of 5,000 examples of 4 classes in several forms.
class RowFiles : public ::testing::Test {
 protected:
  RowFiles() : set_(testing_data::make_synthetic(5000, 4)) {
    std::string scores = "id,a,b,c,d\n", counts = "id,d,c,b,a\n", labels = "label\n";
    for (std::size_t i = 0; i < set_.scores.rows(); ++i) {
      const auto z = set_.scores.row(i);
      const auto n = set_.counts.row(i);
      scores += fmt::format("x{},{},{},{},{}\n", i, z[0], z[1], z[2], z[3]);
      counts += fmt::format("x{},{},{},{},{}\n", i, n[3], n[2], n[1], n[0]);
      labels += fmt::format("{}\n", set_.data.votes.voted(i));
    }
    files_.write("scores.csv", scores);
    files_.write("counts.csv", counts);
    files_.write("labels.csv", labels);
    write_npy("scores.npy", "<f4", set_.scores);
    write_npy("counts.npy", "<f8", set_.counts);
  }
  template <class T>
  void write_npy(const std::string& name, const char* type, const Matrix<T>& values) const {
    const std::span<const T> all(values.data(), values.rows() * values.cols());
    files_.write(name, test::npy(type, "(5000, 4)", test::raw(all)));
  }
  DatasetFiles files(const std::string& scores, const std::string& votes) const {
    DatasetFiles named;
    named.scores.path = files_.path(scores);
    (votes.starts_with("labels") ? named.labels : named.votes) = files_.path(votes);
    return named;
  }

  testing_data::Synthetic set_;
  test::TempDir files_;
};

TEST_F(RowFiles, CheckedInTheFirstPassHaveTheSameFactsAfterIt) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < set_.counts.rows(); ++i) {
    for (const double count : set_.counts.row(i)) bytes.push_back(static_cast<std::uint8_t>(count));
  }
  files_.write("bytes.npy",
               test::npy("|u1", "(5000, 4)", test::raw(std::span<const std::uint8_t>(bytes))));
  for (const std::string votes : {"counts.npy", "bytes.npy", "counts.csv"}) {
    SCOPED_TRACE(votes);
    DatasetFiles named = files("scores.npy", votes);
    if (votes == "counts.csv") named.score_classes = {"a", "b", "c", "d"};
    const FileRows before(named, {.memory = 1 << 20});
    FileRows rows(named, {.memory = 1 << 20, .check_in_first_pass = true});
    EXPECT_EQ(rows.facts().rows, 5000u);
    EXPECT_EQ(rows.facts().class_names, before.facts().class_names);
    // A pass that is given up counts nothing twice.
    for (const int blocks : {1, 100}) {
      std::size_t seen = 0;
      rows.rewind();
      RowBlock block;
      for (int b = 0; b < blocks && rows.next(block); ++b) seen += block.votes->rows();
      EXPECT_EQ(seen == 5000u, blocks == 100);
    }
    EXPECT_EQ(rows.facts().fingerprint, before.facts().fingerprint);
    EXPECT_EQ(rows.facts().evidence, before.facts().evidence);
    EXPECT_EQ(rows.facts().votes_per_example, before.facts().votes_per_example);
    EXPECT_EQ(rows.facts().ties, before.facts().ties);
    EXPECT_EQ(rows.join().notes, before.join().notes);
    EXPECT_EQ(rows.join().votes_form, before.join().votes_form);
    EXPECT_EQ(rows.join().joined_by, before.join().joined_by);
    EXPECT_EQ(rows.join().vote_rows, before.join().vote_rows);
  }
}

TEST_F(RowFiles, CheckedInTheFirstPassAreRefusedInItAsBefore) {
  set_.scores(4321, 2) = std::numeric_limits<float>::quiet_NaN();
  write_npy("bad.npy", "<f4", set_.scores);
  const std::span<const double> all(set_.counts.data(), 4999 * 4);
  files_.write("short.npy", test::npy("<f8", "(4999, 4)", test::raw(all)));
  for (const auto& [scores, votes] : std::vector<std::pair<std::string, std::string>>{
           {"bad.npy", "counts.npy"}, {"scores.npy", "short.npy"}}) {
    const DatasetFiles named = files(scores, votes);
    const auto read = [&](bool later) {
      FileRows rows(named, {.memory = 1 << 20, .check_in_first_pass = later});
      for (RowBlock block; rows.next(block);) {
      }
    };
    const std::string told = test::error_of([&] { read(true); }).what();
    EXPECT_EQ(told, test::error_of([&] { read(false); }).what());
    EXPECT_NE(told.find(scores == "bad.npy" ? "row 4321" : "4999 rows of votes"), told.npos)
        << told;
  }
}

TEST_F(RowFiles, HaveTheFactsTheNotesAndTheRowsOfMemory) {
  for (const auto& [scores, votes] :
       std::vector<std::pair<std::string, std::string>>{{"scores.npy", "counts.npy"},
                                                        {"scores.npy", "counts.csv"},
                                                        {"scores.csv", "counts.csv"},
                                                        {"scores.csv", "counts.npy"},
                                                        {"scores.csv", "labels.csv"}}) {
    SCOPED_TRACE(scores + " " + votes);
    DatasetFiles named = files(scores, votes);
    // The header of the counts stands in another order, which must not be assumed of the scores.
    if (scores == "scores.npy" && votes == "counts.csv") named.score_classes = {"a", "b", "c", "d"};
    const LoadedDataset whole = load_dataset(named);
    FileRows rows(named, {.memory = 1 << 20});
    const DataFacts known = facts_of(whole.data);
    EXPECT_EQ(rows.facts().fingerprint, whole.data.fingerprint());
    EXPECT_EQ(rows.facts().class_names, known.class_names);
    EXPECT_EQ(rows.facts().evidence, known.evidence);
    EXPECT_EQ(rows.facts().votes_per_example, known.votes_per_example);
    EXPECT_EQ(rows.facts().ties, known.ties);
    EXPECT_EQ(rows.join().notes, whole.join.notes);
    EXPECT_EQ(rows.join().joined_by, whole.join.joined_by);
    EXPECT_EQ(rows.join().votes_form, whole.join.votes_form);
    EXPECT_EQ(rows.join().classes_matched, whole.join.classes_matched);
    const std::vector<std::uint64_t> keys = row_keys(whole.data);
    for (int pass = 0; pass < 2; ++pass) {
      rows.rewind();
      std::size_t next = 0, pieces = 0;
      for (RowBlock block; rows.next(block); ++pieces) {
        ASSERT_EQ(block.first, next);
        for (std::size_t i = 0; i < block.scores.rows(); ++i, ++next) {
          EXPECT_TRUE(std::ranges::equal(block.scores.row(i), whole.data.scores.row(next)));
          EXPECT_TRUE(
              std::ranges::equal(block.votes->row(i).classes, whole.data.votes.row(next).classes));
          EXPECT_TRUE(
              std::ranges::equal(block.votes->row(i).weights, whole.data.votes.row(next).weights));
          if (!keys.empty()) {
            EXPECT_EQ(block.keys[i], keys[next]);
          }
        }
      }
      EXPECT_EQ(next, 5000U);
      EXPECT_GT(pieces, 1U) << "a single piece shows nothing";
    }
  }
}

/// The facts of pieces that end at these rows, sent as bytes and merged in the wrong order.
DataFacts merged_facts(const Dataset& data, const std::vector<std::size_t>& ends) {
  std::vector<RowFacts> pieces;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    std::vector<std::size_t> rows(end - first);
    std::iota(rows.begin(), rows.end(), first);
    const RowFacts facts = row_facts(first, data.select(rows));
    pieces.push_back(row_facts_from_bytes(to_bytes(facts)));
    first = end;
  }
  pieces.push_back(pieces.front());
  std::ranges::reverse(pieces);
  return facts_of(merge(std::move(pieces)), data.classes);
}

TEST_F(RowFiles, FactsOfPiecesMergeToThoseOfAllRows) {
  // Shares, whose sums depend on the order of addition; whole numbers; labels.
  Matrix<double> shares = set_.counts;
  for (std::size_t i = 0; i < shares.rows(); ++i) {
    const double total = std::accumulate(shares.row(i).begin(), shares.row(i).end(), 0.0);
    for (double& share : shares.row(i)) share /= 3.0 * total;
  }
  for (const Votes& votes : {Votes::from_counts(std::as_const(shares).view()), set_.data.votes,
                             Votes::from_labels(set_.data.votes.voted(), 4), Votes()}) {
    Dataset data = set_.data;
    data.votes = votes;
    data.classes = {"a", "b", "c", "d"};
    const DataFacts whole = full_facts_of(data);
    for (const std::vector<std::size_t>& ends :
         std::vector<std::vector<std::size_t>>{{5000}, {1024, 5000}, {2048, 3072, 4096, 5000}}) {
      const DataFacts merged = merged_facts(data, ends);
      EXPECT_EQ(merged.rows, 5000U);
      EXPECT_EQ(merged.classes, 4U);
      EXPECT_EQ(merged.fingerprint, whole.fingerprint);
      EXPECT_EQ(merged.sketch, whole.sketch);
      EXPECT_EQ(merged.evidence, whole.evidence);
      EXPECT_EQ(merged.are_shares, whole.are_shares);
      EXPECT_EQ(merged.votes_per_example, whole.votes_per_example);
      EXPECT_EQ(merged.ties, whole.ties);
    }
  }
}

TEST_F(RowFiles, FactsWithAGapOrOfOtherClassesDoNotMerge) {
  const auto facts = [&](std::size_t first, std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    return row_facts(first, set_.data.select(rows));
  };
  EXPECT_THROW(merge({facts(0, 1024), facts(2048, 1024)}), Error);
  EXPECT_THROW(row_facts(100, set_.data), Error);
  const Dataset other = testing_data::make_synthetic(1024, 5).data;
  EXPECT_THROW(merge({facts(0, 1024), row_facts(1024, other)}), Error);
  std::vector<std::byte> bytes = to_bytes(facts(0, 2048));
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
    EXPECT_THROW(row_facts_from_bytes(std::span(bytes).first(cut)), Error);
  }
}

TEST_F(RowFiles, APassThatIsLeftInTheMiddleBeginsAnew) {
  FileRows rows(files("scores.npy", "counts.npy"), {.memory = 1 << 20});
  for (int time = 0; time < 3; ++time) {
    rows.rewind();
    RowBlock block;
    ASSERT_TRUE(rows.next(block));
    EXPECT_EQ(block.first, 0U);
  }
}

TEST_F(RowFiles, AValueThatCannotBeUsedIsNamedWithItsRowInTheFile) {
  Matrix<float> scores = set_.scores;
  scores(4321, 2) = std::numeric_limits<float>::quiet_NaN();
  write_npy("bad.npy", "<f4", scores);
  const auto refused = [&](const DatasetFiles& named) {
    return std::string(test::error_of([&] { FileRows(named, {.memory = 1 << 20}); }).what());
  };
  const auto in_memory = [&](const DatasetFiles& named) {
    return std::string(test::error_of([&] { load_dataset(named); }).what());
  };
  EXPECT_EQ(refused(files("bad.npy", "counts.npy")), in_memory(files("bad.npy", "counts.npy")));
  Matrix<double> counts = set_.counts;
  counts(4999, 1) = -1.0;
  write_npy("bad_counts.npy", "<f8", counts);
  EXPECT_EQ(refused(files("scores.npy", "bad_counts.npy")),
            in_memory(files("scores.npy", "bad_counts.npy")));
}

TEST_F(RowFiles, ACheckpointThatIsDamagedIsRefused) {
  const std::string path = files_.path("state");
  const MethodSpec method = parse_method("ts");
  DatasetRows rows(set_.data);
  Checkpoint checkpoint(path, "data");
  Solver solver = checkpoint.open(method, rows.info(), {});
  Solver* const asked = &solver;
  ASSERT_TRUE(pass({&asked, 1}, rows));
  checkpoint.save(solver);
  const std::string good = files_.read("state");
  Checkpoint again(path, "data");
  EXPECT_EQ(*again.open(method, rows.info(), {}).next(), *solver.next());
  EXPECT_EQ(again.passes(), 1U);
  for (std::size_t place = 0; place < good.size(); place += 7) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 0x40);
    files_.write("state", bad);
    // Whatever it says of itself, it must not be continued from in silence.
    EXPECT_ANY_THROW(Checkpoint(path, "data").open(method, rows.info(), {})) << place;
  }
}

}  // namespace
}  // namespace credence::io
