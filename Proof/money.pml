/* The money: two tills on one database, one order, one host, and a wire between them. docs/proof.md explains it.

   Each `atomic` is one step of the program: a commit of the journal, a message that leaves, or an answer that arrives.
   Its EV names the step; Proof/actions.tsv says what it is in the program. Between two steps anything else may happen.
   There is no bound on the number of crashes, refused commits, losses, copies, delays, and deadlines that pass; the
   bounds are the tills (2) and the attempts (ATTEMPTS). */
#ifndef ATTEMPTS
#define ATTEMPTS 3                      /* sales and refunds of the order, at most 4 */
#endif
#include "common.pml"
#define ALL(p) (p(0) && p(1) && p(2) && p(3))
#define ANY(p) (p(0) || p(1) || p(2) || p(3))
#define SUM(p) (p(0) + p(1) + p(2) + p(3))

/* ---- The journal (PaymentJournal): durable, one writer at a time. ---- */
mtype:state = { none, created, authorizing, authorized, captured, declined, canceled, failed, reversing, reversed,
    unknown };
mtype:state state[4] = none;            /* AttemptState; authorizedOnly is not in the model */
bool isRefund[4];                       /* PaymentAttempt.Kind */
byte original[4];                       /* the sale that a refund is of */
byte lease[4] = DEAD;                   /* the till whose process may write the attempt; final ones need none */
bool wasReversing[4];                   /* whether the history of a refund has `reversing` */
byte attempts;                          /* how many have begun */

/* AttemptState.successors */
#define LEGAL(f, t) ( \
    (f == created && (t == authorizing || t == authorized || t == declined || t == canceled || t == failed)) || \
    (f == authorizing && (t == authorized || t == captured || t == declined || t == failed || t == reversing || \
        t == unknown)) || \
    (f == authorized && (t == captured || t == reversing || t == unknown)) || \
    (f == reversing && (t == reversed || t == reversing || t == unknown)) || \
    (f == unknown && (t == authorized || t == captured || t == declined || t == failed || t == reversing || \
        t == reversed || t == unknown)))
#define NOTHING_MOVED(k) (state[k] == declined || state[k] == canceled || state[k] == failed || state[k] == reversed)
#define FINAL(k) (NOTHING_MOVED(k) || state[k] == captured)
#define OPEN(k) (state[k] != none && !FINAL(k))

/* What the clerk was shown about an attempt: receipt, exit code, report of the recovery. */
mtype:told = { unclear, approved, refused };     /* `unclear` also before anything was shown */
mtype:told told[4] = unclear;

/* ---- The wire: a bag of requests, at most one of each kind for an attempt. ---- */
#define REQUEST 0                       /* an authorization, or a refund */
#define REVERSAL 1
#define ADVICE 2
#define INQUIRY 3
#define AT(k, m) ((k) * 4 + (m))
bool wire[16];
mtype:answer = { nothing, approval, decline, confirmation, notFound };
mtype:answer heard[2] = nothing;        /* the answer under way to each till */
byte call[2];                           /* what a till waits for: 1 + AT(k, m); 0 for nothing */

/* ---- The host's book (IssuerLedger): durable before the answer leaves. ---- */
mtype:answer first[4] = nothing;        /* the first answer to the request */
bool isReversed[4];
bool isAdvised[4];
byte booked[4];                         /* how often money was moved for the attempt */
#define CHARGED(k) (isAdvised[k] || (first[k] == approval && !isReversed[k]))
#define CHARGES(k) (CHARGED(k) && !isRefund[k])
#define REFUNDS(k) (CHARGED(k) && isRefund[k])
#define NET (SUM(CHARGES) - SUM(REFUNDS))

mtype:answer said = nothing;            /* within one step: the host's answer */

/* PaymentJournal.move: refuses attempts of others and forbidden transitions; the disk may refuse the commit. */
#define COMMIT(s, otherwise) \
    if \
    :: lease[k] == me && LEGAL(state[k], s) -> state[k] = s; if :: FINAL(k) -> lease[k] = DEAD :: else fi \
    :: !(lease[k] == me && LEGAL(state[k], s)) -> EV(illegal_transition, me, k); goto otherwise \
    :: !calm -> EV(disk_refused, me, k); goto otherwise \
    fi

