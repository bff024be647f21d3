// What a file holds, by its name and by how it starts.
#include <fmt/core.h>

#include "credence/error.hpp"
#include "io/formats/file_format.hpp"
#include "io/npy/npy.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {

// Each stands in a file beside this one. To add a format, write such a file and name it twice here.
extern const FileFormat kNpyFormat;
extern const FileFormat kTableFileFormat;
extern const FileFormat kJsonFormat;
extern const FileFormat kDelimitedFormat;

namespace {

/// In the order in which they are asked; the last takes whatever is left.
constexpr const FileFormat* kFormats[] = {&kNpyFormat, &kTableFileFormat, &kJsonFormat,
                                          &kDelimitedFormat};

bool has_extension(std::string_view path, std::string_view extension) {
  if (path.size() > 3 && equal_ignoring_case(path.substr(path.size() - 3), ".gz")) {
    path.remove_suffix(3);
  }
  return path.size() > extension.size() &&
         equal_ignoring_case(path.substr(path.size() - extension.size()), extension);
}

struct Stranger {
  std::string_view magic, what, hint;
};

// Bytes that no text of ours starts with.
constexpr Stranger kStrangers[] = {
    {"PAR1", "a Parquet file under another name",
     "let its name end in .parquet, and give the name: Parquet is not read from a pipe"},
    {"ARROW1", "an Arrow (Feather) file under another name",
     "let its name end in .feather or .arrow, and give the name: it is not read from a pipe"},
    {"\x89HDF", "an HDF5 file", "save the array as .npy (numpy.save)"},
    {"\xd0\xcf\x11\xe0", "an Excel workbook (.xls)", "save the sheet as CSV (UTF-8)"},
    {"BZh", "compressed with bzip2", "unpack it ('bunzip2'), or pack it with gzip"},
    {"\xfd"
     "7zXZ",
     "compressed with xz", "unpack it ('unxz'), or pack it with gzip"},
    {"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it ('unzstd'), or pack it with gzip"},
    {"\x80\x02", "a pickled Python object", "save the array with numpy.save, or as CSV"},
    {"\x80\x03", "a pickled Python object", "save the array with numpy.save, or as CSV"},
    {"\x80\x04", "a pickled Python object", "save the array with numpy.save, or as CSV"},
    {"\x80\x05", "a pickled Python object", "save the array with numpy.save, or as CSV"},
    {"%PDF", "a PDF document", "give the table as CSV"},
    {"<!DOCTYPE", "a web page", "download the file itself"},
    {"<html", "a web page", "download the file itself"},
    {"version https://git-lfs", "a pointer of Git LFS", "'git lfs pull' fetches the file itself"},
};

void refuse_strangers(std::string_view first, const std::string& path) {
  const std::string name = display_name(path);
  for (const Stranger& stranger : kStrangers) {
    if (first.starts_with(stranger.magic)) {
      throw Error(ErrorCode::format, fmt::format("{}: {}, which is not read", name, stranger.what),
                  std::string(stranger.hint));
    }
  }
  if (first.starts_with(kZipMagic)) {
    throw Error(ErrorCode::format, fmt::format("{}: a zip archive without the name .npz", name),
                "name a file that ends in .npz, and the array in it: file.npz:name; save the "
                "sheet of a workbook (.xlsx) as CSV");
  }
  // A byte order mark of UTF-16 has a better message where lines are read.
  const bool marked = first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff");
  if (!marked && first.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::format,
                fmt::format("{}: binary data, or text in UTF-16, where text is expected", name),
                "text must be UTF-8 ('iconv -f UTF-16 -t UTF-8' converts it); a NumPy array ends "
                "in .npy");
  }
}

}  // namespace

const FileFormat& recognise(const std::string& path, std::unique_ptr<ByteSource>& source) {
  for (const FileFormat* format : kFormats) {
    if (format->opens != nullptr && format->opens(path)) return *format;
  }
  source = open_bytes(path);
  const std::string first = peek(source, 64);
  for (const FileFormat* format : kFormats) {
    if (!format->magic.empty() && first.starts_with(format->magic)) return *format;
  }
  refuse_strangers(first, path);
  for (const FileFormat* format : kFormats) {
    for (const auto extension : format->extensions) {
      if (has_extension(path, extension)) return *format;
    }
  }
  for (const FileFormat* format : kFormats) {
    if (format->looks_like != nullptr && format->looks_like(first)) return *format;
  }
  return kDelimitedFormat;
}

}  // namespace credence::io
