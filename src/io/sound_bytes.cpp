#include "io/sound_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>

namespace quasar {
namespace {

SoundBytes& sound_bytes(void* user) { return *static_cast<SoundBytes*>(user); }

sf_count_t length_of_sound(void* user) { return std::ssize(sound_bytes(user).bytes); }
sf_count_t place_in_sound(void* user) { return static_cast<sf_count_t>(sound_bytes(user).place); }

sf_count_t seek_in_sound(sf_count_t offset, int whence, void* user) {
  const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? place_in_sound(user) : length_of_sound(user);
  if (offset < -from || offset > std::numeric_limits<sf_count_t>::max() - from) return -1;
  sound_bytes(user).place = static_cast<std::size_t>(from + offset);
  return from + offset;
}

sf_count_t read_from_sound(void* buffer, sf_count_t count, void* user) {
  SoundBytes& sound = sound_bytes(user);
  if (count <= 0 || sound.place >= sound.bytes.size()) return 0;
  const std::size_t got = sound.bytes.copy(static_cast<char*>(buffer), static_cast<std::size_t>(count), sound.place);
  sound.place += got;
  return static_cast<sf_count_t>(got);
}

// Called by C, which an exception must not cross: what does not fit into memory counts as not written.
sf_count_t write_to_sound(const void* buffer, sf_count_t count, void* user) try {
  SoundBytes& sound = sound_bytes(user);
  if (count <= 0) return 0;
  const std::size_t end = sound.place + static_cast<std::size_t>(count);
  if (sound.bytes.size() < end) sound.bytes.resize(end);
  std::copy_n(static_cast<const char*>(buffer), count, sound.bytes.begin() + static_cast<std::ptrdiff_t>(sound.place));
  sound.place = end;
  return count;
} catch (const std::exception&) {
  return 0;
}

}  // namespace

SoundFile open_sound(SoundBytes& sound, int mode, SF_INFO& info) {
  SF_VIRTUAL_IO access{length_of_sound, seek_in_sound, read_from_sound, write_to_sound, place_in_sound};
  return {sf_open_virtual(&access, mode, &info, &sound), sf_close};
}

Index first_not_finite(In samples) {
  const auto found = std::find_if_not(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); });
  return found == samples.end() ? 0 : found - samples.begin() + 1;
}

std::string sample_text(Index place, double value, int rate) {
  return fmt::format("sample {} ({:.6g} s) is {}", place, static_cast<double>(place - 1) / rate, value);
}

}  // namespace quasar
