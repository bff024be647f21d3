// `credence report`: a page and figures from results that are there already.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "commands/commands.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/page.hpp"
#include "terminal.hpp"

namespace credence::cli {
namespace {

namespace fs = std::filesystem;

/// Beside the first results, unless said otherwise.
std::string page_path(const ReportCommandOptions& options) {
  if (!options.output.empty()) return options.output;
  const fs::path first = options.results.front();
  std::error_code ignored;
  const fs::path folder = fs::is_directory(first, ignored) ? first : first.parent_path();
  return (folder / "report.html").string();
}

std::vector<report::FigureFormat> formats(const ReportCommandOptions& options) {
  std::vector<report::FigureFormat> all;
  for (const std::string& name : options.figure_formats) {
    all.push_back(report::read_figure_format(name));
  }
  if (!all.empty() && options.figures.empty()) {
    throw Error(ErrorCode::usage, "--figure-format needs a folder for the figures",
                "add --figures DIR");
  }
  if (all.empty()) all.push_back(report::FigureFormat::svg);
  return all;
}

}  // namespace

std::string page_in_words(const std::string& path, const report::Page& page) {
  std::string text =
      fmt::format("{} ({} KB", printable(path), grouped((page.html.size() + 999) / 1000));
  if (page.embedded_examples > 0) {
    text +=
        fmt::format("; {} of {} examples embedded: {} KB", grouped(page.embedded_examples),
                    grouped(page.available_examples), grouped((page.embedded_bytes + 999) / 1000));
  }
  return text + ")";
}

void run_report(const ReportCommandOptions& options) {
  const std::vector<report::FigureFormat> wanted = formats(options);
  const report::Results results =
      report::read_results(options.results, {.embed_examples = options.embed_examples});
  const std::string path = page_path(options);
  io::check_writable(path);
  const report::Page page = report::page(results);
  std::optional<io::OutputFolder> folder;
  if (!options.figures.empty()) {
    folder.emplace(options.figures);
    for (const report::Figure& figure : report::figures(results)) {
      for (const report::FigureFormat format : wanted) {
        folder->add(fmt::format("{}.{}", figure.name, to_string(format)),
                    report::convert_figure(figure.svg, format));
      }
    }
  }
  io::OutputFiles page_file;
  page_file.add(path, page.html);
  if (path != "-") {
    print(fmt::format("Written: {}\n", page_in_words(path, page)));
    if (folder) {
      print(fmt::format("Written to {}: {} figures\n", printable(options.figures),
                        folder->names().size()));
    }
  }
  folder ? publish(*folder, page_file) : publish(page_file);
}

}  // namespace credence::cli
