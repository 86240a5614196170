#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

// The tasks of one simulated world, on one thread, in the order in which they become ready.
//
// Swift runs tasks that belong to no custom executor on a pool of threads, so their order varies from run to run. The
// runtime offers a hook for tasks that become ready (swift_task_enqueueGlobal_hook), in C only and once per process.
// With it, a task that becomes ready on a thread that has entered a queue goes to that queue. Other threads are not
// affected.
typedef struct run_queue run_queue;

// Creates a queue. Aborts when there is no memory.
run_queue *_Nonnull run_queue_create(void);

// Sets the address that run_queue_current_owner returns on a thread in the queue.
void run_queue_set_owner(run_queue *_Nonnull queue, uintptr_t owner);

// Frees a queue. No thread may be in it.
void run_queue_destroy(run_queue *_Nonnull queue);

// Puts the calling thread into a queue, or into none (NULL), and returns the queue it was in before.
run_queue *_Nullable run_queue_enter(run_queue *_Nullable queue);

// The owner of the queue that the calling thread is in; 0 when it is in none.
uintptr_t run_queue_current_owner(void);

// Runs the job that became ready first until it suspends. The calling thread must be in the queue. Returns false when
// no job is ready.
bool run_queue_run_next(run_queue *_Nonnull queue);

#endif
