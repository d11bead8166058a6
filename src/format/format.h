/* Formats: a block of bytes becomes a batch, and examples become bytes again.
 *
 * A format is one file and one row of thr_formats (format.c). Parsing is pure: it depends on the
 * block, on the header of its file and on the parser's settings, so several threads parse
 * different blocks at once. */
#ifndef THR_FORMAT_FORMAT_H
#define THR_FORMAT_FORMAT_H

#include "example/features.h"

/* What a format can hold; conversion refuses what the target cannot. */
enum {
    THR_HOLDS_TEXT = 1,     /* running text */
    THR_HOLDS_INTEGERS = 2, /* integer features in the empty namespace */
    THR_HOLDS_NAMES = 4,    /* named features */
    THR_HOLDS_NAMESPACES = 8,
    THR_HOLDS_VALUES = 16,
    THR_HOLDS_IMPORTANCE = 32,
    THR_HOLDS_TAG = 64,
    THR_HOLDS_ANY_LABEL = 128, /* labels that are not numbers */
    THR_SCALES_LATER = 256,    /* ... and leaves unit length to the reading */
    THR_HOLDS_LABELS = 512,    /* several for one example */
    THR_HOLDS_CANDIDATES = 1024,
    THR_NUMBERS_NAMES = 2048, /* writes a name once, then its number: goes by ids where it can */
};

typedef struct thr_columns {
    unsigned label, id, text; /* from 1; 0: none */
    bool given;
} thr_columns;

/* How to read: the settings shared by all formats. */
typedef struct thr_reader_settings {
    thr_features features;
    thr_columns columns;
    bool labelled;
    bool multilabel; /* an example may have several labels */
    bool numbers;    /* labels must be numbers */
    bool strict;
    enum thr_on_error on_error;
    size_t max_line; /* 0: any length */
} thr_reader_settings;

/* One per thread. */
typedef struct thr_parser {
    const thr_reader_settings *settings;
    thr_feature_scratch scratch;
    thr_batch *batch;
    const void *header;   /* what format->header made for this file, or NULL */
    const char *line;     /* start of the record being parsed */
    const char *limit;    /* end of the block: what may be read */
    uint32_t line_number; /* within the block */
    thr_bytes buffer;     /* for unescaping */
} thr_parser;

/* Records a problem at byte `at` of the current record; returns THR_EDATA. */
int thr_parser_fail(thr_parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

typedef struct thr_writer {
    thr_bytes out;
    const thr_batch *batch;
    uint64_t written;             /* examples so far: CSV writes its header before the first */
    void *state;                  /* the format's own; freed by format->write_end */
    const thr_features *features; /* that made the examples */
    bool by_id;                   /* cache: ids are looked up, and each is one name */
    uint64_t stamp;               /* cache: of the data it is made from, 0 if it is not known */
    thr_error *err;
} thr_writer;

typedef struct thr_format {
    const char *name, *help;
    const char *other_name; /* or NULL */
    bool numeric_labels;    /* `+1`, `1` and `1.0` are one label */
    unsigned holds;
    /* How well the first bytes fit, 0 (no) to 100 (certain). They end at a line's end unless the
     * line is longer than what was read. `labelled` as in the settings. */
    int (*probe)(const char *p, size_t n, bool labelled);
    /* Reads the head of a file, if the format has one. Returns the bytes it took, or negative;
     * *header is malloc'ed and belongs to the file. 0 without a *header: more are needed. */
    long (*header)(const thr_reader_settings *s, const char *p, size_t n, bool at_end,
                   void **header, thr_error *err);
    void (*header_free)(void *header);
    /* End of the last whole record in p[0..n), 0 if there is none. NULL: the last newline. */
    size_t (*cut)(const char *p, size_t n);
    /* End of the record that begins at p (behind its newline). NULL: the next newline. */
    const char *(*record_end)(const char *p, const char *limit);
    /* Parses one record, without its line end, between thr_batch_open and close (which the
     * driver calls). Returns 0, THR_EDATA after thr_parser_fail, or 1 for "not an example"
     * (blank line, comment). */
    int (*parse)(thr_parser *p, const char *at, const char *end);
    /* Instead of parse: the whole block at once (cache). */
    int (*parse_block)(thr_parser *p, const char *at, const char *end);
    /* Appends example e of w->batch to w->out. Returns 0 or a code with w->err set. */
    int (*write)(thr_writer *w, size_t e);
    int (*write_end)(thr_writer *w); /* may be NULL */
} thr_format;

extern const thr_format thr_format_svmlight, thr_format_vw, thr_format_text, thr_format_fasttext,
    thr_format_snow, thr_format_csv, thr_format_jsonl, thr_format_cache;
extern const thr_format *const thr_formats[]; /* NULL-terminated */

const thr_format *thr_format_find(const char *name);      /* also by its other name */
int thr_format_unknown(const char *name, thr_error *err); /* says which there are */
/* The best fit, NULL when nothing fits. `prefer` wins when it fits at least half as well as the
 * best, or at all if it is for running text. */
const thr_format *thr_format_detect(const char *p, size_t n, bool labelled,
                                    const thr_format *prefer);
/* Parses a block of whole records into p->batch (which is not reset). Stops at the first problem
 * when settings->on_error is THR_STOP. NUL bytes are a problem, a `\r` before `\n` is dropped. */
void thr_format_parse(const thr_format *f, thr_parser *p, const char *at, const char *end);

#endif
