// Long work on sound, a step at a time. Work that was made of the same things goes on from what another has saved, and
// finds the same, bit for bit.
#pragma once

#include <cstdint>
#include <functional>

#include <quasar/fields.hpp>

namespace quasar {

// Called after every step with the share of the work that is done; false stops it.
using DenoiseProgress = std::function<bool(double)>;

class SoundWork {
 public:
  virtual ~SoundWork() = default;
  virtual bool done() const = 0;
  virtual double share() const = 0;        // of the work that is done
  virtual std::int64_t steps() const = 0;  // that were taken, from the beginning
  virtual void step() = 0;                 // not done
  virtual void save(Writer& out) const = 0;
  virtual void load(Reader& in) = 0;  // DataError
};

void work_through(SoundWork& work, const DenoiseProgress& progress);  // RunError: stopped before the end

}  // namespace quasar
