import Foundation
import Glibc
import Synchronization

/// A site of one test on the loopback interface, as much of WordPress as signing in meets. It answers each connection
/// once.
final class TestSite: Sendable {
    struct Answer: Sendable {
        var status = 200
        var body: String
        var headers: [String] = []
        var type = "application/json; charset=UTF-8"
    }

    let port: UInt16
    private let listener: Int32
    private let lines = Mutex<[String]>([])
    private let special: @Sendable (_ target: String) -> Answer?

    /// - Parameter special: answers otherwise than a healthy site would; nil leaves it to that.
    /// - Throws: `ChildError` when there is no port.
    init(_ special: @escaping @Sendable (_ target: String) -> Answer? = { _ in nil }) throws {
        self.special = special
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isBound else { throw ChildError(call: "bind", code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    var address: String { "http://127.0.0.1:\(port)" }

    /// The first lines of what was asked, percent-encoding removed.
    var requests: [String] { lines.withLock { $0 } }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket >= 0 else { break }
            answer(socket)
            close(socket)
        }
        close(listener)
    }

    private func answer(_ socket: Int32) {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            received += chunk[..<count]
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound]
            let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
            if text[end.upperBound...].utf8.count >= length ?? 0 {
                let line = String(head.prefix { $0 != "\r\n" }).removingPercentEncoding ?? ""
                lines.withLock { $0.append(line) }
                write(special(line) ?? healthy(line, body: String(text[end.upperBound...])), to: socket)
                return
            }
        }
    }

    private func write(_ answer: Answer, to socket: Int32) {
        let head =
            ["HTTP/1.1 \(answer.status) Status", "Content-Length: \(answer.body.utf8.count)", "Connection: close"]
            + ["Content-Type: \(answer.type)"] + answer.headers
        var bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n" + answer.body).utf8)
        while !bytes.isEmpty {
            let count = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }

    private func healthy(_ line: String, body: String) -> Answer {
        let passwords = "/wp/v2/users/me/application-passwords"
        if line.hasPrefix("POST /wp-login.php") {
            let isRight = body.contains("pwd=s3cret")
            return isRight
                ? Answer(
                    status: 302, body: "", headers: ["Set-Cookie: wordpress_logged_in_1=x; path=/", "Location: /"])
                : Answer(body: "<form>", type: "text/html")
        }
        if line.contains("admin-ajax.php") { return Answer(body: "0123456789", type: "text/html") }
        if line.hasPrefix("DELETE /?rest_route=\(passwords)/u-1") { return Answer(body: #"{"deleted":true}"#) }
        if line.hasPrefix("POST /?rest_route=\(passwords)") {
            return Answer(status: 201, body: #"{"uuid":"u-1","password":"m4de"}"#)
        }
        if line.contains(passwords) { return Answer(body: "[]") }
        if line.contains("/wp/v2/users/me") { return Answer(body: #"{"id":1,"username":"anna"}"#) }
        if line.contains("system_status") { return Answer(body: #"{"environment":{"version":"9.3.3"}}"#) }
        if line.contains("rest_route=/&") {
            return Answer(
                body: """
                    {"name":"Corner Shop","namespaces":["wc/v3"],"timezone_string":"Europe/Berlin","gmt_offset":"1"}
                    """)
        }
        return Answer(
            status: 404, body: #"{"code":"rest_no_route","message":"No route.","data":{"status":404}}"#)
    }
}
