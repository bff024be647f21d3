// Interruptions leave nothing half-written.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
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
    const std::string rows = "1,2,3\n4,5,6\n";
    EXPECT_EQ(write_all(channel[1], rows), rows.size());
    for (int i = 0; i < 1000 && temporary_files().empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(temporary_files().empty()) << "no temporary file to clean up was seen";
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    close(channel[1]);
    return status;
  }

  static std::size_t write_all(int descriptor, const std::string& text) {
    return static_cast<std::size_t>(::write(descriptor, text.data(), text.size()));
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

}  // namespace
}  // namespace credence::cli_test
