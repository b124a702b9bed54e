// Table: the route of a forwarding table, in the virtual channels of its layer.
#include <algorithm>

#include "steering.hpp"

namespace tvlb::sim {
namespace {

class Table {
 public:
  explicit Table(const Setup& setup) : routes_(*setup.routes), layers_(setup.layers) {}

  int follow(const Head& head, auto&& append) const {
    routes_.follow(head.destination, head.sw, append);
    return std::min(routes_.layer(head.destination, head.sw), layers_ - 1);
  }

 private:
  const TableRoutes& routes_;
  int layers_;
};

const Registration<Table, InputQueued> registration{"table", 6, {Detours::never, 2.4e-7}};

}  // namespace
}  // namespace tvlb::sim
