#include "link_index.hpp"

#include <algorithm>

namespace tvlb::sim {

LinkIndex LinkIndex::leaving(const Dragonfly& network) {
  return {network, &Link::source, &Link::target};
}

LinkIndex LinkIndex::arriving(const Dragonfly& network) {
  return {network, &Link::target, &Link::source};
}

LinkIndex::LinkIndex(const Dragonfly& network, std::int32_t Link::* here, std::int32_t Link::* there)
    : groups_(static_cast<std::size_t>(network.num_groups())),
      offset_(cell(network.num_switches(), 0) + 1, 0) {
  const auto cell_of = [&](const Link& link) {
    return cell(link.*here, network.group(link.*there));
  };
  for (int id = network.num_local_links(); id < network.num_links(); ++id) {
    ++offset_[cell_of(network.link(id)) + 1];
  }
  most_ = static_cast<std::uint32_t>(*std::ranges::max_element(offset_));
  for (std::size_t i = 1; i < offset_.size(); ++i) offset_[i] += offset_[i - 1];
  links_.resize(static_cast<std::size_t>(offset_.back()));
  std::vector<std::int32_t> next(offset_.begin(), offset_.end() - 1);
  for (int id = network.num_local_links(); id < network.num_links(); ++id) {
    links_[static_cast<std::size_t>(next[cell_of(network.link(id))]++)] = id;
  }
  ends_.reserve(links_.size());
  for (const int id : links_) ends_.push_back(network.link(id).*there);
}

}  // namespace tvlb::sim
