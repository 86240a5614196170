import ArgumentParser
import Cryptography
import Determinism
import FoundationEssentials
import Glibc
import PostgreSQL
import Text
import WorkQueue

/// The queue over which a command shares its work with other processes.
struct QueueOptions: ParsableArguments {
    /// The most workers of a command.
    static let mostWorkers = 256

    @Option(
        help: ArgumentHelp(
            "Share the work over this PostgreSQL database: postgres://USER@HOST/DATABASE.",
            discussion: "More workers join with 'cardpresent simulate work --queue ADDRESS'.", valueName: "address"))
    var queue: String?
    @Option(
        help: ArgumentHelp(
            "Number of worker processes to start with --queue; 0 leaves the work to others. Default: the number of "
                + "processors.", valueName: "number"))
    var workers: Int?
    @Option(
        help: ArgumentHelp(
            "With --queue, time after which another worker gets the batch of one that shows no sign of life. "
                + "Default: 15.", valueName: "seconds"))
    var lease: Int?

    func validate() throws {
        try check(workers, in: 0...Self.mostWorkers, "--workers")
        try check(lease, in: 1...3600, "--lease", "seconds")
        guard queue != nil || (workers == nil && lease == nil) else {
            throw ValidationError("--workers and --lease can only be used with --queue")
        }
    }
}

/// The database of a queue, and how a program opens it.
struct QueueAddress: Sendable {
    /// The variable that has the address, so that no list of processes shows a password.
    static let variable = "CARDPRESENT_QUEUE"

    let text: String
    let timing: WorkQueueTiming

    init(_ text: String, lease: Int?) {
        self.text = text
        var timing = WorkQueueTiming()
        if let lease { timing.lease = .seconds(lease) }
        self.timing = timing
    }

    /// - Throws: `CommandFailure`
    func open() async throws(CommandFailure) -> WorkQueue {
        let address: PostgreSQLAddress
        do throws(PostgreSQLError) { address = try PostgreSQLAddress(text) } catch {
            if case .badAddress = error.reason {
                throw CommandFailure(.usage, code: "bad_queue", splitting: error.reason.description)
            }
            throw CommandFailure(WorkQueueError.database(error))
        }
        StandardError.detail("queue: \(address)")
        return try await CommandFailure.ofQueue { () async throws(WorkQueueError) in
            try await WorkQueue.open(address, time: SystemTimeSource(), timing: timing)
        }
    }
}

extension CommandFailure {
    init(_ error: WorkQueueError) {
        let (status, code): (ExitStatus, String) =
            switch error {
            case .database: (.unavailable, "queue_unavailable")
            case .canceled: (.canceled, "cancelled")
            case .newerSchema: (.configuration, "queue_is_newer")
            case .noJob: (.usage, "no_such_job")
            case .otherProgram: (.configuration, "other_program")
            case .ended(.canceled, _): (.canceled, "job_cancelled")
            case .ended(.abandoned, _): (.unavailable, "coordinator_gone")
            case .ended: (.internalError, "job_failed")
            }
        self.init(status, code: code, message: error.description, fix: error.fix)
    }

    /// Runs `body`, and gives its error the form of the command.
    static func ofQueue<Value>(
        _ body: () async throws(WorkQueueError) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(WorkQueueError) { return try await body() } catch { throw CommandFailure(error) }
    }
}

/// What tells builds of this program apart. Workers of one job are the same build, so that they have the same results.
enum ProgramIdentity {
    /// The file of the running program, also when it was replaced since.
    static let path = "/proc/self/exe"

    private static let part = 1 << 20

    /// Returns the version, and the beginning of a SHA-256 digest over the SHA-256 digests of each MiB of the program's
    /// file: `0.2.0, build 0123456789abcdef`.
    ///
    /// - Throws: `CommandFailure` when the file can't be read.
    static func text() throws(CommandFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        var (digests, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: part))
        while true {
            var filled = 0
            while filled < part {
                let count = buffer.withUnsafeMutableBytes { bytes in
                    read(descriptor, bytes.baseAddress.map { $0 + filled }, part - filled)
                }
                guard count >= 0 || errno == EINTR else { throw unreadable(errno) }
                guard count != 0 else { break }
                filled += max(0, count)
            }
            guard filled > 0 else { break }
            digests += try digest(filled == part ? buffer : Array(buffer.prefix(filled)))
        }
        let build = String(decoding: try digest(digests).prefix(8).lowercaseHexadecimalDigits, as: UTF8.self)
        return "\(Version.text), build \(build)"
    }

    /// Returns the SHA-256 digest of bytes.
    static func digest(_ bytes: [UInt8]) throws(CommandFailure) -> [UInt8] {
        do throws(CryptographyError) { return try SHA256.hash(bytes) } catch {
            throw CommandFailure(.internalError, code: "internal", message: "\(error)")
        }
    }

    private static func unreadable(_ code: Int32) -> CommandFailure {
        CommandFailure(
            .unavailable, code: "program_unreadable",
            message: "cannot read the program's own file: \(String(cString: strerror(code)))")
    }
}
