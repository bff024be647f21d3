// What single annotators said, by the majority label.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/text.hpp"
#include "figure/cells.hpp"
#include "figure/palette.hpp"
#include "figure/svg.hpp"
#include "figure/text.hpp"
#include "figure/top_classes.hpp"

namespace credence::figure {
namespace {

constexpr double kConfusionMargin = 12, kLongestClassName = 130;

double cell_side(std::size_t classes) {
  if (classes <= 8) return 44;
  if (classes <= 12) return 36;
  return classes <= 20 ? 22 : 14;
}

/// Whole percents; what is there but rounds to nothing is told from nothing.
std::string in_percent(double share) {
  if (share <= 0) return "";
  return share < 0.005 ? "<1" : fmt::format("{:.0f}", 100 * share);
}

}  // namespace

std::string annotator_confusion(const Confusion& confusion, const Caption& caption, Frame frame) {
  const std::size_t all = confusion.classes.size();
  std::vector<double> weight(confusion.examples.begin(), confusion.examples.end());
  const std::vector<std::size_t> kept = top_classes(weight, all);
  const double side = cell_side(kept.size());
  const double size = side >= 22 ? 11 : 9.5, number_size = 10.5;

  std::vector<std::string> names, counts;
  double name_width = 30, count_width = 0;
  for (const std::size_t k : kept) {
    names.push_back(confusion.classes[k]);
    counts.push_back(grouped_digits(confusion.examples[k]));
    name_width = std::max(name_width, std::min(kLongestClassName, text_width(names.back(), size)));
    count_width = std::max(count_width, text_width(counts.back(), size - 1));
  }
  count_width = std::max(count_width, text_width("examples", 9.5));
  const double left = kConfusionMargin + 20 + name_width + 8;
  const double heading = column_names(nullptr, names, left, 0, side, size);
  const double top = kConfusionMargin + 20 + heading;
  const double extent = side * static_cast<double>(kept.size());

  Canvas canvas(caption, frame);
  canvas.text({left, kConfusionMargin + 11}, "what single annotators said (% of the row)", {});
  canvas.text({kConfusionMargin + 11, top + extent / 2}, "majority label",
              {.anchor = Anchor::middle, .turned = -90});
  column_names(&canvas, names, left, top, side, size);
  for (std::size_t r = 0; r < kept.size(); ++r) {
    const double y = top + side * static_cast<double>(r);
    const double base = y + side / 2 + 0.35 * size;
    canvas.text_within({left - 8, base}, names[r], kLongestClassName,
                       {.size = size, .anchor = Anchor::end});
    for (std::size_t c = 0; c < kept.size(); ++c) {
      const double share = confusion.shares[kept[r] * all + kept[c]];
      // By the square root: most of the interest is in shares of a few percent.
      const std::size_t shade =
          share <= 0 ? 0 : std::max<std::size_t>(1, shade_level(std::sqrt(share)));
      canvas.group("cell", attribute("data-row", kept[r]) + attribute("data-column", kept[c]) +
                               attribute("data-share", share));
      canvas.tooltip(fmt::format("majority label {}, annotators said {}: {}", names[r], names[c],
                                 percent(share)));
      const Box box{left + side * static_cast<double>(c), y, side, side};
      canvas.rect({box.x + 0.5, box.y + 0.5, side - 1, side - 1}, fmt::format("f-s{}", shade));
      const std::string text = side >= 36 ? in_percent(share) : "";
      if (!text.empty()) {
        canvas.text({box.x + side / 2, box.y + side / 2 + 0.35 * number_size}, text,
                    {.size = number_size,
                     .anchor = Anchor::middle,
                     .classes = fmt::format("f-t{}", shade)});
      }
      canvas.end_group();
    }
    canvas.text({left + extent + 8 + count_width, base}, counts[r],
                {.size = size - 1, .anchor = Anchor::end, .classes = "f-muted"});
  }
  canvas.rect({left, top, extent, extent}, "f-outline");
  // Beside the names of columns when they stand level; turned names would run into it.
  const double overhang = column_overhang(names, side, size);
  if (!kept.empty()) {
    canvas.text({left + extent + 8 + count_width, top + extent + 12}, "examples",
                {.size = 9.5, .anchor = Anchor::end, .classes = "f-muted"});
  }
  double y = top + extent + 26;
  double right = left + extent + std::max(overhang, 8 + count_width);
  const double key = shade_key(canvas, {left, y}, "0", "100 %");
  canvas.text({left + key + 10, y + 9}, "square-root scale", {.size = 10, .classes = "f-muted"});
  right = std::max(right, left + key + 10 + text_width("square-root scale", 10));
  right = std::max(right, left + text_width("what single annotators said (% of the row)", 11));
  if (kept.size() < all) {
    y += 18;
    const std::string note =
        fmt::format("the {} of {} classes with most examples", kept.size(), grouped_digits(all));
    canvas.text({left, y + 9}, note, {.size = 10, .classes = "f-muted"});
    right = std::max(right, left + text_width(note, 10));
  }
  return canvas.finish(right + kConfusionMargin, y + 22);
}

}  // namespace credence::figure
