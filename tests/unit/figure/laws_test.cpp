// What holds for every figure, whatever it is given: well-formed, inside its frame, words apart.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "geometry.hpp"
#include "samples.hpp"

namespace credence::figure {
namespace {

struct Drawn {
  std::string name, svg;
};

using Names = std::function<std::string(std::size_t)>;

std::string repeated(const std::string& what, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += what;
  return out;
}

std::string hostile(std::size_t i) {
  const std::vector<std::string> names{"<script>alert(1)</script>",
                                       "\"&'</title><b>",
                                       "שלום עולם \xE2\x80\xAE evil",
                                       "👩‍🚀🧪 mélange ﬁn",
                                       repeated("a very long name ", 12),
                                       repeated("W", 200),
                                       "",
                                       "tab\tnew\nline\x01\x7F",
                                       "broken \xFF\xC3( utf-8",
                                       "]]><!-- -- >",
                                       "漢字かな交じり文の長い長い長い長い長い長い名前",
                                       "=cmd|' /C calc'!A0"};
  return names[i % names.size()];
}

/// A stream of numbers in [0, 1) that is the same everywhere.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed * 2 + 1) {}
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 33) / 2147483648.0;
  }
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(next() * static_cast<double>(n));
  }
  /// Often an end of the range, where figures break.
  double share() {
    const double u = next();
    return u < 0.1 ? 0.0 : u < 0.2 ? 1.0 : next();
  }

 private:
  std::uint64_t state_;
};

Reliability random_diagram(Stream& s, const Names& name) {
  Reliability d;
  d.method = name(s.below(12));
  d.truth = s.next() < 0.5 ? Truth::vote : Truth::annotators;
  const std::size_t bins = s.next() < 0.2 ? 1 : 1 + s.below(30);
  for (std::size_t b = 0; b < bins; ++b) {
    DrawnBin bin;
    bin.from = static_cast<double>(b) / static_cast<double>(bins);
    bin.to = static_cast<double>(b + 1) / static_cast<double>(bins);
    bin.count = s.next() < 0.3 ? 0 : 1 + s.below(s.next() < 0.5 ? 3 : 1000000);
    if (bin.count > 0) {
      bin.confidence = bin.from + s.next() * (bin.to - bin.from);
      bin.agreement = s.share();
      if (s.next() < 0.7) {
        bin.low = bin.agreement * s.next();
        bin.high = bin.agreement + (1 - bin.agreement) * s.next();
      }
      if (s.next() < 0.7) bin.noise = s.next();
    }
    d.bins.push_back(bin);
  }
  const std::size_t notes = s.below(4);
  for (std::size_t n = 0; n < notes; ++n) {
    d.notes.push_back(s.next() < 0.3 ? name(n) : "ece_expected 4.10 points [3.20, 5.00]");
  }
  return d;
}

std::vector<EntropyCurve> random_curves(Stream& s, const Names& name) {
  std::vector<EntropyCurve> all(s.below(18));
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m].method = name(m);
    double entropy = 0;
    for (std::size_t i = s.below(9); i-- > 0;) {
      entropy += (1 - entropy) * 0.4 * s.next();
      const double error = s.share();
      EntropyPoint p{entropy, error, {}, {}, s.below(100)};
      if (s.next() < 0.5) p.low = error * 0.9, p.high = error + (1 - error) * 0.1;
      all[m].points.push_back(p);
    }
  }
  return all;
}

std::optional<EntropyCurve> random_perfect(Stream& s, const Names& name) {
  if (s.next() < 0.5) return std::nullopt;
  EntropyCurve curve{name(3), {}};
  for (const double entropy : {0.0, 0.3, 0.9}) {
    curve.points.push_back({entropy, s.share(), {}, {}, 1 + s.below(100)});
  }
  return curve;
}

