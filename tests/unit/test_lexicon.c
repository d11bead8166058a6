/* Names to ids and back: order, identity, growth, the hashed form, copies. */
#include "lexicon_help.h"

#include "base/hash.h"
#include "base/random.h"
#include "example/names.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_name(const thr_lexicon *x, uint32_t id, const char *ns, const char *name)
{
    char digits[24];
    thr_str space, found = thr_lexicon_name(x, id, digits, &space);
    assert_true(thr_str_eq(space, thr_str_of(ns)));
    assert_true(thr_str_eq(found, thr_str_of(name)));
}

#define LONG "a name of more than twenty bytes"

/* Number 0 is the bias; the others come in order, whatever their kind. */
static void test_ids_are_given_in_order_whatever_the_kind_of_name(void **state)
{
    (void)state;
    static const struct {
        const char *ns, *name;
    } names[] = {
        {"", "red"},
        {"", "5"},
        {"", "00"},
        {"a", "red"},
        {"a", "5"},
        {"", "16777215"},
        {"", LONG},
        {"", "16777216"},
        {"b", LONG},
        {"", ""},
        {"", LONG "!"},
        {"", "5.0"},
        {"", "18446744073709551615"},
        {"", "twenty bytes exactly"},
        {"", "twenty-one bytes long"},
    };
    thr_lexicon x = make(0);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(find(&x, names[i].ns, names[i].name), THR_NONE);
        assert_int_equal(add(&x, names[i].ns, names[i].name), i + 1);
        assert_int_equal(add(&x, names[i].ns, names[i].name), i + 1);
    }
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(find(&x, names[i].ns, names[i].name), i + 1);
        assert_name(&x, i + 1, names[i].ns, names[i].name);
    }
    assert_int_equal(find(&x, "b", "red"), THR_NONE);
    assert_int_equal(find(&x, "never", "red"), THR_NONE);
    assert_int_equal(find(&x, "", "5a"), THR_NONE);
    thr_lexicon_clear(&x);
    thr_lexicon_clear(&x);
}

/* Integers at both ends of pages, far apart, in several namespaces. */
static void test_small_integers_are_found_through_pages_alone(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, 1023, 1024, 2047, 2048, 1000000, 16777215};
    thr_lexicon x = make(0);
    char name[24];
    uint32_t next = 1;
    for (int round = 0; round < 2; round++)
        for (size_t s = 0; s < 3; s++)
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                snprintf(name, sizeof name, "%llu", (unsigned long long)numbers[i]);
                uint32_t id = add(&x, (const char *[]){"", "a", "b"}[s], name);
                assert_int_equal(id, round ? s * 8 + i + 1 : next++);
                assert_name(&x, id, (const char *[]){"", "a", "b"}[s], name);
            }
    assert_int_equal(find(&x, "", "1025"), THR_NONE);
    assert_int_equal(find(&x, "", "500000"), THR_NONE);
    assert_int_equal(x.cells, 0); /* none of them is in the table of names */
    thr_lexicon_clear(&x);
}

/* A number in every page of a huge one, which becomes one on the way: ids stay. */
static void test_joined_pages(void **state)
{
    (void)state;
    enum { PAGES = THR_HUGE / sizeof(uint32_t) / THR_PAGE };
    thr_lexicon x = make(0);
    char name[24];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < PAGES; i++) {
            snprintf(name, sizeof name, "%u", (PAGES + i) * THR_PAGE + i);
            assert_int_equal(add(&x, "", name), i + 1);
        }
    assert_int_equal(find(&x, "", "524289"), THR_NONE);
    if (x.flat) {
        assert_int_equal((uintptr_t)x.flat % THR_HUGE, 0);
        assert_true(x.flat_used[0] == 0 && x.flat_used[1] == PAGES && x.flat_used[2] == 0);
    }
    thr_lexicon_clear(&x);
}

