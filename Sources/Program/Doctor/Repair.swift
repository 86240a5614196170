import Determinism
import Files

/// A fix that is safe to apply without asking: it stops no program, takes no access away, and can be applied twice.
public struct Repair: Hashable, Sendable {
    /// One step of a repair. Steps run in order, and the first error ends the repair.
    public enum Step: Hashable, Sendable {
        /// Installs a file. Keeps a previous file with the extension `.old`.
        case install(InstalledFile)
        /// Writes a value to a kernel attribute.
        case write(String, to: String)
        /// Runs a program from the standard directories with these arguments, without a shell.
        case run([String])
    }

    /// A short description.
    public var purpose: String
    /// The steps in order. A failed step ends the repair.
    public var steps: [Step]
    /// Whether the repair requires root.
    public var needsRoot: Bool

    /// Takes a short description, and the steps in order.
    public init(_ purpose: String, steps: [Step], needsRoot: Bool = true) {
        (self.purpose, self.steps, self.needsRoot) = (purpose, steps, needsRoot)
    }
}

/// The result of a repair.
public struct RepairResult: Hashable, Sendable {
    /// The end of a repair.
    public enum Outcome: Hashable, Sendable {
        case done
        /// Not attempted without root.
        case needsRoot
        /// The error of the failed step; earlier steps were done.
        case failed(String)
    }

    public var check: CheckName
    public var repair: Repair
    public var outcome: Outcome
}

/// Why a repair step failed.
public enum RepairError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file cannot be written.
    case file(path: String, reason: String)
    /// A program cannot be started.
    case notStarted(program: String, reason: String)
    /// A program exited with an error; `message` is its last line of output.
    case failed(program: String, status: Int32, message: String)
    /// A program exceeded its time limit and was killed.
    case timedOut(program: String)

    public var description: String {
        switch self {
        case .file(let path, let reason): "cannot write \(path): \(reason)"
        case .notStarted(let program, let reason): "cannot run \(program): \(reason)"
        case .failed(let program, let status, let message):
            "\(program) exited with status \(status)" + (message.isEmpty ? "" : ": \(message)")
        case .timedOut(let program): "\(program) timed out"
        }
    }
}

/// Applies repairs.
public struct Repairer: Sendable {
    private let files: SystemFiles
    private let runner: any CommandRunner
    private let isRoot: Bool

    /// - Parameters:
    ///   - files: The file system to install files in.
    ///   - runner: Runs programs.
    ///   - isRoot: Whether this process has root privileges.
    public init(files: SystemFiles, runner: any CommandRunner, isRoot: Bool) {
        (self.files, self.runner, self.isRoot) = (files, runner, isRoot)
    }

    /// Applies each repair of the reports once, in order.
    ///
    /// - Parameters:
    ///   - reports: The reports of the checks.
    ///   - earlier: Earlier results, which are not repeated.
    /// - Returns: The results of the repairs applied now.
    public func repair(_ reports: [CheckReport], after earlier: [RepairResult] = []) async -> [RepairResult] {
        var results: [RepairResult] = []
        for report in reports {
            for repair in report.findings.compactMap(\.repair)
            where !(earlier + results).contains(where: { $0.repair == repair }) {
                results.append(RepairResult(check: report.name, repair: repair, outcome: await outcome(of: repair)))
            }
        }
        return results
    }

    private func outcome(of repair: Repair) async -> RepairResult.Outcome {
        guard isRoot || !repair.needsRoot else { return .needsRoot }
        do throws(RepairError) {
            for step in repair.steps { try await perform(step) }
            return .done
        } catch {
            return .failed(error.description)
        }
    }

    private func perform(_ step: Repair.Step) async throws(RepairError) {
        switch step {
        case .install(let file): try files.install(file.contents, at: file.path)
        case .write(let value, let path): try files.write(value, to: path)
        case .run(let command): try await runner.run(command)
        }
    }
}

/// Runs programs for repairs.
public protocol CommandRunner: Sendable {
    /// Runs a program and waits for it to exit.
    ///
    /// - Parameter command: The program's name or path, and its arguments.
    /// - Throws: ``RepairError``
    func run(_ command: [String]) async throws(RepairError)
}

/// Runs programs as child processes and kills those that take too long.
public struct ProcessRunner: CommandRunner {
    /// The longest run, in seconds.
    private let seconds: Int32

    /// - Parameter seconds: the longest run of a program, 1...3600.
    public init(seconds: Int32 = 60) { self.seconds = max(1, min(seconds, 3600)) }

    public func run(_ command: [String]) async throws(RepairError) {
        guard let program = command.first else { throw .notStarted(program: "", reason: "no program is named") }
        let result: ChildProcess.Result
        do throws(ChildProcess.Failure) { result = try await run(program, Array(command.dropFirst())) } catch {
            switch error {
            case .notStarted(let error): throw .notStarted(program: program, reason: error.description)
            case .timedOut: throw .timedOut(program: program)
            }
        }
        guard result.exitStatus != 0 else { return }
        // As a shell numbers the end by a signal.
        let status = result.exitStatus ?? 128 + (result.signal ?? 0)
        throw .failed(program: program, status: status, message: result.lastLine)
    }

    private func run(_ program: String, _ arguments: [String]) async throws(ChildProcess.Failure) -> ChildProcess.Result
    {
        // Administrators' programs are not on every user's path, and the user can set the path to anything. Nothing
        // else of the caller's environment is passed on.
        let environment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
        let places = program.contains("/") ? [""] : ["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"]
        var failure = ChildProcess.Failure.timedOut
        for place in places {
            do throws(ChildProcess.Failure) {
                return try await ChildProcess.run(
                    place + program, arguments, environment: environment, limit: .seconds(seconds),
                    time: SystemTimeSource())
            } catch {
                failure = error
                guard error == .notStarted(.noSuchFile) else { throw error }
            }
        }
        throw failure
    }
}
