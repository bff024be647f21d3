// Values as bytes for other processes and machines: little-endian whatever the processor, and read
// back with every length checked against the bytes that are there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"

namespace credence::core {

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void u64(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) u8(static_cast<std::uint8_t>(value >> shift));
  }
  void u32(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) u8(static_cast<std::uint8_t>(value >> shift));
  }
  void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    u64(value.size());
    for (const char c : value) u8(static_cast<std::uint8_t>(c));
  }
  void numbers(std::span<const double> values) {
    u64(values.size());
    for (const double value : values) f64(value);
  }
  void singles(std::span<const float> values) {
    u64(values.size());
    for (const float value : values) u32(std::bit_cast<std::uint32_t>(value));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  /// `what` names the value in errors.
  ByteReader(std::span<const std::byte> bytes, std::string_view what)
      : bytes_(bytes), what_(what) {}

  std::uint8_t u8() {
    need(1);
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::uint64_t u64() {
    need(8);
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= static_cast<std::uint64_t>(bytes_[static_cast<std::size_t>(i)]) << (8 * i);
    }
    bytes_ = bytes_.subspan(8);
    return value;
  }
  std::uint32_t u32() {
    need(4);
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(bytes_[static_cast<std::size_t>(i)]) << (8 * i);
    }
    bytes_ = bytes_.subspan(4);
    return value;
  }
  double f64() { return std::bit_cast<double>(u64()); }
  std::string text() {
    const std::uint64_t size = length(1);
    std::string value(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  std::vector<double> numbers() {
    const std::uint64_t size = length(8);
    std::vector<double> values(size);
    for (double& value : values) value = f64();
    return values;
  }
  std::vector<float> singles() {
    const std::uint64_t size = length(4);
    std::vector<float> values(size);
    for (float& value : values) value = std::bit_cast<float>(u32());
    return values;
  }
  /// A count of things that take at least `least` bytes each.
  std::uint64_t length(std::size_t least) {
    const std::uint64_t count = u64();
    if (count > bytes_.size() / least) fail("ends too early");
    return count;
  }
  /// What the bytes are, and their version.
  void mark(std::string_view wanted) {
    if (text() != wanted) fail("is not marked '" + std::string(wanted) + "'");
  }
  /// Nothing may follow.
  void finish() const {
    if (!bytes_.empty()) fail("has surplus bytes");
  }
  [[noreturn]] void fail(std::string_view why) const {
    throw Error(ErrorCode::data, std::string(what_) + " " + std::string(why),
                "it was damaged on its way, or written by another version");
  }

 private:
  void need(std::size_t count) const {
    if (bytes_.size() < count) fail("ends too early");
  }
  std::span<const std::byte> bytes_;
  std::string_view what_;
};

}  // namespace credence::core
