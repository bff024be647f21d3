// The report: one self-contained page, and its figures as files. Everything here returns text; only
// read_results opens files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/results.hpp"

namespace credence::report {

struct PageOptions {
  /// Up to this many single examples, evenly spaced, go into the page: ids, confidences, agreement.
  std::size_t embed_examples = 0;
};

/// Results of one `compare`, and of any number of `ablate` beside it: each a folder (with
/// results.json in it) or a file. Embedding examples reads evaluation.csv beside the comparison; a
/// folder with points.csv of `simulate toy` adds its picture. Anything else is an Error that says
/// where and what.
Results read_results(const std::vector<std::string>& paths, const PageOptions& options = {});

struct Page {
  std::string html;
  std::size_t embedded_examples = 0, available_examples = 0, embedded_bytes = 0;
};
/// The whole page: no other file, no network, works without script.
Page page(const Results& results);

struct Figure {
  std::string name;  ///< a file name without extension: letters, digits, '-' and '_'
  std::string svg;
};
std::vector<Figure> figures(const Results& results);

enum class FigureFormat { svg, pdf, png };
/// "svg", "pdf" or "png"; anything else is an Error(usage).
FigureFormat read_figure_format(std::string_view name);
std::string_view to_string(FigureFormat format);
/// The bytes of a figure in another format, by the program `rsvg-convert`; an Error that says how
/// to get it when it is not installed.
std::string convert_figure(const std::string& svg, FigureFormat format);

}  // namespace credence::report
