import Foundation

/// `openssl s_server` on the loopback interface, with a certificate made for the test.
struct TLSServer: ~Copyable {
    let port: UInt16
    /// The certificate that it shows, for whoever is to trust it.
    let certificate: String
    private let folder: URL
    private let process: OpenSSLProcess

    static var isAvailable: Bool { access(OpenSSLProcess.path, X_OK) == 0 }

    /// `days`: how long the certificate is valid from now; negative for one that has expired.
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

    /// A port that was free a moment ago.
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
