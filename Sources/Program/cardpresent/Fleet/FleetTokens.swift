import ArgumentParser
import Determinism
import Fleet
import Text

/// `fleet token`
struct FleetTokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make, list, and revoke tokens for the back office over HTTP.",
        discussion: """
            EXAMPLES:
              (umask 077; cardpresent fleet token make anna --days 90 > token.txt)
              cardpresent fleet token list
              cardpresent fleet token revoke T3

            A request to 'fleet serve' carries a token, and has the rights of the token's database login.
            """,
        subcommands: [MakeFleetToken.self, ListFleetTokens.self, RevokeFleetToken.self])
}

/// `fleet token make`
struct MakeFleetToken: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a token for a login.",
        discussion: """
            EXAMPLES:
              (umask 077; cardpresent fleet token make anna > token.txt)
              cardpresent fleet token make anna --days 7 --note 'laptop of anna' --json

            The token is shown once: the back office keeps only a hash. The login needs an office ('fleet grant'), and \
            can't be an administrator of the server or the owner of the database. Run this command as the owner.
            """)

    @Argument(help: "Login of the server that has an office.")
    var login: String
    @Option(help: ArgumentHelp("How long the token works, in days.", valueName: "number"))
    var days = 90
    @Option(help: ArgumentHelp("What the token is for.", valueName: "text"))
    var note: String?
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(days, in: 1...3650, "--days")
        guard note?.count ?? 0 <= 200 else { throw ValidationError("the note must have at most 200 characters") }
    }

    func execute() async throws {
        let (office, login, days, note) = (try office.open(), login, days, note)
        let (token, text) = try CommandFailure.fleetValue { () throws(FleetError) in
            try OfficeToken.make(SystemRandomSource())
        }
        let kept = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.keep(token, for: login, days: days, note: note)
        }
        try output.write(
            [
                "id": KeptToken.name(kept.number), "login": login, "expiresAt": kept.expiresAt.description,
                "note": note, "token": text,
            ] as JSONObject, text: text + "\n")
    }
}

/// `fleet token list`
struct ListFleetTokens: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the tokens, without their secrets.",
        discussion: """
            EXAMPLES:
              cardpresent fleet token list
              cardpresent fleet token list --json

            For the owner of the database.
            """)

    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let office = try office.open()
        let tokens = try await CommandFailure.fleet { () async throws(FleetError) in try await office.tokens() }
        try output.write(table: tokens, whenEmpty: "No tokens.")
    }
}

/// `fleet token revoke`
struct RevokeFleetToken: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a token, or all of a login.",
        discussion: """
            EXAMPLES:
              cardpresent fleet token revoke T3
              cardpresent fleet token revoke --login anna

            It counts from the next request. 'fleet revoke' takes the offices of a login away, and its tokens with them.
            """)

    @Argument(help: "Token, such as T3.") var token: String?
    @Option(help: ArgumentHelp("All tokens of this login.", valueName: "login"))
    var login: String?
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (token == nil) != (login == nil) else { throw ValidationError("give a token or --login") }
        guard token == nil || number != nil else { throw ValidationError("a token looks like T3") }
    }

    private var number: Int64? {
        guard let digits = token?.drop(while: { $0 == "T" || $0 == "t" }), let number = Int64(digits), number > 0
        else { return nil }
        return number
    }

    func execute() async throws {
        let (office, login, number) = (try office.open(), login, number)
        let revoked = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.revokeTokens(number: number, of: login)
        }
        try output.write(
            ["revoked": revoked] as JSONObject, text: "revoked \(revoked) \(revoked == 1 ? "token" : "tokens")\n")
    }
}

extension KeptToken: TableRow {
    static var heads: [String] { ["token", "login", "made", "expires", "state", "note"] }

    static func name(_ number: Int64) -> String { "T\(number)" }

    private var state: String { isValid ? "valid" : revokedAt == nil ? "expired" : "revoked" }

    var cells: [String] {
        [
            Self.name(number), login, LocalTime.current.second(madeAt), LocalTime.current.second(expiresAt), state,
            note ?? "",
        ]
    }

    var json: JSONObject {
        [
            "id": Self.name(number), "login": login, "madeAt": madeAt.description, "expiresAt": expiresAt.description,
            "revokedAt": revokedAt?.description, "state": state, "note": note,
        ]
    }
}
