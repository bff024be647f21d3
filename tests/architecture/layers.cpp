#include "architecture/layers.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace credence::architecture {

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) {
      found.push_back({number, match[2], match[1] == "\""});
    }
  }
  return found;
}

std::string layer_of_include(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return {};
  const std::string folder = path.substr(0, slash);
  if (folder != "credence") return kMayInclude.contains(folder) ? folder : std::string{};
  const std::string name = std::filesystem::path(path).stem();
  const auto layer = kLayerOfPublicHeader.find(name);
  // A public header nobody assigned to a layer reaches everything: make the author decide.
  return layer == kLayerOfPublicHeader.end() ? "unassigned" : layer->second;
}

std::vector<std::string> breaches(const std::string& layer, const std::string& text) {
  const auto& allowed = kMayInclude.at(layer);
  std::vector<std::string> found;
  for (const Include& include : includes_of(text)) {
    const std::string reached = layer_of_include(include.path);
    if (reached.empty() || reached == layer || reached == "core") continue;
    if (allowed.contains(reached)) continue;
    found.push_back(std::to_string(include.line) + ": layer '" + layer + "' may not include '" +
                    include.path + "' (layer '" + reached + "')");
  }
  return found;
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::set<std::string>& extensions) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (extensions.contains(entry.path().extension())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> cpp_files(const std::filesystem::path& folder) {
  return files_below(folder, {".hpp", ".cpp", ".inl"});
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace credence::architecture
