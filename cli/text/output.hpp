// Results go to standard output, notes to standard error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credence::cli {

enum class Format { text, json, csv, markdown };

/// Writes a result to standard output; a failure (full disk) is an Error.
void print(std::string_view text);
void flush_output();

/// Files appear only when they are complete and what was printed about them has arrived: a full
/// disk behind standard output leaves nothing, like any other failure. A reader that has seen
/// enough (`head`) is none.
template <class... Outputs>
void publish(Outputs&... outputs) {
  (outputs.finish(), ...);
  flush_output();
  (outputs.commit(), ...);
}

/// Standard streams that the caller has closed: a file opened later must not get their numbers, or
/// messages would be written into it. Using such a stream remains an error.
void occupy_closed_streams();

/// `note: ...` on standard error.
void print_note(std::string_view text);
/// Each once, however often it is among them.
void print_notes(const std::vector<std::string>& notes);

/// Six significant digits for people; "-" stands for no value.
std::string short_number(double value);
/// The shortest text that reads back as the same double.
std::string exact_number(double value);
/// 12345678 -> "12,345,678".
std::string grouped(std::size_t value);

}  // namespace credence::cli
