import Determinism
import Testing

@testable import Connections

/// TLS with `openssl` and with Python's `ssl` at the other end.
@Suite("TLS with another program")
struct ForeignTLSTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    // MARK: Their servers

    /// `openssl s_server`, and the address at which it listens.
    private func openSSLServer(_ arguments: String...) async throws -> (ForeignProgram, TCPAddress) {
        let program = try ForeignProgram(
            "openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.server.certificate, "-key",
                certificates.server.key,
            ] + arguments)
        let line = try await program.line(with: "ACCEPT")
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
        return (program, TCPAddress(host: "127.0.0.1", port: port))
    }

    @Test(arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
    func `a connection to openssl carries bytes both ways`(_ option: String, _ version: String) async throws {
        let (program, address) = try await openSSLServer(option, "-rev")
        let client = try await certificates.tlsClient().connect(to: address, deadline: .soon)
        #expect(client.peer.security?.version == version)
        try await client.write(Array("0800 sign on\n".utf8), deadline: .soon)
        #expect(try await client.read(exactly: 13, deadline: .soon) == Array("no ngis 0080\n".utf8))
        // The command says `close_notify` at its end.
        try await client.write(Array("CLOSE\n".utf8), deadline: .soon)
        #expect(try await client.read(upTo: 1, deadline: .soon) == nil)
        withExtendedLifetime(program) {}
    }

    @Test func `openssl demands a certificate, and refuses another one`() async throws {
        let (program, address) = try await openSSLServer(
            "-rev", "-tls1_2", "-Verify", "3", "-CAfile", certificates.authorityFile, "-verify_return_error")
        let without = try certificates.tlsClient()
        #expect(
            await failure { _ = try await without.connect(to: address, deadline: .soon) }
                == .tls(.alert(TLSAlert(code: 40))))
        let foreign = try certificates.issue("foreign", uses: [.client], by: certificates.stranger)
        let wrong = try certificates.tlsClient(identity: foreign)
        #expect(
            await failure { _ = try await wrong.connect(to: address, deadline: .soon) }
                == .tls(.alert(.unknownAuthority)))
        let right = try certificates.tlsClient(identity: certificates.client)
        let client = try await right.connect(to: address, deadline: .soon)
        try await client.write(Array("ab\n".utf8), deadline: .soon)
        #expect(try await client.read(exactly: 3, deadline: .soon) == Array("ba\n".utf8))
        withExtendedLifetime(program) {}
    }

    @Test func `a server of TLS 1.1 alone is refused`() async throws {
        let (program, address) = try await openSSLServer("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        let client = try certificates.tlsClient()
        let refusal = await failure { _ = try await client.connect(to: address, deadline: .soon) }
        #expect(refusal == .tls(.alert(.protocolVersion)))
        withExtendedLifetime(program) {}
    }

    @Test func `a server that answers in plain text is shown`() async throws {
        let python = try Python()
        let address = try await python.listen()
        let connect = Task {
            await failure { _ = try await self.certificates.tlsClient().connect(to: address, deadline: .soon) }
        }
        try await python.run("c = accept(l)\nc.send(b'220 mail.example ESMTP')")
        #expect(await connect.value == .tls(.notTLS(firstBytes: "*** mail.example")))
    }

    @Test func `Python's server resets or closes in every phase`() async throws {
        let python = try Python()
        let address = try await python.listen()
        let files = certificates.server
        try await python.run(
            """
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain('\(files.certificate)', '\(files.key)')
            def closing(end, count):
                c = accept(l)
                take(c, count)
                reset(c) if end == 'reset' else c.close()
            def secured():
                return context.wrap_socket(accept(l), server_side=True, suppress_ragged_eofs=False)
            """)
        func connect() -> Task<Result<TLSConnection, any Error>, Never> {
            Task {
                do {
                    return .success(try await certificates.tlsClient().connect(to: address, deadline: .soon))
                } catch {
                    return .failure(error)
                }
            }
        }
        for count in [0, 5, 100] {
            let connecting = connect()
            try await python.run("closing('reset', \(count))")
            let failure = await failure { _ = try await connecting.value.get() }
            // Without waiting for a byte, the reset can be faster than the look at the new connection.
            if count == 0, case .notConnected = failure { continue }
            // A write that meets the reset takes it away, and the read after it finds an end.
            #expect([.reset, .tls(.closedInHandshake)].contains(failure))
        }
        let closed = connect()
        try await python.run("take_all = closing('close', 5)")
        let closing = await failure { _ = try await closed.value.get() }
        // Unread bytes turn a close into a reset.
        #expect([.tls(.closedInHandshake), .reset].contains(closing))
        // After the handshake: a reset, an end without close_notify, an orderly end.
        for (code, expected) in [
            ("c.send(b'1')\nreset(c)", ConnectionFailure.reset),
            ("c.send(b'1')\nsocket.socket(fileno=c.detach()).close()", .tls(.truncated)),
        ] {
            let connecting = connect()
            try await python.run("c = secured()")
            let client = try await connecting.value.get()
            try await python.run(code)
            var failure: ConnectionFailure?
            while failure == nil {
                failure = await ConnectionsTests.failure { _ = try await client.read(upTo: 1, deadline: .soon) }
            }
            #expect(failure == expected)
        }
        let orderly = connect()
        try await python.run("c = secured()")
        let client = try await orderly.value.get()
        async let end = python.run("c.send(b'1')\nc.unwrap()")
        #expect(try await client.read(exactly: 1, deadline: .soon) == Array("1".utf8))
        #expect(try await client.read(exactly: 1, deadline: .soon) == nil)
        client.close()
        _ = try await end
    }

    // MARK: Their clients

    private func serving(
        _ server: TLSServer
    ) async throws -> (TCPListener, Task<ConnectionFailure?, Never>, Shared<[ConnectionFailure]>) {
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: time)
        let refusals = Shared<[ConnectionFailure]>([])
        let task = Task {
            await failure {
                try await listener.serve(
                    tls: server, handshakeLimit: .seconds(60),
                    onRefusal: { _, failure in
                        refusals.change { $0.append(failure) }
                    }
                ) { connection in
                    while let bytes = try? await connection.read(upTo: 1 << 16, deadline: .soon) {
                        try? await connection.write(bytes, deadline: .soon)
                    }
                }
            }
        }
        return (listener, task, refusals)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `openssl's client verifies this server`(_ option: String) async throws {
        let (listener, serving, refusals) = try await serving(certificates.tlsServer())
        let client = try ForeignProgram(
            "openssl",
            [
                "s_client", "-connect", "\(listener.address)", option, "-CAfile", certificates.authorityFile,
                "-verify_return_error", "-verify_hostname", "localhost", "-x509_strict", "-quiet",
            ])
        try await client.say("echo this\n")
        #expect(try await client.line(with: "echo this") == "echo this")
        serving.cancel()
        #expect(await serving.value == .canceled)
        #expect(refusals.value.isEmpty)
    }

    @Test func `clients that are refused are told by name, on both sides`() async throws {
        let (listener, serving, refusals) = try await serving(
            certificates.tlsServer(clientAuthorities: certificates.authorityFile))
        let python = try Python()
        try await python.run(
            """
            def connect(certificate, version):
                context = ssl.create_default_context(cafile='\(certificates.authorityFile)')
                context.maximum_version = version
                if certificate: context.load_cert_chain(certificate + '.pem', certificate + '.key')
                s = socket.create_connection(('127.0.0.1', \(listener.address.port)))
                s = context.wrap_socket(s, server_hostname='localhost')
                s.sendall(b'hello')
                return take(s, 5)
            """)
        for version in ["TLSv1_2", "TLSv1_3"] {
            let version = "ssl.TLSVersion.\(version)"
            let folder = certificates.folder.path
            #expect(try await python.run("connect('\(folder)/client', \(version))") == "b'hello'")
            // Python may see the alert, or the end of the connection while it writes.
            await #expect(throws: Python.Mistake.self) { try await python.run("connect(None, \(version))") }
            try certificates.issue("foreign", uses: [.client], by: certificates.stranger)
            await #expect(throws: Python.Mistake.self) {
                try await python.run("connect('\(folder)/foreign', \(version))")
            }
        }
        while refusals.value.count < 4 { await Task.yield() }
        #expect(refusals.value.filter { $0 == .tls(.noCertificate) }.count == 2)
        let unknown = refusals.value.filter { if case .tls(.unknownAuthority) = $0 { true } else { false } }
        #expect(unknown.count == 2)
        serving.cancel()
        _ = await serving.value
    }

    @Test func `a client that refuses this server, and one of TLS 1.1, and one without TLS`() async throws {
        let (listener, serving, refusals) = try await serving(certificates.tlsServer())
        let python = try Python()
        try await python.run(
            """
            def connect(context, name='localhost'):
                s = socket.create_connection(('127.0.0.1', \(listener.address.port)))
                return context.wrap_socket(s, server_hostname=name)
            """)
        func next(_ count: Int) async -> ConnectionFailure? {
            while refusals.value.count < count { await Task.yield() }
            return refusals.value.last
        }
        await #expect(throws: Python.Mistake.self) {
            try await python.run("connect(ssl.create_default_context())")
        }
        #expect(await next(1) == .tls(.alert(.unknownAuthority)))
        await #expect(throws: Python.Mistake.self) {
            try await python.run(
                """
                context = ssl.create_default_context(cafile='\(certificates.authorityFile)')
                context.minimum_version = ssl.TLSVersion.TLSv1
                context.maximum_version = ssl.TLSVersion.TLSv1_1
                context.set_ciphers('ALL:@SECLEVEL=0')
                connect(context)
                """)
        }
        #expect(await next(2) == .tls(.versionTooLow))
        try await python.run(
            "s = socket.create_connection(('127.0.0.1', \(listener.address.port)))\ns.send(b'0800123456')")
        #expect(await next(3) == .tls(.notTLS(firstBytes: "**********")))
        try await python.run("value = take(s, 1)")
        serving.cancel()
        _ = await serving.value
    }
}
