// Every second VC: 2 for each link taken.
#include "vc/policy.hpp"

namespace {

class Evens {
 public:
  int next(tvlb::vc::Kind, int) { return 2 * taken_++; }
  bool operator==(const Evens&) const = default;

 private:
  int taken_ = 0;
};

using tvlb::vc::Choice, tvlb::vc::Registration, tvlb::kLastPlace;
const Registration<Evens> along_routes{"evens", kLastPlace, Choice::at_source};
const Registration<Evens> at_switches{"evens-up", kLastPlace, Choice::at_every_switch};

}  // namespace