/* The clerk is shown an outcome after its commit. What was shown as certain stays. */
inline tell(t) { MUST(told[k] == unclear || told[k] == t, toldOnce); told[k] = t }

/* JournalingPaymentHost: the journal before the wire. */
inline send(m) {
    MUST(state[k] == (m == REQUEST -> authorizing : (m == REVERSAL -> reversing : (m == ADVICE -> authorized :
        state[k]))), recordedFirst);
    wire[AT(k, m)] = true; call[me] = 1 + AT(k, m)
}

inline hangUp() {
    wire[AT(k, INQUIRY)] = wire[AT(k, INQUIRY)] && call[me] != 1 + AT(k, INQUIRY);      /* late ones change nothing */
    wire[AT(k, REVERSAL)] = wire[AT(k, REVERSAL)] && !isReversed[k];
    wire[AT(k, ADVICE)] = wire[AT(k, ADVICE)] && !isAdvised[k];
    heard[me] = nothing; call[me] = 0
}

/* The deadline is longer than any delay of a calm wire. */
#define DEADLINE (!calm || (heard[me] == nothing && !wire[call[me] - 1]))

#define FREE_LEASE(k) if :: lease[k] == me -> lease[k] = DEAD :: else fi
inline die() { hangUp(); FREE_LEASE(0); FREE_LEASE(1); FREE_LEASE(2); FREE_LEASE(3); k = 0 }

/* PaymentJournal.checkIsFree: the order has no other payment that took money, or may have. */
#define REFUNDED(k, r) (isRefund[r] && original[r] == k && state[r] == captured)
#define FREE(k) (state[k] == none || isRefund[k] || NOTHING_MOVED(k) || REFUNDED(k, 1) || REFUNDED(k, 2) || \
    REFUNDED(k, 3))
/* PaymentJournal.beginRefund: open refunds count as refunded. */
#define HELD(k, r) (isRefund[r] && original[r] == k && !NOTHING_MOVED(r))
#define REFUNDABLE(k) (state[k] == captured && !isRefund[k] && !HELD(k, 1) && !HELD(k, 2) && !HELD(k, 3))
/* PaymentRecovery.recover: the host is asked about a refund, and a sale is taken back. */
#ifdef CANNOT_BE_ASKED
#define ASKED(k) false                  /* PaymentHost.canBeAsked */
#else
#define ASKED(k) (isRefund[k] && !wasReversing[k])
#endif
/* Attempts that this process may work on. */
#define TAKEABLE(k) (OPEN(k) && (lease[k] == me || lease[k] == DEAD))
#define TAKE(k) if :: TAKEABLE(k) -> lease[k] = me :: else fi

