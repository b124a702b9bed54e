#include "path_kernel.hpp"

#include "paths_by_min_rule.hpp"

namespace tvlb {

std::unique_ptr<PathKernel> kernel_by_min_rule(const Topology& topology) {
    return std::make_unique<PathKernelOf<PathsByMinRule<>>>(topology);
}

}  // namespace tvlb
