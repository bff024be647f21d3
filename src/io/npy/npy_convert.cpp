// Elements of NumPy arrays to double: unaligned, in either byte order.
#include <bit>
#include <cstring>

#include "core/half.hpp"
#include "io/npy/npy.hpp"

namespace credence::io {
namespace {

template <class U>
U byte_swap(U bits) {
  if constexpr (sizeof(U) == 1) return bits;
  if constexpr (sizeof(U) == 2) return __builtin_bswap16(bits);
  if constexpr (sizeof(U) == 4) return __builtin_bswap32(bits);
  if constexpr (sizeof(U) == 8) return __builtin_bswap64(bits);
}

template <class Bits, class Decode>
void convert(bool swapped, const std::byte* data, std::size_t count, double* out,
             std::size_t stride, std::ptrdiff_t step, Decode decode) {
  if (step != 0 && step != static_cast<std::ptrdiff_t>(sizeof(Bits))) {
    for (std::size_t i = 0; i < count; ++i) {
      Bits bits;
      std::memcpy(&bits, data + static_cast<std::ptrdiff_t>(i) * step, sizeof(Bits));
      out[i * stride] = decode(swapped ? byte_swap(bits) : bits);
    }
    return;
  }
  const auto load = [&](std::size_t i) {
    Bits bits;
    std::memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
    return bits;
  };
  if (!swapped && stride == 1) {
    for (std::size_t i = 0; i < count; ++i) out[i] = decode(load(i));
  } else if (!swapped) {
    for (std::size_t i = 0; i < count; ++i) out[i * stride] = decode(load(i));
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i * stride] = decode(byte_swap(load(i)));
  }
}

// Function objects rather than functions, so that the loops inline them.
template <class T>
struct As {
  template <class Bits>
  double operator()(Bits bits) const {
    return static_cast<double>(std::bit_cast<T>(bits));
  }
};

}  // namespace

void convert_npy(NpyType type, bool swapped, const std::byte* data, std::size_t count, double* out,
                 std::size_t stride, std::ptrdiff_t step) {
  using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;
  const auto run = [&]<class Bits>(Bits, auto decode) {
    convert<Bits>(swapped, data, count, out, stride, step, decode);
  };
  switch (type) {
    case NpyType::f16:
      return run(uint16_t{}, [](uint16_t b) { return core::from_half(b); });
    case NpyType::bf16:  // the upper half of a float
      return run(uint16_t{}, [](uint16_t b) {
        return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(b) << 16));
      });
    case NpyType::f32:
      return run(uint32_t{}, As<float>{});
    case NpyType::f64:
      return run(uint64_t{}, As<double>{});
    case NpyType::i8:
      return run(uint8_t{}, As<std::int8_t>{});
    case NpyType::i16:
      return run(uint16_t{}, As<std::int16_t>{});
    case NpyType::i32:
      return run(uint32_t{}, As<std::int32_t>{});
    case NpyType::i64:
      return run(uint64_t{}, As<std::int64_t>{});
    case NpyType::u8:
      return run(uint8_t{}, As<uint8_t>{});
    case NpyType::u16:
      return run(uint16_t{}, As<uint16_t>{});
    case NpyType::u32:
      return run(uint32_t{}, As<uint32_t>{});
    case NpyType::u64:
      return run(uint64_t{}, As<uint64_t>{});
    case NpyType::boolean:
      return run(uint8_t{}, [](uint8_t b) { return b != 0 ? 1.0 : 0.0; });
  }
}

}  // namespace credence::io