MetricBars random_bars(Stream& s, const Names& name) {
  MetricBars bars;
  bars.metric = name(s.below(12));
  bars.meaning = s.next() < 0.5 ? "" : name(4);
  bars.lower_is_better = s.next() < 0.5;
  bars.percent = s.next() < 0.5;
  bars.interval = "95 % interval";
  const double scale = s.next() < 0.3 ? 0 : std::pow(10.0, 6 * s.next() - 3);
  for (std::size_t i = s.below(18); i-- > 0;) {
    MethodValue m;
    m.method = name(i);
    m.recommended = s.next() < 0.2;
    m.oracle = s.next() < 0.1;
    m.tied_with_best = s.next() < 0.3;
    if (s.next() < 0.9) m.value = scale * (s.next() - 0.3);
    if (m.value && s.next() < 0.8) m.low = *m.value - scale * 0.1, m.high = *m.value + scale * 0.2;
    for (std::size_t k = s.below(6); m.value && k-- > 0;)
      m.seeds.push_back(*m.value + scale * 0.1 * s.next());
    bars.methods.push_back(std::move(m));
  }
  if (s.next() < 0.5) bars.floor = scale * s.next(), bars.floor_label = name(5);
  return bars;
}

Curves random_settings(Stream& s, const Names& name) {
  Curves data{name(4), name(5), s.next() < 0.5, s.next() < 0.5, {}};
  const double scale = s.next() < 0.2 ? 0 : std::pow(10.0, 8 * s.next() - 4);
  data.curves.resize(s.below(18));
  for (std::size_t m = 0; m < data.curves.size(); ++m) {
    data.curves[m].method = name(m);
    for (std::size_t i = s.below(14); i-- > 0;) {
      CurvePoint p{s.share() * 50000, scale * (s.next() - 0.2), {}};
      if (s.next() < 0.5) p.deviation = scale * s.next();
      data.curves[m].points.push_back(p);
    }
  }
  return data;
}

Heatmap random_heatmap(Stream& s, const Names& name) {
  Heatmap map;
  for (std::size_t i = s.below(18); i-- > 0;) map.methods.push_back(name(i));
  for (std::size_t i = s.below(20); i-- > 0;) map.metrics.push_back(name(i + 1));
  for (std::size_t i = 0; i < map.methods.size() * map.metrics.size(); ++i) {
    HeatCell cell{s.next(), s.next() < 0.05 ? name(i) : "12.3456", s.share(), s.next() < 0.2};
    if (s.next() < 0.1) cell.value.reset();
    map.cells.push_back(std::move(cell));
  }
  return map;
}

Confusion random_confusion(Stream& s, const Names& name, std::size_t classes) {
  Confusion c;
  for (std::size_t i = 0; i < classes; ++i) {
    c.classes.push_back(name(i));
    c.examples.push_back(s.below(1000000));
    for (std::size_t j = 0; j < classes; ++j) c.shares.push_back(s.share());
  }
  return c;
}

VoteDistribution random_votes(Stream& s, const Names& name, std::size_t classes) {
  VoteDistribution v;
  for (std::size_t i = s.below(21); i-- > 0;)
    v.entropy_counts.push_back(std::floor(1e6 * s.share()));
  double votes = std::floor(3 * s.next());
  for (std::size_t i = s.below(50); i-- > 0;) {
    votes += s.next() < 0.5 ? 1 : 40 * s.next();
    v.votes_per_example.emplace_back(votes, s.below(100000));
  }
  for (std::size_t k = 0; k < classes; ++k) {
    v.classes.push_back(name(k));
    v.annotator_shares.push_back(s.share());
    v.voted_shares.push_back(s.share());
  }
  return v;
}

std::vector<ConfidenceMap> random_maps(Stream& s, const Names& name) {
  std::vector<ConfidenceMap> all(s.below(18));
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m].method = name(m);
    for (std::size_t i = s.below(21); i-- > 0;) {
      all[m].points.push_back({s.share(), s.share(), s.share(), s.share()});
    }
  }
  return all;
}

ToyPanels random_toy(Stream& s, const Names& name) {
  ToyPanels toy;
  for (std::size_t i = s.below(200); i-- > 0;) {
    toy.points.push_back({10 * s.next(), -5 * s.next(), s.below(9), s.next() < 0.5});
  }
  for (std::size_t i = s.below(9); i-- > 0;) toy.clusters.push_back(name(i));
  toy.by_vote = random_diagram(s, name);
  toy.by_annotators = random_diagram(s, name);
  return toy;
}

