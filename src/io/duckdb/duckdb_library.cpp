#include "io/duckdb/duckdb_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "credence/error.hpp"

namespace credence::io::duckdb {
namespace {

// The first with chunks as Arrow in its C interface.
constexpr int kOldestMajor = 1, kOldestMinor = 4;
constexpr const char* kUsualNames[] = {"libduckdb.so", "libduckdb.dylib"};

[[noreturn]] void refuse_library(const std::string& why) {
  throw Error(ErrorCode::io, fmt::format("DuckDB cannot be used: {}", why),
              fmt::format("install libduckdb {}.{} or newer, or name it with "
                          "CREDENCE_DUCKDB=/path/to/libduckdb.so",
                          kOldestMajor, kOldestMinor));
}

template <class Function>
void find_function(void* library, const char* name, Function& function) {
  void* const found = dlsym(library, fmt::format("duckdb_{}", name).c_str());
  if (found == nullptr) refuse_library(fmt::format("it has no function duckdb_{}", name));
  function = reinterpret_cast<Function>(found);
}

void check_version(const char* version) {
  int major = 0, minor = 0;
  if (std::sscanf(version, "v%d.%d", &major, &minor) == 2 &&
      (major > kOldestMajor || (major == kOldestMajor && minor >= kOldestMinor))) {
    return;
  }
  refuse_library(fmt::format("its version is {}", version));
}

// Never closed: threads of its own may run until the program ends.
void* open_library() {
  if (const char* const named = std::getenv("CREDENCE_DUCKDB"); named != nullptr && *named != 0) {
    void* const library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = dlerror();
      refuse_library(fmt::format("CREDENCE_DUCKDB is '{}': {}", named, why == nullptr ? "" : why));
    }
    return library;
  }
  for (const char* const name : kUsualNames) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

std::unique_ptr<const Library> load() {
  void* const handle = open_library();
  if (handle == nullptr) return nullptr;
  auto found = std::make_unique<Library>();
  Library& library = *found;
  find_function(handle, "library_version", library.library_version);
  check_version(library.library_version());
#define CREDENCE_FIND(name) find_function(handle, #name, library.name)
  CREDENCE_FIND(open);
  CREDENCE_FIND(connect);
  CREDENCE_FIND(disconnect);
  CREDENCE_FIND(query);
  CREDENCE_FIND(destroy_result);
  CREDENCE_FIND(result_error);
  CREDENCE_FIND(prepare);
  CREDENCE_FIND(destroy_prepare);
  CREDENCE_FIND(prepare_error);
  CREDENCE_FIND(pending_prepared_streaming);
  CREDENCE_FIND(pending_error);
  CREDENCE_FIND(execute_pending);
  CREDENCE_FIND(destroy_pending);
  CREDENCE_FIND(fetch_chunk);
  CREDENCE_FIND(destroy_data_chunk);
  CREDENCE_FIND(column_count);
  CREDENCE_FIND(column_name);
  CREDENCE_FIND(column_logical_type);
  CREDENCE_FIND(destroy_logical_type);
  CREDENCE_FIND(result_get_arrow_options);
  CREDENCE_FIND(destroy_arrow_options);
  CREDENCE_FIND(to_arrow_schema);
  CREDENCE_FIND(data_chunk_to_arrow);
  CREDENCE_FIND(error_data_has_error);
  CREDENCE_FIND(error_data_message);
  CREDENCE_FIND(destroy_error_data);
#undef CREDENCE_FIND
  if (library.open(nullptr, &library.database) != 0) {
    refuse_library("it opens no database in memory");
  }
  // Nothing is fetched from the network behind the user's back.
  const Connection connection(library);
  connection.run("SET autoinstall_known_extensions = false", "DuckDB");
  return found;
}

/// DuckDB goes on with the statement, which is not the user's.
std::string first_line(const char* text) {
  const std::string_view all = text == nullptr ? "" : text;
  return std::string(all.substr(0, all.find('\n')));
}

std::string doubled(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  return out + quote;
}

}  // namespace

const Library* find_library() {
  static const std::unique_ptr<const Library> library = load();
  return library.get();
}

Connection::Connection(const Library& library) : library_(library) {
  if (library.connect(library.database, &handle_) != 0) refuse_library("it gives no connection");
}

Connection::~Connection() { library_.disconnect(&handle_); }

void Connection::run(const std::string& statement, const std::string& what) const {
  Result result;
  const int failed = library_.query(handle_, statement.c_str(), &result);
  const std::string why = failed == 0 ? "" : first_line(library_.result_error(&result));
  library_.destroy_result(&result);
  if (failed != 0) throw Error(ErrorCode::io, fmt::format("{}: {}", what, why));
}

Rows::Rows(const Library& library, const std::string& statement, const std::string& what)
    : library_(library), what_(what), connection_(library) {
  if (library.prepare(connection_.get(), statement.c_str(), &prepared_) != 0) {
    const std::string why = first_line(library.prepare_error(prepared_));
    library.destroy_prepare(&prepared_);
    fail(why);
  }
  // A result that is not streamed is collected whole before the first row.
  if (library.pending_prepared_streaming(prepared_, &pending_) != 0 ||
      library.execute_pending(pending_, &result_) != 0) {
    std::string why = first_line(library.result_error(&result_));
    if (why.empty()) why = first_line(library.pending_error(pending_));
    library.destroy_result(&result_);
    library.destroy_pending(&pending_);
    library.destroy_prepare(&prepared_);
    fail(why);
  }
  options_ = library.result_get_arrow_options(&result_);
}

Rows::~Rows() {
  library_.destroy_arrow_options(&options_);
  library_.destroy_result(&result_);
  library_.destroy_pending(&pending_);
  library_.destroy_prepare(&prepared_);
}

void Rows::fail(const std::string& why) const {
  throw Error(ErrorCode::data,
              fmt::format("{}: {}{}", what_, why,
                          rows_ == 0 ? "" : fmt::format(" (behind row {})", rows_ - 1)));
}

void Rows::check(Handle error) const {
  const bool failed = error != nullptr && library_.error_data_has_error(error);
  const std::string why = failed ? first_line(library_.error_data_message(error)) : "";
  library_.destroy_error_data(&error);
  if (failed) fail(why);
}

void Rows::describe(ArrowSchema* out) {
  const std::uint64_t count = library_.column_count(&result_);
  std::vector<Handle> types;
  std::vector<const char*> names;
  for (std::uint64_t c = 0; c < count; ++c) {
    types.push_back(library_.column_logical_type(&result_, c));
    names.push_back(library_.column_name(&result_, c));
  }
  const Handle error = library_.to_arrow_schema(options_, types.data(), names.data(), count, out);
  for (Handle& type : types) library_.destroy_logical_type(&type);
  check(error);
}

void Rows::next(ArrowArray* out) {
  out->release = nullptr;
  Handle chunk = library_.fetch_chunk(result_);
  if (chunk == nullptr) {
    const std::string why = first_line(library_.result_error(&result_));
    if (!why.empty()) fail(why);
    return;
  }
  const Handle error = library_.data_chunk_to_arrow(options_, chunk, out);
  library_.destroy_data_chunk(&chunk);
  check(error);
  rows_ += static_cast<std::size_t>(out->length);
}

std::string quoted_text(const std::string& text) { return doubled(text, '\''); }
std::string quoted_name(const std::string& name) { return doubled(name, '"'); }

}  // namespace credence::io::duckdb
