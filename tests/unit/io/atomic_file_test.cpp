#include "io/write/atomic_file.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "credence/io.hpp"
#include "credence/output.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::HasSubstr;
using namespace credence::test;

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TempDir dir;
  dir.write("out", "old");
  {
    AtomicFile file(dir.path("out"));
    file.write("new text");
    EXPECT_EQ(dir.read("out"), "old");
    EXPECT_EQ(dir.entries(), 2u);
    file.write_at(0, "NEW");
    file.commit();
  }
  EXPECT_EQ(dir.read("out"), "NEW text");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TempDir dir;
  { AtomicFile(dir.path("out")).write("half"); }
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(AtomicFile, PendingFilesCanBeRemovedFromASignalHandler) {
  const TempDir dir;
  AtomicFile first(dir.path("a")), second(dir.path("b"));
  first.write("half");
  ASSERT_EQ(dir.entries(), 2u);
  auto* const before = std::signal(SIGUSR1, [](int) { remove_pending_files(); });
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, before);
  EXPECT_EQ(dir.entries(), 0u);
  EXPECT_EQ(caught([&] { first.commit(); }).code, ErrorCode::io);
}

TEST(AtomicFile, CommittedFilesAreNoLongerPending) {
  const TempDir dir;
  write_text(dir.path("a"), "x");
  remove_pending_files();
  EXPECT_EQ(dir.read("a"), "x");
}

TEST(AtomicFile, MoreFilesThanPendingSlotsStillWork) {
  const TempDir dir;
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int i = 0; i < 100; ++i) {
    files.push_back(std::make_unique<AtomicFile>(dir.path(std::to_string(i))));
  }
  for (auto& file : files) file->commit();
  EXPECT_EQ(dir.entries(), 100u);
}

TEST(AtomicFile, ModeFollowsUmaskOrTheFileReplaced) {
  const TempDir dir;
  const auto mode = [&](const char* name) {
    struct stat info {};
    ::stat(dir.path(name).c_str(), &info);
    return info.st_mode & 0777;
  };
  const mode_t before = ::umask(027);
  write_text(dir.path("new"), "x");
  ::umask(before);
  EXPECT_EQ(mode("new"), 0640u);
  ::chmod(dir.path("new").c_str(), 0600);
  write_text(dir.path("new"), "y");
  EXPECT_EQ(mode("new"), 0600u);
}

TEST(AtomicFile, SymbolicLinkStaysAndItsTargetIsReplaced) {
  const TempDir dir;
  dir.write("target", "old");
  std::filesystem::create_symlink("target", dir.path("link"));
  write_text(dir.path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  EXPECT_EQ(dir.read("target"), "new");
}

TEST(AtomicFile, TargetOfADanglingLinkIsMadeAndTheLinkStays) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("folder"));
  std::filesystem::create_symlink("folder", dir.path("folder-link"));
  // Relative to the link's own folder, which is itself behind a link.
  std::filesystem::create_symlink("../target", dir.path("folder/link"));
  write_text(dir.path("folder-link/link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("folder/link")));
  EXPECT_EQ(dir.read("target"), "new");
  EXPECT_EQ(dir.entries(), 3u);
  std::filesystem::create_symlink("loop", dir.path("loop"));
  EXPECT_EQ(caught([&] { write_text(dir.path("loop"), "x"); }).code, ErrorCode::io);
}

/// The name under which a file for `destination` is written.
std::string temporary_name(const TempDir& dir, const std::string& destination) {
  const AtomicFile file(dir.path(destination));
  for (const auto& entry : std::filesystem::directory_iterator(dir.path(""))) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("." + destination + ".")) return name;
  }
  return {};
}

TEST(AtomicFile, OnlyFilesThatADeadProcessLeftHereAreCleanedUp) {
  const TempDir dir;
  const std::string stale = temporary_name(dir, "out");
  ASSERT_FALSE(stale.empty());
  ASSERT_EQ(dir.entries(), 0u);
  dir.write(stale, "half");
  std::string other_machine = stale;
  other_machine[5] = other_machine[5] == '0' ? '1' : '0';
  const std::set<std::string> kept{other_machine,         ".out.tmp", stale + "x", stale.substr(1),
                                   "." + stale.substr(5), "notes.tmp"};
  for (const std::string& name : kept) dir.write(name, "kept");
  std::string folder = stale, link = stale, living = stale;
  folder[stale.size() - 5] = folder[stale.size() - 5] == '0' ? '1' : '0';
  link[stale.size() - 6] = link[stale.size() - 6] == '0' ? '1' : '0';
  living[stale.size() - 7] = living[stale.size() - 7] == '0' ? '1' : '0';
  std::filesystem::create_directory(dir.path(folder));
  std::filesystem::create_symlink("notes.tmp", dir.path(link));
  const int holder = ::open(dir.write(living, "half").c_str(), O_RDWR);
  ASSERT_EQ(::flock(holder, LOCK_EX), 0);

  {
    const TempDir another;  // a folder is not searched twice in a row
    write_text(another.path("x"), "x");
  }
  write_text(dir.path("out"), "whole");
  EXPECT_FALSE(std::filesystem::exists(dir.path(stale)));
  for (const std::string& name : kept) EXPECT_EQ(dir.read(name), "kept") << name;
  EXPECT_TRUE(std::filesystem::is_directory(dir.path(folder)));
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path(link)));
  EXPECT_EQ(dir.read(living), "half");
  ::close(holder);
}

