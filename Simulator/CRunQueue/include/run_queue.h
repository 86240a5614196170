#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

#include <stdbool.h>

// The tasks of one simulated world, on one thread, in the order in which they become ready.
//
// Swift runs tasks that no actor of their own holds on a pool of threads, so that their order is by chance. The
// runtime can be told to ask somebody else first (swift_task_enqueueGlobal_hook), in C alone and for the whole
// process. Here a thread that has entered a queue gets everything back that it makes ready; every other thread is
// served as before.
typedef struct run_queue run_queue;

// NULL when there is no memory.
run_queue *_Nullable run_queue_create(void);

// The queue must be empty, and no thread in it.
void run_queue_destroy(run_queue *_Nonnull queue);

// From now on what the calling thread makes ready goes to the queue, and not to the one that it was in, which is
// returned.
run_queue *_Nullable run_queue_enter(run_queue *_Nonnull queue);

// The calling thread is in the queue again that it was in before.
void run_queue_leave(run_queue *_Nullable outer);

// Runs what became ready first, as far as it goes, on the calling thread, which must be in the queue. False when
// nothing is ready.
bool run_queue_run_next(run_queue *_Nonnull queue);

#endif
