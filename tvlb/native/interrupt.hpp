// How long loops hear that nobody waits for them any more.
#pragma once

namespace tvlb {

// What the loops of a thread are to ask now and then: it throws to end them.
using Question = void (*)();

// While it lives, the loops of this thread ask. Whoever calls them from Python has one.
class Interruptible {
public:
    explicit Interruptible(Question question);
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    Interruptible(Interruptible&&) = delete;
    Interruptible& operator=(Interruptible&&) = delete;
    ~Interruptible();

private:
    Question before_;
};

// Asks, unless that was done within the last 50 ms. For loops whose rounds take up to some 10 ms; a
// call takes about 3 ns.
void check_interrupt();

}  // namespace tvlb
