/* What limits.py needs beside Python: probes of the processor and its memory, and marks that tell
   Callgrind where a stage begins and ends. Without Callgrind, the marks do nothing. */

#include <stdint.h>
#include <valgrind/callgrind.h>

/* Follow a table from an entry on; each step waits for the one before. */
uint32_t chase(const uint32_t *next, uint32_t at, uint64_t steps)
{
    while (steps--)
        at = next[at];
    return at;
}

/* Six operations a step, each of one cycle, and each waits for the one before. */
uint64_t spin(uint64_t steps)
{
    uint64_t x = 1;
    while (steps--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

void begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void end(const char *stage)
{
    CALLGRIND_DUMP_STATS_AT(stage);
    CALLGRIND_STOP_INSTRUMENTATION;
}
