/* CSV and TSV: a header that names the columns, then one example a record, quoted as in RFC 4180
 * (see rfc4180.h).
 *
 *     label,colour,size,text
 *     spam,red,2.5,"win, win"        label spam, features `colour=red` 1, `size` 2.5, and text
 *
 * The separator is the one of `,` TAB `;` that splits the header into most columns. A column is
 * the label, running text, a tag or an importance by its name, or because --columns says so. Any
 * other column is a feature: if the field is a number, the feature `column` with that value,
 * else the feature `column=field` with the value 1. Empty fields and columns without a name are
 * ignored. Blanks around a field without quotes are dropped. */
#include "base/error.h"
#include "base/index.h"
#include "base/number.h"
#include "base/rfc4180.h"
#include "format/decimal.h"
#include "format/lines.h"

#include <stdlib.h>
#include <string.h>

#define DECIMAL_AHEAD 16 /* bytes that are read behind a number */

typedef struct column {
    thr_str name; /* a slice of the header's `names` */
    enum thr_role role;
} column;

/* What the first record of a file says. Shared by all parsers of the file, and const for them. */
typedef struct header {
    char separator;
    size_t n; /* columns */
    column *column;
    char *names;   /* the text of all names */
    bool distinct; /* no two of them are the same */
} header;

/* Names that give a column its role, the best first; compared without regard to ASCII case. */

static const char *const label_names[] = {"label", "y", "class", "target", NULL};
static const char *const text_names[] = {"text", NULL};
static const char *const tag_names[] = {"id", "tag", NULL};
static const char *const importance_names[] = {"importance", NULL};
/* In tables of measurements `weight` is one of them. It was an importance when the numbers of a
 * table were plain features (learner/history.h). */
static const char *const former_importance_names[] = {"weight", "importance", NULL};

/* ---- names of columns --------------------------------------------------------------------- */

/* Skips a UTF-8 byte-order mark. */
static const char *skip_mark(const char *p, size_t n)
{
    return n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? p + 3 : p;
}

static bool same_name(thr_str name, const char *word)
{
    size_t i = 0;
    for (; i < name.n && word[i]; i++) {
        char c = name.p[i];
        if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != word[i])
            return false;
    }
    return i == name.n && !word[i];
}

static bool is_one_of(thr_str name, const char *const *names)
{
    while (*names && !same_name(name, *names))
        names++;
    return *names != NULL;
}

/* ---- probing ------------------------------------------------------------------------------ */

/* Whether the first record looks like a header: one of its fields is the name of a label column, or
 * of a text column if there are no labels. *key becomes the number of that field. In a
 * tab-separated file a name with a blank inside speaks against a header, since a line of the format
 * `text` mostly has blanks. */
static bool names_columns(const char *at, const char *end, char separator, bool labelled,
                          size_t *key)
{
    thr_csv_cursor c = {at, end, separator};
    bool found = false;
    size_t i = 0;
    for (thr_csv_field f; thr_csv_next(&c, &f); i++) {
        thr_str name = {f.at, f.n};
        if (separator == '\t' && memchr(f.at, ' ', f.n))
            return false;
        if (!found &&
            (is_one_of(name, label_names) || (!labelled && is_one_of(name, text_names)))) {
            found = true;
            *key = i;
        }
    }
    return found;
}

/* Field `number` of a record, from 0; with a length of 0 if it has an error. */
static thr_csv_field field_number(const char *at, const char *end, char separator, size_t number)
{
    thr_csv_cursor c = {at, end, separator};
    thr_csv_field f = {.at = at};
    while (thr_csv_next(&c, &f) && number-- > 0)
        ;
    if (f.wrong)
        f.n = 0;
    return f;
}

/* The first record is a header if it names a label column, the next record has as many fields, and
 * the name does not occur in that column again: a class may be called `y` or `class`, and then it
 * does. Without labels, records of equal length are a weak sign (5). */
