import Foundation
import Glibc
import Testing

/// The built program, run as a child process.
enum Program {
    /// It lies beside the test bundle, in the build's folder of products.
    static let path: String = {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        return folder.appendingPathComponent("cardpresent").path
    }()

    /// Runs it to its end.
    static func run(
        _ arguments: [String], in scratch: Scratch, input: String = "", environment: [String: String] = [:]
    ) throws -> ProgramResult {
        try Child(arguments, in: scratch, input: input, environment: environment).result()
    }

    /// Runs it from a shell, for what only a shell can do: `$0` is the program, `$@` its arguments.
    static func run(shell script: String, _ arguments: [String], in scratch: Scratch) throws -> ProgramResult {
        try Child(program: "/bin/bash", ["-c", script, path] + arguments, in: scratch).result()
    }
}

/// What a run of the program left behind.
struct ProgramResult {
    /// The exit code; nil when a signal ended it.
    var status: Int32?
    var signal: Int32?
    var output: String
    var error: String

    /// The result as JSON: the whole of stdout is one value.
    func json() throws -> Any {
        try JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed)
    }

    func object() throws -> [String: Any] { try #require(try json() as? [String: Any]) }

    func list() throws -> [[String: Any]] { try #require(try json() as? [[String: Any]]) }
}

/// A temporary folder for one test.
final class Scratch: Sendable {
    let folder: String

    init() throws {
        var template = Array((NSTemporaryDirectory() + "cardpresent-command-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw ChildError(call: "mkdtemp", code: errno) }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The database that most tests use.
    var database: String { file("till.sqlite") }

    /// Makes the database without a payment.
    func makeDatabase() throws {
        let made = try Program.run(
            ["exceptions", "add", "--database", database], in: self, input: "5413330089010020\n")
        try #require(made.status == 0, "\(made.error)")
    }

    func file(_ name: String) -> String { folder + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
    }

    /// All contents of the folder.
    func everything() throws -> [(name: String, bytes: Data)] {
        try FileManager.default.contentsOfDirectory(atPath: folder).map { name in
            (name, try Data(contentsOf: URL(fileURLWithPath: file(name))))
        }
    }
}

struct ChildError: Error { var call: String; var code: Int32 }
