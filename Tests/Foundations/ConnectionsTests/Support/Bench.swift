import Connections
import Determinism
import Foundation
import Glibc
import Synchronization
import Testing

extension Deadline {
    /// Ends a test that hangs; no test that passes waits for it. Beside eight busy processes, one of the thousands of
    /// tests that share two threads can wait half a second for each of its turns.
    static var soon: Deadline { Deadline(after: .seconds(600), on: SystemTimeSource()) }

    static func after(milliseconds: Int) -> Deadline {
        Deadline(after: .milliseconds(milliseconds), on: SystemTimeSource())
    }
}

let time = SystemTimeSource()

/// A value that tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    /// Returns the changed value.
    @discardableResult
    func change(_ body: (inout Value) -> Void) -> Value {
        content.withLock { value in
            var changed = value
            body(&changed)
            value = changed
            return changed
        }
    }
}

/// A folder that is deleted with its last reference.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "connections-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func identity(_ name: String) -> TLSIdentityFiles {
        TLSIdentityFiles(certificate: file("\(name).pem"), key: file("\(name).key"))
    }
}

/// A port of this machine that refuses every connection: it is taken, and has no listener. The port of a listener that
/// was closed could belong to another program by now.
final class RefusingPort: Sendable {
    let number: UInt16
    private let file: Int32

    init() throws {
        file = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        // The address of all zeros takes the port of IPv4, too.
        let isTaken = withUnsafeMutablePointer(to: &address) { [file] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0
            }
        }
        try #require(isTaken, "there is no free port")
        number = UInt16(bigEndian: address.sin6_port)
    }

    deinit { Glibc.close(file) }
}

/// Two ends of a TCP connection in this process.
struct TCPPair: Sendable {
    let listener: TCPListener
    let client: TCPConnection
    let server: TCPConnection

    init(_ host: String = "127.0.0.1", options: TCPOptions = TCPOptions()) async throws {
        listener = try await TCPListener.open(
            TCPAddress(host: host, port: 0), options: options, deadline: .soon, time: time)
        client = try await TCPConnector(time: time, options: options).connect(to: listener.address, deadline: .soon)
        server = try await listener.accept(deadline: .soon)
    }
}

/// An authority with the files of a server and of a client, and an untrusted authority.
final class TestCertificates: Sendable {
    let folder: Folder
    let authority: CertificateAuthority
    let stranger: CertificateAuthority

    /// The test's clock is the machine's, as that of other programs.
    static let now = SystemTimeSource().now()

    init() throws {
        folder = try Folder()
        authority = try CertificateAuthority(Self.request("Test CA"), random: SystemRandomSource())
        stranger = try CertificateAuthority(Self.request("Stranger CA"), random: SystemRandomSource())
        try authority.write(to: folder.identity("ca"))
        try stranger.write(to: folder.identity("stranger-ca"))
        try issue("server")
        try issue("client", names: [], uses: [.client])
    }

    static func request(
        _ name: String, names: [String] = [], uses: Set<CertificateRequest.Use> = [], days: ClosedRange<Int> = -1...1,
        key: CertificateRequest.Key = .p256
    ) -> CertificateRequest {
        CertificateRequest(
            commonName: name, names: names, uses: uses, notBefore: now.advanced(by: .seconds(86_400 * days.lowerBound)),
            notAfter: now.advanced(by: .seconds(86_400 * days.upperBound)), key: key)
    }

    @discardableResult
    func issue(
        _ name: String, names: [String] = ["localhost", "127.0.0.1"], uses: Set<CertificateRequest.Use> = [.server],
        days: ClosedRange<Int> = -1...1, key: CertificateRequest.Key = .p256, by other: CertificateAuthority? = nil
    ) throws -> TLSIdentityFiles {
        let files = folder.identity(name)
        try (other ?? authority).issue(Self.request(name, names: names, uses: uses, days: days, key: key))
            .write(to: files)
        return files
    }

    var authorityFile: String { folder.file("ca.pem") }
    var server: TLSIdentityFiles { folder.identity("server") }
    var client: TLSIdentityFiles { folder.identity("client") }

    func tlsClient(
        authorities: TLSAuthorities? = nil, identity: TLSIdentityFiles? = nil, serverName: String? = nil,
        minimumVersion: TLSVersion = .v1_2, at clock: any TimeSource = time
    ) throws -> TLSClient {
        try TLSClient(
            .init(
                authorities: authorities ?? .pinned(file: authorityFile), identity: identity, serverName: serverName,
                minimumVersion: minimumVersion), time: clock)
    }

    func tlsServer(
        _ identity: TLSIdentityFiles? = nil, clientAuthorities: String? = nil, minimumVersion: TLSVersion = .v1_2,
        at clock: any TimeSource = time
    ) throws -> TLSServer {
        try TLSServer(
            .init(
                identity: identity ?? server, clientAuthorities: clientAuthorities, minimumVersion: minimumVersion),
            time: clock)
    }
}

/// Runs a body that must fail with a connection's failure.
func failure(_ body: () async throws -> Void) async -> ConnectionFailure? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ConnectionFailure ?? (error as? WriteFailure)?.reason
    }
}
