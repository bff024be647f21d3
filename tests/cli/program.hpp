// Runs the built program as a user would, and small files for it to read.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace credence::cli_test {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;    ///< exit code, or -1 when a signal ended the program
  int signal = 0;   ///< that signal
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// For a child process before exec: signals and umask as in a shell somebody sits at, whatever the
/// tests were started from (nohup and background jobs ignore signals).
void as_from_a_shell();

/// Runs `credence` in `folder` with these arguments and standard input.
Outcome run(const fs::path& folder, const std::vector<std::string>& arguments,
            std::string_view input = {});
/// The same through /bin/sh, for pipes and redirections; `credence` is on the PATH.
Outcome shell(const fs::path& folder, const std::string& command);

void write_file(const fs::path& path, std::string_view bytes);
std::string read_file(const fs::path& path);
/// Every file below a folder, by name.
std::set<std::string> files_in(const fs::path& folder);

/// An .npy file (version 1.0): `descr` such as "<f4" and the bytes of the array.
std::string npy(const std::string& descr, const std::string& shape, std::string_view bytes);
/// Bytes of float32 values.
std::string floats(const std::vector<float>& values);

/// A folder that lives as long as the test, with eight examples of three classes: logits.npy,
/// logits.csv, probs.csv, votes.csv (counts) and labels.csv.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  Outcome run(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    return cli_test::run(folder_, arguments, input);
  }
  Outcome shell(const std::string& command) const { return cli_test::shell(folder_, command); }
  fs::path file(const std::string& name) const { return folder_ / name; }
  std::string text_of(const std::string& name) const { return read_file(folder_ / name); }
  void write(const std::string& name, std::string_view bytes) const {
    write_file(folder_ / name, bytes);
  }
  /// Writes model.json, a temperature fitted to the votes, unless it is there.
  void fit_model() const;

  fs::path folder_;
};

inline const std::vector<std::vector<float>> kLogits{{4, 1, 0},    {3, 2, 0}, {0, 5, 1}, {1, 2, 4},
                                                     {2, 2.5F, 1}, {6, 0, 1}, {0, 1, 5}, {1, 3, 0}};

}  // namespace credence::cli_test
