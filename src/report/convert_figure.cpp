// Other formats than SVG, by the program that most systems have for it. Everything goes through
// files without names: pipes in both directions could wait for each other.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "credence/error.hpp"
#include "credence/page.hpp"
#include "io/write/atomic_file.hpp"

extern char** environ;

namespace credence::report {
namespace {

constexpr const char* kProgram = "rsvg-convert";

[[noreturn]] void fail(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorCode::io, message, hint);
}

std::string read_all(int file) {
  std::string bytes;
  std::array<char, 1 << 16> chunk;
  if (lseek(file, 0, SEEK_SET) < 0) fail(fmt::format("{}: {}", kProgram, std::strerror(errno)));
  for (;;) {
    const ssize_t got = read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(fmt::format("{}: {}", kProgram, std::strerror(errno)));
    if (got == 0) return bytes;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void put(int file, int as) { posix_spawn_file_actions_adddup2(&actions_, file, as); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

FigureFormat read_figure_format(std::string_view name) {
  for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png}) {
    if (name == to_string(format)) return format;
  }
  throw Error(ErrorCode::usage, fmt::format("unknown figure format '{}'", name),
              "choose among svg, pdf and png");
}

std::string_view to_string(FigureFormat format) {
  switch (format) {
    case FigureFormat::pdf:
      return "pdf";
    case FigureFormat::png:
      return "png";
    case FigureFormat::svg:
      break;
  }
  return "svg";
}

std::string convert_figure(const std::string& svg, FigureFormat format) {
  if (format == FigureFormat::svg) return svg;
  const std::string what = fmt::format("figure as {}", to_string(format));
  const io::FileHandle in = io::make_spool_file(what), out = io::make_spool_file(what),
                       problems = io::make_spool_file(what);
  io::write_fully(in, svg, what);
  if (lseek(in.get(), 0, SEEK_SET) < 0) fail(fmt::format("{}: {}", what, std::strerror(errno)));
  FileActions files;
  files.put(in.get(), STDIN_FILENO);
  files.put(out.get(), STDOUT_FILENO);
  files.put(problems.get(), STDERR_FILENO);
  // PNG at twice the size, for screens and slides; PDF has no pixels.
  std::vector<std::string> words{kProgram, "--format", std::string(to_string(format))};
  if (format == FigureFormat::png) words.insert(words.end(), {"--zoom", "2"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, kProgram, files.get(), nullptr, arguments.data(), environ);
  if (failure == ENOENT) {
    fail(fmt::format("figures as {} need the program {}, which is not installed", to_string(format),
                     kProgram),
         "apt install librsvg2-bin, or ask for ‹figure_format=svg›");
  }
  if (failure != 0) fail(fmt::format("{}: {}", kProgram, std::strerror(failure)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string said = read_all(problems.get());
    if (const std::size_t end = said.find('\n'); end != said.npos) said.resize(end);
    fail(fmt::format("{} could not make a {}: {}", kProgram, to_string(format),
                     said.empty() ? "no reason given" : said));
  }
  return read_all(out.get());
}

}  // namespace credence::report
