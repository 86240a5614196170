import Determinism
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Connections

/// A program that tests talk to over its standard input and output, line by line. It ends with its last reference.
final class ForeignProgram: Sendable {
    private let process: pid_t
    private let lines: LineConnection

    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
        lines = LineConnection(
            TCPConnection(try StreamSocket(ends[0], time: SystemTimeSource()), peer: path, options: TCPOptions()))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + environment { free(word) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, path, &actions, nil, &words, &environment) == 0, "no program '\(path)'")
        process = child
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// Waits for a line that holds `part`.
    func line(with part: String = "") async throws -> String {
        while true {
            let line = try #require(try await lines.next(), "the program ended before it said '\(part)'")
            if part.isEmpty || line.contains(part) { return line }
        }
    }

    /// Waits for the program's end, and returns all further output.
    func rest() async throws -> String {
        var text = ""
        while let line = try await lines.next() { text += line + "\n" }
        return text
    }

    func say(_ text: String) async throws { try await lines.connection.write(Array(text.utf8), deadline: .soon) }
}

/// Reads lines. One task at a time uses it.
final class LineConnection: Sendable {
    let connection: any ByteConnection
    private let buffer = Mutex<[UInt8]>([])

    init(_ connection: any ByteConnection) { self.connection = connection }

    /// Nil at the end; a reset of the peer is an end, too.
    func next() async throws -> String? {
        while true {
            let line = buffer.withLock { buffer -> String? in
                guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            if let line { return line }
            let more: [UInt8]?
            do throws(ConnectionFailure) {
                more = try await connection.read(upTo: 4096, deadline: .soon)
            } catch {
                guard error == .reset else { throw error }
                more = nil
            }
            guard let more else {
                return buffer.withLock { buffer in
                    defer { buffer = [] }
                    return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
                }
            }
            buffer.withLock { $0 += more }
        }
    }
}

/// Python with its own sockets and its own use of libssl: the test says what it does, statement by statement.
struct Python: Sendable {
    private let program: ForeignProgram

    struct Mistake: Error, Hashable { let text: String }

    init() throws { program = try ForeignProgram("python3", ["-u", "-c", Self.loop]) }

    /// Runs statements, or evaluates an expression, and returns its value as text.
    @discardableResult
    func run(_ code: String) async throws -> String {
        try await program.say(code.utf8.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() + "\n")
        let answer = try await program.line(with: "answer ").split(separator: " ", maxSplits: 2)
        let text = answer.count > 2 ? String(answer[2]) : ""
        guard answer.count > 1, answer[1] == "ok" else { throw Mistake(text: text) }
        return text
    }

    /// Listens on the loopback interface as `l`.
    func listen(_ backlog: Int = 16) async throws -> TCPAddress {
        let port = try await run("l = listen(\(backlog)); print_('x')\nvalue = l.getsockname()[1]")
        return TCPAddress(host: "127.0.0.1", port: try #require(UInt16(port)))
    }

    private static let loop = """
        import sys, socket, ssl, struct, ctypes, traceback
        socket.setdefaulttimeout(600)
        names = {}
        setup = '''
        import socket, ssl, struct, ctypes
        def print_(*words): pass
        def listen(backlog):
            l = socket.socket()
            l.bind(("127.0.0.1", 0))
            l.listen(backlog)
            return l
        def vanish(s):
            # A filter (SO_ATTACH_FILTER) that drops every packet: neither acknowledgments nor resets leave.
            s.program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0), 8)
            s.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", 1, ctypes.addressof(s.program)))
        def reset(s):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()
        def take(s, count):
            data = b""
            while len(data) < count:
                more = s.recv(count - len(data))
                if not more: break
                data += more
            return data
        class Socket(socket.socket): pass
        def accept(l):
            c, _ = l.accept()
            return Socket(c.family, c.type, c.proto, c.detach())
        '''
        exec(setup, names)
        for line in sys.stdin:
            code = bytes.fromhex(line.strip()).decode()
            try:
                names["value"] = ""
                try:
                    value = eval(compile(code, "test", "eval"), names)
                except SyntaxError:
                    exec(compile(code, "test", "exec"), names)
                    value = names["value"]
                print("answer ok", str(value).replace("\\n", " "))
            except BaseException as e:
                print("answer no", type(e).__name__, str(e).replace("\\n", " "))
        """
}
