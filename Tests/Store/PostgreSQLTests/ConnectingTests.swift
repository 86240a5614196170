import Connections
import Determinism
import Foundation
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct ConnectingTests {
    @Test func `a password is proved over TLS to a server with the right certificate`() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let trust = "sslmode=verify-full sslrootcert=\(server.directory)/server.crt password=\(server.password)"
        let connection = try await Bench.connect(server.networkAddress("host=localhost \(trust)"))
        #expect(connection.isEncrypted)
        #expect(connection.serverVersion >= 150_000)
        let row = try await connection.run(
            Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), deadline: .soon
        ).only()
        #expect(try row.value("ssl") == true)
        let secret = try await connection.run(
            Statement("SELECT rolpassword AS p FROM pg_authid WHERE rolname = 'tester'"), deadline: .soon
        ).only()
        #expect(try secret.value("p", as: String.self).hasPrefix("SCRAM-SHA-256$"))
    }

    @Test func `a server with another name or an unknown certificate is refused`() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let login = "sslmode=verify-full password=\(server.password)"
        for (name, root) in [("other.example", "\(server.directory)/server.crt"), ("localhost", "/etc/ssl/certs/none")]
        {
            let error = await failure {
                _ = try await Bench.connect(server.networkAddress("host=\(name) \(login) sslrootcert=\(root)"))
            }
            guard case .notConnected(let text) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("certificate"), "\(text)")
            #expect(!everyText(of: error as Any).contains(server.password))
        }
    }

    @Test func `a wrong password is refused, and stays out of every text`() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let address = try PostgreSQLAddress(server.networkAddress("host=localhost password=hunter2"))
        #expect(!everyText(of: address).contains("hunter2"))
        #expect(address.description.contains("host=localhost"))
        let error = await failure {
            _ = try await PostgreSQLConnection.connect(to: address, deadline: .soon, time: SystemTimeSource())
        }
        #expect(error?.description.contains("password authentication failed") == true)
        #expect(!everyText(of: error as Any).contains("hunter2"))
    }

    @Test(arguments: [
        "postgres://tester:hunter2@[::1/postgres", "postgres://tester:hunter2@h/d?bogus=1", "hunter2",
        "password=hunter2 bogus=1", "password='hunter2", "password=hunter2\0",
    ])
    func `a connection string that can't be read is not repeated`(_ text: String) async throws {
        let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLAddress(text) }
        #expect(error?.reason == .badAddress)
    }

    @Test func `a service file gives what the connection string leaves out`() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let path = "\(NSTemporaryDirectory())cardpresent-\(UUID().uuidString).conf"
        let text = "[shop]\nhost=\(server.directory)\nport=\(server.port)\nuser=tester\ndbname=postgres\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        setenv("PGSERVICEFILE", path, 1)
        let connection = try await Bench.connect("service=shop")
        #expect(await connection.isAlive())
        let error = await failure { _ = try await Bench.connect("service=other") }
        #expect(error?.description.contains("other") == true)
    }

    @Test func `a port where no server listens is an error at once`() async throws {
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: .soon, time: SystemTimeSource())
        let port = listener.address.port
        listener.close()
        let error = await failure { _ = try await Bench.connect("hostaddr=127.0.0.1 port=\(port) user=u") }
        guard case .notConnected(let text) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("refused"))
    }

    @Test func `the second host is tried when the first one has no server`() async throws {
        let server = try await TemporaryPostgreSQL.shared()
        let connection = try await Bench.connect(
            "host=/nowhere,\(server.directory) port=\(server.port) user=tester dbname=postgres"
                + " target_session_attrs=read-write")
        #expect(await connection.isAlive())
    }

    @Test func `notices of the server are not printed and disturb nothing`() async throws {
        let connection = try await Bench().connect()
        try await connection.runScript("DO 'BEGIN RAISE WARNING ''noise''; END'", deadline: .soon)
        try await connection.run(Statement("DROP TABLE IF EXISTS nothing_here"), deadline: .soon)
        #expect(await connection.isAlive())
    }
}