static int probe(const char *p, size_t n, bool labelled)
{
    const char *at = skip_mark(p, n), *limit = p + n, *next = thr_csv_record_end(at, limit);
    const char *end = thr_without_line_end(at, next);
    size_t columns, key = 0;
    char separator = thr_csv_separator(at, end, &columns);
    if (columns < 2) /* a column of texts, under its name */
        return !labelled && is_one_of((thr_str){at, (size_t)(end - at)}, text_names) ? 60 : 0;
    if (!names_columns(at, end, separator, labelled, &key)) {
        end = labelled ? NULL : thr_csv_whole_record(next, limit);
        const char *stop = end ? thr_without_line_end(next, end) : NULL;
        return stop && thr_csv_count_fields(next, stop, separator) == columns ? 5 : 0;
    }
    thr_csv_field name = field_number(at, end, separator, key);
    for (size_t row = 0; (end = thr_csv_whole_record(next, limit)); row++) {
        const char *stop = thr_without_line_end(next, end);
        if (row == 0 && stop > next && thr_csv_count_fields(next, stop, separator) != columns)
            return 0;
        thr_csv_field f = field_number(next, stop, separator, key);
        if (thr_str_eq((thr_str){f.at, f.n}, (thr_str){name.at, name.n}))
            return 0;
        next = end;
    }
    return 60;
}

/* ---- the header --------------------------------------------------------------------------- */

static void header_free(void *made)
{
    header *h = made;
    if (!h)
        return;
    free(h->column);
    free(h->names);
    free(h);
}

/* Gives the role to the first column that has the best name. Other columns that have one of the
 * names stay features. False: no column has such a name. */
static bool find_role(header *h, enum thr_role role, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < h->n; i++)
            if (h->column[i].role == THR_ROLE_FEATURE && same_name(h->column[i].name, *names)) {
                h->column[i].role = role;
                return true;
            }
    return false;
}

/* Writes the names of the columns, or that `wanted`, if it is not NULL, is none of them. */
static const char *names_text(const header *h, const thr_str *wanted, char *out, size_t room)
{
    thr_str *name = malloc((h->n + 1) * sizeof *name);
    *out = '\0';
    for (size_t i = 0; name && i < h->n; i++)
        name[i] = h->column[i].name;
    if (name && wanted)
        thr_no_such_name(*wanted, "column", name, h->n, out, room);
    else if (name)
        thr_names_text(name, h->n, out, room);
    free(name);
    return out;
}

/* Gives the role to the column that was chosen by number. */
static int place_role(header *h, const struct thr_chosen *c, thr_error *err)
{
    char names[512];
    if (c->number > h->n)
        return thr_fail(err, THR_EDATA, "there is no column %u: the header names %zu, which are %s",
                        c->number, h->n, names_text(h, NULL, names, sizeof names));
    h->column[c->number - 1].role = c->role;
    return 0;
}

/* Gives the role to the column that was chosen by name. Where no labels are needed, as in data to
 * be predicted, only the text must be there. */
static int name_role(header *h, enum thr_role role, thr_str name, bool labelled, thr_error *err)
{
    char names[640];
    size_t found = 0, at = 0;
    for (size_t i = 0; i < h->n; i++)
        if (thr_str_eq(h->column[i].name, name)) {
            found++;
            at = i;
        }
    if (found > 1)
        return thr_fail(err, THR_EDATA, "%zu columns are called \"%s\": choose one by its number",
                        found, thr_quote(name).text);
    if (found == 0 && (labelled || role == THR_ROLE_TEXT))
        return thr_fail(err, THR_EDATA, "%s (--columns)",
                        names_text(h, &name, names, sizeof names));
    if (found)
        h->column[at].role = role;
    return 0;
}

static int no_label_column(const header *h, thr_error *err)
{
    char names[320];
    return thr_fail(err, THR_EDATA,
                    "the first line names no label column: its names are %s. Choose the columns by "
                    "name (--columns label=NAME,text=NAME) or by number (--columns label=1), call "
                    "one label, y, class or target, or, where none are needed, say --no-label",
                    names_text(h, NULL, names, sizeof names));
}

/* Columns that were chosen come before names that mean a role by themselves, so that a chosen
 * column keeps its role. A file whose labels are needed must have a column for them. */
