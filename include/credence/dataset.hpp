// Scores and votes, validated once and trusted afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/matrix.hpp"

namespace credence {

namespace dataset {
struct VoteColumns;
}
struct FirstLook;

/// What the annotations can tell, weakest first; a method names the least it needs.
enum class Evidence {
  none,           ///< scores only
  voted,          ///< one majority label per example
  annotations,    ///< one annotation per example, by one annotator each
  distributions,  ///< several annotations (or a distribution) for at least some examples
};

std::string_view to_string(Evidence evidence);

/// How far the shares of a row may be from adding up to 1: written as decimals or float32 they
/// rarely do exactly.
inline constexpr double kShareTolerance = 1e-3;

/// One annotator's answer.
struct Annotation {
  std::size_t example;
  std::uint32_t label;
  double weight = 1.0;
};

/// The votes of one example: classes ascending and distinct, weights positive.
struct VoteRow {
  std::span<const std::uint32_t> classes;
  std::span<const double> weights;
};

/// Votes compressed by row: memory grows with the votes given, not with n x K.
class Votes {
 public:
  Votes() = default;

  /// Counts or distributions, n x K. A row without votes, a negative or non-finite entry is an
  /// Error naming `origin` (a file name, or empty), row, column and value.
  static Votes from_counts(Rows counts, std::string_view origin = {});

  /// Individual answers in any order; several answers for one example add up.
  static Votes from_annotations(std::span<const Annotation> annotations, std::size_t examples,
                                std::size_t classes, std::string_view origin = {});

  /// One majority label per example, nothing known about the voters.
  static Votes from_labels(std::span<const std::uint32_t> voted, std::size_t classes,
                           std::string_view origin = {});

  /// Rows that are compressed already: row i holds entries offsets[i] .. offsets[i+1]-1, its
  /// classes ascending and distinct, its weights positive. The way in for votes too many to hold
  /// densely.
  static Votes from_compressed(std::vector<std::size_t> offsets, std::vector<std::uint32_t> classes,
                               std::vector<double> weights, std::size_t class_count,
                               std::string_view origin = {});

  std::size_t rows() const { return totals_.size(); }
  std::size_t classes() const { return class_count_; }
  std::size_t entries() const { return classes_.size(); }
  VoteRow row(std::size_t i) const {
    const std::size_t first = offsets_[i], count = offsets_[i + 1] - first;
    return {{classes_.data() + first, count}, {weights_.data() + first, count}};
  }
  /// The compressed rows themselves, as from_compressed takes them.
  std::span<const std::size_t> offsets() const { return offsets_; }
  std::span<const std::uint32_t> entry_classes() const { return classes_; }
  std::span<const double> entry_weights() const { return weights_; }
  /// m[i], the number (or weight) of votes of example i.
  double total(std::size_t i) const { return totals_[i]; }
  /// pi[i,k] = c[i,k] / m[i]: the share of annotators who chose class k.
  double share(std::size_t i, std::uint32_t k) const;
  /// The class with most votes; ties go to the lowest index, so the answer does not depend on the
  /// order of annotations.
  std::uint32_t voted(std::size_t i) const { return voted_[i]; }
  std::span<const std::uint32_t> voted() const { return voted_; }
  /// How many examples have more than one class with most votes.
  std::size_t ties() const { return ties_; }
  Evidence evidence() const { return evidence_; }
  /// True when every total is 1 and some weights are fractional: shares, number of voters unknown.
  bool are_shares() const { return are_shares_; }

  /// The same votes for a selection of rows, in the order given.
  Votes select(std::span<const std::size_t> rows) const;
  /// Class k becomes class `position[k]`; `classes` is the new number of classes.
  Votes relabel(std::span<const std::uint32_t> position, std::size_t classes) const;

 private:
  friend struct dataset::VoteColumns;
  void finish(bool voted_only);

  std::size_t class_count_ = 0;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> classes_;
  std::vector<double> weights_;
  std::vector<double> totals_;
  std::vector<std::uint32_t> voted_;
  std::size_t ties_ = 0;
  Evidence evidence_ = Evidence::none;
  bool are_shares_ = false;
};

/// What the numbers in a score array are. The caller says; it is never guessed.
enum class ScoreKind { logits, log_probs, probs };

std::string_view to_string(ScoreKind kind);

/// Probabilities equal to 0 (logits of -inf) stand for the smallest normal float32.
struct Conversion {
  Matrix<float> scores;     ///< finite logits or log-probabilities
  std::size_t clipped = 0;  ///< entries that were 0 (or -inf) and were raised
};

/// Checks every score, naming `origin`, row, column and value of the first bad one: NaN, +inf,
/// a row of -inf, and for probabilities a value outside [0, 1] (1e-6 above 1 is forgiven as
/// rounding) or a row that does not sum to 1 within 1e-3. Returns the number of entries that
/// `to_finite_logits` would have to clip.
std::size_t check_scores(Scores scores, ScoreKind kind, std::string_view origin = {},
                         std::size_t first_row = 0);
std::size_t check_scores(Rows scores, ScoreKind kind, std::string_view origin = {},
                         std::size_t first_row = 0);

/// The one conversion: probabilities become their logarithms, -inf becomes the logarithm of the
/// smallest normal float32 relative to its row. Call after check_scores.
Conversion to_finite_logits(Scores scores, ScoreKind kind);
Conversion to_finite_logits(Rows scores, ScoreKind kind);

/// Examples ready for fitting: finite float32 scores (borrowed, `owner` keeps them alive), votes
/// row by row beside them, and what is known of ids, classes and groups.
struct Dataset {
  Scores scores;
  std::shared_ptr<const void> owner;
  Votes votes;                        ///< rows() == 0 when only scores are known
  std::vector<std::string> classes;   ///< K names, or empty
  std::vector<std::string> ids;       ///< n ids, or empty
  std::vector<std::uint32_t> groups;  ///< n group numbers, or empty
  std::size_t clipped = 0;            ///< scores raised by to_finite_logits
  /// What a look at every score has found, where one was taken on the way in: it saves a fit time.
  /// Opaque to callers, who reset it when they change the scores.
  std::shared_ptr<const FirstLook> first_look;

  std::size_t rows() const { return scores.rows(); }
  std::size_t classes_count() const { return scores.cols(); }
  Evidence evidence() const { return votes.rows() == 0 ? Evidence::none : votes.evidence(); }

  /// A copy restricted to `rows`, in the order given.
  Dataset select(std::span<const std::size_t> rows) const;
  /// 128-bit hash of scores, votes and classes as 32 hexadecimal digits: the same data, the same
  /// fingerprint, whatever file format they came from.
  std::string fingerprint() const;
};

/// Which part of the data every row belongs to: hospitals, languages, patients.
struct SubgroupLabels {
  std::vector<std::uint32_t> of_row;  ///< n numbers, or empty
  std::vector<std::string> names;     ///< by number
};

/// Builds a Dataset from arrays in memory (not copied where they can be borrowed), checking
/// everything: the way in for library users who do not read files.
Dataset make_dataset(Scores scores, ScoreKind kind, Votes votes,
                     std::vector<std::string> classes = {});

}  // namespace credence
