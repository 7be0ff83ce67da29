#include "speech/sound_work.hpp"

#include <quasar/errors.hpp>

namespace quasar {

void work_through(SoundWork& work, const DenoiseProgress& progress) {
  const auto tell = [&] {
    if (progress && !progress(work.share())) throw RunError("stopped before the end");
  };
  tell();
  while (!work.done()) {
    work.step();
    tell();
  }
}

}  // namespace quasar
