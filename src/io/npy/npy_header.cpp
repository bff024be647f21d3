// The header of a .npy file: a Python dict literal behind a signature and a length, as described in
// NumPy's documentation of numpy.lib.format (versions 1.0, 2.0, 3.0).
#include <fmt/core.h>

#include <bit>
#include <limits>
#include <optional>

#include "credence/error.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {
namespace {

// NumPy itself writes a few hundred bytes at most for a plain array.
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

constexpr const char* kResave =
    "save the numbers as a plain array: np.save(path, np.asarray(x, dtype=np.float32), "
    "allow_pickle=False)";

[[noreturn]] void refuse_header(const std::string& path, std::string_view what,
                                std::string hint = {}) {
  throw Error(ErrorCode::format, fmt::format("{}: {}", path, what), std::move(hint));
}

[[noreturn]] void garbage(const std::string& path, std::string_view what) {
  refuse_header(path, fmt::format("damaged NumPy header: {}", what),
                "save the array again with np.save");
}

// The little of Python's grammar that a header uses.
class Literal {
 public:
  Literal(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) garbage(path_, fmt::format("expected '{}' at {}", c, excerpt(rest_)));
  }
  bool at(char c) {
    skip_blanks();
    return !rest_.empty() && rest_[0] == c;
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) {
      garbage(path_, fmt::format("expected a string at {}", excerpt(rest_)));
    }
    const std::size_t stop = rest_.find(rest_[0], 1);
    if (stop == std::string_view::npos) garbage(path_, "a string is not closed");
    const std::string_view value = rest_.substr(1, stop - 1);
    rest_.remove_prefix(stop + 1);
    return value;
  }
  bool boolean() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    garbage(path_, fmt::format("expected True or False at {}", excerpt(rest_)));
  }
  std::size_t whole_number() {
    skip_blanks();
    if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') {
      garbage(path_, fmt::format("expected a whole number at {}", excerpt(rest_)));
    }
    std::size_t value = 0;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      const auto digit = static_cast<std::size_t>(rest_[0] - '0');
      if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
        garbage(path_, "a dimension does not fit in 64 bits");
      }
      value = value * 10 + digit;
      rest_.remove_prefix(1);
    }
    if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // written by Python 2
    return value;
  }
  std::vector<std::size_t> tuple() {
    expect('(');
    std::vector<std::size_t> values;
    while (!take(')')) {
      if (values.size() == 64) garbage(path_, "more than 64 dimensions");
      values.push_back(whole_number());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) {
      rest_.remove_prefix(1);
    }
  }
  std::string_view rest_;
  const std::string& path_;
};

std::string_view describe(char kind) {
  switch (kind) {
    case 'O':
      return "pickled Python objects";
    case 'S':
    case 'a':
    case 'U':
      return "text";
    case 'c':
      return "complex numbers";
    case 'M':
    case 'm':
      return "dates or times";
    case 'V':
      return "raw bytes or bfloat16";
    case 'f':
      return "extended-precision floats";
    default:
      return "an unknown type";
  }
}

void set_type(NpyHeader& header, std::string_view descr, const std::string& path) {
  std::string_view code = descr;
  char order = '=';
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
    order = code[0];
    code.remove_prefix(1);
  }
  if (code.empty()) garbage(path, "an empty dtype");
  struct Known {
    std::string_view code;
    NpyType type;
    std::size_t size;
  };
  static constexpr Known kKnown[] = {
      {"f2", NpyType::f16, 2}, {"f4", NpyType::f32, 4}, {"f8", NpyType::f64, 8},
      {"i1", NpyType::i8, 1},  {"i2", NpyType::i16, 2}, {"i4", NpyType::i32, 4},
      {"i8", NpyType::i64, 8}, {"u1", NpyType::u8, 1},  {"u2", NpyType::u16, 2},
      {"u4", NpyType::u32, 4}, {"u8", NpyType::u64, 8}, {"b1", NpyType::boolean, 1},
  };
  for (const Known& known : kKnown) {
    if (code != known.code) continue;
    header.type = known.type;
    header.element_size = known.size;
    const bool little = std::endian::native == std::endian::little;
    header.swapped = known.size > 1 && ((order == '<' && !little) || (order == '>' && little));
    return;
  }
  refuse_header(
      path,
      fmt::format("holds {} (dtype {}); expected real numbers", describe(code[0]), excerpt(descr)),
      kResave);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

