#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace credence::cli_test {
namespace {

/// Standard streams are files, so that no pipe can fill up while we wait.
class Stream {
 public:
  explicit Stream(std::string_view content = {}) : file_(std::tmpfile()) {
    if (!content.empty()) std::fwrite(content.data(), 1, content.size(), file_);
    std::rewind(file_);
  }
  ~Stream() { std::fclose(file_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  int descriptor() const { return fileno(file_); }
  std::string content() const {
    std::string text;
    char buffer[4096];
    // The child moved the shared offset of its duplicate.
    std::rewind(file_);
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file_)) {
      text.append(buffer, got);
    }
    return text;
  }

 private:
  std::FILE* file_;
};

Outcome spawn(const fs::path& folder, std::vector<std::string> command, std::string_view input) {
  const Stream in(input), out, err;
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    as_from_a_shell();
    dup2(in.descriptor(), STDIN_FILENO);
    dup2(out.descriptor(), STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.out = out.content();
  outcome.err = err.content();
  return outcome;
}

}  // namespace

void as_from_a_shell() {
  for (const int number :
       {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU, SIGUSR1, SIGCHLD}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  umask(022);
}

Outcome run(const fs::path& folder, const std::vector<std::string>& arguments,
            std::string_view input) {
  std::vector<std::string> command{CREDENCE_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return spawn(folder, command, input);
}

Outcome shell(const fs::path& folder, const std::string& command) {
  const std::string place = fs::path(CREDENCE_PROGRAM).parent_path().string();
  return spawn(folder, {"/bin/sh", "-c", fmt::format("PATH='{}':$PATH; {}", place, command)}, {});
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    names.insert(fs::relative(entry.path(), folder).string());
  }
  return names;
}

std::string npy(const std::string& descr, const std::string& shape, std::string_view bytes) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  // Data start at a multiple of 64 bytes, after 10 bytes of preamble and the header's newline.
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header + std::string(bytes);
}

std::string floats(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

ProgramTest::ProgramTest() {
  std::string name = (fs::temp_directory_path() / "credence-cli-XXXXXX").string();
  folder_ = mkdtemp(name.data());
  std::vector<float> flat;
  std::string csv;
  for (const auto& row : kLogits) {
    flat.insert(flat.end(), row.begin(), row.end());
    csv += fmt::format("{}\n", fmt::join(row, ","));
  }
  write("logits.npy", npy("<f4", "(8, 3)", floats(flat)));
  write("logits.csv", csv);
  write("probs.csv",
        "0.9,0.1,0\n0.7,0.2,0.1\n0.05,0.9,0.05\n0.1,0.2,0.7\n"
        "0.4,0.5,0.1\n0.98,0.01,0.01\n0,0.1,0.9\n0.2,0.7,0.1\n");
  write("votes.csv", "8,2,0\n5,5,0\n1,8,1\n2,2,6\n5,4,1\n10,0,0\n0,1,9\n3,6,1\n");
  write("labels.csv", "0\n0\n1\n2\n0\n0\n2\n1\n");
}

ProgramTest::~ProgramTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void ProgramTest::fit_model() const {
  if (fs::exists(file("model.json"))) return;
  const Outcome fitted = run(
      {"fit", "-m", "slts", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "model.json"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
}

}  // namespace credence::cli_test
