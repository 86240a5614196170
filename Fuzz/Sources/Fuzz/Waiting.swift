import Glibc
import Synchronization

/// Runs asynchronous work to its end on the calling thread, so that an input always takes the same path through the
/// program, and takes no longer on a busy machine.
enum Waiting {
    private static let jobs = Mutex<[UnownedJob]>([])
    private static let executor = Executor()

    /// Takes over all tasks from the Swift runtime, for the rest of the program.
    static func takeTasks() {
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
        guard let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            fatalError("this Swift runtime has no hook for tasks")
        }
        hook.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in Waiting.jobs.withLock { $0.append(job) } }
    }

    static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
        let result = Box<Value>()
        Task.detached {
            let value = await work()
            result.value.withLock { $0 = value }
        }
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        guard let value = result.value.withLock({ $0 }) else { fatalError("work waits for something outside") }
        return value
    }

    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Waiting.jobs.withLock { $0.append(job) }
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
