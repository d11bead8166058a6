/* Forged model files: a file is taken apart into its sections, these are changed, and it is put
 * together again with sizes and checksums that fit. So the change reaches the code behind the
 * checksums, as that of somebody who wants to do harm would. Used by unit tests and by fuzzing. */
#ifndef FORGE_HELP_H
#define FORGE_HELP_H

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "file/file.h"

typedef struct forged {
    uint32_t version, flags, sections;
    uint64_t listed;
    struct {
        char *p;
        size_t n;
    } part[THR_MOST_SECTIONS];
} forged;

static inline void forge_clear(forged *f)
{
    for (uint32_t i = 0; i < f->sections; i++)
        free(f->part[i].p);
    *f = (forged){0};
}

/* Replaces a section by a copy of n bytes. */
static inline void forge_set(forged *f, uint32_t section, const void *p, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy)
        abort();
    if (n)
        memcpy(copy, p, n);
    free(f->part[section].p);
    f->part[section].p = copy;
    f->part[section].n = n;
}

/* Takes a file apart; false if its head or index makes no sense. Checksums are ignored. */
static inline bool forge_open(forged *f, const void *bytes, size_t size)
{
    thr_file_head head;
    *f = (forged){0};
    if (size < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    size_t index = head.sections * sizeof(thr_file_section);
    if (memcmp(head.magic, THR_FILE_MAGIC, sizeof head.magic) != 0 ||
        head.sections < THR_SECTIONS || head.sections > THR_MOST_SECTIONS ||
        size - sizeof head < index)
        return false;
    f->version = head.version;
    f->flags = head.flags;
    f->listed = head.listed;
    for (uint32_t i = 0; i < head.sections; i++) {
        thr_file_section s;
        memcpy(&s, (const char *)bytes + sizeof head + i * sizeof s, sizeof s);
        f->sections = i + 1;
        if (s.offset > size || s.size > size - s.offset) {
            forge_clear(f);
            return false;
        }
        forge_set(f, i, (const char *)bytes + s.offset, (size_t)s.size);
    }
    return true;
}

static inline size_t forge_aligned(size_t n)
{
    return (n + THR_FILE_ALIGN - 1) / THR_FILE_ALIGN * THR_FILE_ALIGN;
}

/* Makes the checksums right of a file whose head says where they are. */
static inline void forge_stamp(char *file)
{
    thr_file_head head;
    memcpy(&head, file, sizeof head);
    head.hash = thr_hash(&head, offsetof(thr_file_head, hash), 0);
    memcpy(file, &head, sizeof head);
    uint64_t *hash = (uint64_t *)(void *)(file + head.hashes);
    size_t chunks = thr_guard_chunks(head.hashes);
    for (size_t i = 0; i < chunks; i++) {
        size_t left = head.hashes - i * THR_CHUNK;
        hash[i] = thr_hash(file + i * THR_CHUNK, left < THR_CHUNK ? left : THR_CHUNK, 0);
    }
    hash[chunks] = thr_hash(hash, chunks * sizeof *hash, 0);
}

/* The file of these sections, whose bytes the caller frees. */
static inline char *forge_file(const forged *f, size_t *size)
{
    size_t end = sizeof(thr_file_head) + f->sections * sizeof(thr_file_section);
    for (uint32_t i = 0; i < f->sections; i++)
        end = forge_aligned(end) + f->part[i].n;
    size_t hashes = forge_aligned(end);
    *size = hashes + (thr_guard_chunks(hashes) + 1) * sizeof(uint64_t);
    thr_file_head head = {.version = f->version,
                          .flags = f->flags,
                          .listed = f->listed,
                          .size = *size,
                          .hashes = hashes,
                          .sections = f->sections};
    memcpy(head.magic, THR_FILE_MAGIC, sizeof head.magic);
    char *file = calloc(*size, 1);
    if (!file)
        abort();
    memcpy(file, &head, sizeof head);
    end = sizeof head + f->sections * sizeof(thr_file_section);
    for (uint32_t i = 0; i < f->sections; i++) {
        thr_file_section s = {forge_aligned(end), f->part[i].n};
        memcpy(file + sizeof head + i * sizeof s, &s, sizeof s);
        if (s.size)
            memcpy(file + s.offset, f->part[i].p, s.size);
        end = s.offset + s.size;
    }
    forge_stamp(file);
    return file;
}

/* Writes n bytes into a section at an offset. */
static inline void forge_patch(forged *f, uint32_t section, size_t at, const void *p, size_t n)
{
    if (at > f->part[section].n || n > f->part[section].n - at)
        abort();
    memcpy(f->part[section].p + at, p, n);
}

static inline void forge_u32(forged *f, uint32_t section, size_t at, uint32_t v)
{
    forge_patch(f, section, at, &v, sizeof v);
}

static inline void forge_u64(forged *f, uint32_t section, size_t at, uint64_t v)
{
    forge_patch(f, section, at, &v, sizeof v);
}

static inline void forge_f64(forged *f, uint32_t section, size_t at, double v)
{
    forge_patch(f, section, at, &v, sizeof v);
}

#endif