/// One figure of every kind from the same stream.
std::vector<Drawn> every_kind(std::uint64_t seed, const Names& name, Frame frame) {
  Stream s(seed);
  const std::size_t classes = seed % 3 == 0 ? s.below(60) : s.below(14);
  const Caption caption{name(0), name(4), "fig-" + std::to_string(seed)};
  std::vector<Reliability> grid;
  for (std::size_t i = s.below(18); i-- > 0;) grid.push_back(random_diagram(s, name));
  return {
      {"reliability", reliability(random_diagram(s, name), caption, frame)},
      {"reliability_pair",
       reliability_pair(random_diagram(s, name), random_diagram(s, name), caption, frame)},
      {"reliability_grid", reliability_grid(grid, caption, frame)},
      {"error_by_entropy",
       error_by_entropy(random_curves(s, name), random_perfect(s, name), caption, frame)},
      {"disagreement", disagreement(random_curves(s, name), caption, frame)},
      {"metric_bars", metric_bars(random_bars(s, name), caption, frame)},
      {"curves", curves(random_settings(s, name), caption, frame)},
      {"method_heatmap", method_heatmap(random_heatmap(s, name), caption, frame)},
      {"annotator_confusion",
       annotator_confusion(random_confusion(s, name, classes), caption, frame)},
      {"vote_distribution", vote_distribution(random_votes(s, name, classes), caption, frame)},
      {"confidence_map", confidence_map(random_maps(s, name), caption, frame)},
      {"toy_panels", toy_panels(random_toy(s, name), caption, frame)},
  };
}

constexpr std::uint64_t kSeeds = 30;

/// Hostile names, and those of methods, in every frame.
Frame frame_of(std::uint64_t seed) {
  const std::uint64_t turn = seed / 2 % 3;
  return turn == 0 ? Frame::file : turn == 1 ? Frame::page : Frame::phone;
}

void for_every_figure(const std::function<void(const Drawn&, const std::vector<Element>&)>& check) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Names name = seed % 2 == 0 ? Names(hostile) : Names([](std::size_t i) {
      return samples::methods()[i % samples::methods().size()];
    });
    for (const Drawn& drawn : every_kind(seed, name, frame_of(seed))) {
      SCOPED_TRACE(drawn.name + ", seed " + std::to_string(seed));
      std::vector<Element> elements;
      ASSERT_NO_THROW(elements = read_svg(drawn.svg));
      check(drawn, elements);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(EveryFigure, IsWellFormedAndNamesItself) {
  for_every_figure([](const Drawn&, const std::vector<Element>& elements) {
    const Element& root = elements.at(0);
    EXPECT_EQ(root.name, "svg");
    EXPECT_EQ(root.attributes.at("role"), "img");
    const std::string id = root.attributes.at("id");
    EXPECT_EQ(root.attributes.at("aria-labelledby"), id + "-title " + id + "-description");
    EXPECT_EQ(elements.at(1).attributes.at("id"), id + "-title");
    EXPECT_EQ(elements.at(2).attributes.at("id"), id + "-description");
  });
}

TEST(EveryFigure, HoldsOnlyElementsOfItsOwn) {
  const std::set<std::string> known{"svg",  "title", "desc", "defs", "pattern", "g",
                                    "rect", "line",  "path", "text", "circle"};
  for_every_figure([&](const Drawn&, const std::vector<Element>& elements) {
    for (const Element& e : elements) {
      ASSERT_TRUE(known.contains(e.name)) << e.name;
      for (const auto& [key, value] : e.attributes) {
        ASSERT_FALSE(key.starts_with("on")) << key;
        ASSERT_NE(key, "href");
      }
    }
  });
}

TEST(EveryFigure, HasNoIdTwiceAndAllBelowItsOwn) {
  for_every_figure([](const Drawn&, const std::vector<Element>& elements) {
    std::set<std::string> ids;
    const std::string prefix = elements[0].attributes.at("id");
    for (const Element& e : elements) {
      if (!e.has("id")) continue;
      EXPECT_TRUE(ids.insert(e.attributes.at("id")).second) << e.attributes.at("id");
      EXPECT_TRUE(e.attributes.at("id").starts_with(prefix));
    }
    // And every pattern that is used is there.
    for (const Element& e : elements) {
      if (!e.has("fill") || !e.attributes.at("fill").starts_with("url(#")) continue;
      const std::string id = e.attributes.at("fill").substr(5, e.attributes.at("fill").size() - 6);
      EXPECT_TRUE(ids.contains(id)) << id;
    }
  });
}

TEST(EveryFigure, LiesWithinItsFrame) {
  for_every_figure([](const Drawn&, const std::vector<Element>& elements) {
    double width = 0, height = 0;
    ASSERT_EQ(
        std::sscanf(elements[0].attributes.at("viewBox").c_str(), "0 0 %lf %lf", &width, &height),
        2);
    std::size_t in_pattern = 0;
    for (const Element& e : elements) {
      if (e.name == "pattern") in_pattern = e.depth;
      if (in_pattern > 0 && e.depth > in_pattern) continue;
      if (e.name != "pattern") in_pattern = 0;
      for (const Point& p : corners(e)) {
        ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y)) << e.name;
        // Half a hundredth is the rounding of coordinates.
        ASSERT_TRUE(p.x >= -0.01 && p.x <= width + 0.01 && p.y >= -0.01 && p.y <= height + 0.01)
            << e.name << " '" << e.text << "' at " << p.x << ", " << p.y << " of " << width << " x "
            << height;
      }
      if (e.name == "rect") {
        ASSERT_TRUE(e.number("width") >= 0 && e.number("height") >= 0);
      }
    }
  });
}

