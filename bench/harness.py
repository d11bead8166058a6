"""Runs commands in turns and makes tables of them; what bench/bench and bench/real share.

A table is a list of rows (name, command, accuracy), where accuracy is a function that returns percent, or
None. In a command {thresh} stands for the program and {NAME} for a file of the data folder. Each round runs
every command of a table once, so that a busy machine is busy for all of them alike; the best of all rounds
counts. What takes more than SLOW seconds runs once. A command that says it has one thread is pinned to one
core, so that no helper thread of it runs beside.
"""
import os
import platform
import re
import shutil
import subprocess
import sys
import time

SLOW = 20


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, out=subprocess.DEVNULL):
    """Wall seconds, processor seconds, peak kB and the output of a shell command, or None if it fails."""
    begun = time.monotonic()
    child = subprocess.Popen(["/bin/sh", "-c", "exec " + command], stdout=out,
                             stderr=subprocess.DEVNULL, text=True)
    text = child.stdout.read() if out == subprocess.PIPE else ""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begun
    if child.returncode:
        say(f"failed ({child.returncode}): {command}")
        return None
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, text


def pinned(command):
    alone = re.search(r"--threads 1\b|--onethread|-thread 1\b", command) and shutil.which("taskset")
    return f"taskset -c 0 {command}" if alone else command


def python_with_sklearn():
    """This python3, or the system's; or nothing."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import sklearn"], capture_output=True).returncode == 0:
            return python
    return ""


class Harness:
    def __init__(self, build, data):
        self.build, self.data = os.path.abspath(build), os.path.abspath(data)
        os.makedirs(self.data, exist_ok=True)
        here = os.path.dirname(os.path.abspath(__file__))
        self.names = {"thresh": f"{self.build}/thresh", "floor": f"{self.build}/bench/floor",
                      "sklearn": python_with_sklearn() + f" {here}/sklearn_pass"}
        self.missing, self.results = set(), []

    def have(self, program):
        found = self.names["sklearn"][0] != " " if program == "{sklearn}" else \
            program.startswith("{") or shutil.which(program) is not None
        if not found and program not in self.missing:
            self.missing.add(program)
            say(f"{program.strip('{}')} is not installed: its rows are left out")
        return found

    def fill(self, command):
        return re.sub(r"\{([\w./]+)\}", lambda m: self.names.get(m[1], f"{self.data}/{m[1]}"), command)

    def prepare(self, command):
        """Makes what a command reads; False if it could not be made."""
        return True

    def best_of(self, title, rows, rounds):
        """{name: (wall, processor, peak kB, MB of the file made)}"""
        best = {}
        for turn in range(rounds):
            for name, command, _ in rows:
                if name in best and best[name][0] > SLOW:
                    continue
                done = run(pinned(self.fill(command)))
                if done:
                    new = (*done[:3], self.made(command))
                    best[name] = tuple(min(pair) if pair[0] is not None else None
                                       for pair in zip(new, best.get(name, new)))
            say(f"{title}: round {turn + 1} of {rounds}")
        return best

    def made(self, command):
        """MB of the file that a command made, or None."""
        names = re.findall(r"\{(made[\w.]*)\}", command)
        path = f"{self.data}/{names[0]}" if names else ""
        return round(os.path.getsize(path) / 1e6, 1) if os.path.exists(path) else None

    def table(self, title, features, rows, rounds):
        """Measures a table; `features` is how many its input has, passes counted."""
        rows = [row for row in rows if self.have(row[1].split()[0])]
        rows = [row for row in rows if self.prepare(row[1])]
        best = self.best_of(title, rows, rounds)
        for name, command, accuracy in rows:
            if name not in best:
                continue
            wall, cpu, peak, made = best[name]
            self.results.append({
                "table": title, "what": name, "command": re.sub(r"\{([\w./]+)\}", r"\1", command),
                "wall": round(wall, 4), "cpu": round(cpu, 4), "peak_kb": peak, "made_mb": made,
                "features_per_second": round(features / wall),
                "accuracy": accuracy() if accuracy else None})

    def row(self, title, what):
        return next((r for r in self.results if (r["table"], r["what"]) == (title, what)), None)

    def versions(self):
        def first(command):
            done = subprocess.run(["/bin/sh", "-c", command + " 2>&1"], capture_output=True, text=True)
            return (done.stdout.strip().splitlines() or [""])[0]
        found = {"thresh": first(f"{self.build}/thresh --version")}
        if shutil.which("vw"):
            found["vw"] = first("vw --version")
        for package in ("liblinear-tools", "fasttext", "python3-sklearn"):
            found[package] = first(f"dpkg-query -W -f '${{Version}}' {package}")
        cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read()
                        if os.path.exists("/proc/cpuinfo") else "")
        found["machine"] = f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores"
        return found

    def show(self):
        title = None
        for r in self.results:
            if r["table"] != title:
                title, first = r["table"], r
                print(f"\n### {title}\n\n| what | wall s | cpu s | peak MB | M features/s | held out % "
                      "| times | times cpu | made MB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
            blank = lambda value, form: "" if value is None else format(value, form)
            print(f"| {r['what']} | {r['wall']:.3f} | {r['cpu']:.3f} | {r['peak_kb'] / 1024:.0f} "
                  f"| {r['features_per_second'] / 1e6:.1f} | {blank(r['accuracy'], '.2f')} "
                  f"| {r['wall'] / first['wall']:.2f} | {r['cpu'] / first['cpu']:.2f} "
                  f"| {blank(r['made_mb'], '')} |")
        print("\n### Commands\n")
        for command in dict.fromkeys(r["command"] for r in self.results):
            print(f"    {command}")
        print("\n### Versions\n")
        for name, version in self.versions().items():
            print(f"    {name}: {version}")
