/* Runs the command that was compiled for another CPU in an emulator, for the tests of scripts/test-aarch64. They
 * start the command under many names, which are its first argument: a script would lose it.
 *
 * The compiler is told EMULATOR, the emulator and its options as strings with commas between them, and COMMAND, the
 * path of the program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
    char *emulator[] = {EMULATOR, "-0", arguments[0], COMMAND};
    size_t words = sizeof emulator / sizeof *emulator;
    char **all = calloc(words + (size_t)count, sizeof *all);
    if (!all) {
        perror("emulated");
        return 126;
    }
    memcpy(all, emulator, sizeof emulator);
    memcpy(all + words, arguments + 1, (size_t)count * sizeof *all);
    execvp(all[0], all);
    fprintf(stderr, "emulated: %s: %s\n", all[0], strerror(errno));
    return 127;
}
