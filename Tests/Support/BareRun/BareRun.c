// What `swift test` runs when it is not told what: the tests that need no browser, no server and no set-up, a few at a
// time. Begun all at once, as Swift Testing does by itself, tests are late for each other.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEFT "BrowserTests|CommandProgramTests|ExamplesTests|HostileTests|MicroHTTPDTests|RealUpstreamTests|UpstreamTests"

static void say(void) {
    fputs("\nLeft to scripts/test, which installs what they need: ", stderr);
    for (const char *letter = LEFT; *letter != 0; letter++) fputs(*letter == '|' ? ", " : (char[]){*letter, 0}, stderr);
    fputs("\n", stderr);
}

static int begins(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

__attribute__((constructor)) static void choose(int count, char **words) {
    if (getenv("DRAWBRIDGE_BARE_RUN") != NULL) {
        unsetenv("DRAWBRIDGE_BARE_RUN");
        atexit(say);
        return;
    }
    int is_run = 0;
    for (int i = 1; i < count; i++) {
        if (begins(words[i], "--filter") || begins(words[i], "--skip") || begins(words[i], "--list")) return;
        if (i + 1 < count && strcmp(words[i], "--testing-library") == 0)
            is_run = strcmp(words[i + 1], "swift-testing") == 0;
    }
    // A test that has to end its process runs in one of its own (SWT_EXIT_TEST_ID).
    if (!is_run || getenv("SWT_EXIT_TEST_ID") != NULL) return;
    char **more = calloc(count + 3, sizeof *more);
    if (more == NULL) return;
    memcpy(more, words, count * sizeof *more);
    more[count] = "--skip";
    more[count + 1] = "^(" LEFT ")[.]";
    setenv("DRAWBRIDGE_BARE_RUN", "1", 1);
    // Swift Testing knows this from 6.3 on.
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
    execv("/proc/self/exe", more);
    perror("drawbridge: the tests cannot be chosen");
    exit(1);
}
