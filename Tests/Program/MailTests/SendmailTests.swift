import Determinism
import Foundation
import Mail
import Testing

@Suite("Handing a message to the mail program")
struct SendmailTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sendmail-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static let message: EncodedMail = {
        guard let from = try? Mailbox("till@shop.example"), let to = try? Mailbox("ada@example.org") else {
            fatalError("these are addresses")
        }
        return MessageEncoder(time: VirtualTimeSource(), random: SeededRandomSource(seed: 1)).encode(
            MailMessage(
                from: from, to: [to], subject: "Receipt", text: "Total\n",
                attachments: [MailAttachment(name: "a", type: "a/b", bytes: [UInt8](repeating: 7, count: 300_000))]))
    }()

    /// A mail program of the test's own: a shell script. Another process writes it: a program that somebody has open
    /// for writing cannot be run (ETXTBSY), and what is started elsewhere in this process at the same time would have
    /// it open.
    private func program(_ script: String) throws -> String {
        let path = folder.appendingPathComponent("sendmail").path
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = [
            "-c", "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh",
            "#!/bin/sh\ncd '\(folder.path)' || exit 71\n\(script)\n", path,
        ]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationStatus == 0)
        return path
    }

    private func handOver(to path: String, time: any TimeSource = SystemTimeSource()) async throws(SendmailError) {
        try await Sendmail(path: path, environment: ["PATH": "/usr/bin:/bin", "WHO": "till"], time: time)
            .handOver(Self.message)
    }

    private func file(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    @Test func `it receives the whole message with the system's line ends, and gets the recipients from it`()
        async throws
    {
        let path = try program("cat > message; echo \"$# $1 $2 $WHO\" > arguments; env > environment")
        try await handOver(to: path)
        #expect(try file("message") == String(decoding: Self.message.systemBytes, as: UTF8.self))
        #expect(try !file("message").utf8.contains(0x0D))
        #expect(try file("arguments") == "2 -t -i till\n")
        try FileManager.default.removeItem(at: folder)
    }

    @Test(arguments: [
        (64, SendmailStatus.usage), (65, .dataError), (66, .noInput), (69, .unavailable), (73, .cannotCreate),
        (77, .noPermission), (78, .configuration), (127, .notFound),
    ])
    func `a specific status means that nothing was accepted`(code: Int, status: SendmailStatus) async throws {
        let path = try program("cat > message; echo first; echo 'last word' >&2; exit \(code)")
        let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
        #expect(error == .refused(status, saying: "last word"))
        #expect(!error.mayHaveBeenTaken)
        #expect(error.description.hasSuffix(": last word"))
        try FileManager.default.removeItem(at: folder)
    }

    @Test(arguments: [67, 68, 70, 71, 72, 74, 75, 76, 1, 99])
    func `after any other status the outcome is unknown`(code: Int32) async throws {
        let path = try program("exit \(code)")
        let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
        #expect(error == .uncertain(SendmailStatus(code: code), saying: ""))
        #expect(error.mayHaveBeenTaken)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a program ended by a signal may have accepted it`() async throws {
        let path = try program("kill -SEGV $$")
        let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
        #expect(error == .killed(signal: 11))
        #expect(error.mayHaveBeenTaken)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a program that does not end is killed at the deadline`() async throws {
        // The clock of the test is at the deadline at once.
        let path = try program("echo $$ > number; exec sleep 600")
        let error = try await #require(throws: SendmailError.self) {
            try await handOver(to: path, time: VirtualTimeSource())
        }
        #expect(error == .noAnswer)
        #expect(error.mayHaveBeenTaken)
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `a missing or not executable program has accepted nothing`() async throws {
        for path in [folder.appendingPathComponent("none").path, folder.path] {
            let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
            #expect(!error.mayHaveBeenTaken)
            guard case .notStarted = error else {
                Issue.record("\(error)")
                continue
            }
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `the program's output is shown on one line, without control characters`() async throws {
        let path = try program("printf 'a\\033[31mb\\n' ; printf 'red\\033[31m\\007 word' ; exit 64")
        let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
        #expect(error == .refused(.usage, saying: "red[31m word"))
    }

    @Test func `the program's output is shown without addresses`() async throws {
        let path = try program("echo '<ada@example.org>: unknown user ada@example.org' >&2; exit 64")
        let error = try await #require(throws: SendmailError.self) { try await handOver(to: path) }
        #expect(error == .refused(.usage, saying: "(address) unknown user (address)"))
        try FileManager.default.removeItem(at: folder)
    }
}
