/* Runs a fuzz target over files, or over all files of folders, without libFuzzer: its corpus as
 * an ordinary test. A target with a mutator of its own also gets MUTANTS changes of each file, or
 * as many as THR_MUTANTS says, always the same ones. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MUTANTS 20
#define ROOM    (1 << 20) /* for a mutant */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
    __attribute__((weak));

/* Stands in for that of libFuzzer, which mutators call. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    for (size_t i = 0; i < size; i += 1 + size / 4)
        data[i] ^= (uint8_t)(1 + i % 255);
    return size;
}

static void run_mutants(const uint8_t *data, size_t size)
{
    const char *asked = getenv("THR_MUTANTS");
    unsigned mutants = asked ? (unsigned)strtoul(asked, NULL, 10) : MUTANTS;
    if (!LLVMFuzzerCustomMutator || size > ROOM)
        return;
    uint8_t *mutant = malloc(ROOM);
    for (unsigned seed = 1; mutant && seed <= mutants; seed++) {
        memcpy(mutant, data, size);
        size_t n = LLVMFuzzerCustomMutator(mutant, size, ROOM, seed);
        LLVMFuzzerTestOneInput(mutant, n);
    }
    free(mutant);
}

static int run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);
    int code = !file || !data || fread(data, 1, size, file) != size;
    if (code)
        perror(path);
    else {
        LLVMFuzzerTestOneInput(data, size);
        run_mutants(data, size);
    }
    free(data);
    if (file)
        fclose(file);
    return code;
}

static int run_path(const char *path, int *runs);

static int run_folder(const char *path, int *runs)
{
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return 1;
    }
    int code = 0;
    for (struct dirent *entry; !code && (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        code = run_path(inner, runs);
    }
    closedir(folder);
    return code;
}

static int run_path(const char *path, int *runs)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (S_ISDIR(info.st_mode))
        return run_folder(path, runs);
    ++*runs;
    return run_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    int code = 0, runs = 0;
    for (int i = 1; !code && i < argc; i++)
        code = run_path(argv[i], &runs);
    printf("%d inputs\n", runs);
    return code || runs == 0;
}