/* Where address space is counted, pages are not in a row: the ids are the same, in copies too. */
static void test_scattered_pages_give_the_same_ids(void **state)
{
    (void)state;
    thr_lexicon row = make(0), apart = make(0), copy;
    thr_random r;
    char name[24];
    thr_random_init(&r, 5);
    apart.scattered = true;
    for (int i = 0; i < 3000; i++) {
        uint64_t near_end = THR_SMALL - 40 + thr_random_below(&r, 60);
        uint64_t number = i % 3 ? thr_random_below(&r, THR_SMALL) : near_end;
        const char *ns = i % 5 ? "" : "a";
        snprintf(name, sizeof name, "%llu", (unsigned long long)number);
        assert_int_equal(add(&row, ns, name), add(&apart, ns, name));
    }
    assert_true(!apart.flat && row.n == apart.n);
    assert_int_equal(thr_lexicon_copy(&apart, &copy, NULL), 0);
    assert_same_ids(&row, &row);
    assert_same_ids(&row, &apart);
    assert_same_ids(&row, &copy);
    thr_lexicon_clear(&row);
    thr_lexicon_clear(&apart);
    thr_lexicon_clear(&copy);
}

/* 200,000 names: every one is found again, and those that are not there are not. */
static void test_names_are_found_again_however_many_there_are(void **state)
{
    (void)state;
    enum { NAMES = 200000 };
    thr_lexicon x = make(0);
    thr_batch b;
    thr_batch_init(&b);
    b.hash_seed = 7;
    char name[40];
    for (int round = 0; round < 2; round++) {
        thr_batch_reset(&b);
        thr_batch_open(&b, 0);
        for (int i = 0; i < NAMES; i++) {
            int n = snprintf(name, sizeof name, i % 5 ? "n%d" : "a rather long name %d", i);
            char *copy = thr_arena_copy(&b.arena, name, (size_t)n);
            thr_batch_named(&b, 0, (thr_str){copy, (size_t)n}, 1);
        }
        thr_batch_close(&b);
        assert_int_equal(thr_lexicon_resolve(&x, &b, NULL), 0);
        for (uint32_t i = 0; i < NAMES; i++)
            if (b.id[i] != i + 1)
                fail_msg("name %u has id %u", i, b.id[i]);
    }
    assert_int_equal(x.n, NAMES + 1);
    assert_true(x.cells_used == NAMES && x.cells_used * 3 <= x.cells * 2);
    assert_int_equal(find(&x, "", "n200001"), THR_NONE);
    thr_batch_release(&b);
    thr_lexicon_clear(&x);
}

/* While the table grows, names are found wherever they are, in copies too, and no name that comes
 * waits for all the others to move. */
static void test_growth_in_steps(void **state)
{
    (void)state;
    char name[40];
    thr_lexicon x = make(0);
    bool was_growing = false;
    for (uint32_t i = 1; i <= 20000; i++) {
        size_t moved = x.old ? x.moved : 0;
        snprintf(name, sizeof name, i % 5 ? "w%u" : LONG "%u", i);
        assert_int_equal(add(&x, i % 2 ? "a" : "", name), i);
        assert_true(!x.old || x.moved <= moved + 8);
        was_growing |= x.old != NULL;
        for (uint32_t k = 1; k <= i; k += 1 + i / 7) {
            snprintf(name, sizeof name, k % 5 ? "w%u" : LONG "%u", k);
            assert_int_equal(find(&x, k % 2 ? "a" : "", name), k);
            assert_int_equal(add(&x, k % 2 ? "a" : "", name), k);
        }
        assert_int_equal(find(&x, "", "never"), THR_NONE);
        if (i % 997 == 0) {
            thr_lexicon copy;
            assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
            thr_lexicon_clear(&x);
            x = copy;
        }
    }
    assert_true(was_growing);
    thr_lexicon_clear(&x);
}

static void assert_all_there(const thr_lexicon *x, uint32_t names)
{
    char name[40];
    for (uint32_t i = 1; i <= names; i++) {
        snprintf(name, sizeof name, "w%u", i);
        if (find(x, "", name) != i)
            fail_msg("%s of %u has id %u", name, names, find(x, "", name));
    }
}

