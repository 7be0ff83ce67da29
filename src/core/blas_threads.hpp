// One process, one thread pool: BLAS works on the calling thread while an object of this class lives. The chains bring
// the parallelism, and a product split over threads would not have the same bits on another number of cores. Runs may
// overlap in a process: the first to begin pins BLAS, the last to end frees it.
#pragma once

#include <cblas.h>

#include <mutex>

namespace quasar {

class SingleThreadedBlas {
 public:
  SingleThreadedBlas() {
    const std::lock_guard lock(mutex_);
    if (alive_++ > 0) return;
    before_ = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  ~SingleThreadedBlas() {
    const std::lock_guard lock(mutex_);
    if (--alive_ == 0) openblas_set_num_threads(before_);
  }
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline int alive_ = 0, before_ = 1;
};

}  // namespace quasar
