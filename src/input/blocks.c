/* Cutting blocks. A part goes through these steps: open its source, read the first bytes,
 * detect the format, read the header, find the shard, then cut block after block until the
 * source ends. */
#include "input/blocks.h"

#include "base/text.h"
#include "input/shard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A block and the batch made from it should fit in the L2 cache of a core. Words take up
 * several times the space of their letters, and conjunctions make many features of one line. */
#define BLOCK       ((size_t)1 << 18)
#define TEXT_BLOCK  ((size_t)1 << 17) /* formats that hold running text */
#define SMALL_BLOCK ((size_t)1 << 16) /* with conjunctions, crosses or negations */
#define TINY_BLOCK  ((size_t)1 << 12) /* with conjunctions of three: a line makes thousands */
#define PROBE       ((size_t)1 << 16) /* bytes from which the format is detected */

/* The size of all parts for the progress bar; 0 if that of any is not known. */
static uint64_t total_size(const thr_input *in)
{
    uint64_t total = 0;
    for (size_t i = 0; i < in->n_parts; i++) {
        struct stat st;
        if (in->part[i].read)
            return 0;
        else if (!in->part[i].path)
            total += in->part[i].size;
        else if (stat(in->part[i].path, &st) == 0 && S_ISREG(st.st_mode))
            total += (uint64_t)st.st_size;
        else
            return 0;
    }
    return in->shards > 1 ? total / in->shards : total;
}

void thr_blocks_init(thr_blocks *b, const thr_input *in, const thr_reader_settings *settings,
                     const thr_format *prefer)
{
    *b = (thr_blocks){.in = in, .settings = settings, .prefer = prefer, .total = total_size(in)};
    b->bare = *settings;
    b->bare.labelled = false;
    b->bare.found_bare = true;
    b->now = settings;
}

/* Closes the part and moves on to the next. Its header stays, since blocks may still point to
 * it. */
static void part_done(thr_blocks *b)
{
    if (!b->source)
        return;
    b->taken = thr_blocks_taken(b);
    thr_source_close(b->source);
    b->source = NULL;
    b->part++;
}

void thr_blocks_clear(thr_blocks *b)
{
    part_done(b);
    for (size_t i = 0; i < b->n_kept; i++)
        b->kept[i].format->header_free(b->kept[i].header);
    free(b->kept);
    thr_bytes_clear(&b->carry);
}

uint64_t thr_blocks_taken(const thr_blocks *b)
{
    uint64_t here = b->source ? thr_source_taken(b->source) : 0;
    return b->taken + (here > b->begin ? here - b->begin : 0);
}

/* ---- filling ------------------------------------------------------------------------------ */

/* The number of bytes up to and including the last newline; 0 if there is none. */
static size_t last_newline(const char *p, size_t n)
{
    const char *at = n ? memrchr(p, '\n', n) : NULL;
    return at ? (size_t)(at - p) + 1 : 0;
}

/* Reads until the carry has `size` bytes, or the source ends. From a pipe it takes less, as
 * soon as there is a whole record: a program that writes a line and waits for the prediction
 * must not wait for the block to fill up. */
static int fill(thr_blocks *b, size_t size, thr_error *err)
{
    if (!thr_grow(&b->carry.p, &b->carry.room, size + 1, 1))
        return thr_fail_memory(err);
    bool live = thr_source_live(b->source);
    while (b->carry.n < size && !b->at_end) {
        uint64_t left = b->seeks ? b->to - thr_source_taken(b->source) : UINT64_MAX;
        size_t room = size - b->carry.n;
        long n = thr_source_read(b->source, b->carry.p + b->carry.n,
                                 room < left ? room : (size_t)left, err);
        if (n < 0)
            return (int)n;
        b->at_end = n == 0;
        b->carry.n += (size_t)n;
        if (live && last_newline(b->carry.p, b->carry.n))
            return 0;
    }
    return 0;
}

/* How many of the n bytes are whole records. At the end of the source all that is left is: the last
 * line may lack its newline. A format with frames also says how many of them make a block. */
