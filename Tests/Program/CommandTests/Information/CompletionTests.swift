import Foundation
import Glibc
import Testing

@Suite("Shell completion")
struct CompletionTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ count: Int) throws {
        for _ in 0..<count {
            try Program.run(["pay", "1", "--seed", "1", "--database", scratch.database], in: scratch).expectStatus(0)
        }
    }

    /// Asks as the generated scripts do: the command, the argument, the number of the word, the place in it, the words.
    private func offered(
        _ command: String..., argument: String, words: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        let result = try Program.run(
            ["---completion"] + command + ["--", argument, String(words.count), "0", "cardpresent"] + words,
            in: scratch,
            environment: environment)
        #expect(result.status == 0 && result.error == "")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func `payments of the given database are offered, newest first`() throws {
        try pay(3)
        let names = ["P000003", "P000002", "P000001"]
        for database in [
            ["--database", scratch.database], ["--database=\(scratch.database)"],
            ["--database", "=", scratch.database], ["--database", "'\(scratch.database)'"],
            ["--database", "\"\(scratch.database)\""], ["--database", "~/till.sqlite"],
        ] {
            let words = ["receipts", "show"] + database
            #expect(try offered("receipts", "show", argument: "positional@0", words: words) == names, "\(database)")
        }
        let folder = scratch.file("cardpresent")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        // What was written last may still be in the log beside the database.
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: scratch.database + ending) {
            try FileManager.default.copyItem(
                atPath: scratch.database + ending, toPath: folder + "/cardpresent.sqlite" + ending)
        }
        let environment = ["XDG_DATA_HOME": scratch.folder]
        for command in ["email", "preview", "print", "render", "reprint", "show"] {
            let words = ["receipts", command]
            #expect(
                try offered(
                    "receipts", command, argument: "positional@0", words: words, environment: environment) == names)
        }
        #expect(
            try offered("refund", argument: "positional@0", words: ["refund"], environment: environment) == names)
    }

    @Test func `without payments nothing is created and nothing is printed`() throws {
        let words = { ["receipts", "show", "--database", $0] }
        let missing = scratch.file("missing.sqlite")
        #expect(try offered("receipts", "show", argument: "positional@0", words: words(missing)) == [])
        #expect(!FileManager.default.fileExists(atPath: missing))
        for (name, content) in [("text", "no database"), ("empty", ""), ("folder", nil)] as [(String, String?)] {
            if let content {
                _ = try scratch.write(content, to: name)
            } else {
                try FileManager.default.createDirectory(atPath: scratch.file(name), withIntermediateDirectories: false)
            }
            #expect(try offered("receipts", "show", argument: "positional@0", words: words(scratch.file(name))) == [])
        }
        #expect(try scratch.text("text") == "no database")
        #expect(try scratch.text("empty") == "")
    }

    @Test func `a database that another program writes to is read without changing it`() throws {
        try pay(1)
        let arguments = [
            "---completion", "receipts", "show", "--", "positional@0", "3", "0", "cardpresent", "receipts", "show",
        ]
        // sqlite3(1) is not everywhere; Python has it inside.
        let script = """
            python3 -c '
            import sqlite3, subprocess, sys
            held = sqlite3.connect(sys.argv[2], isolation_level=None)
            held.execute("BEGIN IMMEDIATE")
            sys.exit(subprocess.run(sys.argv[1:2] + sys.argv[3:]).returncode)
            ' "$0" '\(scratch.database)' "$@"
            """
        let result = try Program.run(shell: script, arguments + ["--database", scratch.database], in: scratch)
        #expect(result.status == 0 && result.output == "P000001\n")
    }

    @Test func `the queues of a print server are offered, unless it does not respond`() throws {
        let silent = try SilentServer(at: scratch.file("silent.sock"))
        let words = ["pay", "1", "--printer"]
        let socket = ["CUPS_SERVER": silent.path]
        #expect(try offered("pay", argument: "--printer", words: words, environment: socket) == [])
        let none = ["CUPS_SERVER": scratch.file("none.sock")]
        #expect(try offered("pay", argument: "--printer", words: words, environment: none) == [])
        let server = try PrintServer()
        let names = try offered("pay", argument: "--printer", words: words, environment: ["CUPS_SERVER": server.socket])
        #expect(!names.isEmpty)
        let listed = try Program.run(["doctor", "--json"], in: scratch, environment: ["CUPS_SERVER": server.socket])
        for name in names { #expect(listed.output.contains(name)) }
    }

    @Test func `bash completes a payment, a language and a format`() throws {
        try pay(2)
        let script = try scratch.write(
            Program.run(["--generate-completion-script", "bash"], in: scratch).output, to: "completion.bash")
        func complete(_ words: String...) throws -> [String] {
            // What bash sets before it calls the function that the script has registered for the command.
            let function = """
                source '\(script)'
                program="$0"
                function="$(complete -p cardpresent | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
                COMP_WORDS=("$program" "$@")
                COMP_CWORD=$#
                COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}
                "$function" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let result = try Program.run(shell: function, words, in: scratch)
            #expect(result.error == "")
            return result.output.split(separator: "\n").map(String.init)
        }
        #expect(
            try complete("receipts", "show", "--database", scratch.database, "P") == ["P000002", "P000001"])
        #expect(try complete("receipts", "preview", "--database", scratch.database, "P000001") == ["P000001"])
        #expect(
            try complete("receipts", "email", "1", "--locale", "") == ["en", "es", "fr", "de", "it", "pt", "ja", "ar"])
        #expect(try complete("receipts", "email", "1", "--format", "p") == ["pdf"])
        #expect(try complete("receipts", "render", "1", "--paper", "") == ["58mm", "80mm", "a4", "letter"])
    }
}

/// A socket that accepts connections and sends nothing.
private final class SilentServer: Sendable {
    let path: String
    private let descriptor: Int32

    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8CString)
        guard descriptor >= 0, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw ChildError(call: "socket", code: errno)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            bytes.withUnsafeBytes { place.copyMemory(from: $0) }
        }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isBound == 0, listen(descriptor, 5) == 0 else { throw ChildError(call: "bind", code: errno) }
    }

    deinit { close(descriptor) }
}
