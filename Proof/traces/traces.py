"""Validates recorded logs: each must be a path of its model. Scripts/prove --traces FOLDER uses it.

A log is a file NAME.trace, as `cardpresent simulate explore --traces FOLDER` writes it: its model, and then an action,
a till, and an attempt or payment on each line. The model is built a second time with log.pml, in which an action is
possible only when it is the next one of the log, and Spin searches for one path of the model with all of them.
"""
import concurrent.futures
import glob
import hashlib
import os
import re
import subprocess

MODELS = {"money": ["ATTEMPTS=4"], "store": ["PAYMENTS=2"]}
# Actions that logs do not have. They are possible at any time, and are not counted.
OF_THE_WORLD = {"host_inquire", "host_dies", "request_lost", "calm_begins", "store_dies", "store_capture"}
# What nobody does in a session: the store's owner changes no order. They are never possible, and are not counted.
OF_NOBODY = {"order_changed", "order_restored"}
# What the program does between two lines of a log. It is counted.
UNLOGGED = {"open_attempts", "claim_notification", "look", "look_unanswered", "take_answer", "capture_not_sent"}
UNLOGGED_OF_STORE = {"deadline"}
NEVER = {"illegal_transition", "illegal_notification"}
# No line of a log is between the request to the store and the commit after it: a crash counts as an early one.
INDISTINCT = {("store", "lookAgain", "crash")}
AGAIN = {"host_authorize", "host_reverse", "host_advise"}
GUARDED = re.compile(
    r"(atomic \{\s*|::\s*)((?:(?!::|->)[^;{}])+?)\s*->\s*(?:\\\n\s*|/\*[^\n]*?\*/\s*)?"
    r"EV\((\w+), ([^,]+), ([^(),]*(?:\([^()]*\))?)\)")
PLAIN = re.compile(r"(?<!define )\bEV\((\w+), ([^,]+), ([^(),]*(?:\([^()]*\))?)\)")
SEARCH = ["-m50000", "-w16", "-E", "-b"]


