// Fixed-size bit masks with a cyclic search: the raw material of every round-robin arbiter.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tvlb::sim {

template <int Words>
class BitMask {
 public:
  static constexpr unsigned kBits = static_cast<unsigned>(Words) * 64U;

  void set(unsigned bit) { word_of(bit) |= bit_of(bit); }
  void clear(unsigned bit) { word_of(bit) &= ~bit_of(bit); }
  void set_if(unsigned bit, bool value) {
    word_of(bit) |= std::uint64_t{value} << (bit & 63U);
  }
  void assign(unsigned bit, bool value) {
    clear(bit);
    set_if(bit, value);
  }
  void set_all() { words_.fill(~std::uint64_t{0}); }
  [[nodiscard]] bool test(unsigned bit) const {
    return ((words_[bit >> 6U] >> (bit & 63U)) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t word(unsigned index) const { return words_[index]; }

  [[nodiscard]] bool any() const {
    if constexpr (Words == 1) {
      return words_[0] != 0;
    } else {
      std::uint64_t all = 0;
      for (const std::uint64_t word : words_) all |= word;
      return all != 0;
    }
  }

  void merge(const BitMask& other) {
    for (unsigned i = 0; i < Words; ++i) words_[i] |= other.words_[i];
  }

  void remove(const BitMask& other) {
    for (unsigned i = 0; i < Words; ++i) words_[i] &= ~other.words_[i];
  }

  [[nodiscard]] bool intersects(const BitMask& other) const {
    std::uint64_t all = 0;
    for (unsigned i = 0; i < Words; ++i) all |= words_[i] & other.words_[i];
    return all != 0;
  }

  /// First set bit at or after `start`, going round once. Some bit must be set.
  [[nodiscard]] unsigned first_from(unsigned start) const {
    // Where the search wraps is a coin toss, so one word is rotated and not compared.
    if constexpr (Words == 1) {
      const auto by = static_cast<int>(start);
      return (start + lowest(std::rotr(words_[0], by))) & 63U;
    } else {
      const unsigned first = start >> 6U;
      std::uint64_t word = words_[first] & (~std::uint64_t{0} << (start & 63U));
      unsigned index = first;
      while (word == 0) {
        index = (index + 1) & (Words - 1);
        word = words_[index];
      }
      return (index << 6U) + lowest(word);
    }
  }

  /// Calls `visit(bit)` for every bit that was set when its word was reached.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_common(*this, visit);
  }

  /// The same for the bits that `other` has too.
  template <class Visit>
  void for_each_common(const BitMask& other, Visit&& visit) const {
    for (unsigned i = 0; i < Words; ++i) {
      for (std::uint64_t word = words_[i] & other.words_[i]; word != 0; word &= word - 1) {
        visit((i << 6U) + lowest(word));
      }
    }
  }

 private:
  static unsigned lowest(std::uint64_t word) {
    return static_cast<unsigned>(std::countr_zero(word));
  }
  std::uint64_t& word_of(unsigned bit) {
    if constexpr (Words == 1) {
      return words_[0];
    } else {
      return words_[bit >> 6U];
    }
  }
  static std::uint64_t bit_of(unsigned bit) { return std::uint64_t{1} << (bit & 63U); }

  std::array<std::uint64_t, Words> words_{};
};

}  // namespace tvlb::sim