static int give_roles(header *h, const thr_reader_settings *s, thr_error *err)
{
    const thr_columns *c = &s->columns;
    int code = 0;
    for (size_t i = 0; i < c->n && code == 0; i++)
        code = c->chosen[i].number ? place_role(h, &c->chosen[i], err)
                                   : name_role(h, c->chosen[i].role, thr_chosen_name(c, i),
                                               s->labelled && !s->optional, err);
    bool label = thr_columns_have(c, THR_ROLE_LABEL) || find_role(h, THR_ROLE_LABEL, label_names);
    if (!code && !label && s->labelled && !s->optional)
        code = no_label_column(h, err);
    if (code)
        return code;
    bool text = thr_columns_have(c, THR_ROLE_TEXT) || find_role(h, THR_ROLE_TEXT, text_names);
    if (s->optional && !label && !text && !c->given)
        return thr_fail(
            err, THR_EDATA,
            "the first line must be the header, and name a label column (label, y, class "
            "or target) or a text column (text)");
    if (!thr_columns_have(c, THR_ROLE_ID))
        find_role(h, THR_ROLE_ID, tag_names);
    if (!thr_columns_have(c, THR_ROLE_IMPORTANCE))
        find_role(h, THR_ROLE_IMPORTANCE,
                  s->features.numbers ? importance_names : former_importance_names);
    for (size_t i = 0; i < h->n; i++)
        if (h->column[i].role == THR_ROLE_FEATURE && h->column[i].name.n == 0)
            h->column[i].role = THR_ROLE_SKIP;
    return 0;
}

/* Assumes that two names are the same where memory is short: then repeated features are looked for.
 */
static bool all_distinct(const header *h)
{
    thr_index names = {0};
    bool distinct = true;
    for (size_t i = 0; i < h->n && distinct; i++)
        distinct = thr_index_find(&names, h->column[i].name) == UINT32_MAX &&
                   thr_index_add(&names, h->column[i].name, (uint32_t)i);
    thr_index_clear(&names);
    return distinct;
}

static int read_names(header *h, const char *at, const char *end, thr_error *err)
{
    h->column = calloc(h->n, sizeof *h->column);
    h->names = malloc((size_t)(end - at) + 1);
    if (!h->column || !h->names)
        return thr_fail_memory(err);
    thr_csv_cursor c = {at, end, h->separator};
    char *to = h->names;
    size_t i = 0;
    for (thr_csv_field f; thr_csv_next(&c, &f); i++) {
        h->column[i].name = (thr_str){to, thr_csv_undouble(&f, to)};
        to += h->column[i].name.n;
    }
    h->distinct = all_distinct(h);
    return 0;
}

static long read_header(const thr_reader_settings *s, const char *p, size_t n, bool at_end,
                        void **made, thr_error *err)
{
    const char *at = skip_mark(p, n), *next = thr_csv_whole_record(at, p + n);
    if (!next && !at_end)
        return 0;
    next = next ? next : p + n;
    const char *end = thr_without_line_end(at, next);
    header *h = calloc(1, sizeof *h);
    if (!h)
        return thr_fail_memory(err);
    h->separator = thr_csv_separator(at, end, &h->n);
    int code = 0;
    if (at == end || h->n == 0)
        code = thr_fail(err, THR_EDATA, "%s: the first line must name the columns",
                        at == end ? "no header" : "the header has a quote that is not closed");
    else if (memchr(at, '\0', (size_t)(end - at)))
        code = thr_fail(err, THR_EDATA,
                        "the header has a NUL byte: the first line must name the "
                        "columns");
    code = code ? code : read_names(h, at, end, err);
    code = code ? code : give_roles(h, s, err);
    if (code) {
        header_free(h);
        return code;
    }
    *made = h;
    return (long)(next - p);
}

/* Whether what should be the name of a column is data: the file has no header then. A name in a
 * table may have blanks, but a line with blanks that is all of its record is a text. */