static size_t cut(const thr_blocks *b, const char *p, size_t n)
{
    size_t whole = b->at_end && !b->format->parse_block ? n
                   : b->format->cut                     ? b->format->cut(p, n)
                                                        : last_newline(p, n);
    return b->at_end && whole == 0 ? n : whole;
}

/* The greatest size of a record. A line takes more bytes in a cache, where every name has its
 * length and every feature a number: up to 11 for a feature of 4. */
static size_t most_bytes(const thr_blocks *b)
{
    size_t most = b->in->max_line;
    return b->format->parse_block && most <= SIZE_MAX / 4 ? most * 4 : most;
}

/* The line is counted from the start of the block; the stream adds the lines before it. */
static int too_long(const thr_blocks *b, uint64_t header_lines, thr_error *err)
{
    thr_fail(err, THR_EDATA, "a %s is longer than %zu bytes (see --max-line)",
             b->format->parse_block ? "block" : "line", most_bytes(b));
    return thr_fail_at(err, thr_input_name(b->in, b->part), header_lines + 1, 0);
}

/* ---- the head of a part ------------------------------------------------------------------- */

/* A cache was made from something that may have had columns. */
static bool has_columns(const thr_format *f)
{
    return f == &thr_format_csv || f == &thr_format_text || f == &thr_format_jsonl ||
           f == &thr_format_cache || f == &thr_format_conll;
}

/* Columns exist in CSV, in tab-separated text and, as keys, in JSON lines. Names of columns need a
 * header, so they mean CSV; with numbers, a first line with tabs that does not look like a CSV
 * header is text. */
static const thr_format *format_of_columns(const thr_blocks *b, const char *p, size_t n)
{
    bool named = b->settings->columns.named;
    if (!named && (b->prefer == &thr_format_csv || b->prefer == &thr_format_text))
        return b->prefer;
    if (thr_format_jsonl.probe(p, n, true))
        return &thr_format_jsonl;
    const char *newline = memchr(p, '\n', n);
    bool tab = memchr(p, '\t', newline ? (size_t)(newline - p) : n);
    bool table = named || thr_format_csv.probe(p, n, b->settings->labelled);
    return tab && !table ? &thr_format_text : &thr_format_csv;
}

/* The format of data that may have no labels. Formats of running text recognise labelled lines for
 * certain. If the model was trained on such a format, a line that only might be of a format with
 * features is text without a label. */
static const thr_format *detect_bare(const thr_blocks *b, const char *p, size_t n)
{
    const thr_format *f = thr_format_detect(p, n, true, b->prefer);
    bool text = b->prefer && (b->prefer->holds & THR_HOLDS_TEXT);
    bool sure = f && (f->holds & THR_HOLDS_TEXT || f == &thr_format_cache || !text ||
                      (f == &thr_format_svmlight && f->probe(p, n, true) >= 90));
    if (sure)
        return f;
    if (thr_format_csv.probe(p, n, false) >= 60)
        return &thr_format_csv;
    return thr_format_detect(p, n, false, b->prefer);
}

/* A table whose header names no label column fits no format where labels are needed. It is read as
 * CSV all the same, which then says what the names are. */
static const thr_format *detect_labelled(const thr_blocks *b, const char *p, size_t n)
{
    bool labelled = b->settings->labelled;
    const thr_format *f = thr_format_detect(p, n, labelled, b->prefer);
    return !f && labelled && thr_format_csv.probe(p, n, false) ? &thr_format_csv : f;
}