/* The old table is given back bit by bit, and no name with it; a copy made meanwhile has all. */
static void test_growth_gives_back(void **state)
{
    (void)state;
    enum { PART = 660000, ALL = 740000 };
    char name[40];
    thr_lexicon x = make(0), copy;
    for (uint32_t i = 1; i <= ALL; i++) {
        snprintf(name, sizeof name, "w%u", i);
        assert_int_equal(add(&x, "", name), i);
        if (i != PART)
            continue;
        assert_true(x.old && x.released > 0 && x.released <= x.moved);
        assert_all_there(&x, PART);
        assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
        assert_all_there(&copy, PART);
        thr_lexicon_clear(&copy);
    }
    assert_null(x.old);
    assert_all_there(&x, ALL);
    thr_lexicon_clear(&x);
}

/* A table of a file may be fuller than ours ever are. */
static void test_growth_of_crowded(void **state)
{
    (void)state;
    char name[40];
    thr_lexicon x = make(0);
    for (uint32_t i = 1; i < 512; i++) {
        snprintf(name, sizeof name, "w%u", i);
        add(&x, "", name);
    }
    thr_slot *full = calloc(512, sizeof *full); /* but for one */
    assert_non_null(full);
    thr_lexicon_table_fill(&x, full, 512);
    thr_lexicon borrower = {.seed = x.seed, .n = x.n, .borrowed = true};
    uint32_t number;
    assert_int_equal(thr_lexicon_space(&borrower, thr_str_of(""), &number, NULL), 0);
    borrower.slot = full;
    borrower.slots = 512;
    borrower.origin = x.origin;
    borrower.heap = x.heap;
    for (uint32_t i = 512; i <= 3000; i++) {
        snprintf(name, sizeof name, "w%u", i);
        assert_int_equal(add(&borrower, "", name), i);
        assert_all_there(&borrower, i < 600 || i == 3000 ? i : 1);
    }
    thr_lexicon_clear(&borrower);
    thr_lexicon_clear(&x);
    free(full);
}

/* A batch whose hashes were made with another seed gives the same ids. */
static void test_other_seed(void **state)
{
    (void)state;
    thr_lexicon x = make(0);
    uint32_t id = add(&x, "a", "some name");
    for (uint64_t seed = 0; seed < 9; seed++) {
        thr_batch b;
        thr_batch_init(&b);
        b.hash_seed = seed;
        thr_batch_open(&b, 0);
        thr_batch_named(&b, thr_batch_namespace(&b, thr_str_of("a")), thr_str_of("some name"), 1);
        thr_batch_close(&b);
        assert_int_equal(thr_lexicon_find(&x, &b, NULL), 0);
        assert_int_equal(b.id[0], id);
        thr_batch_release(&b);
    }
    thr_lexicon_clear(&x);
}

/* Eight slots, forty names: ids are those of slots, and sharing is noticed exactly where a second
 * name came. */
static void test_hashed_slots_know_that_they_are_shared(void **state)
{
    (void)state;
    thr_lexicon x = make(3);
    uint32_t users[9] = {0};
    char name[24];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "name %d", i);
        uint32_t id = add(&x, "", name);
        assert_in_range(id, 1, 8);
        assert_int_equal(add(&x, "", name), id);
        users[id]++;
        assert_int_equal(find(&x, "", name), id);
    }
    assert_int_equal(x.n, 9);
    for (uint32_t id = 1; id <= 8; id++) {
        assert_int_equal(thr_lexicon_collided(&x, id), users[id] > 1);
        char digits[24];
        thr_str ns, slot = thr_lexicon_name(&x, id, digits, &ns);
        assert_true(slot.n >= 2 && slot.p[0] == '#');
    }
    thr_lexicon_clear(&x);
}

/* Small integers have slots of their own while there are enough. */
static void test_hashed_integers(void **state)
{
    (void)state;
    thr_lexicon x = make(6);
    char name[24];
    for (uint32_t i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(find(&x, "", name), THR_NONE);
        assert_int_equal(add(&x, "", name), i + 1);
    }
    for (uint32_t id = 1; id < x.n; id++)
        assert_int_equal(thr_lexicon_collided(&x, id), 0);
    add(&x, "", "64"); /* the slots are full by now */
    uint32_t shared = 0;
    for (uint32_t id = 1; id < x.n; id++)
        shared += thr_lexicon_collided(&x, id);
    assert_int_equal(shared, 1);
    assert_int_equal(x.n, 65);
    thr_lexicon_clear(&x);
}

