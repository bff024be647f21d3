// Files of tables that Python opens for the library: see credence/_tables.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"

namespace credence::python {
namespace {

ErrorCode code_named(const std::string& name) {
  if (name == "data") return ErrorCode::data;
  if (name == "usage") return ErrorCode::usage;
  return ErrorCode::io;
}

/// What Python raised, as the library says it.
Error to_error(nb::python_error& raised, const std::string& path) {
  const nb::object value = nb::borrow(raised.value());
  if (nb::hasattr(value, "code") && nb::hasattr(value, "message") && nb::hasattr(value, "hint")) {
    return {code_named(nb::cast<std::string>(value.attr("code"))),
            nb::cast<std::string>(nb::str(nb::handle(value.attr("message")))),
            nb::cast<std::string>(nb::str(nb::handle(value.attr("hint"))))};
  }
  return {ErrorCode::io, path + ": " + nb::cast<std::string>(nb::str(value))};
}

/// Calls Python from whichever thread the library is in.
template <class Call>
auto with_python(const std::string& path, const Call& call) {
  const nb::gil_scoped_acquire acquire;
  try {
    return call();
  } catch (nb::python_error& raised) {
    throw to_error(raised, path);
  }
}

/// A stream of pyarrow that says why it failed in our words, instead of Python's traceback.
struct ToldStream {
  ArrowArrayStream inner;
  nb::handle tables;
  std::string path, error;

  static ToldStream& of(ArrowArrayStream* stream) {
    return *static_cast<ToldStream*>(stream->private_data);
  }
  int tell(int failed) {
    if (failed == 0) return 0;
    const char* const said = inner.get_last_error(&inner);
    error = said == nullptr ? "" : said;
    const nb::gil_scoped_acquire acquire;
    const nb::object ours = tables.attr("failure")(path);
    if (!ours.is_none()) error = nb::cast<std::string>(ours);
    return failed;
  }
};

void tell_failures(std::unique_ptr<ToldStream> told, ArrowArrayStream* out) {
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    ToldStream& stream = ToldStream::of(self);
    return stream.tell(stream.inner.get_schema(&stream.inner, schema));
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    ToldStream& stream = ToldStream::of(self);
    return stream.tell(stream.inner.get_next(&stream.inner, array));
  };
  out->get_last_error = [](ArrowArrayStream* self) { return ToldStream::of(self).error.c_str(); };
  out->release = [](ArrowArrayStream* self) {
    const std::unique_ptr<ToldStream> stream(&ToldStream::of(self));
    stream->inner.release(&stream->inner);
    self->release = nullptr;
  };
  out->private_data = told.release();
}

class PythonWriter final : public io::TableWriter {
 public:
  PythonWriter(nb::handle writer, std::string path) : writer_(writer), path_(std::move(path)) {}
  ~PythonWriter() override {
    const nb::gil_scoped_acquire acquire;
    writer_.dec_ref();
  }
  void write(Rows rows, const std::vector<std::string>& ids) override {
    with_python(path_, [&] {
      const std::size_t shape[2] = {rows.rows(), rows.cols()};
      nb::ndarray<nb::numpy, const double> block(rows.data(), 2, shape, nb::handle());
      writer_.attr("write")(ids, block.cast(nb::rv_policy::reference));
    });
  }
  void commit() override {
    with_python(path_, [&] { writer_.attr("close")(); });
  }

 private:
  nb::handle writer_;
  std::string path_;
};

class PythonTables final : public io::TableFiles {
 public:
  explicit PythonTables(nb::handle tables) : tables_(tables) { tables_.inc_ref(); }

  bool can_read(const std::string& path) override {
    return with_python(path,
                       [&] { return nb::cast<bool>(tables_.attr("can_read")(path)); });
  }
  bool can_write(const std::string& path) override {
    return with_python(path,
                       [&] { return nb::cast<bool>(tables_.attr("can_write")(path)); });
  }
  void open(const std::string& path, const std::vector<std::string>& columns,
            ArrowArrayStream* out) override {
    with_python(path, [&] {
      const nb::object reader = tables_.attr("open")(path, columns);
      const nb::object capsule = reader.attr("__arrow_c_stream__")();
      auto* stream =
          static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
      if (stream == nullptr) throw nb::python_error();
      tell_failures(std::make_unique<ToldStream>(ToldStream{*stream, tables_, path, {}}), out);
      stream->release = nullptr;  // moved, as the interface has it
    });
  }
  std::optional<std::size_t> rows(const std::string& path) override {
    return with_python(path,
                       [&] { return nb::cast<std::size_t>(tables_.attr("rows")(path)); });
  }
  std::string place(const std::string& path, std::size_t row) override {
    return with_python(
        path, [&] { return nb::cast<std::string>(tables_.attr("place")(path, row)); });
  }
  std::unique_ptr<io::TableWriter> create(const std::string& temporary, const std::string& path,
                                          bool float64,
                                          const std::vector<std::string>& classes) override {
    return with_python(path, [&] {
      nb::object writer = tables_.attr("create")(temporary, path, float64, classes);
      return std::make_unique<PythonWriter>(writer.release(), path);
    });
  }

 private:
  nb::handle tables_;  // never given back: the library outlives the interpreter
};

}  // namespace

void bind_tables(nb::module_& module) {
  module.def("set_tables", [](nb::handle tables) {
    io::set_table_files(std::make_shared<PythonTables>(tables));
  });
}

}  // namespace credence::python