TEST(EveryFigure, IsNarrowEnoughForAPhone) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Names name = seed % 2 == 0 ? Names(hostile) : Names([](std::size_t i) {
      return samples::methods()[i % samples::methods().size()];
    });
    for (const Drawn& drawn : every_kind(seed, name, Frame::phone)) {
      // These are tables, which scroll.
      if (drawn.name == "method_heatmap" || drawn.name == "annotator_confusion") continue;
      SCOPED_TRACE(drawn.name + ", seed " + std::to_string(seed));
      double width = 0;
      const Element root = read_svg(drawn.svg).at(0);
      ASSERT_EQ(std::sscanf(root.attributes.at("viewBox").c_str(), "0 0 %lf", &width), 1);
      EXPECT_LE(width, 390.0);
    }
  }
}

TEST(EveryFigure, KeepsItsWordsApart) {
  for_every_figure([](const Drawn&, const std::vector<Element>& elements) {
    std::vector<std::pair<Box, std::string>> words;
    for (const Element& e : elements) {
      if (e.name != "text" || e.text.find_first_not_of(' ') == std::string::npos) continue;
      // Names of columns lean over each other's boxes without touching.
      if (e.has("transform") && e.attributes.at("transform").starts_with("rotate(-50")) continue;
      words.emplace_back(around(corners(e)), e.text);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t j = i + 1; j < words.size(); ++j) {
        // Widths are those of the widest fonts, so a touch of two pixels is none on paper.
        ASSERT_FALSE(overlap(words[i].first, words[j].first, 2.0))
            << "'" << words[i].second << "' and '" << words[j].second << "'";
      }
    }
  });
}

TEST(EveryFigure, HasNoNumberThatIsNone) {
  for_every_figure([](const Drawn& drawn, const std::vector<Element>&) {
    for (const std::string none : {"nan", "inf", "-0\""}) {
      ASSERT_EQ(drawn.svg.find("=\"" + none), std::string::npos) << none;
    }
  });
}

TEST(EveryFigure, StaysSmallForAThousandClasses) {
  Stream s(5);
  const Names name = [](std::size_t i) { return "class " + std::to_string(i); };
  const Caption caption = samples::caption("large");
  const Confusion confusion = random_confusion(s, name, 1000);
  // 40 x 40 cells with their tooltips; the whole would be 625 times that.
  EXPECT_LT(annotator_confusion(confusion, caption, Frame::page).size(), 500'000U);
  EXPECT_LT(vote_distribution(random_votes(s, name, 1000), caption, Frame::page).size(), 60'000U);
}

}  // namespace
}  // namespace credence::figure
