/* The build of a model that follows a recorded log: an EV is possible only when it is the next step of the log.
   Scripts/prove --traces puts the numbers of the actions above this file, and puts each guard and its EV together, so
   that a step that the log does not have is never begun. docs/proof.md explains it. */
#define LONGEST 2000
hidden byte logAction[LONGEST];         /* the steps of the log: the action, */
hidden byte logOther[LONGEST];          /* another one that it may be, or 0, */
hidden byte logWho[LONGEST];            /* the till, or 2, */
hidden byte logWhich[LONGEST];          /* and the attempt or payment; 255 for any */
hidden short logLength;
hidden byte isHidden[256];              /* actions that the log does not have: they are possible at any time */
hidden byte tills;                      /* how many tills the log has */
hidden byte canBeAsked;                 /* PaymentHost.canBeAsked of the log */
short position;                         /* how many steps of the log were made */

/* What the host does again changes nothing, and is in no book: it takes no line of the log. */
#define AGAIN_host_authorize(k) (first[k] != nothing || isReversed[k])
#define AGAIN_host_reverse(k) isReversed[k]
#define AGAIN_host_advise(k) isAdvised[k]

#define NEXT_IN_LOG(a, who, which) (position < logLength && (logAction[position] == a || logOther[position] == a) && \
    logWho[position] == (who) && (logWhich[position] == (which) || logWhich[position] == 255))
#define FITS(a, isFree, who, which) (((isFree) && ((who) == 2 || (who) < tills)) || NEXT_IN_LOG(a, who, which))
/* A step that may be anywhere takes the next line of the log as well, when that line may be it. */
#define STEP(a, isAgain, who, which) \
    position = ((NEXT_IN_LOG(a, who, which) && !(isAgain)) -> position + 1 : position); \
    c_code { note_position(now.position); }

c_decl { void read_log(void); void note_position(int); void accept_log(void); }
c_code {
\#include "log.c"
}

/* The log is a path of the model. */
proctype watch() { atomic { position == logLength -> c_code { accept_log(); } } }
