// Results of a register across its lanes, by exchanges and not through memory: they are wanted for
// every row. Included by kernels_isa.cpp only.

/// In every lane, all of them put together two by two.
template <class T, class Join>
[[gnu::always_inline]] static inline T across_lanes(const Lanes<T>& x, const Join& join) {
  auto all = join(x.template half<0>(), x.template half<1>());
  if constexpr (sizeof(T) == 4) all = join(all, all.template swapped<4>());
  all = join(all, all.template swapped<2>());
  return join(all, all.template swapped<1>()).first();
}

template <class T>
[[gnu::always_inline]] static inline T largest_lane(const Lanes<T>& x) {
  return across_lanes(x, [](const auto& a, const auto& b) { return a.max(a, b); });
}

template <class T>
[[gnu::always_inline]] static inline T sum_of_lanes(const Lanes<T>& x) {
  return across_lanes(x, [](const auto& a, const auto& b) { return a + b; });
}

/// Sees nothing.
struct NoLook {
  template <class L>
  [[gnu::always_inline]] inline void take(const L&, const L&) {}
};

/// Rows of at least as many numbers as there are lanes, group by group. Where lanes do not divide
/// the row, the last group overlaps the one before.
template <class T>
class LongRow {
 public:
  using L = Lanes<T>;

  explicit LongRow(std::size_t count) : count_(count), last_(count - L::count) {
    T ramp[L::count], mask[2 * L::count] = {};
    for (std::size_t l = 0; l < L::count; ++l) {
      ramp[l] = static_cast<T>(l);
      mask[L::count + l] = T(1);
    }
    ramp_ = L::load(ramp);
    fresh_ = L::load(mask + (has_rest() ? count % L::count : L::count));
  }

  std::size_t last() const { return last_; }
  bool has_rest() const { return count_ % L::count != 0; }
  /// 0, 1, 2, ...: the places in the first group.
  const L& ramp() const { return ramp_; }
  /// 1 for those that are new in the last group, where it overlaps.
  const L& fresh() const { return fresh_; }

  /// Calls body(first, count) for each group; count(x) is x, with 0 for what another group has.
  template <class Body>
  [[gnu::always_inline]] inline void for_each(const Body& body) const {
    for (std::size_t k = 0; k < last_; k += L::count) {
      body(
          k, [](const L& x) __attribute__((always_inline)) { return x; });
    }
    body(
        last_, [&](const L& x) __attribute__((always_inline)) { return x * fresh_; });
  }

  /// The largest number.
  [[gnu::always_inline]] inline T max(const T* x) const {
    L best = L::load(x + last_);
    for (std::size_t k = 0; k < last_; k += L::count) best = L::max(best, L::load(x + k));
    return largest_lane(best);
  }
  /// The largest number and the first place that has it. `seen` takes every group on the way,
  /// and the same with 0 for what it has taken before.
  template <class Seen>
  [[gnu::always_inline]] inline T max(const T* x, std::uint32_t* place, Seen* seen) const {
    Seen here = *seen;  // so that it stays in registers
    L best = L::load(x), number = ramp_, at = ramp_;
    here.take(best, best);
    for (std::size_t k = L::count; k <= last_; k += L::count) {
      const L group = L::load(x + k);
      at = at + static_cast<T>(L::count);
      number = L::if_greater(group, best, at, number);
      best = L::max(best, group);
      here.take(group, group);
    }
    if (has_rest()) {
      const L group = L::load(x + last_);
      number = L::if_greater(group, best, ramp_ + static_cast<T>(last_), number);
      best = L::max(best, group);
      here.take(group, group * fresh_);
    }
    *seen = here;
    const T max = largest_lane(best);
    const L none = L::fill(T(-0x1p24f)), minus = L::fill(T(0)) - number;
    *place = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(-largest_lane(L::if_greater(L::fill(max), best, none, minus))));
    return max;
  }

 private:
  std::size_t count_, last_;
  L ramp_, fresh_;
};

template <class T>
constexpr std::size_t kLine = 64 / sizeof(T);  // numbers in a line of the cache

/// Asks for a row that is wanted soon.
template <class T>
static inline void fetch_row(const T* x, std::size_t count) {
  for (std::size_t k = 0; k < count; k += kLine<T>) __builtin_prefetch(x + k);
}

/// Asks for numbers that are written soon: where those that are read are near, the processor does
/// not do so by itself.
template <class T>
static inline void fetch_to_write(const T* x, std::size_t count) {
  for (std::size_t k = 0; k < count; k += kLine<T>) __builtin_prefetch(x + k, 1);
}
