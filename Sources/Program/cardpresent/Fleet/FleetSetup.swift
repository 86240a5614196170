public import ArgumentParser
import Connections
import Determinism
import Fleet
import Text

/// `fleet init`
struct InitFleet: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make or upgrade a back office in a PostgreSQL database.",
        discussion: """
            EXAMPLES:
              cardpresent fleet init --office postgres://owner@db.example/fleet
              cardpresent fleet init --shop harbor --time-zone Europe/Berlin

            Makes the schema 'fleet', or upgrades an older one while lanes go on sending. Run it as the owner of the \
            database, with the right to make roles. A PostgreSQL server has one back office: its roles belong to the \
            server, and another database with a back office is refused ('other_fleet'). --shop also adds a shop, whose days begin at midnight of \
            --time-zone. An existing shop gets the time zone, too; payments that were captured before keep their day.
            """)

    @Option(help: ArgumentHelp("Shop to add: lowercase letters, digits, and hyphens.", valueName: "shop"))
    var shop: String?
    @Option(help: ArgumentHelp("Time zone of the shop. Default: that which it has, or UTC.", valueName: "zone"))
    var timeZone: String?
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    /// How long all steps may take: each is short, and waits for locks.
    private static let limit: Duration = .seconds(600)

    func validate() throws {
        guard let shop else {
            guard timeZone == nil else { throw ValidationError("--time-zone requires --shop") }
            return
        }
        guard shop.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,62}/) != nil else {
            throw ValidationError("--shop must have lowercase letters, digits, and hyphens")
        }
    }

    func execute() async throws {
        let office = try office.open()
        let (shop, timeZone) = (shop, timeZone)
        let steps = try await CommandFailure.fleet { () async throws(FleetError) in
            let steps = try await office.setUp(Deadline(after: Self.limit, on: SystemTimeSource()))
            if let shop { try await office.addShop(shop, timeZone: timeZone) }
            return steps
        }
        try output.write(
            JSONObject(["from": steps.from, "schema": steps.to], known: ["shop": shop]),
            text: (steps.from == steps.to
                ? "the back office has schema \(steps.to)\n"
                : "the back office has schema \(steps.to) now, after \(steps.from)\n")
                + (shop.map { "shop '\($0)' is there\n" } ?? ""))
    }
}

extension Office: ExpressibleByArgument {}

/// `fleet grant`
struct GrantOffice: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give a database login an office: what it may see and do.",
        discussion: """
            EXAMPLES:
              cardpresent fleet grant anna --as clerk --shop harbor
              cardpresent fleet grant till_login --as lane
              cardpresent fleet grant eve --as auditor
              cardpresent fleet grant office_server --as server

            The offices: a lane sends records and sees nothing. A clerk sees the lanes, payments, and totals of its \
            shops. A manager also sees changes and events, invites lanes, and erases personal data. An auditor sees \
            what a manager sees, and changes nothing. A server serves people with tokens ('fleet serve'), and sees \
            nothing itself.

            Without --shop, the office is for all shops. The database enforces it, whatever program the login uses.
            """)

    @Argument(help: "Login of the server (CREATE ROLE … LOGIN).")
    var login: String
    @Option(name: .customLong("as"), help: ArgumentHelp("Office.", valueName: "office"))
    var office: Office
    @Option(help: ArgumentHelp("Shop. Default: all.", valueName: "shop"))
    var shop: String?
    @OptionGroup var database: OfficeOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let database = try database.open()
        let (office, login, shop) = (office, login, shop)
        try await CommandFailure.fleet { () async throws(FleetError) in
            try await database.grant(office, to: login, in: shop)
        }
        try output.write(
            ["login": login, "office": office.rawValue, "shop": shop] as JSONObject,
            text: "\(login.harmless) is \(office.rawValue) of \(shop.map { "'\($0.harmless)'" } ?? "all shops")\n")
    }
}

/// `fleet revoke`
struct RevokeOffice: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take an office away from a database login.",
        discussion: """
            EXAMPLES:
              cardpresent fleet revoke anna
              cardpresent fleet revoke anna --as clerk --shop harbor
              cardpresent fleet revoke till_login --as lane

            Without --as, takes all offices away. With --shop, only those that were given for this shop; without it, \
            those for every shop and for all shops. Takes effect with the next statement of the login. The login itself \
            stays: DROP ROLE removes it.
            """)

    @Argument(help: "Login of the server.")
    var login: String
    @Option(name: .customLong("as"), help: ArgumentHelp("Only this office. Default: all.", valueName: "office"))
    var office: Office?
    @Option(help: ArgumentHelp("Only the office that was given for this shop.", valueName: "shop"))
    var shop: String?
    @OptionGroup var database: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard office?.isForAllShops != true || shop == nil else {
            throw ValidationError("the office of a lane or a server counts for all shops: leave --shop out")
        }
    }

    func execute() async throws {
        let database = try database.open()
        let (office, login, shop) = (office, login, shop)
        let revoked = try await CommandFailure.fleet { () async throws(FleetError) in
            try await database.revoke(office, from: login, in: shop)
        }
        try output.write(
            ["login": login, "office": office?.rawValue, "shop": shop, "revoked": revoked] as JSONObject,
            text: "took \(revoked) \(revoked == 1 ? "office" : "offices") away from \(login.harmless)\n")
    }
}

/// `fleet invite`
struct InviteLane: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make a token with which one machine becomes a lane.",
        discussion: """
            EXAMPLES:
              (umask 077; cardpresent fleet invite harbor 'till 3' > token.txt)
              cardpresent fleet invite harbor 'till 3' --hours 1 | ssh till3 cardpresent fleet enroll --token-file -

            The token works once, for the first machine that uses it: keep it in a file that only you can read. The \
            back office keeps only a hash. It keeps the name in one form (Unicode NFC), however it is typed. If the shop has a lane of this name, that lane can't send any more once the \
            token is used, and what it has sent stays.
            """)

    @Argument(help: "Shop.") var shop: String
    @Argument(help: "Name of the lane in its shop.") var lane: String
    @Option(help: ArgumentHelp("How long the token works, in hours.", valueName: "number"))
    var hours = 24
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try check(hours, in: 1...8760, "--hours")
        guard (1...100).contains(lane.count) else { throw ValidationError("the name must have 1 to 100 characters") }
        guard !lane.allSatisfy(\.isWhitespace) else { throw ValidationError("the name must not be blank") }
        guard lane.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw ValidationError("the name must have no control characters, such as line breaks")
        }
    }

    func execute() async throws {
        let office = try office.open()
        let token = SystemRandomSource().bytes(24).lowercaseHexadecimal
        let (lane, shop, hours) = (lane, shop, hours)
        try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.invite(lane, of: shop, token: token, hours: hours)
        }
        try output.write(
            ["shop": shop, "lane": lane, "hours": hours, "token": token] as JSONObject, text: token + "\n")
    }
}
