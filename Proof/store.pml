/* The store: two tills on one database notify it of the payments of one order. docs/proof.md explains it.

   It begins where money.pml ends. One event joins them: a payment that is approved makes its notification due
   (payment_taken). money.pml proves that the order has another payment only after the first was given back, so that is
   the condition of payment_taken here. The store's gateway captures the payment (OrderCompletion.gateway). */
#ifndef PAYMENTS
#define PAYMENTS 2                      /* payments of the order, one after the other, at most 2 */
#endif
#include "common.pml"
#define ALL(p) (p(0) && p(1))
#define ANY(p) (p(0) || p(1))

/* ---- The journal: OrderPaymentNotification.State ---- */
mtype:state = { planned, due, sent, unknown, confirmed, refused, conflict, accepted };
mtype:state notification[2] = planned;
byte lease[2] = DEAD;                   /* the till whose process may write it */
bool isTaken[2];                        /* the payment is captured */
bool isRefunded[2];                     /* all of it was given back */
bool wasSent[2];                        /* whether `sent` was ever committed */
#define IS_OPEN_STATE(s) (s == due || s == sent || s == unknown)
#define IS_OPEN(p) IS_OPEN_STATE(notification[p])
#define NEEDS_REVIEW(s) (s == refused || s == conflict)

/* OrderPaymentNotification.State.successors */
#define LEGAL(f, t) ((f == planned && t == due) || (f != planned && f != confirmed && f != accepted && \
    (t == confirmed || t == refused || t == conflict || t == sent || t == accepted || \
    (t == due && IS_OPEN_STATE(f)) || (t == unknown && (f == sent || f == unknown)))))

/* ---- The store ---- */
mtype:order = { unpaid, paidByFirst, paidBySecond, paidOtherwise, changed, closed };
mtype:order order = unpaid;             /* durable before an answer leaves */
byte captures;                          /* how often a gateway captured a payment for the order */
bool capturedBy[2];                     /* which payments did */
bool wire[2];                           /* requests under way, for each payment; a copy stays */
mtype:answer = { nothing, success, refusal, noEffect, mayHaveEffect };
mtype:answer heard[2] = nothing;        /* the answer under way to each till */
bool isWaiting[2];                      /* whether the till waits for it */
byte about[2];                          /* the payment that the till's request is about */
#define PAID_BY(p) (order == (p == 0 -> paidByFirst : paidBySecond))

/* What a look at the order shows (OrderVerdict); `unseen` without an answer. */
mtype:sight = { none, paidByIt, otherwise, isClosed, awaits, unseen };
#define VERDICT(p) (PAID_BY(p) -> paidByIt : (order == unpaid -> awaits : (order == closed -> isClosed : otherwise)))

/* PaymentJournal.move of a notification; the disk may refuse the commit. */
#define COMMIT(s) \
    if \
    :: lease[k] == me && LEGAL(notification[k], s) -> notification[k] = s \
    :: !(lease[k] == me && LEGAL(notification[k], s)) -> EV(illegal_notification, me, k); MUST(false, noDeadEnd) \
    :: !calm -> EV(disk_refused, me, k); goto done \
    fi
/* OrderPaymentNotification.State.afterSilence */
#define AFTER_SILENCE (before == sent -> unknown : before)

inline hangUp() { heard[me] = nothing; isWaiting[me] = false; about[me] = 0 }
inline forget() { k = 0; before = planned; seen = none; said = nothing }
#define FREE_LEASE(k) if :: lease[k] == me -> lease[k] = DEAD :: else fi
inline die() { FREE_LEASE(0); FREE_LEASE(1); hangUp(); forget() }
#define DEADLINE (!calm || (heard[me] == nothing && !wire[k]))

#define CLAIMABLE(k) ((lease[k] == me || lease[k] == DEAD) && (IS_OPEN(k) || !calm && NEEDS_REVIEW(notification[k])))

