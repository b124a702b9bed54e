// Whole numbers in as few bytes as the largest of them needs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tvlb {

// Tables that are read at random places stay in near caches if they are small.
class PackedNumbers {
public:
    PackedNumbers() = default;
    explicit PackedNumbers(std::span<const std::uint32_t> numbers) {
        const auto most = numbers.empty() ? 0 : *std::ranges::max_element(numbers);
        width_ = std::max<std::size_t>((static_cast<std::size_t>(std::bit_width(most)) + 7) / 8, 1);
        mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << (8 * width_)) - 1);
        bytes_.resize(numbers.size() * width_ + sizeof(std::uint32_t));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            std::memcpy(bytes_.data() + i * width_, &numbers[i], width_);
        }
    }

    [[nodiscard]] std::uint32_t operator[](std::size_t place) const {
        std::uint32_t found;
        std::memcpy(&found, bytes_.data() + place * width_, sizeof found);
        return found & mask_;
    }

private:
    static_assert(std::endian::native == std::endian::little);

    std::size_t width_ = 1;
    std::uint32_t mask_ = 0;
    std::vector<std::uint8_t> bytes_;  // what stands behind a number may be read with it
};

}  // namespace tvlb
