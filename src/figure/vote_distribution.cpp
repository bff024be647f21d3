// How annotations are spread: over disagreement, over votes per example, over classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/text.hpp"
#include "figure/axes.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"
#include "figure/top_classes.hpp"

namespace credence::figure {
namespace {

constexpr double kVotesWidth = 300, kVotesHeight = 180, kVotesTop = 44, kVotesLeft = 56,
                 kVotesApart = 72, kVotesMargin = 12;
constexpr double kVotesRow = 18, kVotesLongestName = 150;

void heading(Canvas& canvas, Point at, std::string_view letter, std::string_view words) {
  canvas.text(at, letter, {.size = 13, .classes = "f-ink f-b"});
  canvas.text({at.x + 16, at.y}, words, {.size = 12});
}

bool whole(double value) { return std::abs(value - std::round(value)) <= 1e-9; }

/// Ticks at whole numbers only, for what is counted.
std::vector<Tick> whole_ticks(double from, double to, int wanted) {
  std::vector<Tick> ticks = round_ticks(from, to, wanted);
  std::erase_if(ticks, [](const Tick& tick) { return !whole(tick.value); });
  for (Tick& tick : ticks) tick.label = compact_count(std::round(tick.value));
  return ticks;
}

void draw_counts_axis(Canvas& canvas, const Box& box, const Scale& y) {
  y_axis(canvas, box, y, whole_ticks(0, y.to(), 4),
         {.grid = true, .title = "examples", .title_offset = 42});
}

Scale count_scale(const Box& box, double most) {
  return Scale::linear(0, round_ends(0, std::max(most, 1.0), 4).to, box.bottom(), box.y);
}

void draw_entropy(Canvas& canvas, const Box& box, const std::vector<double>& counts) {
  const double most = counts.empty() ? 1 : *std::max_element(counts.begin(), counts.end());
  const Scale x = Scale::linear(0, 1, box.x, box.right()), y = count_scale(box, most);
  draw_counts_axis(canvas, box, y);
  const auto bins = static_cast<double>(counts.size());
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const double from = static_cast<double>(b) / bins, to = static_cast<double>(b + 1) / bins;
    canvas.group("entropy-bin", attribute("data-bin", b) + attribute("data-count", counts[b]));
    canvas.tooltip(fmt::format("{:.2f}–{:.2f}: {:.0f} examples", from, to, counts[b]));
    const double top = y(counts[b]);
    canvas.rect({x(from) + 0.5, top, x(to) - x(from) - 1, box.bottom() - top}, "f-count");
    canvas.end_group();
  }
  x_axis(canvas, box, x, round_ticks(0, 1, 5),
         {.title = "entropy / its maximum", .title_offset = 34});
}

void draw_votes(Canvas& canvas, const Box& box,
                const std::vector<std::pair<double, std::size_t>>& votes) {
  double least = 1, most = 1, examples = 0;
  if (!votes.empty()) least = most = votes.front().first;
  for (const auto& [value, count] : votes) {
    least = std::min(least, value);
    most = std::max(most, value);
    examples = std::max(examples, static_cast<double>(count));
  }
  // A bar per number of votes, as wide as the closest two allow; a single one is not a wall.
  double closest = std::max(1.0, most - least);
  for (std::size_t i = 1; i < votes.size(); ++i) {
    const double apart = std::abs(votes[i].first - votes[i - 1].first);
    if (apart > 0) closest = std::min(closest, apart);
  }
  const double margin =
      std::max({closest * 0.75, (most - least) * 0.03, least == most ? 2.5 : 0.0});
  const double from = std::max(0.0, least - margin);
  const Scale x = Scale::linear(from, most + margin, box.x, box.right());
  const Scale y = count_scale(box, examples);
  draw_counts_axis(canvas, box, y);
  const double width = std::clamp((x(from + closest) - x(from)) - 1.5, 1.5, 24.0);
  for (const auto& [value, count] : votes) {
    canvas.group("votes", attribute("data-votes", value) + attribute("data-count", count));
    canvas.tooltip(fmt::format("{:.6g} vote{}: {} examples", value, value == 1 ? "" : "s",
                               grouped_digits(count)));
    const double top = y(static_cast<double>(count));
    const double left = std::clamp(x(value) - width / 2, box.x, box.right() - width);
    canvas.rect({left, top, width, box.bottom() - top}, "f-count");
    canvas.end_group();
  }
  const bool counted =
      std::all_of(votes.begin(), votes.end(), [](const auto& entry) { return whole(entry.first); });
  std::vector<Tick> ticks =
      counted ? whole_ticks(x.from(), x.to(), 5) : round_ticks(x.from(), x.to(), 5);
  if (votes.size() == 1) ticks = {{least, fmt::format("{:.6g}", least)}};
  x_axis(canvas, box, x, ticks, {.title = "votes per example", .title_offset = 34});
}

/// A line per class: a disc for all annotators, a diamond for the majority label, joined.
void draw_classes(Canvas& canvas, const Box& box, const VoteDistribution& votes,
                  const std::vector<std::size_t>& kept) {
  double least = 1, most = 1e-6;
  for (const std::size_t k : kept) {
    least = std::min({least, votes.annotator_shares[k], votes.voted_shares[k]});
    most = std::max({most, votes.annotator_shares[k], votes.voted_shares[k]});
  }
  // Dots need no zero: classes that are all about as frequent are told apart.
  const Ends ends = round_ends(least < 0.5 * most ? 0 : least, std::max(most, 1.1 * least), 5);
  const Scale x = Scale::linear(ends.from, ends.to, box.x + 6, box.right() - 6);
  x_axis(
      canvas, box, x, round_ticks(ends.from, ends.to, box.width < 300 ? 3 : 5, true),
      {.grid = true,
       .title = box.width < 300 ? "share (%)" : "share of annotations and of majority labels (%)",
       .title_offset = 34});
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t k = kept[i];
    const double y = box.y + kVotesRow * (static_cast<double>(i) + 0.5);
    const double annotators = votes.annotator_shares[k], voted = votes.voted_shares[k];
    canvas.group("class-share", attribute("data-class", k) +
                                    attribute("data-annotators", annotators) +
                                    attribute("data-voted", voted));
    canvas.tooltip(fmt::format("{}: {} of annotations, {} of majority labels", votes.classes[k],
                               percent(annotators), percent(voted)));
    canvas.rect({box.x, y - kVotesRow / 2, box.width, kVotesRow}, "f-hit");
    canvas.text({box.x - 8, y + 4}, shortened(votes.classes[k], kVotesLongestName, 11),
                {.anchor = Anchor::end});
    canvas.line({x(annotators), y}, {x(voted), y}, "f-range f-worse");
    canvas.marker({x(voted), y}, 3, 4, "f-worse", " stroke-width=\"1.5\"");
    canvas.marker({x(annotators), y}, 0, 3.5, "f-best");
    canvas.end_group();
  }
}

}  // namespace

