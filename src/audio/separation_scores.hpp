// How good an estimate of a sound is that was mixed with others, where the truth is known. All scores are in decibels;
// a perfect estimate has infinitely many, or, after rounding, some 300.
//
// DataError everywhere: signals of different lengths, samples that are not finite, silence. Ratios to silence are not
// defined, and an estimate that is silent says nothing of the parts that it is made of.
#pragma once

#include <Eigen/Cholesky>

#include <vector>

#include <quasar/core.hpp>

#include "audio/real_fft.hpp"

namespace quasar {

struct SeparationScores {
  double sdr, sir, sar;
};

// BSS Eval, version 3 (Vincent, Gribonval & Fevotte 2006, "Performance measurement in blind audio source separation",
// IEEE Transactions on Audio, Speech, and Language Processing 14(4), III.B): an estimate e of source j is cut into
//
//   target        s = the projection of e on source j and its delays by 1 .. taps-1 samples,
//   interference  i = the projection of e on all sources and their delays, minus s,
//   artifacts     a = e - s - i,
//
//   SDR = |s|^2 / |i + a|^2,  SIR = |s|^2 / |i|^2,  SAR = |s + i|^2 / |a|^2,
//
// so that a fixed filter of that many taps costs an estimate nothing. Sources and estimate are followed by taps-1
// zeros. The same numbers as mir_eval.separation.bss_eval_sources(..., compute_permutation=False).
//
// With K sources of T samples the normal equations are block Toeplitz: their correlations take K(K+1)/2 transforms of
// length T + taps. They are solved by Cholesky's method, (K taps)^3 / 3 operations (0.4 10^9 for two sources) once for
// all estimates. Levinson's recursion would take O(K^3 taps^2), but with sounds that have no high frequencies the
// equations are nearly singular, where it loses digits and Cholesky's method does not.
class SeparationScorer {
 public:
  // One source per column. DataError: fewer than K * taps samples, with which all that there is would be a filtered
  // source. UsageError: no sources, taps < 1.
  explicit SeparationScorer(const Mat& sources, Index taps = 512);

  // With one source alone there is no interference: SIR is infinite.
  SeparationScores score(In estimate, Index source);

 private:
  Index sources() const { return spectra_.cols(); }
  Eigen::VectorXcd spectrum(In signal);
  Vec correlation(const Eigen::VectorXcd& left, const Eigen::VectorXcd& right);
  Mat toeplitz(const Eigen::VectorXcd& left, const Eigen::VectorXcd& right);
  Vec projection(const Eigen::VectorXcd& estimate, Index first, Index count, const Eigen::LLT<Mat>& equations);

  Index samples_, taps_;
  RealFft fft_;
  Eigen::MatrixXcd spectra_;                // of the sources, one per column
  std::vector<Eigen::LLT<Mat>> of_source_;  // the normal equations of each source alone
  Eigen::LLT<Mat> of_all_;
};

// The scale-invariant SDR (Le Roux, Wisdom, Erdogan & Hershey 2019, "SDR: half-baked or well done?", ICASSP):
// |a r|^2 / |a r - e|^2 with a = <e, r> / |r|^2. Means are not taken off.
double scale_invariant_sdr(In reference, In estimate);

// The segmental signal-to-noise ratio: the mean over frames of 10 log10(sum (w r)^2 / sum (w (r - e))^2), each brought
// to [-10, 35] dB. Frames are of 30 ms, a quarter of a frame apart, under the window w_n = (1 - cos(2 pi n / (N+1)))/2,
// n = 1 .. N; what is left behind the last whole frame does not count (Quackenbush, Barnwell & Clements 1988,
// "Objective Measures of Speech Quality", eq. 2.12; the bounds and the frames are those of Hansen & Pellom 1998, "An
// effective quality evaluation protocol for speech enhancement algorithms", ICSLP). A frame without error has 35 dB,
// also where it is silent; a silent frame with any error has -10. DataError: shorter than a frame.
double segmental_snr(In reference, In estimate, int rate);
Index segment_samples(int rate);  // of such a frame; 0 at rates of up to 16 Hz, which have no segmental SNR

}  // namespace quasar