/* A lexicon that finds the names of x in a table of the model file's form. */
static thr_lexicon borrowing(const thr_lexicon *x, const thr_slot *slot, size_t slots)
{
    thr_lexicon out;
    assert_int_equal(thr_lexicon_share(x, &out, NULL), 0);
    thr_cells_free(out.cell, out.cells, out.cell_owners);
    thr_cells_free(out.old, out.old_cells, out.old_owners);
    thr_array_free(
        out.origin); /* x is one owner, which is enough: what is borrowed is not counted */
    thr_array_free(out.heap.p);
    out.cell = out.old = NULL;
    out.cell_owners = out.old_owners = NULL;
    out.cells = out.old_cells = out.cells_used = out.moved = out.released = 0;
    out.slot = slot;
    out.slots = slots;
    out.view = false;
    out.borrowed = true;
    return out;
}

/* The table of the model file depends on the names alone, and finds all of them. */
static void test_file_table(void **state)
{
    (void)state;
    thr_lexicon x = make(0), copy;
    char name[40];
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, i % 3 ? "w%d" : "a rather long name %d", i);
        add(&x, i % 2 ? "a" : "", name);
        snprintf(name, sizeof name, "%d", i);
        add(&x, "", name);
    }
    assert_int_equal(thr_lexicon_names(&x), 500);
    size_t slots = thr_lexicon_table_size(500);
    assert_true((slots & (slots - 1)) == 0 && slots * 2 >= 500 * 3);
    assert_int_equal(thr_lexicon_table_size(0), 0);
    assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
    thr_slot *a = malloc(slots * sizeof *a), *b = malloc(slots * sizeof *b);
    assert_true(a && b);
    memset(a, 1, slots * sizeof *a);
    memset(b, 2, slots * sizeof *b);
    thr_lexicon_table_fill(&x, a, slots);
    thr_lexicon_table_fill(&copy, b, slots);
    assert_memory_equal(a, b, slots * sizeof *a);
    /* A lexicon that borrows such a table finds what is in it, and thaws when it must grow. */
    thr_lexicon borrower = borrowing(&x, a, slots);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, i % 3 ? "w%d" : "a rather long name %d", i);
        assert_int_equal(find(&borrower, i % 2 ? "a" : "", name), 2 * i + 1);
    }
    assert_int_equal(add(&borrower, "", "new"), 1001);
    assert_int_equal(find(&borrower, "", "new"), 1001);
    assert_int_equal(find(&x, "", "new"), THR_NONE);
    free(a);
    free(b);
    thr_lexicon_clear(&borrower);
    thr_lexicon_clear(&copy);
    thr_lexicon_clear(&x);
}

/* A copy owns everything, the hashed form too. */
static void test_copy_owns_everything(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 8; bits += 8) {
        thr_lexicon x = make(bits), copy;
        uint32_t red = add(&x, "c", "red"), five = add(&x, "", "5"), name = add(&x, "", LONG);
        assert_int_equal(thr_lexicon_copy(&x, &copy, NULL), 0);
        uint32_t blue = add(&copy, "c", "blue");
        assert_int_equal(find(&x, "c", "blue"), THR_NONE);
        thr_lexicon_clear(&x);
        assert_int_equal(find(&copy, "c", "red"), red);
        assert_int_equal(find(&copy, "", "5"), five);
        assert_int_equal(find(&copy, "", LONG), name);
        assert_int_equal(find(&copy, "c", "blue"), blue);
        thr_lexicon_clear(&copy);
    }
}

