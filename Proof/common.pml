/* Shared by money.pml and store.pml: steps, rules, and the end of all faults. docs/proof.md explains them. */
#define TEXT(words) #words

/* A step of the program: what happens, to which till (2: somebody else), and to which attempt or payment. A build for
   recorded logs defines EV so that a step is possible only when it is the next one of the log. */
#ifndef EV
#define EV(action, who, which) printf(TEXT(STEP action %d %d\n), who, which)
#endif

/* A rule that must hold. */
#define MUST(condition, rule) if :: condition :: else -> printf(TEXT(BROKEN rule\n)); assert(false) fi

/* The till makes a step, or its process dies before it: everything that is not in the journal is lost, and the kernel
   frees its lease (ProcessLease). */
#define DIE atomic { !calm -> EV(crash, me, k); die(); goto born }
#define DO(...) if :: atomic { __VA_ARGS__ } :: DIE fi
#define DEAD 2                          /* the lease of a process that has ended */

/* The partners return, for good: no crash, refused commit, loss, or copy any more. It begins at any time. Without LIVE
   it never does, and a lost message is one that never arrives. */
#ifdef LIVE
bool calm;
proctype partnersReturn() { atomic { EV(calm_begins, 2, 0); calm = true }; do :: calm = true od }   /* time passes */
#define RUN_LAST run partnersReturn()
#else
#define calm false
#define RUN_LAST run judge()            /* the process that watches the rules about more than one step */
#endif
