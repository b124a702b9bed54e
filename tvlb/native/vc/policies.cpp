#include "policy.hpp"

namespace tvlb {

template <>
std::vector<vc::Policy>& Registry<vc::Policy>::members() {
    static std::vector<vc::Policy> all;
    return all;
}

}  // namespace tvlb