proctype till(byte me) {
    byte k;                             /* the attempt at hand */
born: /* PaymentRecovery.run takes over what dead processes left, in one commit (PaymentJournal.openAttempts). */
    atomic {
        EV(open_attempts, me, 0);
        TAKE(0); TAKE(1); TAKE(2); TAKE(3);
next:   /* PaymentRecovery.recover: one attempt after the other; wait, when the host does not say what was restored */
        do
        :: k < ATTEMPTS && !(OPEN(k) && lease[k] == me) -> k++
        :: else -> break
        od;
        if :: k >= ATTEMPTS -> k = 0; goto idle :: else fi
    };
    if
    :: atomic { state[k] == created -> EV(abandon, me, k); COMMIT(failed, over); tell(refused); goto over }
    :: atomic { state[k] == authorized -> goto advise }
    :: atomic { state[k] != created && state[k] != authorized && ASKED(k) -> EV(send_inquiry, me, k); send(INQUIRY) };
        if
        :: atomic { heard[me] == approval -> EV(take_approval, me, k); hangUp(); goto found }
        :: atomic { heard[me] == decline -> EV(take_decline, me, k); hangUp(); goto declinedBy }
        :: atomic { heard[me] == notFound -> EV(take_not_found, me, k); hangUp(); goto undo }   /* or reversed */
        :: atomic { DEADLINE -> EV(deadline, me, k); hangUp(); if :: goto noAnswer :: goto undo fi }    /* knowsKeys */
        :: DIE
        fi
    :: atomic { state[k] != created && state[k] != authorized && !ASKED(k) -> goto undo }
    :: atomic { !calm -> if :: state[k] == created || state[k] == authorized -> goto over :: else -> goto noAnswer fi }
    :: DIE
    fi;
undo: /* JournalingPaymentHost.reverse: the commit, then the message */
    DO(EV(mark_reversing, me, k); COMMIT(reversing, noAnswer); wasReversing[k] = isRefund[k]);
    DO(EV(send_reversal, me, k); send(REVERSAL));
    if
    :: atomic { heard[me] == confirmation -> EV(take_confirmation, me, k); hangUp() }
    :: atomic { DEADLINE -> EV(deadline, me, k); hangUp(); goto noAnswer }
    :: DIE
    fi;
    DO(EV(finish_reversed, me, k); COMMIT(reversed, over); tell(refused); goto over);
noAnswer: /* PaymentJournal.markUnknown */
    DO(EV(mark_unknown, me, k); COMMIT(unknown, unrecorded); tell(unclear); goto over);
found: /* PaymentJournal.finish as captured */
    DO(EV(finish_captured, me, k); COMMIT(captured, unrecorded); tell(approved); goto over);
declinedBy: /* PaymentJournal.finish as declined; failed is the same for money */
    DO(EV(finish_declined, me, k); COMMIT(declined, over); tell(refused); goto over);
advise: /* JournalingPaymentHost.forward: PaymentCollection.advise, PaymentRecovery.adviseAgain */
    DO(EV(send_advice, me, k); send(ADVICE));
    if
    :: atomic { heard[me] == confirmation -> EV(take_confirmation, me, k); hangUp() }
    :: atomic { DEADLINE -> EV(deadline, me, k); hangUp(); goto over }          /* recovery sends it again */
    :: DIE
    fi;
    DO(EV(finish_advised, me, k); COMMIT(captured, over); tell(approved); goto over);
unrecorded: atomic { tell(unclear) };   /* CardPresentPaymentsError.unrecorded, and "still open" in the report */
over: atomic { k++; goto next };        /* a payment or refund leaves nothing open behind it that is ours */

idle: /* PaymentExclusion: one operation at a time */
end_idle:
    if
    :: atomic { attempts < ATTEMPTS && (attempts > 0 || me == 0) && ALL(FREE) ->         /* tills are alike: 0 begins */
        EV(begin_sale, me, attempts); k = attempts; attempts++; state[k] = created; lease[k] = me;
        if :: goto online :: goto offline fi }                                  /* PaymentRun: the card decides */
    :: atomic { attempts < ATTEMPTS && ANY(REFUNDABLE) ->
        EV(begin_refund, me, attempts); k = attempts; attempts++; lease[k] = me;
        original[k] = (REFUNDABLE(0) -> 0 : (REFUNDABLE(1) -> 1 : 2)); isRefund[k] = true; state[k] = created;
        if :: goto online :: goto offline fi }                                  /* a person cancels it at once */
    :: atomic { ANY(TAKEABLE) -> goto born }        /* payments recover */
    :: DIE
    fi;
online: /* JournalingPaymentHost.begin: the commit, then the message */
    DO(EV(mark_authorizing, me, k); COMMIT(authorizing, offline));
    if
    :: atomic { EV(send_request, me, k); send(REQUEST) }
    :: atomic { !calm -> EV(request_not_sent, me, k); goto offline }            /* PaymentHostError.notSent */
    :: DIE
    fi;
    if
    :: atomic { heard[me] == approval -> EV(take_approval, me, k); hangUp();
        if
        :: goto found
        :: !isRefund[k] -> goto undo    /* PaymentCompletion: the card declined, a person canceled, a part only */
        fi }
    :: atomic { heard[me] == decline -> EV(take_decline, me, k); hangUp(); goto declinedBy }
    :: atomic { DEADLINE -> EV(deadline, me, k); hangUp(); if :: isRefund[k] -> goto noAnswer :: else -> goto undo fi }
    :: DIE
    fi;
offline: /* The host was certainly not asked. */
    if
    :: atomic { !isRefund[k] -> EV(approve_offline, me, k); COMMIT(authorized, unrecorded); tell(approved);
        goto advise }
    :: atomic { EV(abort_sale, me, k);
        if :: state[k] == created -> COMMIT(canceled, over) :: else -> COMMIT(failed, over) fi;
        tell(refused); goto over }
    :: DIE
    fi
}

