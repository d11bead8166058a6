"""thresh as the oracle drives it: the shared library through ctypes, one example at a time.

Only what include/thresh.h declares is used. Each call costs about a microsecond, so a thousand short
streams take seconds.
"""
import ctypes
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_float, c_int
from ctypes import c_int32, c_size_t, c_uint64, c_void_p

UNKNOWN = c_size_t(-1).value


class Error(Structure):
    _fields_ = [("code", c_int), ("line", c_uint64), ("column", c_uint64),
                ("file", c_char * 512), ("message", c_char * 768)]


class Stats(Structure):
    _fields_ = [("examples", c_uint64), ("mistakes", c_uint64), ("updates", c_uint64),
                ("shuffles", c_uint64), ("features", c_uint64), ("waiting", c_uint64),
                ("evicted", c_uint64), ("labels", c_uint64), ("mean_active", c_double),
                ("max_norm2", c_double), ("max_norminf", c_double), ("mean_squared", c_double),
                ("mean_absolute", c_double), ("hash", c_uint64 * 3), ("hash_names", c_double),
                ("hash_shared_mass", c_double), ("reserved", c_uint64 * 8)]


class ListRule(Structure):
    _fields_ = [("feature", c_size_t), ("from_", c_char_p), ("to", c_char_p), ("gain", c_double),
                ("reserved", c_uint64 * 4)]


class Expert(Structure):
    _fields_ = [("name", c_char_p), ("mistakes", c_uint64), ("weight", c_double),
                ("reserved", c_uint64 * 4)]


class Refused(Exception):
    """thresh returned an error."""


class Library:
    def __init__(self, path):
        so = self.so = ctypes.CDLL(path)
        for name, result, *arguments in [
                ("thr_settings_new", c_void_p),
                ("thr_settings_free", None, c_void_p),
                ("thr_settings_set", c_int, c_void_p, c_char_p, c_char_p, POINTER(Error)),
                ("thr_model_new", c_void_p, c_void_p, POINTER(Error)),
                ("thr_model_free", None, c_void_p),
                ("thr_model_finish", c_int, c_void_p, POINTER(Error)),
                ("thr_model_stats", None, c_void_p, POINTER(Stats)),
                ("thr_model_labels", c_size_t, c_void_p),
                ("thr_model_label", c_char_p, c_void_p, c_size_t),
                ("thr_model_linear", c_bool, c_void_p),
                ("thr_model_find_feature", c_int, c_void_p, c_char_p, c_char_p, POINTER(c_size_t),
                 POINTER(Error)),
                ("thr_model_feature", c_size_t, c_void_p, c_size_t, c_char_p, c_size_t),
                ("thr_model_weights", c_int, c_void_p, c_size_t, POINTER(c_double),
                 POINTER(Error)),
                ("thr_model_list_start", c_char_p, c_void_p),
                ("thr_model_list_rule", c_bool, c_void_p, c_size_t, POINTER(ListRule)),
                ("thr_model_experts", c_size_t, c_void_p),
                ("thr_model_expert", c_bool, c_void_p, c_size_t, POINTER(Expert)),
                ("thr_batch_new", c_void_p),
                ("thr_batch_free", None, c_void_p),
                ("thr_batch_clear", None, c_void_p),
                ("thr_batch_begin", None, c_void_p),
                ("thr_batch_set_label", None, c_void_p, c_char_p),
                ("thr_batch_set_importance", None, c_void_p, c_float),
                ("thr_batch_add", None, c_void_p, c_char_p, c_char_p, c_float),
                ("thr_batch_end", None, c_void_p, c_void_p),
                ("thr_scratch_new", c_void_p),
                ("thr_scratch_free", None, c_void_p),
                ("thr_learn", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int32),
                 POINTER(Error)),
                ("thr_score", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int32),
                 POINTER(c_double), POINTER(Error)),
                ("thr_probabilities", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int32),
                 POINTER(c_double), POINTER(Error)),
                ("thr_learner_at", c_bool, c_size_t, c_void_p)]:
            function = getattr(so, name)
            function.restype, function.argtypes = result, arguments

    def learners(self):
        """The names of all learners, from the library's own table."""
        names, room = [], ctypes.create_string_buffer(256)
        while self.so.thr_learner_at(len(names), room):
            names.append(ctypes.cast(room, POINTER(c_char_p))[0].decode())
        return names


