"""Bugs to plant in what reads, writes, transforms, cleans and scores sound; mutants_test.py says how a row reads."""

NPY, WAV = ("exact/npy",), ("exact/wav",)
STFT, SCORES = ("exact/stft",), ("exact/separation_scores",)
NPY_FILE, WAV_READ, WAV_WRITE = "io/npy.cpp", "io/wav_read.cpp", "io/wav_write.cpp"
STFT_FILE, SCORES_FILE = "audio/stft.cpp", "audio/separation_scores.cpp"
CLIMB, CLIMB_FILE = ("exact/alpha_climb",), "models/alpha/alpha_mixture_climb.cpp"
GAIN, GAIN_FILE = ("exact/spectral_gain",), "audio/spectral_gain.cpp"
CLEAN, CLEAN_FILE, LEARN_FILE = ("exact/denoise",), "speech/denoise.cpp", "speech/learn_speech.cpp"
PLANE_FILE, START_FILE = "speech/sound_plane.cpp", "speech/denoising_target.cpp"
WORK, WORK_FILE = ("exact/durable_work",), "io/durable_work.cpp"

MUTANTS = {
    "npy: a key that is missing": (NPY_FILE, "if (found.size() != 3 || ", "if (", NPY),
    "npy: a key that stands there twice": (NPY_FILE, "      if (!found.insert(name).second) damaged();\n", "      found.insert(name + std::to_string(found.size()));\n", NPY),
    "npy: numbers without commas": (NPY_FILE, "      if (!skip(',') && next() != end) damaged();\n", "      skip(',');\n", NPY),
    "npy: sizes that overflow": (NPY_FILE, "if (size > 0 && count > most_npy_numbers / size) refuse_npy", "if (size > most_npy_numbers) refuse_npy", NPY),
    "npy: what is empty is wide without end": (NPY_FILE, "count *= std::max<Index>(size, 1);", "count *= size;", NPY),
    "npy: bytes of complex numbers swapped whole": (NPY_FILE, "(i * kind.parts + part) * kind.size", "(i * kind.parts + (swapped ? kind.parts - 1 - part : part)) * kind.size", NPY),
    "npy: columns of complex numbers taken for rows": (NPY_FILE, "numbers.values[place * kind.parts + part] =", "numbers.values[i * kind.parts + part] =", NPY),
    "npy: an imaginary part that is not finite": (NPY_FILE, "if (!std::isfinite(real) || !std::isfinite(imaginary)) {", "if (!std::isfinite(real)) {", NPY),
    "wav: what follows an empty chunk is taken for samples": (WAV_READ, "if (size == 0 && there > 0) {", "if (size == 0 && there > bytes.size()) {", WAV),
    "wav: a file that was cut short is read": (WAV_READ, "    if (size > there) {\n", "    if (size > there && there == 0) {\n", WAV),
    "wav: chunks of odd size are not padded": (WAV_READ, "place += std::size_t{size} + size % 2;", "place += std::size_t{size};", WAV),
    "wav: the negative end of the scale is not clipped": (WAV_READ, "return x >= top || x <= bottom;", "return x >= top || x < bottom;", WAV),
    "wav: another rate than is expected": (WAV_READ, "if (expected_rate && info.samplerate != *expected_rate) {", "if (expected_rate && info.samplerate < *expected_rate) {", WAV),
    "wav: samples written a bit too low": (WAV_WRITE, "std::nearbyint(0x1p15 * x)", "std::nearbyint(32767 * x)", WAV),
    "wav: rounded towards zero": (WAV_WRITE, "std::nearbyint(0x1p15 * x)", "std::trunc(0x1p15 * x)", WAV),
    "wav: the time of day in a file": (WAV_WRITE, "SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE", "SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_TRUE", WAV),
    "wav: bytes are not sought": ("io/sound_bytes.cpp", "sound_bytes(user).place = static_cast<std::size_t>(from + offset);", "(void)0;", WAV),
    "stft: a window that is symmetric": (STFT_FILE, "std::numbers::pi / static_cast<double>(frame);", "std::numbers::pi / static_cast<double>(frame - 1);", STFT),
    "stft: a frame too few before the signal": (STFT_FILE, "return -((fft_.size() - 1) / hop_);", "return -((fft_.size() - 1) / hop_) + 1;", STFT),
    "stft: a frame too few behind the signal": (STFT_FILE, "return (samples - 1) / hop_ - first_frame() + 1;", "return (samples - 2) / hop_ - first_frame() + 1;", STFT),
    "stft: no window at synthesis": (STFT_FILE, "fft_.samples().segment(part.offset(), part.size).cwiseProduct(window_.segment(part.offset(), part.size));", "fft_.samples().segment(part.offset(), part.size);", STFT),
    "stft: the sum of windows at a wrong place": (STFT_FILE, "size * window_sum_[t % hop_]", "size * window_sum_[(t + 1) % hop_]", STFT),
    "stft: what was in the frame before": (STFT_FILE, "    frame.setZero();\n", "", STFT),
    "stft: windows that hardly overlap": (STFT_FILE, "if (least <= 0 || least < least_cover * window_sum_.maxCoeff()) {", "if (least < 0) {", STFT),
    "scores: transforms too short for their lags": (SCORES_FILE, "static_cast<std::size_t>(samples_ + taps - 1)", "static_cast<std::size_t>(samples_)", SCORES),
    "scores: lags turned round": (SCORES_FILE, "left.conjugate().cwiseProduct(right)", "left.cwiseProduct(right.conjugate())", SCORES),
    "scores: artifacts are not distortion": (SCORES_FILE, "(interference + artifacts).squaredNorm()", "interference.squaredNorm() + artifacts.squaredNorm() / 2", SCORES),
    "scores: artifacts beside the target alone": (SCORES_FILE, "decibels(explained.squaredNorm(), artifacts", "decibels(energy, artifacts", SCORES),
    "scores: the filter's tail is cut": (SCORES_FILE, "fft_.samples().head(samples_ + taps_ - 1) / ", "(fft_.samples().tail(fft_.size() - samples_).setZero(), fft_.samples().head(samples_ + taps_ - 1)) / ", SCORES),
    "scores: squares that are no numbers": (SCORES_FILE, "return signal / signal.cwiseAbs().maxCoeff();", "return signal;", SCORES),
    "scores: the estimate is not scaled": (SCORES_FILE, "found.dot(truth) / truth.squaredNorm() * truth", "truth", SCORES),
    "scores: frames of other loudness": (SCORES_FILE, "sum += std::clamp(decibels(signal, error), lowest, highest);", "sum += decibels(signal, error);", SCORES),
    "scores: windows twice as far apart": (SCORES_FILE, "std::max<Index>(frame / 4, 1)", "std::max<Index>(frame / 2, 1)", SCORES),
    "climb: the power of a smaller step": (CLIMB_FILE, "1 / (1 + source(c).power())", "1 / source(c).power()", CLIMB),
    "climb: a source answers for all of an entry": (CLIMB_FILE, "r = 1 + g * (square[e] / (2 * total[e]) - 1)", "r = square[e] / (2 * total[e])", CLIMB),
    "climb: what was not seen counts": (CLIMB_FILE, "lowering[e] = square[e] < 0 ? 0 : 1 / std::max", "lowering[e] = 1 / std::max", CLIMB),
    "climb: logarithms move twice as far": (CLIMB_FILE, "here + std::log(factor), std::log", "here + 2 * std::log(factor), std::log", CLIMB),
    "gain: squares in place of sizes": (GAIN_FILE, "const Mat sizes = squares.cwiseSqrt().cwiseMax(least_square);", "const Mat sizes = squares.cwiseMax(least_square);", GAIN),
    "gain: the frame before is not cleaned": (GAIN_FILE, "gain.col(t).cwiseAbs2().cwiseProduct(squares.col(t))", "squares.col(t)", GAIN),
    "denoise: the variance of a real part alone": (CLEAN_FILE, "found.spread = 2 * p.rms * p.rms * left", "found.spread = p.rms * p.rms * left", CLEAN),
    "denoise: draws that differ are no spread": (CLEAN_FILE, "left + found.noisy.cwiseProduct(between);", "left;", CLEAN),
    "denoise: spread in units of the rms": (CLEAN_FILE, "found.spread = 2 * p.rms * p.rms * left", "found.spread = 2 * left", CLEAN),
    "denoise: rounds are no work": (CLEAN_FILE, "static_cast<double>(2 * rounds + drawn)", "static_cast<double>(drawn)", CLEAN),
    "denoise: samplers are refused after the work": (CLEAN_FILE, "    if (iterations() > 0) check_sampler(sampler(), squares, model, config);\n", "", CLEAN),
    "denoise: zeros make the level fainter": (CLEAN_FILE, "static_cast<double>(sounding_samples(samples, model.plane))", "static_cast<double>(samples.size())", CLEAN),
    "denoise: units of samples get lost": (CLEAN_FILE, "found.samples = p.unit * Stft(", "found.samples = Stft(", CLEAN),
    "denoise: far above the level is not told": (CLEAN_FILE, "if (std::abs(louder) > far) {", "if (louder < -far) {", CLEAN),
    "denoise: frames of zeros are frames": (PLANE_FILE, "if (!transform.col(frame).isZero(0)) found.push_back(frame);", "found.push_back(frame);", CLEAN),
    "denoise: the first frame of a pause counts": (PLANE_FILE, "    if (zeros == plane.frame) sounding -= plane.frame;\n", "", CLEAN),
    "denoise: rounds are made again after resuming": (START_FILE, "  in(\"round\", round_);\n", "  in(\"round\", round_);\n  round_ = std::max<std::int64_t>(0, round_ - 1);\n", CLEAN),
    "denoise: more rounds than there are": (START_FILE, "round_ < 0 || round_ > all_rounds_", "round_ < 0", CLEAN),
    "durable work: a checkpoint too late": (WORK_FILE, "work_.done() >= saved_done_ + every - rounding", "work_.done() > saved_done_ + every", WORK),
    "durable work: resumed with another configuration": (WORK_FILE, "if (found.empty()) return;", "if (found.size() < 9) return;", WORK),
    "durable work: what may be replaced is forgotten": (WORK_FILE, "  replaces_ = replaces_ || begun.at(\"replace\").get<bool>();\n", "", WORK),
    "learn speech: zeros make the level fainter": (LEARN_FILE, "static_cast<double>(sounding_samples(clip.samples, plane))", "static_cast<double>(clip.samples.size())", CLEAN),
    "learn speech: columns that are not of mean 1": (LEARN_FILE, "  w.array().colwise() /= sizes.array();\n", "", CLEAN),
    "learn speech: the median is not that of the law": (LEARN_FILE, "boost::math::gamma_p_inv(shape, 0.5), alpha / 2", "boost::math::gamma_p_inv(shape, 0.5), alpha", CLEAN),
}
