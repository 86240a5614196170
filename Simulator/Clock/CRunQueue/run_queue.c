#include "run_queue.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT_CC __attribute__((swiftcall))

// swift/Runtime/Concurrency.h; jobs and executors are opaque here.
typedef SWIFT_CC void (*enqueue_function)(void *job);
extern SWIFT_CC void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_function original);
extern SWIFT_CC void swift_job_run(void *job, void *executor_identity, uintptr_t executor_implementation);

struct run_queue {
    uintptr_t owner;
    // A ring; the capacity is a power of two.
    void **jobs;
    size_t capacity, first, count;
};

static _Thread_local run_queue *current;

// A lost job is a task that never ends, so without memory the process cannot go on.
static void grow(run_queue *queue) {
    void **jobs = malloc(2 * queue->capacity * sizeof(void *));
    if (!jobs) abort();
    for (size_t index = 0; index < queue->count; index++) {
        jobs[index] = queue->jobs[(queue->first + index) & (queue->capacity - 1)];
    }
    free(queue->jobs);
    queue->jobs = jobs;
    queue->capacity *= 2;
    queue->first = 0;
}

static SWIFT_CC void enqueue(void *job, enqueue_function original) {
    run_queue *queue = current;
    if (!queue) {
        original(job);
        return;
    }
    if (queue->count == queue->capacity) grow(queue);
    queue->jobs[(queue->first + queue->count) & (queue->capacity - 1)] = job;
    queue->count++;
}

static void install(void) { swift_task_enqueueGlobal_hook = enqueue; }

run_queue *run_queue_create(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    run_queue *queue = malloc(sizeof(run_queue));
    if (!queue) abort();
    *queue = (run_queue){.jobs = malloc(64 * sizeof(void *)), .capacity = 64};
    if (!queue->jobs) abort();
    return queue;
}

void run_queue_set_owner(run_queue *queue, uintptr_t owner) { queue->owner = owner; }

void run_queue_destroy(run_queue *queue) {
    free(queue->jobs);
    free(queue);
}

run_queue *run_queue_enter(run_queue *queue) {
    run_queue *outer = current;
    current = queue;
    return outer;
}

uintptr_t run_queue_current_owner(void) { return current ? current->owner : 0; }

bool run_queue_run_next(run_queue *queue) {
    if (queue->count == 0) return false;
    void *job = queue->jobs[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    // The generic executor.
    swift_job_run(job, NULL, 0);
    return true;
}
