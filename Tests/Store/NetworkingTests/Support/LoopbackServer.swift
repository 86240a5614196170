import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on the loopback interface with scripted responses, byte for byte.
final class LoopbackServer: Sendable {
    /// A received request.
    struct Request: Sendable {
        var method = ""
        var target = ""
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// The number of the connection, from 1.
        var connection = 0

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        var bodyText: String { String(decoding: body, as: UTF8.self) }
    }

    /// A step of a scripted response.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends nothing more until the client closes the connection.
        case waitForClient
        case close
    }

    private struct State {
        var requests: [Request] = []
        var sockets: Set<Int32> = []
        var connections = 0
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let script: @Sendable (Request) -> [Step]

    init(_ script: @escaping @Sendable (Request) -> [Step]) throws {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        let thread = Thread { [self] in acceptConnections() }
        thread.start()
    }

    var address: String { "http://127.0.0.1:\(port)" }

    var requests: [Request] { state.withLock { $0.requests } }

    var connections: Int { state.withLock { $0.connections } }

    /// Closes every connection, which ends the threads.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptConnections() {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else { break }
            var one: Int32 = 1
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            let number: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.sockets.insert(socket)
                state.connections += 1
                return state.connections
            }
            guard let number else {
                close(socket)
                break
            }
            let thread = Thread { [self] in serve(socket, connection: number) }
            thread.start()
        }
        close(listener)
    }

    private func serve(_ socket: Int32, connection: Int) {
        var buffer: [UInt8] = []
        serving: while var request = Self.read(from: socket, &buffer) {
            request.connection = connection
            state.withLock { $0.requests.append(request) }
            for step in script(request) {
                switch step {
                case .send(let bytes):
                    guard Self.write(bytes, to: socket) else { break serving }
                case .waitForClient:
                    var byte: UInt8 = 0
                    while recv(socket, &byte, 1, 0) > 0 {}
                case .close: break serving
                }
            }
        }
        state.withLock { _ = $0.sockets.remove(socket) }
        close(socket)
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private static func read(from socket: Int32, _ buffer: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let headEnd = buffer.firstRange(of: end)?.upperBound {
                var request = parse(String(decoding: buffer[..<headEnd], as: UTF8.self))
                let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
                if buffer.count >= headEnd + length {
                    request.body = Array(buffer[headEnd..<headEnd + length])
                    buffer.removeFirst(headEnd + length)
                    return request
                }
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    private static func parse(_ head: String) -> Request {
        var request = Request()
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        request.method = words.first.map(String.init) ?? ""
        request.target = words.count > 1 ? String(words[1]) : ""
        request.headers = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        return request
    }
}

extension [LoopbackServer.Step] {
    /// A complete response.
    static func answer(
        _ body: some Collection<UInt8>, status: Int = 200, type: String = "application/json; charset=UTF-8",
        headers: [String] = []
    ) -> Self {
        let head =
            ["HTTP/1.1 \(status) Status", "Content-Length: \(body.count)", "Content-Type: \(type)"] + headers
        return [.send([UInt8]((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + [UInt8](body))]
    }

    static func json(_ text: String, status: Int = 200, headers: [String] = []) -> Self {
        answer(text.utf8, status: status, headers: headers)
    }

    static func text(_ text: String) -> Self { [.send([UInt8](text.utf8))] }
}
