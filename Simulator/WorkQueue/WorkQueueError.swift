public import PostgreSQL

/// Why a queue of work can't be used, or why a job has no result.
public enum WorkQueueError: Error, Hashable, Sendable {
    /// The database refused something, or could not be reached for longer than ``WorkQueueTiming/patience``.
    case database(PostgreSQLError)
    /// The task was canceled.
    case canceled
    /// A newer program has made the tables. The numbers are the version there and the newest that this program knows.
    case newerSchema(found: Int64, known: Int64)
    /// No job has this number.
    case noJob(id: String)
    /// Another program has begun the job. Its results would not be the same bytes.
    case otherProgram(job: String, theirs: String, own: String)
    /// The job was canceled, failed, or lost its coordinator; the cause comes from the one who ended it.
    case ended(JobState, cause: String)
}

extension WorkQueueError {
    /// Reads rows, and gives an error the type of the queue.
    static func reading<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(WorkQueueError) -> Value {
        do throws(PostgreSQLError) { return try body() } catch { throw WorkQueueError(error) }
    }

    /// Every statement may run twice, so it does not matter whether the one of a canceled task was committed.
    init(_ error: PostgreSQLError) {
        let isCanceled = error.reason == .canceled || error.reason == .commitUnknown(.canceled)
        self = isCanceled ? .canceled : .database(error)
    }
}

extension WorkQueueError: CustomStringConvertible {
    /// The cause, in a sentence without a fix.
    public var description: String {
        switch self {
        case .database(let error): error.description
        case .canceled: "canceled"
        case .newerSchema(let found, let known):
            "the tables of the queue have version \(found), and this program knows versions up to \(known)"
        case .noJob(let id): "there is no job '\(id)' in the queue"
        case .otherProgram(let job, let theirs, let own):
            "job \(job) was begun by cardpresent \(theirs), and this is cardpresent \(own), whose results may differ"
        case .ended(let state, let cause): "the job \(state.words)" + (cause.isEmpty ? "" : ": \(cause)")
        }
    }

    /// The step that helps; nil when there is none.
    public var fix: String? {
        switch self {
        case .database(let error) where error.report?.state == .insufficientPrivilege:
            "let the user of the queue make tables, for example in a schema of its own:"
                + " CREATE SCHEMA work AUTHORIZATION USER, and '?options=-csearch_path%3Dwork' in the address"
        case .database(let error):
            switch error.reason {
            case .libraryMissing, .badAddress: nil
            default: "check that the server runs, and that psql connects with the same address"
            }
        case .newerSchema: "install the newer program here, too"
        case .noJob: "leave out --job to work on the job that runs"
        case .otherProgram: "copy the program that began the job to this machine, or begin the job again with this one"
        case .ended(.abandoned, _): "begin the search or the run again"
        case .canceled, .ended: nil
        }
    }
}
