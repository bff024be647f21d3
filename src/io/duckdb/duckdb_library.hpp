// DuckDB's C interface, found when the program runs: our own declarations of the few functions that
// are used, so that neither its headers nor its library are needed to build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "credence/memory.hpp"

namespace credence::io::duckdb {

// Handles are pointers to what only DuckDB knows.
using Handle = void*;

/// As DuckDB lays it out; all but the address of the result itself is deprecated there.
struct Result {
  std::uint64_t columns = 0, rows = 0, changed = 0;
  void* column_data = nullptr;
  char* error = nullptr;
  void* internal = nullptr;
};

struct Library {
  const char* (*library_version)();
  int (*open)(const char*, Handle*);
  int (*connect)(Handle, Handle*);
  void (*disconnect)(Handle*);
  int (*query)(Handle, const char*, Result*);
  void (*destroy_result)(Result*);
  const char* (*result_error)(Result*);
  int (*prepare)(Handle, const char*, Handle*);
  void (*destroy_prepare)(Handle*);
  const char* (*prepare_error)(Handle);
  int (*pending_prepared_streaming)(Handle, Handle*);
  const char* (*pending_error)(Handle);
  int (*execute_pending)(Handle, Result*);
  void (*destroy_pending)(Handle*);
  Handle (*fetch_chunk)(Result);
  void (*destroy_data_chunk)(Handle*);
  std::uint64_t (*column_count)(Result*);
  const char* (*column_name)(Result*, std::uint64_t);
  Handle (*column_logical_type)(Result*, std::uint64_t);
  void (*destroy_logical_type)(Handle*);
  Handle (*result_get_arrow_options)(Result*);
  void (*destroy_arrow_options)(Handle*);
  Handle (*to_arrow_schema)(Handle, Handle*, const char**, std::uint64_t, ArrowSchema*);
  Handle (*data_chunk_to_arrow)(Handle, Handle, ArrowArray*);
  bool (*error_data_has_error)(Handle);
  const char* (*error_data_message)(Handle);
  void (*destroy_error_data)(Handle*);

  Handle database = nullptr;  ///< one in memory, for all connections
};

/// The library named by CREDENCE_DUCKDB, or else libduckdb where the system looks for libraries;
/// null when there is none. One that is there and cannot be used is an Error that says why.
const Library* find_library();

/// A connection of its own, closed with this.
class Connection {
 public:
  explicit Connection(const Library& library);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Handle get() const { return handle_; }
  /// Runs a statement; `what` begins the message of an Error.
  void run(const std::string& statement, const std::string& what) const;

 private:
  const Library& library_;
  Handle handle_ = nullptr;
};

/// What a statement gives, chunk by chunk, as Arrow.
class Rows {
 public:
  /// `what` begins the message of an Error.
  Rows(const Library& library, const std::string& statement, const std::string& what);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  void describe(ArrowSchema* out);
  /// Without `release` at the end.
  void next(ArrowArray* out);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void check(Handle error) const;

  const Library& library_;
  std::string what_;
  Connection connection_;
  Handle prepared_ = nullptr, pending_ = nullptr, options_ = nullptr;
  Result result_;
  std::size_t rows_ = 0;  // that were given
};

/// 'text' and "name", as SQL quotes them.
std::string quoted_text(const std::string& text);
std::string quoted_name(const std::string& name);

}  // namespace credence::io::duckdb