/* What a map lends is not freed and not written to. */
static void test_borrowed_memory_is_not_written_to_or_freed(void **state)
{
    (void)state;
    thr_lexicon x = make(0), lender;
    add(&x, "", "red");
    add(&x, "", "5");
    assert_int_equal(thr_lexicon_copy(&x, &lender, NULL), 0);
    thr_lexicon borrower = {.seed = x.seed, .n = x.n, .borrowed = true};
    uint32_t number;
    assert_int_equal(thr_lexicon_space(&borrower, thr_str_of(""), &number, NULL), 0);
    thr_slot slot[16];
    thr_lexicon_table_fill(&x, slot, 16);
    borrower.slot = slot;
    borrower.slots = 16;
    borrower.origin = lender.origin;
    borrower.heap = lender.heap;
    borrower.space[0].page = thr_array_zeros(lender.space[0].pages, sizeof(uint32_t *));
    assert_non_null(borrower.space[0].page);
    borrower.space[0].pages = lender.space[0].pages;
    borrower.space[0].page[0] = lender.space[0].page[0];
    assert_int_equal(find(&borrower, "", "red"), 1);
    assert_int_equal(find(&borrower, "", "5"), 2);
    assert_true(borrower.borrowed);
    assert_int_equal(add(&borrower, "", "6"), 3);
    assert_false(borrower.borrowed);
    assert_int_equal(find(&borrower, "", "red"), 1);
    assert_int_equal(find(&lender, "", "6"), THR_NONE);
    thr_lexicon_clear(&borrower);
    assert_int_equal(find(&lender, "", "5"), 2);
    thr_lexicon_clear(&lender);
    thr_lexicon_clear(&x);
}

/* ---- looking up while another thread adds -------------------------------------------------- */

enum { BATCHES = 96, FEATURES = 1500, LOOKERS = 3, WINDOW = 4 };

typedef struct beside {
    thr_lexicon *x;
    thr_batch *batch;
    thr_lookup lookup;
    int taken, resolved; /* batches whose look-up has begun, that have been added */
    bool ready[BATCHES];
    size_t known;
} beside;

/* Names of every kind, most of them met before, so that later batches find what earlier ones add
 * and every table grows several times. */
static void fill(thr_batch *b, int number)
{
    static const char *const form[] = {"w%u", "a rather long name indeed %u", "%u", "1%09u", "%u"};
    char text[64];
    thr_batch_init(b);
    b->hash_seed = 7;
    thr_batch_open(b, 0);
    for (uint32_t i = 0; i < FEATURES; i++) {
        uint32_t r = (uint32_t)thr_mix64((uint64_t)number * FEATURES + i);
        uint32_t which = r % ((uint32_t)(number + 1) * FEATURES / 16), kind = r >> 8;
        snprintf(text, sizeof text, "ns%u", which % (uint32_t)(number / 4 + 2));
        thr_str ns = {thr_arena_copy(&b->arena, text, strlen(text)), kind % 3 ? 0 : strlen(text)};
        snprintf(text, sizeof text, form[kind % 5], kind % 5 == 4 ? which * 97 : which);
        char *name = thr_arena_copy(&b->arena, text, strlen(text));
        thr_batch_named(b, thr_batch_namespace(b, ns), (thr_str){name, strlen(text)}, 1);
    }
    thr_batch_close(b);
    assert_false(b->failed);
}

