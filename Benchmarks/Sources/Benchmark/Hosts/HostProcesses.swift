import CHostLine
import Connections
import Determinism
import Glibc

/// Certificates for TLS on the loopback interface, which server and clients of a run share.
struct HostCertificates {
    let folder: CertificateFolder

    init(folder: TemporaryFolder) throws {
        self.folder = CertificateFolder(path: folder.path)
        // The names of `simulate acquirer --tls`, which then makes nothing anew.
        try self.folder.prepare(
            names: ["localhost", "127.0.0.1", "::1"], time: SystemTimeSource(), random: SystemRandomSource())
    }
}

/// `cardpresent simulate acquirer` in a process of its own, which ends with this object.
final class RunningAcquirer {
    let address: TCPAddress
    private let server: RunningServer

    /// - Parameters:
    ///   - program: the path of the program.
    ///   - ledger: the path of the ledger file; nil for a ledger in memory.
    ///   - certificates: the certificates for TLS; nil without TLS.
    ///   - core: the only processor that the process may use; nil for all.
    /// - Throws: `BenchmarkError`
    init(program: String, ledger: String? = nil, certificates: HostCertificates? = nil, core: Int? = nil) throws {
        var words = [program, "simulate", "acquirer", "--listen", "127.0.0.1:0", "--profile", "iso87-ascii", "--quiet"]
        if let ledger { words += ["--ledger", ledger] }
        if let certificates { words += ["--tls", certificates.folder.path] }
        if let core { words = ["/usr/bin/taskset", "-c", "\(core)"] + words }
        server = try RunningServer(words[0], Array(words.dropFirst()), until: "\n")
        guard let address = TCPAddress(try server.address(after: "listening at ")) else {
            throw BenchmarkError("the acquirer does not say where it is: \(server.words)")
        }
        self.address = address
    }

    var port: Int { Int(address.port) }

    var processorSeconds: Double { get throws { try Machine.processorSeconds(of: server.process) } }

    var residentKilobytes: Int { get throws { try Machine.residentKilobytes(of: server.process) } }
}

/// An echo in C over TCP and TLS, in a process of its own, which ends with this object.
final class RunningEcho {
    /// The first word of a process that is an echo.
    static let word = "echo"

    /// The ports.
    let (plain, secure): (Int, Int)
    private let server: RunningServer

    /// - Throws: `BenchmarkError`
    init(_ certificates: HostCertificates) throws {
        let identity = certificates.folder.server
        server = try RunningServer("/proc/self/exe", [Self.word, identity.certificate, identity.key], until: "\n")
        let ports = try server.address(after: "listening at ").split(separator: " ").compactMap { Int($0) }
        guard ports.count == 2 else { throw BenchmarkError("the echo has no ports: \(server.words)") }
        (plain, secure) = (ports[0], ports[1])
    }

    var processorSeconds: Double { get throws { try Machine.processorSeconds(of: server.process) } }
}

/// A client in C with one connection.
final class BareClient {
    private let client: OpaquePointer
    private var answer = [UInt8](repeating: 0, count: 4096)

    /// - Parameters:
    ///   - port: the port on the loopback interface.
    ///   - certificates: those of the server, for TLS; nil for TCP.
    /// - Throws: `BenchmarkError`
    init(port: Int, certificates: HostCertificates? = nil) throws {
        let opened: OpaquePointer? =
            if let certificates {
                host_client_open(CInt(port), certificates.folder.authority.certificate)
            } else {
                host_client_open(CInt(port), nil)
            }
        guard let opened else { throw BenchmarkError("no connection to port \(port)") }
        client = opened
    }

    /// Sends a frame, and waits for the next one.
    ///
    /// - Returns: the milliseconds, and the answer without its length.
    /// - Throws: `BenchmarkError`
    func exchange(_ frame: [UInt8]) throws -> (milliseconds: Double, answer: [UInt8]) {
        var (count, nanoseconds) = (0, Int64(-1))
        answer.withUnsafeMutableBufferPointer { buffer in
            nanoseconds = host_client_exchange(
                client, frame, frame.count, buffer.baseAddress, buffer.count, &count)
        }
        guard nanoseconds >= 0, count >= 2 else { throw BenchmarkError("the server does not answer") }
        return (Double(nanoseconds) / 1_000_000, Array(answer[2..<count]))
    }

    deinit { host_client_close(client) }
}

/// Connections in C that keep several requests under way each.
final class BareLoad {
    private let load: OpaquePointer
    private let connections: Int

    /// - Throws: `BenchmarkError`
    init(port: Int, connections: Int) throws {
        guard let load = host_load_open(CInt(port), CInt(connections)) else {
            throw BenchmarkError("no \(connections) connections to port \(port)")
        }
        (self.load, self.connections) = (load, connections)
    }

    /// Sends the same number of frames of one size on each connection, and waits for all answers.
    ///
    /// - Parameters:
    ///   - frames: those of the first connection, then those of the next one, and so on.
    ///   - size: the bytes of a frame.
    ///   - window: how many are under way on a connection.
    /// - Returns: the seconds.
    /// - Throws: `BenchmarkError`
    func run(_ frames: [UInt8], size: Int, window: Int) throws -> Double {
        let count = frames.count / size / connections
        let nanoseconds = host_load_run(load, frames, size, CInt(count), CInt(window))
        guard nanoseconds > 0 else { throw BenchmarkError("a connection has ended, or is silent") }
        return Double(nanoseconds) / 1_000_000_000
    }

    /// The last answer of each connection, without its length.
    var lastAnswers: [[UInt8]] {
        (0..<connections).map { connection in
            [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = host_load_last(load, CInt(connection), buffer.baseAddress, buffer.count)
            }
        }
    }

    deinit { host_load_close(load) }
}
