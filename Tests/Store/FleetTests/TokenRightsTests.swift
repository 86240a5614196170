import Determinism
import PostgreSQL
import TestPostgreSQL
import Testing

@testable import Fleet

/// What a login of a token may be, when the token is made and later.
@Suite(.enabled(if: TemporaryPostgreSQL.isUsed, Comment(rawValue: TemporaryPostgreSQL.missing)))
struct TokenRightsTests {
    /// Makes a token of a login.
    private func keep(_ bench: FleetBench, _ login: String) async throws {
        let (token, _) = try OfficeToken.make(SystemRandomSource())
        _ = try await bench.office.keep(token, for: login, days: 1, note: nil)
    }

    // With a server of its own: what its logins may do counts for all its databases.
    @Test func `a token counts only while its login may do no more than an office`() async throws {
        try await TemporaryPostgreSQL.running { server in
            let bench = try await FleetBench(server)
            let served = try await AskedOffice(bench)
            let login = try await bench.login(.clerk, in: "hill")
            let token = try await served.token(of: login)
            _ = try await bench.office.run(Statement("CREATE ROLE maker CREATEROLE"))
            #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200)
            for (give, take) in [
                ("ALTER ROLE \(login) SUPERUSER", "ALTER ROLE \(login) NOSUPERUSER"),
                ("ALTER ROLE \(login) CREATEROLE", "ALTER ROLE \(login) NOCREATEROLE"),
                ("ALTER ROLE \(login) BYPASSRLS", "ALTER ROLE \(login) NOBYPASSRLS"),
                // The owner of the back office, and a role that makes others: it can take both.
                ("GRANT tester TO \(login)", "REVOKE tester FROM \(login)"),
                ("GRANT maker TO \(login)", "REVOKE maker FROM \(login)"),
                // Roles of PostgreSQL that reach past the rights of tables.
                ("GRANT pg_read_all_data TO \(login)", "REVOKE pg_read_all_data FROM \(login)"),
                ("GRANT pg_execute_server_program TO \(login)", "REVOKE pg_execute_server_program FROM \(login)"),
            ] {
                _ = try await bench.office.run(Statement(give))
                let reply = await served.ask("GET", "/v1/lanes", token: token)
                #expect(reply.status == 401, "\(give)")
                #expect(reply.code == "login_too_mighty", "\(give)")
                #expect(try await bench.office.tokens().allSatisfy { !$0.isValid || $0.login != login }, "\(give)")
                #expect(await failure { try await keep(bench, login) } == .loginTooMighty, "\(give)")
                _ = try await bench.office.run(Statement(take))
                #expect(await served.ask("GET", "/v1/lanes", token: token).status == 200, "\(take)")
            }
            await bench.office.close()
        }
    }

    @Test func `roles that would be members of each other are a typed error`() async throws {
        let bench = try await FleetBench()
        // The role of servers would be a member of itself.
        let server = try await bench.login(.server, in: nil)
        try await bench.office.grant(.clerk, to: server, in: nil)
        #expect(await failure { try await keep(bench, server) } == .circularGrant)
        let clerk = try await bench.login(.clerk, in: nil)
        try await keep(bench, clerk)
        #expect(await failure { try await bench.office.grant(.server, to: clerk, in: nil) } == .circularGrant)
        #expect(await failure { try await bench.office.grant(.clerk, to: "fleet_clerk", in: nil) } == .circularGrant)
        // Nothing of it is left.
        #expect(try await bench.office.tokens().map(\.login) == [clerk])
    }
}
