#include "text/text_reliability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/output.hpp"

namespace credence::cli {
namespace {

constexpr int kBarWidth = 25;  // letters for 0 to 100 %

int letters(double share) { return static_cast<int>(std::lround(share * kBarWidth)); }

std::string repeated(std::string_view letter, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += letter;
  return out;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

/// Full up to what annotators and model have in common, then the part that only one of them says.
std::string bar(const ReliabilityBin& bin, const Paint& paint) {
  const int agreed = letters(bin.agreement), said = letters(bin.confidence);
  const int common = std::min(agreed, said), gap = std::abs(agreed - said);
  const std::string marks =
      said > agreed ? paint.red(repeated("░", gap)) : paint.green(repeated("▒", gap));
  return repeated("█", common) + (gap > 0 ? marks : "") +
         std::string(static_cast<std::size_t>(kBarWidth - common - gap), ' ');
}

std::string cells(const ReliabilityBin& bin, const Paint& paint) {
  if (bin.count == 0) return std::string(kBarWidth + 9, ' ');
  return fmt::format("{} {:>8}", bar(bin, paint), grouped(bin.count));
}

}  // namespace

std::string text_reliability(const SplitResult& split, const Paint& paint) {
  std::vector<const MethodResult*> shown;
  for (const std::string_view name :
       {std::string_view("uncalibrated"), std::string_view(split.recommended)}) {
    const MethodResult* method = split.find(name);
    if (method == nullptr || (!shown.empty() && shown.front() == method)) continue;
    shown.push_back(method);
  }
  const std::size_t bins = shown.empty() ? 0 : shown.front()->evaluation.reliability.size();
  // Finer bins would scroll the answer away.
  if (bins == 0 || bins > 40) return {};
  std::string out = "  said     ";
  for (const MethodResult* method : shown) {
    std::string name = method->name;
    if (name.size() > kBarWidth) name = name.substr(0, kBarWidth - 3) + "...";
    out += fmt::format("  {} {:>8}", padded(name, kBarWidth), "examples");
  }
  out += "\n";
  for (std::size_t b = 0; b < bins; ++b) {
    const bool empty = std::ranges::all_of(
        shown, [&](const MethodResult* m) { return m->evaluation.reliability[b].count == 0; });
    if (empty) continue;
    const auto edge = [&](std::size_t at) {
      return 100.0 * static_cast<double>(at) / static_cast<double>(bins);
    };
    std::string line = fmt::format("  {:>3.0f}-{:>3.0f} %", edge(b), edge(b + 1));
    for (const MethodResult* method : shown) {
      line += "  " + cells(method->evaluation.reliability[b], paint);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out +
         fmt::format(
             "  full width 100 %:  █ annotators agree  {} more confident than that  {} less\n",
             paint.red("░"), paint.green("▒"));
}

}  // namespace credence::cli