/* OrderPaymentNotificationCommand.execute */
proctype till(byte me) {
    byte k;                             /* the payment at hand */
    mtype:state before = planned;       /* the notification as it was claimed */
    mtype:sight seen = none;            /* the last look at the order */
    mtype:answer said = nothing;        /* the store's answer */
born: /* PaymentJournal.claimNotification: an open one, or one that a person asks for (payments sync P...) */
end_born:
    if
    :: atomic { CLAIMABLE(0) -> EV(claim_notification, me, 0); k = 0; lease[0] = me; before = notification[0] }
    :: atomic { CLAIMABLE(1) -> EV(claim_notification, me, 1); k = 1; lease[1] = me; before = notification[1] }
    :: DIE
    fi;
    if
    :: atomic { EV(look, me, k); seen = VERDICT(k); if :: seen != awaits -> goto resolve :: else -> seen = none fi }
    :: atomic { !calm -> EV(look_unanswered, me, k); seen = unseen; goto resolve }
    :: DIE
    fi;
    if
    :: atomic { isRefunded[k] -> EV(refuse_refunded, me, k); COMMIT(refused); goto done }
    :: atomic { !isRefunded[k] -> EV(mark_sent, me, k); MUST(!isRefunded[k], refundedNotSent);
        COMMIT(sent); wasSent[k] = true }
    :: DIE
    fi;
    if
    :: atomic { EV(send_capture, me, k); MUST(notification[k] == sent && isTaken[k], recordedFirst);
        wire[k] = true; isWaiting[me] = true; about[me] = k }
    :: atomic { !calm -> EV(capture_not_sent, me, k); said = noEffect; goto lookAgain }
    :: DIE
    fi;
    if
    :: atomic { heard[me] != nothing -> EV(take_answer, me, k); said = heard[me]; hangUp() }
    :: atomic { DEADLINE -> EV(deadline, me, k); said = mayHaveEffect; hangUp() }
    :: DIE
    fi;
lookAgain: /* The order decides, not the answer. */
    if
    :: atomic { EV(look, me, k); seen = VERDICT(k); if :: seen != awaits -> said = nothing; goto resolve :: else fi }
    :: atomic { !calm -> EV(look_unanswered, me, k); seen = unseen }
    :: DIE
    fi;
    if
    :: atomic { said == success || said == mayHaveEffect -> EV(record_unknown, me, k); COMMIT(unknown); goto done }
    :: atomic { said == refusal && seen == awaits -> EV(record_refused, me, k); COMMIT(refused); goto done }
    :: atomic { said == noEffect || (said == refusal && seen != awaits) -> EV(record_silence, me, k);
        COMMIT(AFTER_SILENCE); goto done }
    :: DIE
    fi;
resolve: /* OrderPaymentNotificationCommand.resolve */
    if
    :: atomic { seen == paidByIt -> EV(record_confirmed, me, k); COMMIT(confirmed); goto done }
    :: atomic { seen == otherwise -> EV(record_conflict, me, k); COMMIT(conflict); goto done }
    :: atomic { seen == isClosed -> EV(record_refused, me, k); COMMIT(refused); goto done }
    :: atomic { seen == unseen && NEEDS_REVIEW(before) -> goto done }
    :: atomic { seen == unseen && !NEEDS_REVIEW(before) -> EV(record_silence, me, k); COMMIT(AFTER_SILENCE); goto done }
    :: DIE
    fi;
done: atomic { forget(); goto born }
}

/* The journal's other writers: payments, refunds, and a person who accepts. */
proctype clerk() {
end_clerk:
    do
    :: atomic { !isTaken[0] -> EV(payment_taken, 0, 0); isTaken[0] = true; notification[0] = due; lease[0] = 0 }
    :: atomic { PAYMENTS > 1 && !isTaken[1] && isTaken[0] && isRefunded[0] && order == unpaid ->
        EV(payment_taken, 1, 1); isTaken[1] = true; notification[1] = due; lease[1] = 1 }
    :: atomic { isTaken[0] && !isRefunded[0] -> EV(payment_refunded, 0, 0); isRefunded[0] = true }
    :: atomic { isTaken[1] && !isRefunded[1] -> EV(payment_refunded, 1, 1); isRefunded[1] = true }
    :: atomic { NEEDS_REVIEW(notification[0]) && lease[0] == DEAD -> EV(accept, 0, 0); notification[0] = accepted }
    od
}

/* The store with its gateway, as far as it handles payment p. */
proctype store(byte p) {
    mtype:answer said = nothing;
end_store:
    do
    :: atomic { wire[p] -> EV(store_capture, 2, p);
        if
        :: order == unpaid || order == changed -> order = (p == 0 -> paidByFirst : paidBySecond);
            capturedBy[p] = true; captures++; said = success
        :: PAID_BY(p) -> said = success                                 /* the same intent changes nothing */
        :: !PAID_BY(p) -> said = refusal                    /* also of an unpaid order: the amount is too small */
        fi;
        if :: wire[p] = false :: !calm fi;
        if
        :: isWaiting[0] && about[0] == p -> if :: heard[0] = said :: !calm fi
        :: isWaiting[1] && about[1] == p -> if :: heard[1] = said :: !calm fi
        :: else
        fi;
        said = nothing }
#ifdef LIVE
    :: atomic { !calm && wire[p] -> EV(request_lost, 2, p); wire[p] = false }
#endif
    od
}

/* The store's owner, and its process, which dies with the answers that have not arrived. */
proctype owner() {
end_owner:
    do
    :: atomic { !calm && order == unpaid -> EV(order_changed, 2, 0);
        if :: order = paidOtherwise :: order = changed :: order = closed fi }
    :: atomic { !calm && (order == changed || order == closed) -> EV(order_restored, 2, 0); order = unpaid }
    :: atomic { !calm && (heard[0] != nothing || heard[1] != nothing) -> EV(store_dies, 2, 0);
        heard[0] = nothing; heard[1] = nothing }
    od
}

#define CONFIRMED_TRUE(p) (notification[p] != confirmed || PAID_BY(p))
#define CAPTURE_RECORDED(p) (!capturedBy[p] || (wasSent[p] && isTaken[p]))
proctype judge() {
end_judge:
    if
    :: atomic { captures > 1 -> MUST(false, oneCapture) }
    :: atomic { !ALL(CONFIRMED_TRUE) -> MUST(false, confirmedIsTrue) }
    :: atomic { !ALL(CAPTURE_RECORDED) -> MUST(false, captureRecorded) }
    fi
}

init { atomic { run till(0); run till(1); run store(0); if :: PAYMENTS > 1 -> run store(1) :: else fi;
    run clerk(); run owner(); RUN_LAST } }

/* Every notification ends, or a person decides, once the store has returned. */
#define SETTLED(p) (notification[p] != due && notification[p] != sent && notification[p] != unknown)
ltl ends { <> [] ALL(SETTLED) }
