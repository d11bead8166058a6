/* A list of columns is read as it is meant, and every mistake in it is reported. */
#include "parse_help.h"

static void assert_chosen(const thr_columns *c, size_t i, enum thr_role role, unsigned number,
                          const char *name)
{
    assert_true(i < c->n);
    assert_int_equal(c->chosen[i].role, role);
    assert_int_equal(c->chosen[i].number, number);
    assert_true(thr_str_eq(thr_chosen_name(c, i), thr_str_of(name)));
}

static void test_names_and_numbers_are_read(void **state)
{
    thr_columns c;
    (void)state;
    assert_int_equal(
        thr_columns_parse("label=3,text=subject+7,tag=a b,skip=\"x,y\"+\"2\"", &c, NULL), 0);
    assert_true(c.given && c.named);
    assert_int_equal(c.n, 6);
    assert_chosen(&c, 0, THR_ROLE_LABEL, 3, "3");
    assert_chosen(&c, 1, THR_ROLE_TEXT, 0, "subject");
    assert_chosen(&c, 2, THR_ROLE_TEXT, 7, "7");
    assert_chosen(&c, 3, THR_ROLE_ID, 0, "a b");
    assert_chosen(&c, 4, THR_ROLE_SKIP, 0, "x,y");
    assert_chosen(&c, 5, THR_ROLE_SKIP, 0, "2");
    assert_true(thr_columns_have(&c, THR_ROLE_ID));
    assert_false(thr_columns_have(&c, THR_ROLE_IMPORTANCE));
    assert_int_equal(thr_columns_parse("label=1,id=2,text=3", &c, NULL), 0);
    assert_false(c.named);
    assert_int_equal(thr_columns_parse("label=C++", &c, NULL), 0); /* only lists are split at + */
    assert_chosen(&c, 0, THR_ROLE_LABEL, 0, "C++");
    assert_int_equal(thr_columns_parse("label=\"say \"\"so\"\"\"", &c, NULL), 0);
    assert_chosen(&c, 0, THR_ROLE_LABEL, 0, "say \"so\"");
    assert_int_equal(thr_columns_parse("", &c, NULL), 0);
    assert_false(c.given);
}

static void test_mistakes_are_reported(void **state)
{
    static const char *const wrong[][2] = {
        {"lable=1", "did you mean label?"},
        {"colour=1", "there is no 'colour'"},
        {"label", "needs"},
        {"label=", "needs"},
        {"label=1,label=2", "twice"},
        {"id=1,tag=2", "twice"},
        {"text=1,text=2", "join"},
        {"text=a+", "needs"},
        {"label=0", "from 1"},
        {"label=1000001", "from 1"},
        {"label=\"a", "not closed"},
        {"label=\"a\"b", "comma"},
    };
    thr_columns c;
    thr_error err;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(thr_columns_parse(wrong[i][0], &c, &err), THR_EUSE);
        if (!strstr(err.message, wrong[i][1]))
            print_error("%s: %s\n", wrong[i][0], err.message);
        assert_non_null(strstr(err.message, wrong[i][1]));
    }
    char list[2048] = "text=";
    memset(list + 5, 'x', 1500);
    assert_int_equal(thr_columns_parse(list, &c, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "too long"));
    for (size_t i = 0; i < 200; i++)
        memcpy(list + 5 + 2 * i, "y+", 3);
    assert_int_equal(thr_columns_parse(list, &c, &err), THR_EUSE);
    assert_non_null(strstr(err.message, "more than"));
}

static void test_missing_names_are_listed(void **state)
{
    const thr_str name[] = {thr_str_of("subject"), thr_str_of(""), thr_str_of("body")};
    char text[256], small[42];
    (void)state;
    assert_string_equal(thr_no_such_name(thr_str_of("bdy"), "column", name, 3, text, sizeof text),
                        "there is no column \"bdy\"; did you mean body? There are subject, body");
    assert_string_equal(thr_names_text(name, 3, small, sizeof small), "subject and 1 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_numbers_are_read),
        cmocka_unit_test(test_mistakes_are_reported),
        cmocka_unit_test(test_missing_names_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
