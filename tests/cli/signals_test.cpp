// Interruptions leave nothing half-written.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

/// `apply` on standard input that does not end, once it has made its temporary file.
class RunningApply {
 public:
  RunningApply(const fs::path& folder, const std::vector<int>& ignored = {}) : folder_(folder) {
    int channel[2];
    EXPECT_EQ(pipe(channel), 0);
    child_ = fork();
    if (child_ == 0) {
      as_from_a_shell();
      for (const int number : ignored) signal(number, SIG_IGN);
      dup2(channel[0], STDIN_FILENO);
      close(channel[1]);
      if (chdir(folder.c_str()) == 0) {
        execl(CREDENCE_PROGRAM, CREDENCE_PROGRAM, "apply", "model.json", "--logits", "-", "-o",
              "out.npy", nullptr);
      }
      _exit(127);
    }
    close(channel[0]);
    input_ = channel[1];
    // Rows for as long as it takes: the reader may wait for a full buffer before it starts.
    fcntl(input_, F_SETFL, O_NONBLOCK);
    std::string text;
    while (text.size() < 60000) text += "3,1,2\n";
    for (int i = 0; i < 6000 && !is_writing(); ++i) {
      // Whole lines only: a write to a pipe may be cut, and so may the last row.
      while (::write(input_, text.data(), 4092) > 0) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(is_writing()) << "no temporary file was seen";
  }
  ~RunningApply() {
    if (child_ > 0) end_with(SIGKILL);
  }
  RunningApply(const RunningApply&) = delete;
  RunningApply& operator=(const RunningApply&) = delete;

  void send(int number) const { kill(child_, number); }
  /// Sends the signal; how the program ended.
  int end_with(int number) {
    send(number);
    return wait();
  }
  /// Ends its input; how the program ended.
  int end_input() {
    close(input_);
    input_ = -1;
    return wait();
  }

  /// The output, under whatever name.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const std::string& name : files_in(folder_)) {
      if (name.find("out.npy") != std::string::npos) names.insert(name);
    }
    return names;
  }

 private:
  /// An empty file may be the one that only proves, before the work, that one can be made.
  bool is_writing() const {
    std::error_code ignored;
    const std::set<std::string> names = files();
    return !names.empty() && fs::file_size(folder_ / *names.begin(), ignored) > 0 && !ignored;
  }

  int wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    if (input_ >= 0) close(input_);
    return status;
  }

  const fs::path folder_;
  pid_t child_ = -1;
  int input_ = -1;
};

class Signals : public ProgramTest {
 protected:
  Signals() { fit_model(); }
};

TEST_F(Signals, InterruptionsRemoveTheTemporaryFileAndKill) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) {
    RunningApply apply(folder_);
    const int status = apply.end_with(number);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_TRUE(apply.files().empty());
  }
}

TEST_F(Signals, WhatTheCallerIgnoresStaysIgnored) {
  RunningApply apply(folder_, {SIGINT, SIGHUP, SIGQUIT});
  for (const int number : {SIGINT, SIGHUP, SIGQUIT}) apply.send(number);
  EXPECT_EQ(apply.end_input(), 0);
  EXPECT_EQ(apply.files(), std::set<std::string>{"out.npy"});
}

TEST_F(Signals, NextRunInTheSamePlaceRemovesWhatAKilledOneLeft) {
  RunningApply apply(folder_);
  apply.end_with(SIGKILL);
  ASSERT_EQ(apply.files().size(), 1U) << "killed too late to leave anything";
  ASSERT_EQ(run({"demo", "--rows", "50", "-o", "elsewhere"}).code, 0);
  EXPECT_EQ(apply.files().size(), 1U) << "another folder was searched";
  fs::remove(file("model.json"));
  fit_model();
  EXPECT_TRUE(apply.files().empty());
}

TEST_F(Signals, NextRunLeavesTheFilesOfALivingOneAlone) {
  RunningApply apply(folder_);
  const std::set<std::string> unfinished = apply.files();
  fs::remove(file("model.json"));
  fit_model();
  EXPECT_EQ(apply.files(), unfinished);
  EXPECT_EQ(apply.end_input(), 0);
  EXPECT_EQ(apply.files(), std::set<std::string>{"out.npy"});
}

TEST_F(Signals, InterruptedComparisonLeavesNoFolder) {
  ASSERT_EQ(run({"demo", "--rows", "400", "-o", "demo"}).code, 0);
  const Outcome outcome = shell(
      "credence compare --seeds 1..9999 --logits demo/logits.npy --votes demo/votes.csv "
      "-o deep/results & pid=$!; for i in $(seq 6000); do [ -d deep/results ] && break; sleep "
      "0.01; "
      "done; [ -d deep/results ] && echo seen; kill -TERM $pid; wait $pid");
  ASSERT_EQ(outcome.out, "seen\n");
  EXPECT_FALSE(fs::exists(folder_ / "deep"));
}

TEST_F(Signals, FileBeyondTheLimitIsAnErrorAndLeavesNothing) {
  const std::set<std::string> before = files_in(folder_);
  // 4 blocks of 512 or 1,024 bytes, as the shell likes it: less than 2,000 rows take.
  for (const std::string verb : {"demo --rows 2000", "simulate toy --points 500 --epochs 1"}) {
    for (const std::string ignoring : {"", "trap '' XFSZ; "}) {
      const Outcome outcome = shell(ignoring + "ulimit -f 4; credence " + verb + " -o made/here");
      EXPECT_EQ(outcome.code, 1) << verb << outcome.signal;
      EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
      EXPECT_EQ(files_in(folder_), before) << verb;
    }
  }
}

}  // namespace
}  // namespace credence::cli_test
