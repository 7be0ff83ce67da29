// One process, one thread pool: BLAS works on the calling thread while this object lives. The chains bring the
// parallelism, and a product split over threads would not have the same bits on another number of cores.
#pragma once

#include <cblas.h>

namespace quasar {

class SingleThreadedBlas {
 public:
  SingleThreadedBlas() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
  ~SingleThreadedBlas() { openblas_set_num_threads(before_); }
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int before_;
};

}  // namespace quasar