static bool is_data(const header *h, const column *c)
{
    bool sentence = h->n == 1 && c->role == THR_ROLE_FEATURE && memchr(c->name.p, ' ', c->name.n);
    return c->name.n && (sentence || thr_looks_numeric(c->name));
}

/* A file has no labels if its header names no column of labels. */
static int look(const thr_reader_settings *s, const char *p, size_t n, bool at_end, bool *labelled,
                thr_error *err)
{
    thr_reader_settings bare = *s;
    void *made = NULL;
    bare.labelled = false;
    long taken = read_header(&bare, p, n, at_end, &made, err);
    if (taken <= 0)
        return (int)taken;
    const header *h = made;
    int code = 1;
    *labelled = false;
    for (size_t i = 0; i < h->n; i++)
        *labelled |= h->column[i].role == THR_ROLE_LABEL;
    for (size_t i = 0; i < h->n && !*labelled && s->detect && code == 1; i++)
        if (is_data(h, &h->column[i]))
            code = thr_fail(err, THR_EDATA,
                            "the first line must name the columns, but \"%s\" is no name",
                            thr_quote(h->column[i].name).text);
    header_free(made);
    return code;
}

/* ---- parsing ------------------------------------------------------------------------------ */

/* The content of a field: a slice of the record, or a copy in the arena if quotes were doubled. */
static thr_str content(thr_batch *b, const thr_csv_field *f)
{
    if (!f->doubled)
        return (thr_str){f->at, f->n};
    char *copy = thr_arena_take(&b->arena, f->n);
    if (!copy) {
        b->failed = true;
        return (thr_str){"", 0};
    }
    return (thr_str){copy, thr_csv_undouble(f, copy)};
}

/* A label in quotes that is an unusual spelling of a number, such as "01", is taken by name: our
 * own writer puts such labels in quotes. */
static int take_label(thr_parser *p, const thr_csv_field *f)
{
    thr_str label = content(p->batch, f);
    if (label.n == 0)
        return thr_parser_wants_label(p) ? thr_parser_fail(p, f->at, "the label is empty") : 0;
    if (f->doubled || (f->quoted && !thr_label_reads_back(label)))
        return thr_parse_name(p, f->at, label);
    return thr_parse_label(p, label);
}

/* If quotes were doubled, the text is a copy, and the place of a bad byte in it is further to the
 * right in the record, by one byte for each quote before it. */
static int take_text(thr_parser *p, const thr_csv_field *f)
{
    const thr_reader_settings *s = p->settings;
    thr_str text = content(p->batch, f);
    if (p->nul && thr_parse_nul(p, &text, f->at))
        return THR_EDATA;
    size_t bad = thr_features_text(&s->features, &p->scratch, p->batch, 0, text, s->strict);
    if (!bad)
        return 0;
    const char *at = f->at + bad - 1;
    for (size_t i = 0; f->doubled && i < bad; i++)
        at += text.p[i] == '"';
    return thr_parser_fail(p, at, "byte 0x%02x is not UTF-8",
                           (unsigned)(unsigned char)text.p[bad - 1]);
}

static int take_importance(thr_parser *p, const thr_csv_field *f)
{
    float value;
    if (f->n == 0)
        return 0;
    int code = thr_parse_value(p, (thr_str){f->at, f->n}, "importance", &value);
    if (code)
        return code;
    if (value < 0)
        return thr_parser_fail(p, f->at, "the importance is negative");
    p->batch->about[p->batch->n].importance = value;
    return 0;
}

/* Adds the feature `column` or `column=value`. Its name is copied to the batch's arena, because the
 * batch may outlive the header. */
static void add_feature(thr_batch *b, uint32_t ns, thr_str name, const thr_str *value, float number)
{
    size_t n = name.n + (value ? 1 + value->n : 0);
    char *copy = thr_arena_take(&b->arena, n);
    if (!copy) {
        b->failed = true;
        return;
    }
    memcpy(copy, name.p, name.n);
    if (value) {
        copy[name.n] = '=';
        memcpy(copy + name.n + 1, value->p, value->n);
    }
    thr_batch_named(b, ns, (thr_str){copy, n}, number);
}

