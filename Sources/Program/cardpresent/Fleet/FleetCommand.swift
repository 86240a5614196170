import ArgumentParser
import Determinism
import Fleet
import FoundationEssentials

/// `fleet`
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Ship payments of many lanes to one back office.",
        discussion: """
            EXAMPLES:
              cardpresent fleet init --office postgres://admin@db/fleet
              cardpresent fleet ship --follow
              cardpresent fleet status
              cardpresent fleet report --since 2026-01-02
            """,
        subcommands: [
            InitFleet.self, GrantOffice.self, RevokeOffice.self, InviteLane.self, EnrollLane.self, ShipLane.self,
            FleetStatus.self, FleetPayments.self, ReconcileFleet.self, FleetReport.self, EraseFleet.self,
        ])
}

/// The back office to use.
struct OfficeOptions: ParsableArguments {
    private static let variable = "CARDPRESENT_FLEET"

    @Option(
        help: ArgumentHelp(
            "Database of the back office, such as postgres://USER@HOST/DATABASE?sslmode=verify-full.",
            discussion: """
                Default: $CARDPRESENT_FLEET. Passwords belong into the password file of PostgreSQL (~/.pgpass), because \
                all users of a machine can read the arguments of its programs.
                """, valueName: "address"))
    var office: String?

    /// - Throws: `CommandFailure` without an address, or with one that can't be read.
    func open() throws(CommandFailure) -> BackOffice {
        guard let address = office ?? ProcessInfo.processInfo.environment[Self.variable]?.nonEmpty else {
            throw CommandFailure(
                .configuration, code: "no_back_office",
                message: "no back office: neither --office nor CARDPRESENT_FLEET is set",
                fix: "give --office postgres://USER@HOST/DATABASE, or set CARDPRESENT_FLEET")
        }
        let office = try CommandFailure.fleetValue { () throws(FleetError) in
            try BackOffice(address, time: SystemTimeSource())
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
        let (status, code): (ExitStatus, String) =
            switch error {
            case .office: (.unavailable, "office_unavailable")
            case .loginRefused: (.configuration, "login_refused")
            case .badAddress: (.usage, "malformed_office")
            case .journal: (.unavailable, "database_failed")
            case .notSetUp: (.configuration, "no_fleet")
            case .notAllowed: (.configuration, "not_allowed")
            case .notEnrolled: (.configuration, "not_enrolled")
            case .enrolled: (.usage, "already_enrolled")
            case .restored: (.differs, "lane_restored")
            case .officeRestored: (.differs, "office_restored")
            case .otherEpoch: (.differs, "other_epoch")
            case .unknownLane: (.configuration, "unknown_lane")
            case .retired: (.configuration, "lane_replaced")
            case .tokenRefused: (.usage, "token_refused")
            case .tokenUsed: (.usage, "token_used")
            case .noSuchShop: (.usage, "unknown_shop")
            case .noSuchTimeZone: (.usage, "unknown_time_zone")
            case .noSuchLogin: (.usage, "unknown_login")
            case .otherShop: (.usage, "other_shop")
            case .noSuchLane: (.usage, "no_such_lane")
            case .noSuchPayment: (.usage, "no_such_payment")
            case .noSuchOffice: (.usage, "no_such_office")
            case .malformedSettlement: (.badData, "malformed_settlement")
            case .canceled: (.canceled, "cancelled")
            }
        self.init(
            error.isTransient ? .tryAgain : status, code: code, message: error.description.harmless, fix: error.fix)
    }
}

/// A shop on the command line, which some commands limit themselves to.
struct ShopOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only this shop. Default: all that you may see.", valueName: "shop"))
    var shop: String?
}

/// The days of a report.
struct DayOptions: ParsableArguments {
    @Option(help: ArgumentHelp("First day, such as 2026-01-02, in the time zone of the shop.", valueName: "day"))
    var since: Day?
    @Option(help: ArgumentHelp("Last day.", valueName: "day"))
    var until: Day?

    func validate() throws {
        if let since, let until, until.date.dayNumber < since.date.dayNumber {
            throw ValidationError("--until must not be before --since")
        }
    }
}