static void *look_ahead(void *user)
{
    beside *s = user;
    int at;
    while ((at = __atomic_fetch_add(&s->taken, 1, __ATOMIC_RELAXED)) < BATCHES) {
        while (at > __atomic_load_n(&s->resolved, __ATOMIC_ACQUIRE) + WINDOW)
            sched_yield();
        thr_batch *b = &s->batch[at];
        b->looked_up = thr_lookup_find(&s->lookup, b, NULL) == 0;
        for (size_t i = 0; i < b->n_features; i++)
            __atomic_fetch_add(&s->known, b->id[i] != THR_NONE, __ATOMIC_RELAXED);
        __atomic_store_n(&s->ready[at], true, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void resolve_beside(beside *s)
{
    pthread_t thread[LOOKERS];
    assert_int_equal(thr_lexicon_open_to_readers(s->x, &s->lookup, NULL), 0);
    for (int i = 0; i < LOOKERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, look_ahead, s), 0);
    for (int i = 0; i < BATCHES; i++) {
        while (!__atomic_load_n(&s->ready[i], __ATOMIC_ACQUIRE))
            sched_yield();
        assert_true(s->batch[i].looked_up);
        assert_int_equal(thr_lexicon_resolve(s->x, &s->batch[i], NULL), 0);
        __atomic_store_n(&s->resolved, i + 1, __ATOMIC_RELEASE);
    }
    for (int i = 0; i < LOOKERS; i++)
        pthread_join(thread[i], NULL);
    thr_lexicon_close_to_readers(s->x);
}

/* Ids, their names and what is shared: all as without others. */
static void assert_same_beside(thr_lexicon *alone, thr_lexicon *x)
{
    static thr_batch one[BATCHES], other[BATCHES];
    beside s = {.x = x, .batch = other};
    for (int i = 0; i < BATCHES; i++) {
        fill(&one[i], i);
        fill(&other[i], i);
        assert_int_equal(thr_lexicon_resolve(alone, &one[i], NULL), 0);
    }
    resolve_beside(&s);
    for (int i = 0; i < BATCHES; i++) {
        assert_memory_equal(one[i].id, other[i].id, FEATURES * sizeof *one[i].id);
        thr_batch_release(&one[i]);
        thr_batch_release(&other[i]);
    }
    assert_int_equal(alone->n, x->n);
    assert_int_equal(alone->n_spaces, x->n_spaces);
    assert_memory_equal(alone->origin, x->origin, x->n * sizeof *x->origin);
    if (x->hash_bits)
        for (uint32_t id = 0; id < x->n; id++)
            assert_int_equal(thr_lexicon_collided(alone, id), thr_lexicon_collided(x, id));
    assert_true(s.known > (x->hash_bits ? 0 : BATCHES * FEATURES / 4));
}

static void test_lookups_beside_a_writer_change_no_ids(void **state)
{
    (void)state;
    static const unsigned bits[] = {0, 0, 0, 8, 14};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        thr_lexicon alone = make(bits[i]), x = make(bits[i]);
        assert_same_beside(&alone, &x);
        assert_true(bits[i] || x.cells > 1024 * 8);
        thr_lexicon_clear(&alone);
        thr_lexicon_clear(&x);
    }
}

/* ---- words, of which more may be read than counts ----------------------------------------- */

/* A table's block: the keys of a few names, in every row again, with the bias and an integer. */
static void fill_table(thr_batch *b, size_t rows)
{
    static const char *const names[] = {"length", "width", "new", "depth"};
    thr_batch_init(b);
    b->hash_seed = 7;
    for (size_t row = 0; row < rows; row++) {
        thr_batch_open(b, (uint32_t)row);
        for (size_t i = 0; i < 4; i++)
            if (row == 0)
                thr_batch_named(b, 0, thr_str_of(names[i]), 1);
            else if ((row + i) % 5)
                thr_batch_push(b, b->key[i], 1);
        thr_batch_integer(b, 0, 3, 1);
        thr_batch_push(b, THR_KEY_BIAS, 1);
        thr_batch_close(b);
    }
}

static void test_names_that_repeat_in_a_batch(void **state)
{
    (void)state;
    thr_lexicon x = make(0);
    thr_batch b;
    uint32_t three = add(&x, "", "3"), width = add(&x, "", "width"), depth = add(&x, "", "depth"),
             length = add(&x, "", "length");
    fill_table(&b, 200);
    const uint32_t ids[] = {length, width, THR_NONE, depth};
    assert_int_equal(thr_lexicon_find(&x, &b, NULL), 0);
    for (size_t i = 0; i < b.n_features; i++)
        assert_int_equal(b.id[i], b.key[i] == THR_KEY_BIAS  ? 0
                                  : b.key[i] & THR_KEY_NAME ? ids[b.key[i] & ~THR_KEY_NAME]
                                                            : three);
    assert_int_equal(thr_lexicon_resolve(&x, &b, NULL), 0);
    for (size_t i = 0; i < b.n_features; i++)
        if (b.key[i] == b.key[2])
            assert_int_equal(b.id[i], length + 1);
    thr_batch_release(&b);
    thr_lexicon_clear(&x);
}

static void test_same_roomy(void **state)
{
    (void)state;
    char a[THR_NAME_ROOM], b[THR_NAME_ROOM];
    memset(a, 'x', sizeof a);
    for (size_t n = 0; n <= THR_NAME_ROOM; n++)
        for (size_t at = 0; at < THR_NAME_ROOM; at++) {
            memcpy(b, a, sizeof b);
            b[at] = 'y';
            assert_int_equal(thr_same_roomy(a, b, n), at >= n);
            assert_int_equal(thr_same_roomy(a, b, n), thr_same_bytes(a, b, n));
        }
}

enum { WORDS = 3000, LONGEST = 24 };

static thr_str word_at(const char *text, const uint32_t *edge, size_t i)
{
    return (thr_str){text + edge[2 * i], edge[2 * i + 1] - edge[2 * i]};
}

static void fill_words(char *text, uint32_t *edge)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t r = (uint32_t)thr_mix64(i), n = 1 + r % LONGEST;
        edge[2 * i] = i * LONGEST;
        edge[2 * i + 1] = i * LONGEST + n;
        for (uint32_t k = 0; k < n; k++)
            text[i * LONGEST + k] = (r >> 8) % 9 ? (char)('a' + (r >> 12) % 5 + (k == 2)) : '7';
    }
}