void check_shape(const NpyHeader& header, const std::string& path) {
  const auto& shape = header.shape;
  if (shape.empty()) {
    refuse_header(path, "holds a single number, not an array",
                  "expected an array of shape (examples, classes)");
  }
  if (shape.size() > 2) {
    refuse_header(
        path, fmt::format("an array of shape {}; expected 1 or 2 dimensions", shape_text(shape)),
        "reshape it to (examples, classes) before saving");
  }
  if (shape[0] == 0)
    refuse_header(path, fmt::format("no rows: the shape is {}", shape_text(shape)));
  if (header.cols() == 0)
    refuse_header(path, fmt::format("no columns: the shape is {}", shape_text(shape)));
  const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  if (header.cols() > most / header.element_size ||
      header.rows() > most / header.element_size / header.cols()) {
    garbage(path, fmt::format("shape {} is larger than any file", shape_text(shape)));
  }
}

}  // namespace

std::size_t npy_header_size(std::string_view preamble, const std::string& path) {
  if (!preamble.starts_with(kNpyMagic)) {
    const bool pickle = preamble.starts_with("\x80") && preamble.size() > 1 &&
                        static_cast<unsigned char>(preamble[1]) <= 5;
    refuse_header(path,
                  pickle ? "a Python pickle, not a NumPy array" : "not a NumPy .npy or .npz file",
                  kResave);
  }
  if (preamble.size() < kNpyPreamble)
    refuse_header(path, "truncated: the file ends within its header");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(preamble[i]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    refuse_header(
        path,
        fmt::format("NumPy format version {}.{}; versions 1 to 3 are known", version, byte(7)),
        "save the array again with np.save");
  }
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kLongestHeader) garbage(path, fmt::format("it claims to be {} bytes long", length));
  return start + length;
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& path) {
  const std::size_t size = npy_header_size(bytes.substr(0, kNpyPreamble), path);
  if (bytes.size() < size) refuse_header(path, "truncated: the file ends within its header");
  const std::size_t start = bytes[6] == 1 ? 10 : 12;

  NpyHeader header;
  header.data_offset = size;
  std::optional<std::string_view> descr;
  bool have_order = false, have_shape = false;
  if (size < start + 2) garbage(path, "it is empty");
  Literal literal(bytes.substr(start, size - start), path);
  literal.expect('{');
  while (!literal.take('}')) {
    const std::string_view key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      if (literal.at('['))
        refuse_header(path, "holds a structured array; expected real numbers", kResave);
      descr = literal.string();
    } else if (key == "fortran_order") {
      header.fortran_order = literal.boolean();
      have_order = true;
    } else if (key == "shape") {
      header.shape = literal.tuple();
      have_shape = true;
    } else {
      garbage(path, fmt::format("unexpected key {}", excerpt(key)));
    }
    if (!literal.take(',')) {
      literal.expect('}');
      break;
    }
  }
  if (!literal.at_end()) garbage(path, "text after the closing brace");
  if (!descr || !have_order || !have_shape) {
    garbage(path, "one of 'descr', 'fortran_order', 'shape' is missing");
  }
  set_type(header, *descr, path);
  check_shape(header, path);
  return header;
}

void throw_surplus(const std::string& path) {
  refuse_header(path, "bytes after the end of the array",
                "the file is damaged or holds several arrays; save one array per file with "
                "np.save, or name them with np.savez");
}

void check_npy_size(const NpyHeader& header, std::size_t present, const std::string& path) {
  if (header.bytes() == present) return;
  if (header.bytes() < present) throw_surplus(path);
  refuse_header(path,
                fmt::format("truncated: shape {} needs {} bytes, the file holds {}",
                            shape_text(header.shape), header.bytes(), present),
                "copy the file again; the program that wrote it may have been interrupted");
}

}  // namespace credence::io
