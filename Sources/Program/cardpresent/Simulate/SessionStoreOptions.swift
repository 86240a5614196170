import ArgumentParser
import CardSecrets
import Determinism
import PostgreSQL
import Settings
import SimulationServer
import Simulator

/// Where `simulate serve` keeps its sessions, and whose they are.
struct SessionStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keep the sessions in this PostgreSQL database: postgres://USER@HOST/DATABASE.",
            discussion: """
                Any number of servers with the same database continue each other's sessions. Leave the password to \
                PGPASSFILE or a service file, so that no list of processes shows it.
                """, valueName: "address"))
    var store: String?
    @Option(
        help: ArgumentHelp(
            "With --store, YAML file with tokens: a name and a secret on each line, for example 'ci: SECRET'.",
            discussion: "Each name has its own sessions and quotas.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var tokens: String?

    func validate() throws {
        guard store != nil || tokens == nil else { throw ValidationError("--tokens can only be used with --store") }
    }

    /// Opens the store.
    ///
    /// - Returns: the store; nil without one.
    /// - Throws: `CommandFailure`
    func open(_ time: any TimeSource) async throws(CommandFailure) -> SessionStore? {
        guard let store else { return nil }
        let address: PostgreSQLAddress
        do throws(PostgreSQLError) { address = try PostgreSQLAddress(store) } catch {
            if case .badAddress = error.reason {
                throw CommandFailure(.usage, code: "bad_store", splitting: error.reason.description)
            }
            throw CommandFailure(SessionStoreError.database(error))
        }
        StandardError.detail("store: \(address)")
        let program = try ProgramIdentity.text()
        do throws(SessionStoreError) {
            return try await SessionStore.open(address, program: program, time: time)
        } catch { throw CommandFailure(error) }
    }

    /// Reads the file of tokens.
    ///
    /// - Returns: the tokens; none without a file.
    /// - Throws: `CommandFailure`
    func readTokens() throws(CommandFailure) -> [ServiceToken] {
        guard let tokens else { return [] }
        do throws(SettingsError) {
            let root = try SettingsDocument(path: tokens).root
            var found: [ServiceToken] = []
            for entry in try root.entries() {
                let node = entry.value.concealed
                guard !entry.key.isEmpty, entry.key != ServiceToken.onlyOne else {
                    throw node.error("a token can't have the name '\(entry.key)'", fix: "choose another one")
                }
                let secret = Array(try node.text().utf8)
                guard SimulateServe.tokenLength.contains(secret.count),
                    secret.allSatisfy({ (0x21...0x7E).contains($0) })
                else {
                    throw node.error("a token has 16 to 1024 letters and digits", fix: "write a longer one")
                }
                let token = ServiceToken(name: entry.key, secret: SealedBytes(secret))
                guard !found.contains(where: { $0.secret.bytes.isEqual(to: token.secret.bytes) }) else {
                    throw node.error("two names have the same token", fix: "give each a token of its own")
                }
                found.append(token)
            }
            guard !found.isEmpty else { throw root.error("there is no token", fix: "add a line 'NAME: SECRET'") }
            return found
        } catch {
            var failure = CommandFailure(error)
            failure.code = "malformed_tokens"
            throw failure
        }
    }
}

extension CommandFailure {
    init(_ error: SessionStoreError) {
        let (status, code): (ExitStatus, String) =
            switch error {
            case .newerSchema: (.configuration, "store_is_newer")
            default: (.unavailable, "store_unavailable")
            }
        self.init(status, code: code, message: error.description, fix: error.fix)
    }
}