/* One example, and the bias; in one go, or one by one. */
static void name_words(thr_batch *b, bool in_one_go, const char *text, const uint32_t *edge)
{
    thr_batch_init(b);
    b->hash_seed = 7;
    thr_batch_open(b, 0);
    if (in_one_go)
        thr_batch_words(b, 0, text, edge, WORDS);
    for (size_t i = 0; i < WORDS && !in_one_go; i++)
        thr_batch_named(b, 0, word_at(text, edge, i), 1);
    thr_batch_push(b, THR_KEY_BIAS, 1);
    thr_batch_close(b);
    assert_false(b->failed);
    assert_int_equal(b->tight_names, !in_one_go);
}

/* Words of all lengths and integers, once in one go and once one by one: the same ids. */
static void test_words_as_names(void **state)
{
    (void)state;
    thr_lexicon x = make(0), y = make(0);
    thr_batch together, apart;
    static char text[(WORDS + 1) * LONGEST];
    static uint32_t edge[2 * WORDS];
    fill_words(text, edge);
    name_words(&together, true, text, edge);
    name_words(&apart, false, text, edge);
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; again && i <= WORDS; i++)
            together.id[i] = 12345; /* all are found anew */
        assert_int_equal(thr_lexicon_resolve(&x, &together, NULL), 0);
        assert_int_equal(thr_lexicon_resolve(&y, &apart, NULL), 0);
        assert_memory_equal(together.id, apart.id, (WORDS + 1) * sizeof *apart.id);
    }
    assert_int_equal(thr_lexicon_find(&x, &apart, NULL), 0);
    assert_memory_equal(together.id, apart.id, (WORDS + 1) * sizeof *apart.id);
    for (size_t i = 0; i < WORDS; i++)
        assert_int_equal(together.id[i],
                         thr_lexicon_id(&y, (thr_str){"", 0}, word_at(text, edge, i)));
    thr_batch_release(&together);
    thr_batch_release(&apart);
    thr_lexicon_clear(&x);
    thr_lexicon_clear(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_given_in_order_whatever_the_kind_of_name),
        cmocka_unit_test(test_small_integers_are_found_through_pages_alone),
        cmocka_unit_test(test_joined_pages),
        cmocka_unit_test(test_scattered_pages_give_the_same_ids),
        cmocka_unit_test(test_names_are_found_again_however_many_there_are),
        cmocka_unit_test(test_growth_in_steps),
        cmocka_unit_test(test_growth_gives_back),
        cmocka_unit_test(test_growth_of_crowded),
        cmocka_unit_test(test_other_seed),
        cmocka_unit_test(test_lookups_beside_a_writer_change_no_ids),
        cmocka_unit_test(test_hashed_slots_know_that_they_are_shared),
        cmocka_unit_test(test_hashed_integers),
        cmocka_unit_test(test_file_table),
        cmocka_unit_test(test_copy_owns_everything),
        cmocka_unit_test(test_borrowed_memory_is_not_written_to_or_freed),
        cmocka_unit_test(test_names_that_repeat_in_a_batch),
        cmocka_unit_test(test_same_roomy),
        cmocka_unit_test(test_words_as_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