/* The key of a column of numbers, made when the block has its first; the key goes for all of the
 * block. p->buffer holds the keys of all columns. */
static void add_number(thr_parser *p, size_t which, thr_str name, float number)
{
    const uint64_t unknown = UINT64_MAX;
    const size_t n = ((const header *)p->header)->n;
    thr_batch *b = p->batch;
    while (p->buffer.n < n * sizeof unknown && !b->failed)
        b->failed = !thr_bytes_add(&p->buffer, &unknown, sizeof unknown);
    if (b->failed)
        return;
    char *place = p->buffer.p + which * sizeof unknown;
    uint64_t key;
    memcpy(&key, place, sizeof key);
    if (key != unknown) {
        thr_batch_push(b, key, number);
        return;
    }
    bool numbers = p->settings->features.numbers;
    uint32_t ns = numbers ? thr_batch_namespace(b, thr_str_of(THR_NUMBERS)) : 0;
    size_t before = b->n_features;
    add_feature(b, ns, name, NULL, number);
    if (b->n_features > before && b->is_open)
        memcpy(place, &b->key[before], sizeof key);
}

/* Empty cells and `?` are missing values: the example lacks the feature. A number that is not
 * finite or too large is an error, not a text. */
static int take_feature(thr_parser *p, const thr_csv_field *f, size_t which, thr_str name)
{
    const char *end = f->at + f->n, *stop = f->at;
    bool numbers = p->settings->features.numbers;
    float number;
    if (f->n == 0 || (numbers && f->n == 1 && f->at[0] == '?')) /* it is missing */
        return 0;
    enum thr_number got = thr_parse_float(f->at, end, &stop, &number);
    if (got == THR_NUMBER_NONE || stop != end) {
        thr_str value = content(p->batch, f);
        add_feature(p->batch, 0, name, &value, 1);
    } else if (got != THR_NUMBER_OK) {
        return thr_parser_fail(p, f->at, "\"%s\" in column \"%s\" %s",
                               thr_quote((thr_str){f->at, f->n}).text, thr_quote(name).text,
                               thr_number_problem(got));
    } else if (numbers || number != 0) {
        add_number(p, which, name, number);
    }
    return 0;
}

static int take_field(thr_parser *p, size_t number, const thr_csv_field *f)
{
    const column *c = &((const header *)p->header)->column[number];
    switch (c->role) {
    case THR_ROLE_LABEL:
        return take_label(p, f);
    case THR_ROLE_TEXT:
        return take_text(p, f);
    case THR_ROLE_ID:
        if (f->n)
            p->batch->about[p->batch->n].tag = content(p->batch, f);
        return 0;
    case THR_ROLE_IMPORTANCE:
        return take_importance(p, f);
    case THR_ROLE_FEATURE:
        return take_feature(p, f, number, c->name);
    case THR_ROLE_SKIP:
    case THR_ROLES:
        break;
    }
    return 0;
}

/* Reads a field that is a usual number, without looking for its end first; its value is that of
 * thr_parse_float. False, and nothing is read, where it is something else. */
static inline bool next_number(thr_csv_cursor *c, float *number)
{
    thr_decimal x;
    const char *end = thr_decimal_usual(c->at, number);
    if (!end && (!(end = thr_decimal_take(c->at, &x)) || !thr_decimal_float(&x, number)))
        return false;
    if (end != c->end && *end != c->separator)
        return false;
    c->at = end == c->end ? NULL : end + 1;
    return true;
}

/* Reads the usual numbers of columns number *i and on, and returns how many features they are. *i
 * becomes the first column that is something else. Not at the end of the block, where bytes behind
 * a number may not be read. */
static size_t take_numbers(thr_parser *p, thr_csv_cursor *c, size_t *i)
{
    const header *h = p->header;
    bool zeros = p->settings->features.numbers;
    size_t before = p->batch->n_features;
    float number;
    if (!THR_DECIMALS || p->limit - c->end < DECIMAL_AHEAD)
        return 0;
    for (; c->at && *i < h->n && h->column[*i].role == THR_ROLE_FEATURE; (*i)++) {
        if (!next_number(c, &number))
            break;
        if (zeros || number != 0)
            add_number(p, *i, h->column[*i].name, number);
    }
    return p->batch->n_features - before;
}

