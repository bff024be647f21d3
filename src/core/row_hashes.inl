// Hashes of rows of scores that do not depend on the order of the classes: of how far the next
// three scores are below the largest, which tells rows apart and takes one look at each score. Few
// classes go through tiles, with neighbouring rows in the lanes; many stay where they are. Included
// by kernels_isa.cpp only.

constexpr std::size_t kHashed = 4;

/// Lane by lane the four largest numbers seen, in order. Names instead of an array: GCC keeps those
/// in registers.
template <std::size_t Bytes = 64>
struct FourLargest {
  using F = Lanes<float, Bytes>;
  F first, second, third, fourth;

  static inline FourLargest none() {
    const F least = F::fill(-__builtin_inff());
    return {least, least, least, least};
  }
  [[gnu::always_inline]] inline void take(const F& x) {
    const F below_first = F::min(first, x);
    first = F::max(first, x);
    const F below_second = F::min(second, below_first);
    second = F::max(second, below_first);
    const F below_third = F::min(third, below_second);
    third = F::max(third, below_second);
    fourth = F::max(fourth, below_third);
  }
  /// The larger one comes first.
  [[gnu::always_inline]] static inline void order(F& a, F& b) {
    const F larger = F::max(a, b);
    b = F::min(a, b);
    a = larger;
  }
  /// The four largest of both: the best of one list meet the worst of the other (Batcher, 1968).
  [[gnu::always_inline]] inline void merge(const FourLargest& other) {
    first = F::max(first, other.fourth);
    second = F::max(second, other.third);
    third = F::max(third, other.second);
    fourth = F::max(fourth, other.first);
    order(first, third);
    order(second, fourth);
    order(first, second);
    order(third, fourth);
  }
  template <std::size_t Distance>
  [[gnu::always_inline]] inline void merge_lanes() {
    merge({first.template swapped<Distance>(), second.template swapped<Distance>(),
           third.template swapped<Distance>(), fourth.template swapped<Distance>()});
  }
  template <std::size_t Which>
  [[gnu::always_inline]] inline FourLargest<Bytes / 2> half() const {
    return {first.template half<Which>(), second.template half<Which>(),
            third.template half<Which>(), fourth.template half<Which>()};
  }
};

/// The four largest of up to 16 rows, in order, those of one row below each other.
struct Largest {
  static constexpr std::size_t kRows = Lanes<float>::count;
  alignas(64) float most[kHashed][kRows];
};

[[gnu::always_inline]] static inline Largest largest_of_tile(const float* tile, std::size_t classes,
                                                             std::size_t stride) {
  auto seen = FourLargest<>::none();
  for (std::size_t k = 0; k < classes; ++k) seen.take(Lanes<float>::load(tile + k * stride));
  Largest out;
  seen.first.store(out.most[0]);
  seen.second.store(out.most[1]);
  seen.third.store(out.most[2]);
  seen.fourth.store(out.most[3]);
  return out;
}

static inline void put_largest_of_row(const float* scores, const LongRow<float>& row, Largest& out,
                                      std::size_t r) {
  using F = Lanes<float>;
  auto all = FourLargest<>::none();
  for (std::size_t k = 0; k < row.last(); k += F::count) all.take(F::load(scores + k));
  const F last = F::load(scores + row.last());
  all.take(F::if_greater(row.fresh(), F::fill(0.0f), last, F::fill(-__builtin_inff())));
  FourLargest<32> seen = all.half<0>();
  seen.merge(all.half<1>());
  seen.merge_lanes<4>();
  seen.merge_lanes<2>();
  seen.merge_lanes<1>();
  out.most[0][r] = seen.first.first();
  out.most[1][r] = seen.second.first();
  out.most[2][r] = seen.third.first();
  out.most[3][r] = seen.fourth.first();
}

/// What hashes are made of: numbers in steps below the largest.
struct RowSteps {
  Lanes<double> steps, lowest;

  /// A hash of each number `below` the largest, as bits.
  [[gnu::always_inline]] inline Lanes<double> hash(const Lanes<double>& below) const {
    using D = Lanes<double>;
    constexpr double kShift = 0x1p52;  // adding it leaves the nearest whole number in the low bits
    const D at = D::fill(0.0) - steps * D::max(lowest, below);
    const D t = at + kShift;
    // Half a step goes up, as std::llround has it; the addition takes it to the even number.
    const D half =
        D::if_greater(at - (t - kShift), D::fill(0x1.fffffffffffffp-2), D::fill(1.0), D::fill(0.0));
    return (t + half).with_bits([](auto bits, std::size_t) __attribute__((always_inline)) {
      // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
      auto x = (bits & 0xffffffffU) + 0x9e3779b97f4a7c15U;
      x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
      x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
      return x ^ (x >> 31U);
    });
  }

