import Connections
import Determinism
import TestPostgreSQL
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct LostConnectionTests {
    @Test(arguments: [CuttableProxy.Cut.beforeClient, .beforeServer])
    func `a commit whose answer is lost is unknown`(_ cut: CuttableProxy.Cut) async throws {
        let bench = try await Bench()
        try await bench.script("CREATE TABLE entry (n bigint)")
        let proxy = try await CuttableProxy(to: bench.server.port)
        let connection = try await Bench.connect(network(bench, proxy))
        let error = await failure {
            try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                try await transaction.run(Statement("INSERT INTO \(bench.schema).entry VALUES (1)"))
                proxy.cut(cut)
                return .commit(())
            }
        }
        #expect(error?.isCommitUnknown == true, "\(String(describing: error))")
        // Both are possible, which is why it is unknown.
        #expect(try await bench.count("entry") == (cut == .beforeClient ? 1 : 0))
        #expect(await !connection.isOpen)
    }

    @Test(arguments: [CuttableProxy.Cut.beforeClient, .beforeServer])
    func `a transaction that loses its connection before the commit is certainly not stored`(
        _ cut: CuttableProxy.Cut
    ) async throws {
        let bench = try await Bench()
        try await bench.script("CREATE TABLE entry (n bigint)")
        let proxy = try await CuttableProxy(to: bench.server.port)
        let connection = try await Bench.connect(network(bench, proxy))
        let error = await failure {
            try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                proxy.cut(cut)
                try await transaction.run(Statement("INSERT INTO \(bench.schema).entry VALUES (1)"))
                return .commit(())
            }
        }
        guard case .connectionLost = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await bench.count("entry") == 0)
    }

    @Test func `statements without a transaction whose answer is lost are unknown`() async throws {
        let bench = try await Bench()
        try await bench.script("CREATE TABLE entry (n bigint)")
        let proxy = try await CuttableProxy(to: bench.server.port)
        let connection = try await Bench.connect(network(bench, proxy))
        proxy.cut(.beforeClient)
        let insert = Statement("INSERT INTO \(bench.schema).entry VALUES (1)")
        let error = await failure { try await connection.run([insert, insert], deadline: .soon) }
        #expect(error?.isCommitUnknown == true, "\(String(describing: error))")
        #expect(try await bench.count("entry") == 2)
    }

    @Test func `a server that ends a connection says why`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        let task = Task {
            await failure {
                try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                    try await transaction.run(Statement("SELECT pg_sleep(6000), 'inside'"))
                    return .commit(())
                }
            }
        }
        try await bench.terminate(try await bench.process(running: "'inside'"))
        let error = try #require(await task.value)
        #expect(error.report?.state.rawValue == "57P01")
        #expect(!error.isCommitUnknown)
        #expect(await !connection.isOpen)
        let next = await failure { try await connection.run(Statement("SELECT 1"), deadline: .soon) }
        #expect(next?.reason == .closed)
    }

    @Test func `a commit that the server's end interrupts is unknown`() async throws {
        let bench = try await Bench()
        let connection = try await bench.connect()
        try await bench.script(
            """
            CREATE TABLE entry (n bigint);
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(6000); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION wait();
            """)
        let process = try await connection.process()
        let task = Task {
            await failure {
                try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                    try await transaction.run(Statement("INSERT INTO entry VALUES (1)"))
                    return .commit(())
                }
            }
        }
        _ = try await bench.process(running: "COMMIT")
        try await bench.terminate(process)
        #expect(await task.value?.isCommitUnknown == true)
    }

    @Test func `a commit without the standby that it should wait for is unknown`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let observer = try await Bench.connect(server.address())
            try await observer.runScript("CREATE TABLE entry (n bigint)", deadline: .soon)
            // No standby has this name.
            for text in ["ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "SELECT pg_reload_conf()"] {
                try await observer.run(Statement(text), deadline: .soon)
            }
            let connection = try await Bench.connect(server.address())
            let insert = Statement("INSERT INTO entry VALUES (1)")
            let works: [@Sendable () async throws -> Void] = [
                { try await connection.run(insert, deadline: .soon) },
                {
                    try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                        try await transaction.run(insert)
                        return .commit(())
                    }
                },
            ]
            for work in works {
                let task = Task { await failure { try await work() } }
                let waiting = Statement("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                while try await observer.run(waiting, deadline: .soon).first == nil {
                    try await Task.sleep(for: .milliseconds(5))
                }
                task.cancel()
                let error = await task.value
                #expect(error?.reason == .commitUnknown(.unconfirmed))
            }
            let count = try await observer.run(Statement("SELECT count(*) AS n FROM entry"), deadline: .soon)
            #expect(try count.only().value("n") == Int64(2))
            // The connection stays, and what is confirmed succeeds.
            try await observer.run(Statement("ALTER SYSTEM RESET synchronous_standby_names"), deadline: .soon)
            try await observer.run(Statement("SELECT pg_reload_conf()"), deadline: .soon)
            try await connection.run(insert, deadline: .soon)
        }
    }

    @Test func `a connection does not outlive a restart of the server, and a new one works`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let connection = try await Bench.connect(server.address())
            try await connection.run(Statement("CREATE TABLE entry (n bigint)"), deadline: .soon)
            try await server.restart()
            let error = await failure {
                try await connection.transaction(deadline: .soon) { transaction throws(PostgreSQLError) in
                    try await transaction.run(Statement("INSERT INTO entry VALUES (1)"))
                    return .commit(())
                }
            }
            #expect(error?.isCommitUnknown == false)
            #expect(await !connection.isOpen)
            let next = try await Bench.connect(server.address())
            #expect(try await next.run(Statement("SELECT * FROM entry"), deadline: .soon).isEmpty)
        }
    }

    private func network(_ bench: Bench, _ proxy: CuttableProxy) -> String {
        bench.server.networkAddress("sslmode=disable password=\(bench.server.password)", port: proxy.port)
    }
}