std::string vote_distribution(const VoteDistribution& votes, const Caption& caption, Frame frame) {
  Canvas canvas(caption, frame);
  const bool stacked = frame == Frame::phone;
  const Box entropy{kVotesLeft, kVotesTop, stacked ? kPhoneWidth - kVotesLeft - 16 : kVotesWidth,
                    kVotesHeight};
  const Box per_example{stacked ? kVotesLeft : entropy.right() + kVotesApart,
                        stacked ? entropy.bottom() + 46 + kVotesTop : kVotesTop, entropy.width,
                        kVotesHeight};
  heading(canvas, {kVotesLeft, entropy.y - 20}, "a", "disagreement of annotators");
  draw_entropy(canvas, entropy, votes.entropy_counts);
  heading(canvas, {per_example.x, per_example.y - 20}, "b", "votes per example");
  draw_votes(canvas, per_example, votes.votes_per_example);
  double bottom = per_example.bottom() + 46;

  if (!votes.classes.empty()) {
    const std::vector<std::size_t> kept = top_classes(votes.annotator_shares, votes.classes.size());
    double names = 40;
    for (const std::size_t k : kept) {
      names = std::max(names, std::min(kVotesLongestName, text_width(votes.classes[k], 11)));
    }
    const double left = std::max(kVotesLeft, kVotesMargin + names + 8);
    std::string words = "classes";
    if (kept.size() < votes.classes.size()) {
      words = fmt::format("the {} most frequent of {} classes", kept.size(),
                          grouped_digits(votes.classes.size()));
    }
    heading(canvas, {kVotesLeft, bottom + 16}, "c", words);
    const Box box{left, bottom + 28, per_example.right() - left,
                  kVotesRow * static_cast<double>(kept.size())};
    draw_classes(canvas, box, votes, kept);
    bottom = box.bottom() + 42;
    const std::vector<LegendEntry> entries{
        {"all annotators",
         [](Canvas& c, const Box& b) {
           c.marker({b.x + 10, b.y + 5}, 0, 3.5, "f-best");
         }},
        {"majority labels", [](Canvas& c, const Box& b) {
           c.marker({b.x + 10, b.y + 5}, 3, 4, "f-worse", " stroke-width=\"1.5\"");
         }}};
    bottom += legend(&canvas, {left, bottom}, box.width, entries) + 4;
  }
  return canvas.finish(per_example.right() + 16, bottom + 4);
}

}  // namespace credence::figure