TEST(AtomicFile, FinishedFilesAreStillClaimedUntilTheyHaveTheirName) {
  const TempDir dir;
  AtomicFile file(dir.path("out"));
  file.write("whole");
  file.finish();
  // Another descriptor is another owner, as another process would be.
  for (const auto& entry : std::filesystem::directory_iterator(dir.path(""))) {
    const int other = ::open(entry.path().c_str(), O_RDWR);
    EXPECT_NE(::flock(other, LOCK_EX | LOCK_NB), 0);
    ::close(other);
  }
  EXPECT_EQ(dir.entries(), 1u);
  file.commit();
  EXPECT_EQ(dir.read("out"), "whole");
}

TEST(OutputFolder, NothingAndNoFolderAppearsWithoutCommit) {
  const TempDir dir;
  {
    OutputFolder folder(dir.path("a/b/c"));
    folder.add("one", "1");
    folder.table("two.csv", {.format = TableFormat::csv}, {"x"});
    folder.finish();
    EXPECT_FALSE(std::filesystem::exists(folder.path_of("one")));
  }
  EXPECT_EQ(dir.entries(), 0u);
  {
    OutputFolder folder(dir.path("a/b/c/"));
    folder.add("one", "1");
    folder.table("two.csv", {.format = TableFormat::csv}, {"x"});
    folder.commit();
  }
  EXPECT_EQ(dir.read("a/b/c/one"), "1");
  EXPECT_EQ(dir.read("a/b/c/two.csv"), "x\n");
}

TEST(OutputFolder, FolderThatWasThereStays) {
  const TempDir dir;
  std::filesystem::create_directory(dir.path("there"));
  { OutputFolder(dir.path("there")).add("one", "1"); }
  EXPECT_TRUE(std::filesystem::is_directory(dir.path("there")));
  dir.write("file", "x");
  EXPECT_EQ(caught([&] { OutputFolder(dir.path("file")); }).code, ErrorCode::io);
  EXPECT_EQ(dir.read("file"), "x");
}

TEST(AtomicFile, LongNamesLeaveRoomForTheTemporaryOne) {
  const TempDir dir;
  const std::string name(250, 'n');
  write_text(dir.path(name), "x");
  EXPECT_EQ(dir.read(name), "x");
}

TEST(AtomicFile, FullDeviceIsReportedByNameAndNotReplaced) {
  const auto error = caught([] { write_text("/dev/full", "x"); });
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_THAT(error.text, HasSubstr("/dev/full: cannot write: No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  write_text("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, ClosedPipeIsReported) {
  const TempDir dir;
  const std::string fifo = dir.path("pipe");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  AtomicFile file(fifo);
  ::close(reader);
  EXPECT_THAT(caught([&] { file.write("x"); }).text, HasSubstr("Broken pipe"));
  std::signal(SIGPIPE, before);
}

TEST(AtomicFile, DirectoriesAndMissingDirectoriesAreRefusedEarly) {
  const TempDir dir;
  for (const auto& call : {std::function<void(const std::string&)>(check_writable),
                           std::function<void(const std::string&)>(
                               [](const std::string& path) { write_text(path, "x"); })}) {
    EXPECT_THAT(caught([&] { call(dir.path("")); }).text, HasSubstr("is a directory"));
    EXPECT_THAT(caught([&] { call(dir.path("none/out")); }).text,
                HasSubstr("/none does not exist"));
    EXPECT_THAT(caught([&] { call(dir.path("none/")); }).text, HasSubstr("is a directory"));
    EXPECT_EQ(caught([&] { call(dir.write("file", "x") + "/out"); }).code, ErrorCode::io);
    EXPECT_EQ(caught([&] { call(""); }).code, ErrorCode::usage);
  }
  EXPECT_EQ(dir.entries(), 1u);
}

/// Root may write anywhere; while this lives, root is nobody.
class NotRoot {
 public:
  NotRoot() {
    if (was_root_ && ::setresuid(kNobody, kNobody, 0) != 0) throw std::runtime_error("setresuid");
  }
  ~NotRoot() {
    if (was_root_ && ::setresuid(0, 0, 0) != 0) std::abort();
  }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;

 private:
  static constexpr ::uid_t kNobody = 65534;
  const bool was_root_ = ::geteuid() == 0;
};

TEST(AtomicFile, UnwritableDirectoryIsFoundEarly) {
  const TempDir dir;
  ::chmod(dir.path("").c_str(), 0755);
  std::filesystem::create_directory(dir.path("locked"));
  ::chmod(dir.path("locked").c_str(), 0500);
  dir.write("file", "x");
  ::chmod(dir.path("file").c_str(), 0400);
  const NotRoot not_root;
  EXPECT_THAT(caught([&] { check_writable(dir.path("locked/out")); }).text,
              HasSubstr("Permission denied"));
  EXPECT_THAT(caught([&] { check_writable(dir.path("file")); }).text,
              HasSubstr("Permission denied"));
}

TEST(AtomicFile, CheckingLeavesFilesAlone) {
  const TempDir dir;
  check_writable(dir.write("old", "kept"));
  check_writable(dir.path("new"));
  check_writable("-");
  check_writable("/dev/null");
  EXPECT_EQ(dir.read("old"), "kept");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(AtomicFile, StandardOutputComesAfterWhatWasPrinted) {
  const TempDir dir;
  {
    const Redirect output(STDOUT_FILENO, dir.path("out"), O_WRONLY | O_CREAT);
    std::printf("first ");
    write_text("-", "second");
    std::fflush(stdout);
  }
  EXPECT_THAT(dir.read("out"), HasSubstr("first second"));
}

}  // namespace
}  // namespace credence::io
