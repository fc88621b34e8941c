"""The texts around a step: its file, a program that trains on samples of a file, and CMake's."""

STEP = """\
/* A training step: forward, backward and updates in one function. No memory is allocated. */
#include "step.h"

#include <math.h>

#include "weights.h"

#if defined(__GNUC__) /* not all of these are needed in every step */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

enum {{ CANARY_BYTES = 64, CANARY = 0xA5 }};

/* The arena, between bytes that nobody may change; the number is there for its alignment. */
static struct {{
  uint8_t before[CANARY_BYTES];
  union {{
    int64_t alignment;
    uint8_t bytes[ARENA_BYTES];
  }} arena;
  uint8_t after[CANARY_BYTES];
}} block;

static int is_set;

static void set_canaries(void) {{
  for (int i = 0; i < CANARY_BYTES; i++) block.before[i] = block.after[i] = CANARY;
  is_set = 1;
}}

int arena_is_intact(void) {{
  for (int i = 0; i < CANARY_BYTES; i++)
    if (is_set && (block.before[i] != CANARY || block.after[i] != CANARY)) return 0;
  return 1;
}}

static void copy(uint8_t *to, const uint8_t *from, int bytes) {{
  for (int i = 0; i < bytes; i++) to[i] = from[i];
}}

{library}
int wrong_part(int64_t *found) {{
  *found = 0;
{checks}  return -1;
}}

{steps}float train_in_place(float lr) {{
  int64_t found;
  if (wrong_part(&found) >= 0) return NAN;
{begin}  if (!is_set) set_canaries();
{statements}
  return {loss};
}}

void *sample_part(int number, size_t *bytes) {{
{parts}
  *bytes = 0;
  return 0;
}}

{signature} {{
{copies}
  return train_in_place(lr);
}}

const void *updated_part(int number, size_t *bytes) {{
{changing}
  *bytes = 0;
  return 0;
}}
"""

MAIN = """\
/* Trains on samples from a file: records of a sample's parts, one after the other, as PyTorch has
   them in memory. Each part is read to where the step wants it, so no second copy takes memory.
   Usage: train SAMPLES [LEARNING_RATE [EPOCHS [WEIGHTS]]]. It prints the loss of each step; WEIGHTS
   is written with what was updated. */
#include <stdio.h>
#include <stdlib.h>

#include "step.h"

/* Whether there was a whole sample more. */
static int read_sample(FILE *file) {
  size_t bytes;
  for (int part = 0;; part++) {
    void *place = sample_part(part, &bytes);
    if (bytes == 0) return 1;
    if (place ? fread(place, 1, bytes, file) != bytes : fseek(file, (long)bytes, SEEK_CUR) != 0)
      return 0;
  }
}

static int save(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  size_t bytes;
  for (int part = 0;; part++) {
    const void *data = updated_part(part, &bytes);
    if (!data) break;
    fwrite(data, 1, bytes, file);
  }
  return fclose(file) == 0;
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: %s SAMPLES [LEARNING_RATE [EPOCHS [WEIGHTS]]]\\n", words[0]);
    return 2;
  }
  FILE *samples = fopen(words[1], "rb");
  if (!samples) {
    fprintf(stderr, "%s cannot be read\\n", words[1]);
    return 2;
  }
  const float lr = count > 2 ? strtof(words[2], NULL) : 0.01f;
  const int epochs = count > 3 ? atoi(words[3]) : 1;
  for (int epoch = 0; epoch < epochs; epoch++) {
    rewind(samples);
    for (int number = 0; read_sample(samples); number++) {
      int64_t found;
      const int part = wrong_part(&found);
      if (part >= 0) {
        fprintf(stderr, "part %d of sample %d has %lld, which is no class or row that there is\\n",
                part, number, (long long)found);
        return 1;
      }
      printf("%.9g\\n", (double)train_in_place(lr));
    }
  }
  fclose(samples);
  if (!arena_is_intact()) {
    fprintf(stderr, "the arena's borders were written to\\n");
    return 1;
  }
  return count > 4 && !save(words[4]);
}
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project(train C)
set(CMAKE_C_STANDARD 99)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_executable(train main.c step.c)
# values of several types share the arena, one after the other
target_compile_options(train PRIVATE -Wall -Wextra -fno-strict-aliasing -ffp-contract=off)
target_link_libraries(train m)
"""