class Model:
    """One model, its scratch, and a batch that holds the example at hand."""

    def __init__(self, library, settings):
        so, self.err = library.so, Error()
        self.so, self.model, self.labels = so, None, []
        self.batch, self.scratch = so.thr_batch_new(), so.thr_scratch_new()
        self.predicted, self.numbers = c_int32(), (c_double * 64)()
        self.stats, self.at = Stats(), c_size_t()
        made = so.thr_settings_new()
        try:
            for name, value in settings.items():
                self.check(so.thr_settings_set(made, name.encode(), value.encode(),
                                               byref(self.err)))
            self.model = so.thr_model_new(made, byref(self.err))
        finally:
            so.thr_settings_free(made)
        if not self.model:
            raise Refused(self.err.message.decode())

    def close(self):
        self.so.thr_scratch_free(self.scratch)
        self.so.thr_batch_free(self.batch)
        self.so.thr_model_free(self.model)

    def check(self, code):
        if code:
            raise Refused(self.err.message.decode())

    def take(self, label, importance, features):
        """The example that the next calls are about."""
        so, batch = self.so, self.batch
        so.thr_batch_clear(batch)
        so.thr_batch_begin(batch)
        so.thr_batch_set_label(batch, label.encode())
        if importance != 1:
            so.thr_batch_set_importance(batch, importance)
        for name, value in features:
            so.thr_batch_add(batch, None, name.encode(), value)
        so.thr_batch_end(batch, self.model)

    def _name(self, number):
        return None if number < 0 else self.labels[number]

    def score(self):
        """The label predicted, and the scores by label; of a regressor the number alone."""
        self.check(self.so.thr_score(self.model, self.scratch, self.batch, byref(self.predicted),
                                     self.numbers, byref(self.err)))
        return self._name(self.predicted.value), self.numbers[:max(1, len(self.labels))]

    def probabilities(self):
        self.check(self.so.thr_probabilities(self.model, self.scratch, self.batch, None,
                                             self.numbers, byref(self.err)))
        return self.numbers[:len(self.labels)]

    def learn(self):
        """The label predicted before learning."""
        self.check(self.so.thr_learn(self.model, self.scratch, self.batch, byref(self.predicted),
                                     byref(self.err)))
        known = self.so.thr_model_labels(self.model)
        while len(self.labels) < known:
            self.labels.append(self.so.thr_model_label(self.model, len(self.labels)).decode())
        self.so.thr_model_stats(self.model, byref(self.stats))
        return self._name(self.predicted.value)

    def finish(self):
        self.check(self.so.thr_model_finish(self.model, byref(self.err)))

    def linear(self):
        return self.so.thr_model_linear(self.model)

    def weights(self, name):
        """The weights of a feature by label; None: the model does not know it. "" is the bias."""
        if name == "":
            self.at.value = 0
        else:
            self.check(self.so.thr_model_find_feature(self.model, None, name.encode(),
                                                      byref(self.at), byref(self.err)))
        if self.at.value == UNKNOWN:
            return None
        self.check(self.so.thr_model_weights(self.model, self.at, self.numbers, byref(self.err)))
        return self.numbers[:max(1, len(self.labels))]

    def rule_list(self):
        """Of `rules`: the first label, then (feature, from, to) of every rule."""
        start, rule, found = self.so.thr_model_list_start(self.model), ListRule(), []
        room = ctypes.create_string_buffer(64)
        while self.so.thr_model_list_rule(self.model, len(found), byref(rule)):
            self.so.thr_model_feature(self.model, rule.feature, room, 64)
            found.append((room.value.decode(), rule.from_.decode(), rule.to.decode()))
        return start and start.decode(), found

    def experts(self):
        """Of a panel: (mistakes, weight) of every expert."""
        expert, found = Expert(), []
        while self.so.thr_model_expert(self.model, len(found), byref(expert)):
            found.append((expert.mistakes, expert.weight))
        return found