  /// Sums of the hashes of the numbers behind the largest, of which rows have `count`.
  inline void hash_all(const Largest& of, std::size_t count, std::uint64_t* out) const {
    using D = Lanes<double>;
    for (std::size_t r = 0; r < Largest::kRows; r += D::count) {
      const D top = D::widen(of.most[0] + r);
      D sum = D::fill(0.0);
      for (std::size_t j = 1; j < count; ++j) {
        const D one = hash(D::widen(of.most[j] + r) - top);
        sum = sum.with_bits([&](auto bits, std::size_t i) __attribute__((always_inline)) {
          return bits + (typename D::B)one.part[i];
        });
      }
      alignas(64) double bits[D::count];
      sum.store(bits);
      __builtin_memcpy(out + r, bits, sizeof bits);
    }
  }
};

static void hash_rows(const float* scores, std::size_t rows, std::size_t classes, double steps,
                      double lowest, std::uint64_t* out) {
  using D = Lanes<double>;
  const RowSteps row_steps{D::fill(steps), D::fill(lowest)};
  const std::size_t hashed = classes < kHashed ? classes : kHashed;
  std::uint64_t of_row[Largest::kRows];
  const auto put = [&](const Largest& of, std::size_t first, std::size_t here) {
    row_steps.hash_all(of, hashed, of_row);
    for (std::size_t r = 0; r < here; ++r) out[first + r] = of_row[r];
  };
  if (classes >= kLongRow) {
    const LongRow<float> row(classes);
    Largest of = {};
    for (std::size_t first = 0; first < rows; first += Largest::kRows) {
      const std::size_t here = rows - first < Largest::kRows ? rows - first : Largest::kRows;
      for (std::size_t r = 0; r < here; ++r) {
        fetch_row(scores + (first + r + 1) * classes, classes);  // asking too far does no harm
        put_largest_of_row(scores + (first + r) * classes, row, of, r);
      }
      put(of, first, here);
    }
    return;
  }
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  for (std::size_t r = 0; r < here; r += Largest::kRows) {
                    const std::size_t some = here - r < Largest::kRows ? here - r : Largest::kRows;
                    put(largest_of_tile(tile + r, classes, stride), first + r, some);
                  }
                });
}

/// hash_rows and top_roughly in one pass. The largest of a long row is looked for once, and some
/// rows are done at a time, as many as stay in the nearest cache.
static void look_at_rows(const float* scores, std::size_t rows, std::size_t classes, double steps,
                         double lowest, std::uint64_t* hashes, float* others, std::uint32_t* top) {
  if (classes < kLongRow) {
    hash_rows(scores, rows, classes, steps, lowest, hashes);
    top_roughly(scores, rows, classes, others, top);
    return;
  }
  using D = Lanes<double>;
  constexpr std::size_t kNearest = 8192;
  const std::size_t fitting = kNearest / classes;
  const std::size_t batch = fitting < 1 ? 1 : fitting < Largest::kRows ? fitting : Largest::kRows;
  const RowSteps row_steps{D::fill(steps), D::fill(lowest)};
  const LongRow<float> row(classes);
  Largest of = {};
  for (std::size_t first = 0; first < rows; first += batch) {
    const std::size_t here = rows - first < batch ? rows - first : batch;
    const float* const z = scores + first * classes;
    for (std::size_t r = 0; r < here; ++r) put_largest_of_row(z + r * classes, row, of, r);
    for (std::size_t r = 0; r < here; ++r) {
      fetch_row(z + (r + batch) * classes, classes);  // asking too far does no harm
      const float* const of_row = z + r * classes;
      const float max = of.most[0][r];
      if (max > of.most[1][r]) {
        others[first + r] = rough_others_of<true>(row, classes, of_row, max, top + first + r);
      } else {
        NoLook nothing;
        row.max(of_row, top + first + r, &nothing);
        others[first + r] = rough_others_of<false>(row, classes, of_row, max, nullptr);
      }
    }
    std::uint64_t hash[Largest::kRows];
    row_steps.hash_all(of, kHashed, hash);
    for (std::size_t r = 0; r < here; ++r) hashes[first + r] = hash[r];
  }
}