/* Sets b->format: the one given, else by the columns, else by the first whole lines. */
static int detect(thr_blocks *b, thr_error *err)
{
    /* A UTF-8 byte-order mark would otherwise belong to the first word or label. */
    if (b->carry.n >= 3 && memcmp(b->carry.p, "\xef\xbb\xbf", 3) == 0) {
        b->carry.n -= 3;
        memmove(b->carry.p, b->carry.p + 3, b->carry.n);
    }
    size_t n = b->carry.n < PROBE ? b->carry.n : PROBE, whole = last_newline(b->carry.p, n);
    b->format = b->in->format;
    if (!b->format && b->prefer && b->prefer->holds & THR_HOLDS_TOKENS)
        b->format = b->prefer; /* many other lines are columns as well, so nothing is to be found out */
    if (b->format && b->in->columns.given && !has_columns(b->format)) {
        thr_fail(err, THR_EUSE, "--columns is for csv, text, jsonl and conll, not for %s",
                 b->format->name);
        return thr_fail_at(err, thr_input_name(b->in, b->part), 0, 0);
    }
    if (b->format == &thr_format_text && b->settings->columns.named)
        b->format = &thr_format_csv; /* "tsv" with a header */
    if (!b->format && b->settings->columns.given)
        b->format = format_of_columns(b, b->carry.p, n);
    if (!b->format)
        b->format =
            (b->settings->detect ? detect_bare : detect_labelled)(b, b->carry.p, whole ? whole : n);
    if (!b->format) {
        bool blank = true;
        for (size_t i = 0; i < b->carry.n && blank; i++)
            blank = thr_is_blank(b->carry.p[i]) || b->carry.p[i] == '\n' || b->carry.p[i] == '\r';
        thr_fail(err, THR_EDATA,
                 blank
                     ? "there are only blank lines here"
                     : "cannot tell what format this is: name it with -f (a line of text is label, "
                       "tab, text; where no labels are needed, say --no-label)");
        return thr_fail_at(err, thr_input_name(b->in, b->part), 1, 1);
    }
    return 0;
}

static uint64_t count_lines(const char *p, size_t n)
{
    uint64_t lines = 0;
    const char *end = p + n;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        lines++;
        p++;
    }
    return lines;
}

/* Lets the format look at the first record: the columns that were chosen must be there, and a part
 * without labels is read with other settings. A record that is too long is left to the parser. */
static int look(thr_blocks *b, thr_error *err)
{
    const thr_format *f = b->format;
    bool labelled = b->settings->labelled;
    b->now = b->settings;
    if (!f->look || !(b->settings->detect || b->settings->columns.given))
        return 0;
    int code;
    while ((code = f->look(b->settings, b->carry.p, b->carry.n, b->at_end, &labelled, err)) == 0 &&
           b->carry.n <= b->in->max_line && !b->at_end) {
        code = fill(b, b->carry.n * 2 + BLOCK, err);
        if (code)
            return code;
    }
    if (code < 0)
        return thr_fail_at(err, thr_input_name(b->in, b->part), 1, 0);
    if (b->settings->detect && !labelled)
        b->now = &b->bare;
    return 0;
}

/* Parses the header of the part, if the format has one, removes it from the carry, and keeps it for
 * the blocks that point to it. Reads more until the header is complete. *lines is the number of
 * lines it takes up. */
