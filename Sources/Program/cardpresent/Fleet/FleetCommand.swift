import ArgumentParser
import Determinism
import Fleet
import FoundationEssentials

/// `fleet`
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Send the payments of many tills to one back office.",
        discussion: """
            EXAMPLES:
              cardpresent fleet init --office postgres://admin@db/fleet
              cardpresent fleet ship --follow
              cardpresent fleet status
              cardpresent fleet report --since 2026-01-02

            A lane is one till with its database. Lanes send their payments, attempts, and receipts to the back office: \
            a PostgreSQL database that shows and adds up what all of them took. See docs/fleet.md.
            """,
        subcommands: [
            InitFleet.self, GrantOffice.self, RevokeOffice.self, InviteLane.self, EnrollLane.self, ShipLane.self,
            FleetStatus.self, FleetPayments.self, ReconcileFleet.self, FleetReport.self, EraseFleet.self,
            FleetTokens.self, ServeFleet.self,
        ])
}

/// The back office to use.
struct OfficeOptions: ParsableArguments {
    private static let variable = "CARDPRESENT_FLEET"

    @Option(
        help: ArgumentHelp(
            "Database of the back office, such as postgres://USER@HOST/DATABASE?sslmode=verify-full.",
            discussion: """
                Default: $CARDPRESENT_FLEET. Put passwords into PostgreSQL's password file (~/.pgpass): other users of \
                this machine can see the arguments of a command.
                """, valueName: "address"))
    var office: String?

    /// Reads the address. `limit` is the longest time of a call.
    ///
    /// - Throws: `CommandFailure` without an address, or with one that can't be read.
    func open(limit: Duration = .seconds(30)) throws(CommandFailure) -> BackOffice {
        guard let address = office ?? ProcessInfo.processInfo.environment[Self.variable]?.nonEmpty else {
            throw CommandFailure(
                .configuration, code: "no_back_office",
                message: "no back office: neither --office nor CARDPRESENT_FLEET is set",
                fix: "give --office postgres://USER@HOST/DATABASE, or set CARDPRESENT_FLEET")
        }
        let office = try CommandFailure.fleetValue { () throws(FleetError) in
            try BackOffice(address, limit: limit, time: SystemTimeSource())
        }
        StandardError.detail("back office: \(office.description)")
        return office
    }
}

extension CommandFailure {
    /// Runs what asks the back office.
    ///
    /// - Throws: `CommandFailure`
    static func fleet<Value>(
        _ work: () async throws(FleetError) -> Value
    ) async throws(CommandFailure) -> Value {
        do throws(FleetError) { return try await work() } catch { throw CommandFailure(error) }
    }

    /// Runs what reads without waiting.
    ///
    /// - Throws: `CommandFailure`
    static func fleetValue<Value>(_ work: () throws(FleetError) -> Value) throws(CommandFailure) -> Value {
        do throws(FleetError) { return try work() } catch { throw CommandFailure(error) }
    }

    init(_ error: FleetError) {
        if case .journal(let error) = error {
            self.init(error)
            return
        }
        let status: ExitStatus =
            switch error {
            case .office, .journal, .noDigest: .unavailable
            case .loginRefused, .notSetUp, .notAllowed, .notEnrolled, .unknownLane, .retired, .otherFleet:
                .configuration
            case .restored, .officeRestored, .otherEpoch: .differs
            case .malformedSettlement, .nothingCompared, .malformedEntries: .badData
            case .canceled: .canceled
            case .badAddress, .enrolled, .tokenRefused, .tokenUsed, .noSuchShop, .noSuchTimeZone, .noSuchLogin,
                .otherShop, .noSuchLane, .noSuchPayment, .noSuchOffice, .loginTooMighty, .circularGrant,
                .loginWithoutOffice, .noSuchToken, .malformedName, .malformedDay:
                .usage
            }
        self.init(
            error.isTransient ? .tryAgain : status, code: error.code, message: error.description.harmless,
            fix: error.fix)
    }
}

/// A shop on the command line, which some commands limit themselves to.
struct ShopOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only this shop, which you may see. Default: all that you may see.", valueName: "shop"))
    var shop: String?
}

/// The days of a report.
struct DayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("First day, such as 2026-01-02, in the time zone of the shop.", valueName: "day"))
    var since: Day?
    @Option(help: ArgumentHelp("Last day.", valueName: "day"))
    var until: Day?

    func validate() throws {
        for day in [since, until].compactMap(\.self) where !BackOffice.isDay(day.date.dayText) {
            throw ValidationError("days begin with 0001-01-01")
        }
        if let since, let until, until.date.dayNumber < since.date.dayNumber {
            throw ValidationError("--until must not be before --since")
        }
    }
}