/* The host moves money: once for an attempt, and only for one whose message is in the journal. */
inline book() {
    MUST(state[k] != none && state[k] != created, recordedFirst);
    booked[k]++; MUST(booked[k] == 1, chargedOnce)
}

/* The request leaves the wire, or a copy stays. The answer reaches the till that waits for it, or is lost. */
inline reply(m) {
    if :: wire[AT(k, m)] = false :: !calm fi;
    if
    :: call[0] == 1 + AT(k, m) -> if :: heard[0] = said :: !calm fi
    :: call[1] == 1 + AT(k, m) -> if :: heard[1] = said :: !calm fi
    :: else
    fi;
    said = nothing
}

#define LOSE(m) atomic { !calm && wire[AT(k, m)] -> EV(request_lost, 2, k); wire[AT(k, m)] = false }

/* The host, as far as it handles attempt k (SimulatedIssuer). Messages of different attempts overtake each other. */
proctype host(byte k) {
end_host:
    do
    :: atomic { wire[AT(k, REQUEST)] -> EV(host_authorize, 2, k);
        if
        :: first[k] != nothing || isReversed[k] ->          /* the first answer again; a reversed key is refused */
            said = (first[k] == approval && !isReversed[k] -> approval : decline)
        :: else ->
            if
            :: !isRefund[k] || (CHARGED(original[k]) && NET > 0) ->
                said = approval; book()
            :: said = decline
            fi;
            first[k] = said
        fi;
        reply(REQUEST) }
    :: atomic { wire[AT(k, REVERSAL)] -> EV(host_reverse, 2, k);    /* also of a request that never arrived */
        isReversed[k] = true; said = confirmation; reply(REVERSAL) }
    :: atomic { wire[AT(k, ADVICE)] -> EV(host_advise, 2, k);
        if :: !isAdvised[k] -> book(); isAdvised[k] = true :: else fi; said = confirmation; reply(ADVICE) }
    :: atomic { wire[AT(k, INQUIRY)] -> EV(host_inquire, 2, k);
        said = (isAdvised[k] -> approval : (isReversed[k] || first[k] == nothing -> notFound : first[k]));
        reply(INQUIRY) }
#ifdef LIVE
    :: LOSE(REQUEST) :: LOSE(REVERSAL) :: LOSE(ADVICE)
#endif
    od
}

/* The host's process dies with the answers that have not arrived. */
proctype hostDeath() {
end_death:
    do
    :: atomic { !calm && (heard[0] != nothing || heard[1] != nothing) -> EV(host_dies, 2, 0);
        heard[0] = nothing; heard[1] = nothing }
    od
}

#define FINALS_TRUE(k) ((state[k] != captured || CHARGED(k)) && (!NOTHING_MOVED(k) || !CHARGED(k)))
#define TOLD_TRUE(k) ((told[k] != approved || CHARGED(k) || state[k] == authorized) && \
    (told[k] != refused || !CHARGED(k)))
proctype judge() {
end_judge:
    if
    :: atomic { !ALL(FINALS_TRUE) -> MUST(false, finalsAreTrue) }
    :: atomic { !ALL(TOLD_TRUE) -> MUST(false, toldIsTrue) }
    :: atomic { !(NET == 0 || NET == 1) -> MUST(false, oneCharge) }
    fi
}

init { atomic { run till(0); run till(1); run host(0); run host(1); if :: ATTEMPTS > 2 -> run host(2) :: else fi;
    if :: ATTEMPTS > 3 -> run host(3) :: else fi; run hostDeath(); RUN_LAST } }

/* Every attempt ends, and whatever was unclear is shown as what it is, once the partners have returned. */
#define ENDED(k) (state[k] == none || (FINAL(k) && told[k] != unclear))
ltl ends { <> [] ALL(ENDED) }
