import Foundation
import Glibc

/// `openssl s_server` on the loopback interface, with a certificate made for the test.
struct TLSServer: ~Copyable {
    let port: UInt16
    /// The path of its certificate, for clients that trust it.
    let certificate: String
    private let folder: URL
    private let process: OpenSSLProcess

    static var isAvailable: Bool { access(OpenSSLProcess.path, X_OK) == 0 }

    /// `days`: the validity of the certificate from now; negative for an expired one.
    init(host: String = "localhost", days: Int = 1) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        let request = folder.appending(path: "request.pem").path
        let names = folder.appending(path: "names.cnf").path
        try Data("subjectAltName=DNS:\(host)\n".utf8).write(to: URL(filePath: names))
        let isMade =
            try OpenSSLProcess([
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(host)", "-keyout", key, "-out", request,
            ]).succeeded()
            && OpenSSLProcess([
                "x509", "-req", "-in", request, "-signkey", key, "-extfile", names, "-days", "\(days)", "-out",
                certificate,
            ]).succeeded()
        guard isMade else { throw POSIXError(.EIO) }
        let port = try Self.freePort()
        let process = try OpenSSLProcess([
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key, "-www",
        ])
        try Self.waitUntilListening(port)
        (self.port, self.certificate, self.folder) = (port, certificate, folder)
        self.process = process
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Returns a port that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        let server = try LoopbackServer { _ in [.close] }
        defer { server.stop() }
        return server.port
    }

    private static func waitUntilListening(_ port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        for _ in 0..<500 {
            let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(probe) }
            let isConnected = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isConnected { return }
            usleep(10_000)
        }
        throw POSIXError(.ECONNREFUSED)
    }
}

/// A run of `openssl` without input and output.
struct OpenSSLProcess: ~Copyable {
    static let path = "/usr/bin/openssl"

    private let child: pid_t

    init(_ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 {
            posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
        }
        var words = ([Self.path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, Self.path, &actions, nil, &words, nil)
        guard failure == 0 else { throw SpawnError(number: failure) }
        self.child = child
    }

    /// Waits for its end.
    consuming func succeeded() -> Bool {
        let status = Self.wait(child)
        discard self
        return status == 0
    }

    deinit {
        kill(child, SIGKILL)
        _ = Self.wait(child)
    }

    private static func wait(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    struct SpawnError: Error { let number: Int32 }
}

/// Encodes bytes in gzip format without compression (RFC 1952, RFC 1951 §3.2.4).
enum Gzip {
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            result += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            result += block
        } while !rest.isEmpty
        return result + little(checksum(bytes)) + little(UInt32(bytes.count))
    }

    private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