static int read_header(thr_blocks *b, uint64_t *lines, thr_error *err)
{
    const thr_format *f = b->format;
    long n;
    *lines = 0;
    if (!f->header)
        return 0;
    while ((n = f->header(b->now, b->carry.p, b->carry.n, b->at_end, &b->header, err)) == 0 &&
           !b->header) {
        if (b->carry.n > b->in->max_line)
            return too_long(b, 0, err);
        int code = fill(b, b->carry.n * 2 + BLOCK, err);
        if (code)
            return code;
    }
    if (n < 0)
        return thr_fail_at(err, thr_input_name(b->in, b->part), err && err->line ? err->line : 1,
                           err ? err->column : 0);
    if (n > 2 && !f->parse_block && (size_t)n - 2 > b->in->max_line)
        return too_long(b, 0, err);
    if (!f->parse_block)
        *lines = count_lines(b->carry.p, (size_t)n);
    b->carry.n -= (size_t)n;
    memmove(b->carry.p, b->carry.p + n, b->carry.n);
    if (!thr_grow(&b->kept, &b->kept_room, b->n_kept + 1, sizeof *b->kept)) {
        f->header_free(b->header);
        return thr_fail_memory(err);
    }
    b->kept[b->n_kept++] = (struct thr_read_header){f, b->header};
    return 0;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Gives the first n bytes of the carry to the block. The block takes over the memory of the
 * carry, and the rest is copied into the block's old memory, which becomes the new carry: only
 * the few bytes of an incomplete record are copied, and nothing is allocated in the long run. */
static int take(thr_blocks *b, size_t n, thr_block *block, thr_error *err)
{
    thr_bytes rest = {block->bytes.p, 0, block->bytes.room};
    if (!thr_bytes_add(&rest, b->carry.p + n, b->carry.n - n)) {
        block->bytes = rest;
        return thr_fail_memory(err);
    }
    block->bytes = (thr_bytes){b->carry.p, n, b->carry.room};
    b->carry = rest;
    block->part = b->part;
    block->format = b->format;
    block->header = b->header;
    block->settings = b->now;
    b->first = false;
    return 0;
}

static size_t block_size(const thr_blocks *b)
{
    if (b->settings->features.conjoin > 2)
        return TINY_BLOCK;
    if (b->settings->features.conjoin > 1 || b->settings->features.n_crosses ||
        b->settings->features.negate[0])
        return SMALL_BLOCK;
    return b->format && b->format->holds & THR_HOLDS_TEXT ? TEXT_BLOCK : BLOCK;
}

/* Fills the carry until it holds at least one whole record; *n is how many bytes are whole
 * records, 0 at the end of the part. A record that is longer than a block makes the carry grow,
 * up to its greatest size. */
static int gather(thr_blocks *b, uint64_t header_lines, size_t *n, thr_error *err)
{
    size_t size = block_size(b), most = most_bytes(b);
    /* What was read with the header may hold a record already. A pipe may bring nothing more
     * for a long time, so that is tried before reading. */
    int code = b->first && b->carry.n ? 0 : fill(b, size, err);
    *n = 0;
    while (code == 0 && (*n = cut(b, b->carry.p, b->carry.n)) == 0 && !b->at_end) {
        if (b->carry.n > most)
            return too_long(b, header_lines, err);
        size_t more = b->carry.n < most / 2 ? b->carry.n * 2 : most + 1;
        code = fill(b, more > size ? more : size, err);
    }
    return code;
}

/* 1 and the next block of the part being read, 0 at its end, or a negative code. The first call for
 * a part detects the format, reads the header and finds the shard. Other shards than the first do
 * not begin at the top of the part, so their lines are counted from 0. */
static int next_of_part(thr_blocks *b, thr_block *block, thr_error *err)
{
    block->header_lines = 0;
    block->first = b->first;
    int code = b->format ? 0 : fill(b, block_size(b), err);
    if (code == 0 && !b->format && b->carry.n) {
        code = detect(b, err);
        if (code == 0)
            code = look(b, err);
        if (code == 0)
            code = read_header(b, &block->header_lines, err);
        if (code == 0 && b->in->shards > 1) {
            block->header_lines = b->in->shard ? 0 : block->header_lines;
            code = thr_shard_begin(b, err);
        }
    }
    if (code || !b->format)
        return code;
    size_t n;
    do {
        code = gather(b, block->header_lines, &n, err);
        if (code || n == 0)
            return code;
        n = b->picks ? thr_shard_pick(b, n) : n;
    } while (n == 0 && !b->over);
    if (n == 0)
        return 0;
    code = take(b, n, block, err);
    return code ? code : 1;
}

int thr_blocks_next(thr_blocks *b, thr_block *block, thr_error *err)
{
    while (b->part < b->in->n_parts) {
        if (!b->source) {
            b->source = thr_input_open_part(b->in, b->part, err);
            if (!b->source)
                return err && err->code ? err->code : THR_EIO;
            b->format = NULL;
            b->header = NULL;
            b->first = true;
            b->at_end = false;
            b->carry.n = 0;
            b->seeks = b->picks = b->over = false;
            b->begin = 0;
        }
        int code = next_of_part(b, block, err);
        if (code)
            return code;
        part_done(b);
    }
    return 0;
}
