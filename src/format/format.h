/* Formats: a block of bytes becomes a batch, and examples become bytes again.
 *
 * A format is one file and one row of thr_formats (format.c). Parsing is pure: its result depends
 * on the block, on the header of its file and on the parser's settings only. So several threads
 * parse different blocks at the same time, each with its own thr_parser. */
#ifndef THR_FORMAT_FORMAT_H
#define THR_FORMAT_FORMAT_H

#include "format/columns.h"
#include "sentence/sentence.h"

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
    THR_SCALES_LATER = 256,    /* examples are scaled to unit length by the reader, not before */
    THR_HOLDS_LABELS = 512,    /* several labels for one example */
    THR_HOLDS_CANDIDATES = 1024,
    THR_HOLDS_TOKENS = 4096, /* tokens of sentences */
    THR_NUMBERS_NAMES = 2048, /* writes each name once and then its number; can use ids for that */
};

/* The settings for reading that all formats share. */
typedef struct thr_reader_settings {
    thr_features features;
    thr_columns columns;
    bool labelled;   /* examples have labels; if not, labels that are present are ignored */
    bool optional;   /* if they have, one may lack its label: a text line without a tab or with
                        nothing before it, a record with an empty or no label field. In snow the
                        first item is always the label */
    bool detect;     /* whether a file has labels is found out from its beginning */
    bool found_bare; /* ... and this one has none: a line that may have one is an error */
    bool multilabel; /* an example may have several labels */
    bool empty_sets; /* ... or none, which is then known of it */
    bool numbers;    /* labels must be numbers */
    bool strict;     /* a byte of running text that is not UTF-8 is an error */
    enum thr_on_error on_error;
    size_t max_line; /* longest line in bytes; 0: any length */
} thr_reader_settings;

/* The state of parsing one block. Each thread has its own. */
typedef struct thr_parser {
    const thr_reader_settings *settings;
    thr_feature_scratch scratch;
    thr_batch *batch;
    const void *header;   /* what format->header made for this file, or NULL */
    const char *line;     /* start of the record being parsed */
    const char *limit;    /* end of the block: bytes before it may be read */
    uint32_t line_number; /* of that record within the block, from 0 */
    const char *nul;      /* the first NUL byte of that record, or NULL */
    thr_bytes buffer;     /* scratch memory of the format, empty at the start of a block */
    thr_sentence sentence; /* the same, of formats of sentences */
} thr_parser;

/* Records a problem at the byte `at`, which lies in the current record. Always returns THR_EDATA,
 * so that it can be returned at once. */
int thr_parser_fail(thr_parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The state of writing one file. */
typedef struct thr_writer {
    thr_bytes out;                /* what was written; the caller takes it away and empties it */
    const thr_batch *batch;       /* the examples at hand */
    uint64_t written;             /* examples so far: csv writes its header before the first */
    void *state;                  /* the format's own; freed by format->write_end */
    const thr_features *features; /* the settings that the features were made with */
    bool by_id;                   /* cache: the batch has ids, and each id is one name */
    uint64_t stamp;               /* cache: identifies the data it is made from; 0: not known */
    thr_error *err;
} thr_writer;

typedef struct thr_format {
    const char *name, *help;
    const char *other_name; /* a second name, or NULL */
    bool numeric_labels;    /* labels may be numbers: `+1`, `1` and `1.0` are one label */
    unsigned holds;         /* THR_HOLDS_... */
    /* How well the first bytes fit, 0 (no) to 100 (certain). They end at a line's end unless the
     * line is longer than what was read. `labelled` as in the settings. */
    int (*probe)(const char *p, size_t n, bool labelled);
    /* Reads the head of a file; NULL if the format has none. Returns how many bytes the head has,
     * and in *header what was made from it, which belongs to the file and goes to header_free; or a
     * negative code; or 0 without a *header if it needs more bytes (never if `at_end`). */
    long (*header)(const thr_reader_settings *s, const char *p, size_t n, bool at_end,
                   void **header, thr_error *err);
    void (*header_free)(void *header);
    /* Looks at the first record of a file, which stays where it is. Returns 1 and in *labelled
     * whether it has a label; 0 if more bytes are needed (never if `at_end`); or a negative code if
     * the settings do not fit the file. NULL: a record always has a label, or the parser can tell
     * for each record whether it has one. */
    int (*look)(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool *labelled,
                thr_error *err);
    /* How many of the n bytes are whole records, 0 if there is no whole record. NULL: up to the
     * last newline. */
    size_t (*cut)(const char *p, size_t n);
    /* The end of the record that begins at p, behind its newline. NULL: the next newline. */
    const char *(*record_end)(const char *p, const char *limit);
    /* Parses one record, without its line end, into the example that thr_format_parse has opened
     * and will close. Returns 0, THR_EDATA after thr_parser_fail, or 1 for "not an example" (blank
     * line, comment). */
    int (*parse)(thr_parser *p, const char *at, const char *end);
    /* Instead of `parse`: parses the whole block at once (cache). */
    int (*parse_block)(thr_parser *p, const char *at, const char *end);
    /* Appends example e of w->batch to w->out. Returns 0 or a code with w->err set. */
    int (*write)(thr_writer *w, size_t e);
    /* Writes what comes behind the last example, and frees w->state. May be NULL. */
    int (*write_end)(thr_writer *w);
} thr_format;

extern const thr_format thr_format_svmlight, thr_format_vw, thr_format_text, thr_format_fasttext,
    thr_format_snow, thr_format_csv, thr_format_jsonl, thr_format_conll, thr_format_slash,
    thr_format_words, thr_format_cache;
extern const thr_format *const thr_formats[]; /* NULL-terminated */

const thr_format *thr_format_find(const char *name);      /* by either name; NULL: not found */
int thr_format_unknown(const char *name, thr_error *err); /* an error that lists all formats */
/* The format that fits the first bytes of a file best, NULL if none fits. `prefer`, which may be
 * NULL, wins if it fits at least half as well as the best, or if it holds running text and fits at
 * all: text may look like anything. */
const thr_format *thr_format_detect(const char *p, size_t n, bool labelled,
                                    const thr_format *prefer);
/* Parses a block of whole records and appends the examples to p->batch. Problems are recorded
 * there; parsing stops at the first one if settings->on_error is THR_STOP. A NUL byte outside of
 * running text is a problem, and a `\r` before `\n` is dropped. */
void thr_format_parse(const thr_format *f, thr_parser *p, const char *at, const char *end);

#endif
