/* Reads a log for the verifier (log.pml). pan.c includes it: the arrays are its hidden variables, ACTIONS the names of
   the actions by their numbers, and HIDDEN the ones that no log has.

   The log is the file that CARDPRESENT_LOG names. Each line is an action, a till, and an attempt or payment, and what
   follows a tab is for people. Exit codes: 0 the log is a path of the model, 1 it is not, 3 it is no log. */
static int farthest = 0, isRead = 0;

static void refuse(int line, const char *why) {
    fprintf(stderr, "LOG line %d: %s\n", line, why);
    _exit(3);
}

static void say_how_far(void) {
    printf("REACHED %d of %d\n", farthest, logLength);
    fflush(stdout);
    /* A search that was cut has not tried everything. */
    _exit(1);
}

static int action(const char *name, int line) {
    for (int number = 1; ACTIONS[number]; number++)
        if (!strcmp(ACTIONS[number], name)) return number;
    refuse(line, "no such action in this model");
    return 0;
}

void read_log(void) {
    const char *path = getenv("CARDPRESENT_LOG");
    FILE *file = path ? fopen(path, "r") : NULL;
    char text[1000], word[100], value[100], *other, *tab;
    int who, which, line = 0;
    if (isRead++) return;
    if (!file) refuse(0, "CARDPRESENT_LOG is not a file that can be read");
    tills = 1;
    canBeAsked = 1;
    for (const char **name = HIDDEN; *name; name++) isHidden[action(*name, 0)] = 1;
    while (fgets(text, sizeof text, file)) {
        line++;
        if (!strchr(text, '\n') && !feof(file)) refuse(line, "the line is too long");
        if ((tab = strchr(text, '\t'))) *tab = 0;
        if (text[0] == '#' || sscanf(text, "%99s", word) != 1) continue;
        if (!strcmp(word, "model") || !strcmp(word, "cut")) continue;
        if (!strcmp(word, "cannot_be_asked")) { canBeAsked = 0; continue; }
        if (!strcmp(word, "two_tills")) { tills = 2; continue; }
        if (!strcmp(word, "hidden") && sscanf(text, "%*s %99s", value) == 1) {
            isHidden[action(value, line)] = 1;
            continue;
        }
        if (sscanf(text, "%99s %d %d", word, &who, &which) != 3 || who < 0 || who > 2 || which < -1 || which > 3)
            refuse(line, "expected an action, a till, and a number");
        if (logLength >= LONGEST_LOG) refuse(line, "the log is too long");
        if ((other = strchr(word, '|'))) {
            *other++ = 0;
            logOther[logLength] = action(other, line);
        }
        logAction[logLength] = action(word, line);
        logWho[logLength] = who;
        logWhich[logLength] = which < 0 ? 255 : which;
        logLength++;
    }
    fclose(file);
    atexit(say_how_far);
}

void note_position(int position) {
    if (position > farthest) farthest = position;
}

/* Of pan.c: the steps of the search that lead to its current state. */
extern long depth;
extern Trail *trail;

/* Prints the transitions of the path, by their numbers in `pan -d`. */
void accept_log(void) {
    printf("ACCEPTED");
    for (long i = 1; i <= depth; i++) {
        if (trail[i].o_t) printf(" %d", trail[i].o_t->t_id);
    }
    printf("\n");
    fflush(stdout);
    _exit(0);
}
