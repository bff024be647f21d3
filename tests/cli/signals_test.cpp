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

class Signals : public ProgramTest {
 protected:
  Signals() { fit_model(); }

  /// Starts `apply` on standard input that never ends, waits for its temporary file, interrupts it.
  int interrupt(int number) {
    int channel[2];
    EXPECT_EQ(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(channel[0], STDIN_FILENO);
      close(channel[1]);
      if (chdir(folder_.c_str()) == 0) {
        execl(CREDENCE_PROGRAM, CREDENCE_PROGRAM, "apply", "model.json", "--logits", "-", "-o",
              "out.npy", nullptr);
      }
      _exit(127);
    }
    close(channel[0]);
    // Rows for as long as it takes: the reader may wait for a full buffer before it starts.
    fcntl(channel[1], F_SETFL, O_NONBLOCK);
    std::string text;
    while (text.size() < 60000) text += "3,1,2\n";
    for (int i = 0; i < 1000 && temporary_files().empty(); ++i) {
      while (::write(channel[1], text.data(), text.size()) > 0) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(temporary_files().empty()) << "no temporary file to clean up was seen";
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    close(channel[1]);
    return status;
  }

  std::set<std::string> temporary_files() const {
    std::set<std::string> names;
    for (const std::string& name : files_in(folder_)) {
      if (name.find("out.npy") != std::string::npos) names.insert(name);
    }
    return names;
  }
};

TEST_F(Signals, InterruptAndTerminateRemoveTheTemporaryFileAndKill) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = interrupt(number);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_TRUE(temporary_files().empty());
  }
}

TEST_F(Signals, InterruptedComparisonLeavesNoFolder) {
  ASSERT_EQ(run({"demo", "--rows", "400", "-o", "demo"}).code, 0);
  shell(
      "credence compare --seeds 1..9999 --logits demo/logits.npy --votes demo/votes.csv -o results "
      "& pid=$!; for i in $(seq 500); do [ -d results ] && break; sleep 0.01; done; kill -TERM "
      "$pid; "
      "wait $pid");
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

}  // namespace
}  // namespace credence::cli_test
