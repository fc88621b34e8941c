"""What starts a step on a board without a system: Arm's MPS2 with a Cortex-M7, as QEMU has it.

`arm-none-eabi-gcc` links it with newlib's semihosting, by which the board reads the host's files.
"""

LINKER = """\
/* Arm MPS2 (AN500, Cortex-M7): code and constants from 0, what changes from 0x20000000. */
ENTRY(reset)
MEMORY {
  CODE (rx) : ORIGIN = 0x00000000, LENGTH = 4M
  DATA (rwx) : ORIGIN = 0x20000000, LENGTH = 4M
}
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) *(.ARM.ex*) . = ALIGN(8); } > CODE
  .data : { data_start = .; *(.data*) . = ALIGN(8); data_end = .; } > DATA AT > CODE
  data_from = LOADADDR(.data);
  .bss (NOLOAD) : { bss_start = .; *(.bss*) *(COMMON) . = ALIGN(8); bss_end = .; } > DATA
  end = .;
  stack_top = ORIGIN(DATA) + LENGTH(DATA);
}
"""

BOARD = """\
/* Starts main.c on Arm's MPS2 board (AN500, Cortex-M7), or in QEMU:

   arm-none-eabi-gcc -mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard -mthumb -std=gnu99 -O2 \\
     -fno-strict-aliasing -ffp-contract=off -ffunction-sections -fdata-sections -Wl,--gc-sections \\
     --specs=rdimon.specs -nostartfiles -T mps2.ld main.c step.c mps2.c -lm -o train.elf
   qemu-system-arm -M mps2-an500 -nographic -semihosting-config enable=on,target=native \\
     -kernel train.elf

   It trains on samples.bin and writes weights.bin; -DRATE='"0.05"' and -DEPOCHS='"3"' say how. */
#include <stdint.h>
#include <stdlib.h>

#ifndef RATE
#define RATE "0.01"
#endif
#ifndef EPOCHS
#define EPOCHS "1"
#endif

extern uint8_t data_start[], data_end[], data_from[], bss_start[], bss_end[], stack_top[];
void initialise_monitor_handles(void);
int main(int, char **);

void reset(void) {
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the floating-point unit is on */
  for (uint8_t *to = data_start, *from = data_from; to < data_end;) *to++ = *from++;
  for (uint8_t *to = bss_start; to < bss_end;) *to++ = 0;
  initialise_monitor_handles();
  char *words[] = {"train", "samples.bin", RATE, EPOCHS, "weights.bin", 0};
  exit(main(5, words));
}

/* what exit() calls, which -nostartfiles leaves out */
void _fini(void) {}

static void stop(void) {
  for (;;) continue;
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    stack_top, reset, stop, stop, stop, stop, stop};
"""