class Failure(Exception):
    """Logs that can't be validated, and the exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def again(action, which):
    """Returns when an action is one that was done before, which no log has."""
    return f"AGAIN_{action}({which})" if action in AGAIN else "false"


def free(action, which):
    """Returns when an action is possible without the log."""
    return f"isHidden[A_{action}]" + (f" || {again(action, which)}" if action in AGAIN else "")


def following(text):
    """Returns a model in which each EV waits for its line of the log, together with the guard before it."""
    def step(guard, action, who, which):
        return f"{guard}FITS(A_{action}, {free(action, which)}, {who}, {which}) -> " + \
            f"STEP(A_{action}, {again(action, which)}, {who}, {which})"

    text = GUARDED.sub(lambda m: m[1] + step(f"({m[2]}) && ", m[3], m[4], m[5]), text)
    # What is left begins its step, so nothing was done before it waits.
    for match in PLAIN.finditer(text):
        before = text[:match.start()].rstrip()
        if not before.endswith(("{", "DO(", "::")):
            raise Failure(f"an EV is not first in its step, and has no guard: {match[0]}", 64)
    return PLAIN.sub(lambda m: step("", m[1], m[2], m[3]), text)


class Model:
    """A model that follows logs: its verifier, and its places, which are a label of the model with an action."""

    def __init__(self, name, sources, folder):
        self.name, self.folder = name, folder
        self.source = sources[f"{name}.pml"]
        self.work = os.path.join(folder, f"{name}.build")
        self.program = os.path.join(folder, name)
        here = os.path.dirname(os.path.abspath(__file__))
        self.log = {file: open(os.path.join(here, file), encoding="utf-8").read() for file in ("log.pml", "log.c")}
        self.common = sources["common.pml"]
        self.actions = sorted(set(re.findall(r"(?<!define )\bEV\((\w+),", self.common + self.source)))
        self.hidden = (OF_THE_WORLD | UNLOGGED | (UNLOGGED_OF_STORE if name == "store" else set())) & set(self.actions)

    def files(self):
        """Returns the files of the build."""
        source = following(self.source)
        for old, new, file in (
                ("#include \"common.pml\"", "#include \"common.pml\"", "store"),
                ("#define ASKED(k) (isRefund[k]", "#define ASKED(k) (canBeAsked && isRefund[k]", "money"),
                ("init { atomic { ", "init { atomic { c_code { read_log(); }; ", ""),
                # Spin tries the process that began last first: the end of the log, the store's answers, the tills, and
                # at last what is to explain a log that these do not.
                ("RUN_LAST } }", "RUN_LAST; run watch() } }", ""),
                ("run till(0); run till(1); run store(0);",
                 "run owner(); run clerk(); run till(0); run till(1); run store(0);", "store"),
                ("run clerk(); run owner(); RUN_LAST", "RUN_LAST", "store")):
            if file in ("", self.name):
                if source.count(old) != 1:
                    raise Failure(f"Proof/{self.name}.pml has '{old}' {source.count(old)} times, not once", 64)
                source = source.replace(old, new)
        numbers = "".join(f"#define A_{name} {number}\n" for number, name in enumerate(self.actions, 1))
        tables = "".join(
            f"static const char *{name}[] = {{{''.join(chr(34) + word + chr(34) + ', ' for word in words)}0}};\n"
            for name, words in (("ACTIONS", ["", *self.actions]), ("HIDDEN", sorted(self.hidden))))
        longest = re.search(r"#define LONGEST (\d+)", self.log["log.pml"])[1]
        return {
            f"{self.name}.pml": source, "common.pml": numbers + self.log["log.pml"] + following(self.common),
            "log.c": tables + f"enum {{ LONGEST_LOG = {longest} }};\n" + self.log["log.c"]}

    def build(self, call):
        """Builds the verifier, unless it is there. `call` runs a tool in a folder."""
        files = self.files()
        mark = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
        seal = os.path.join(self.work, "sources")
        if not (os.path.exists(self.program) and os.path.exists(seal) and open(seal, encoding="utf-8").read() == mark):
            os.makedirs(self.work, exist_ok=True)
            for file in glob.glob(os.path.join(self.work, "*")):
                os.remove(file)
            for file, text in files.items():
                with open(os.path.join(self.work, file), "w", encoding="utf-8") as output:
                    output.write(text)
            call(["spin", *(f"-D{word}" for word in MODELS[self.name]), "-a", f"{self.name}.pml"], self.work, 64)
            # Without reduction: the log is outside of the state.
            call(["gcc", "-w", "-O0", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-o", "pan", "pan.c"], self.work)
            os.replace(os.path.join(self.work, "pan"), self.program)
            with open(seal, "w", encoding="utf-8") as output:
                output.write(mark)
        self.read_places(subprocess.run([self.program, "-d"], stdout=subprocess.PIPE, text=True).stdout)

    def read_places(self, listing):
        """Reads the transitions of the verifier that are a step: the place and the action of each."""
        labels, label, lines = {}, "init", self.source.splitlines()
        for number, line in enumerate(lines, 1):
            if match := re.match(r"(?:active )?(?:proctype|inline) (\w+)|(\w+):(?!:)", line):
                label = match[1] or match[2]
            labels[number] = label
        self.places = {}
        for match in re.finditer(rf"\[id +(\d+) .*? {self.name}\.pml:(\d+) => (.*)", listing):
            if action := re.search(r"isHidden\[(\d+)\]", match[3]):
                if not match[3].startswith("position ="):
                    self.places[int(match[1])] = (
                        self.name, labels[int(match[2])], self.actions[int(action[1]) - 1])

    def countable(self):
        """Returns the places that count."""
        apart = OF_THE_WORLD | OF_NOBODY | NEVER
        return {place for place in self.places.values() if place[2] not in apart} - INDISTINCT

    def check(self, path):
        """Returns the numbers of the transitions of the path with this log, or how many of its steps the model has."""
        run = subprocess.run(
            [self.program, *SEARCH], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "CARDPRESENT_LOG": os.path.abspath(path)})
        if run.returncode == 0 and (match := re.search(r"^ACCEPTED(.*)$", run.stdout, re.M)):
            return {self.places[int(word)] for word in match[1].split() if int(word) in self.places}, None
        if "max search depth too small" in run.stdout or "out of memory" in run.stdout:
            raise Failure(f"{path}: the search was cut", 3)
        if run.returncode == 1 and (match := re.search(r"^REACHED (\d+) of", run.stdout, re.M)):
            return set(), int(match[1])
        raise Failure(f"{path}: {run.stdout.strip()[-300:]}", 65)


class Log:
    """A log: its model, its steps, and why it is not all of the session."""

    def __init__(self, path):
        self.path, self.model, self.cut, self.steps = path, None, None, []
        for line in open(path, encoding="utf-8"):
            words, _, event = line.rstrip("\n").partition("\t")
            first, _, rest = words.partition(" ")
            if first == "model":
                self.model = rest
            elif first == "cut":
                self.cut = rest
            elif first and not first.startswith("#") and first not in ("hidden", "cannot_be_asked", "two_tills"):
                self.steps.append((words, event))
        if self.model not in MODELS:
            raise Failure(f"{path}: no line 'model money' or 'model store'", 65)


def unseen(path):
    """Reads the places that no log is expected to take, with the reason of each."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    return {tuple(row[:3]): row[3] for row in rows if not row[0].startswith("#")}


