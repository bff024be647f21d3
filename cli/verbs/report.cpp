// `credence report`: a page and figures from results that are there already.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/page.hpp"
#include "options/option_helpers.hpp"
#include "text/output.hpp"
#include "text/page_words.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct ReportCommandOptions {
  std::vector<std::string> results;
  std::string output;  ///< empty: report.html beside the results
  std::size_t embed_examples = 0;
  std::string figures;  ///< folder; empty: none
  std::vector<std::string> figure_formats;
};

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

}  // namespace

Action declare_report(CLI::App& verb) {
  verb.description("Make one self-contained page, and figures, of results");
  verb.footer(
      "Examples:\n"
      "  credence report results -o report.html\n"
      "  credence report results ablation -o report.html --embed-examples 1000\n"
      "  credence report results --figures figures --figure-format svg,pdf,png\n"
      "The page needs no network and no other file: it can be mailed, printed, kept. RESULTS are "
      "the\n"
      "folder of 'credence compare -o' and, beside it, folders of 'credence ablate -o'.");
  const auto options = std::make_shared<ReportCommandOptions>();
  verb.add_option("results", options->results,
                  "folder of 'credence compare -o' (or its results.json); also of 'ablate -o'")
      ->required()
      ->type_name("RESULTS")
      ->group(kResult);
  add_option(verb, Option::page_output, options->output, kResult);
  add_option(verb, Option::embed_examples, options->embed_examples, kResult);
  add_option(verb, Option::figures, options->figures, kResult);
  add_option(verb, Option::figure_format, options->figure_formats, kResult);
  return [options] { run_report(*options); };
}

}  // namespace credence::cli
