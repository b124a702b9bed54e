#include "link_index.hpp"

#include <algorithm>

namespace tvlb::sim {

LinkIndex LinkIndex::leaving(const Network& network) {
  return {network, &Link::source, &Link::target};
}

LinkIndex LinkIndex::arriving(const Network& network) {
  return {network, &Link::target, &Link::source};
}

LinkIndex::LinkIndex(const Network& network, std::int32_t Link::* here, std::int32_t Link::* there)
    : groups_(static_cast<std::size_t>(network.num_groups())),
      offset_(cell(network.num_switches(), 0) + 1, 0) {
  const auto cell_of = [&](const Link& link) {
    return cell(link.*here, network.group(link.*there));
  };
  for (const Link& link : network.links()) {
    if (link.kind == LinkKind::global) ++offset_[cell_of(link) + 1];
  }
  most_ = static_cast<std::uint32_t>(*std::ranges::max_element(offset_));
  for (std::size_t i = 1; i < offset_.size(); ++i) offset_[i] += offset_[i - 1];
  links_.resize(static_cast<std::size_t>(offset_.back()));
  std::vector<std::int32_t> next(offset_.begin(), offset_.end() - 1);
  for (int id = 0; id < network.num_links(); ++id) {
    const Link& link = network.link(id);
    if (link.kind == LinkKind::local) continue;
    links_[static_cast<std::size_t>(next[cell_of(link)]++)] = id;
  }
  ends_.reserve(links_.size());
  for (const int id : links_) ends_.push_back(network.link(id).*there);
}

}  // namespace tvlb::sim