def words_of(step, words):
    """Returns a step in words."""
    parts = step.split()
    name, who, which = parts[0].split("|")[0], int(parts[1]), int(parts[2])
    text = words.get(name, name).replace("{till}", f"till {who + 1}").replace("{n}", str(which + 1))
    return text[0].upper() + text[1:]


def tell_rejected(log, made, words):
    """Prints where a log leaves the model."""
    print(f"\nREJECTED {log.path}: the model has the first {made} of {len(log.steps)} steps")
    for number in range(max(0, made - 8), min(made + 1, len(log.steps))):
        step, event = log.steps[number]
        mark = ">>" if number == made else "  "
        print(f"  {mark} {number + 1:>3}. {words_of(step, words)}" + (f"   [{event}]" if event else ""))


def build(sources, call, folder, words_path):
    """Builds the verifiers of all models into a folder."""
    os.makedirs(folder, exist_ok=True)
    models = {name: Model(name, sources, folder) for name in MODELS}
    for model in models.values():
        model.build(call)
    # For the words of a step: the program reads them here.
    with open(words_path, encoding="utf-8") as table, open(os.path.join(folder, "actions.tsv"), "w",
                                                           encoding="utf-8") as copy:
        copy.write(table.read())
    return models


def check_impossible(models, words):
    """Checks that the models reject the traces in `impossible`, each at its last step: what follows logs is not so wide
    that it accepts any."""
    here = os.path.dirname(os.path.abspath(__file__))
    paths = sorted(glob.glob(os.path.join(here, "impossible", "*.trace")))
    if not paths:
        raise Failure("Proof/traces/impossible has no traces", 2)
    for path in paths:
        log = Log(path)
        _, made = models[log.model].check(path)
        if made != len(log.steps) - 1:
            taken = "all" if made is None else str(made)
            raise Failure(f"{path} must be rejected at step {len(log.steps)} ({words_of(log.steps[-1][0], words)}), and"
                          f" {log.model}.pml has {taken} of its steps", 2)


def validate(folder, models, words, reasons, jobs, least):
    """Validates the logs of a folder, prints the result, and returns the exit code. `least`: the smallest part of the
    places that must be taken, in percent; nil when it does not matter."""
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), "**", "*.trace"), recursive=True))
    if not paths:
        raise Failure(f"no .trace files in {folder}; write some: cardpresent simulate explore --traces {folder}", 66)
    logs = [Log(path) for path in paths]
    seen, rejected, empty, cut = set(), [], 0, {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        whole = [log for log in logs if log.steps]
        for log, (places, made) in zip(whole, pool.map(lambda log: models[log.model].check(log.path), whole)):
            if made is None:
                seen |= places
            else:
                rejected.append((log, made))
    empty = len(logs) - len(whole)
    for log in logs:
        if log.cut:
            cut[log.cut] = cut.get(log.cut, 0) + 1
    for log, made in rejected[:10]:
        tell_rejected(log, made, words)
    places = set().union(*(model.countable() for model in models.values()))
    missing = sorted(places - seen)
    part = 100 * (len(places) - len(missing)) / len(places)
    print(f"{len(whole)} logs: {len(whole) - len(rejected)} accepted, {len(rejected)} rejected"
          + (f"; {empty} have no step that is in a model" if empty else ""))
    for why, count in sorted(cut.items(), key=lambda item: -item[1]):
        print(f"  {count} end early: {why}")
    print(f"{len(places) - len(missing)} of {len(places)} steps at their places in the models were taken: {part:.1f} %")
    unexplained = 0
    for place in missing:
        reason = reasons.get(place)
        unexplained += reason is None
        print(f"  never {place[2]} in {place[0]}.pml at '{place[1]}': {reason or 'NO REASON in Proof/unseen.tsv'}")
    for place in sorted(set(reasons) - places):
        print(f"  Proof/unseen.tsv has a place that is in no model: {' '.join(place)}")
        unexplained += 1
    if rejected:
        return 1
    if least is not None and (part < least or unexplained):
        print(f"The logs must take {least} % of the steps, and Proof/unseen.tsv must say why of each other.")
        return 2
    return 0