static int next_field(thr_parser *p, thr_csv_cursor *c, size_t number)
{
    const header *h = p->header;
    thr_csv_field f;
    thr_csv_next(c, &f);
    if (f.wrong)
        return thr_parser_fail(p, f.at, "%s", f.wrong);
    if (number == h->n)
        return thr_parser_fail(p, f.at, "too many fields: the header names %zu columns", h->n);
    return take_field(p, number, &f);
}

static int parse(thr_parser *p, const char *at, const char *end)
{
    const header *h = p->header;
    thr_batch *b = p->batch;
    if (!h)
        return thr_parser_fail(p, at, "a line of CSV says nothing without the header of its file");
    if (at == end)
        return 1;
    thr_csv_cursor c = {at, end, h->separator};
    size_t i = 0, numbers = 0;
    while (c.at) {
        numbers += take_numbers(p, &c, &i);
        int code = c.at ? next_field(p, &c, i++) : 0;
        if (code)
            return code;
    }
    if (i < h->n)
        return thr_parser_fail(p, end, "%zu field%s, but the header names %zu columns", i,
                               i == 1 ? "" : "s", h->n);
    b->open_distinct = h->distinct && numbers == b->n_features - thr_batch_first(b);
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Writes a field, in quotes where it would not read back as it is, or where `quoted` is set. */
static bool put_field(thr_writer *w, thr_str s, bool quoted)
{
    quoted = quoted || (s.n && (thr_is_blank(s.p[0]) || thr_is_blank(s.p[s.n - 1])));
    for (size_t i = 0; i < s.n && !quoted; i++)
        quoted = s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r' ||
                 (s.p[i] && strchr(THR_CSV_SEPARATORS, s.p[i]));
    if (!quoted)
        return s.n == 0 || thr_writer_put(w, s);
    if (!thr_writer_put_byte(w, '"'))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] == '"' && !thr_writer_put_byte(w, '"')) || !thr_writer_put_byte(w, s.p[i]))
            return false;
    return thr_writer_put_byte(w, '"');
}

/* All four columns are always written, because the header comes before it is known what later
 * examples have. */
static int write(thr_writer *w, size_t e)
{
    const thr_example_info *about = &w->batch->about[e];
    const thr_str label = about->label, fields[] = {label, about->text, about->tag};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].n && memchr(fields[i].p, '\0', fields[i].n))
            return thr_fail(w->err, THR_EUSE, "csv cannot hold a NUL, here in \"%s\"",
                            thr_quote(fields[i]).text);
    int code = thr_writer_check(w, e, &thr_format_csv);
    if (code)
        return code;
    bool ok = w->written > 0 || thr_writer_put(w, thr_str_of("label,text,id,importance\n"));
    ok = ok && put_field(w, label, label.n && !thr_label_reads_back(label));
    ok = ok && thr_writer_put_byte(w, ',') && put_field(w, about->text, false);
    ok = ok && thr_writer_put_byte(w, ',') && put_field(w, about->tag, false);
    ok = ok && thr_writer_put_byte(w, ',');
    ok = ok && (about->importance == 1 || thr_writer_put_float(w, about->importance));
    return ok && thr_writer_put_byte(w, '\n') ? 0 : thr_fail_memory(w->err);
}

const thr_format thr_format_csv = {
    .name = "csv",
    .numeric_labels = true,
    .help = "comma-, tab- or semicolon-separated values with a header",
    .holds = THR_HOLDS_TEXT | THR_HOLDS_IMPORTANCE | THR_HOLDS_TAG | THR_HOLDS_ANY_LABEL,
    .probe = probe,
    .header = read_header,
    .header_free = header_free,
    .look = look,
    .cut = thr_csv_cut,
    .record_end = thr_csv_record_end,
    .parse = parse,
    .write = write,
};
