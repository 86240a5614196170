public import PostgreSQL
public import Storage

/// Why something between a lane and its back office failed. No error has a secret, or a value of a payment.
public enum FleetError: Error, Hashable, Sendable {
    /// The server, or the way to it.
    case office(PostgreSQLError)
    /// The server takes the login, its password, or the database never.
    case loginRefused(PostgreSQLError)
    /// The address of the back office can't be read.
    case badAddress
    /// The journal of this machine.
    case journal(StorageError)
    /// The server has no schema of a back office, or an older one than a command needs.
    case notSetUp
    /// The login has no office that allows this.
    case notAllowed
    /// The journal belongs to no lane.
    case notEnrolled
    /// The journal is this lane already.
    case enrolled(Lane)
    /// The back office has more of the lane than the lane has written, or something else under the same number: the
    /// journal is a restored backup, or another machine has shipped under its name.
    case restored(Lane, written: Int64, applied: Int64)
    /// The back office has less of the lane than it had acknowledged: it was restored from a backup.
    case officeRestored(Lane, acknowledged: Int64, applied: Int64)
    /// The back office is in another epoch of the lane: the journal, or a copy of it, was enrolled again elsewhere.
    case otherEpoch(Lane, office: Int64)
    /// The back office does not know the lane, or knows another secret.
    case unknownLane
    /// A lane of the same name was enrolled later, on another journal.
    case retired
    /// The token is unknown, or its time is over.
    case tokenRefused
    /// Another lane has used the token.
    case tokenUsed
    case noSuchShop
    case noSuchTimeZone
    case noSuchLogin
    /// The journal has shipped to another shop already.
    case otherShop
    case noSuchLane
    case noSuchPayment
    /// The login does not have the office that is to be taken away.
    case noSuchOffice
    /// The login may do more than an office allows, so no token stands for it.
    case loginTooMighty
    /// The server has no roles that belong to each other: another role is a member of the login, in turn.
    case circularGrant
    /// The login has no office, so a token would allow nothing.
    case loginWithoutOffice
    /// No token that works has this number or this login.
    case noSuchToken
    /// libcrypto made no digest of a token.
    case noDigest
    /// No line of the settlement is of the shop and the days that were asked for.
    case nothingCompared(lines: Int)
    /// A name of a shop or a lane is blank, too long, or has other characters.
    case malformedName
    /// A day is none, or one that the server has not: before the year 1.
    case malformedDay
    /// A batch of the lane has what is no row of a payment.
    case malformedEntries
    /// Another database of the same PostgreSQL server has a back office, and would share its roles.
    case otherFleet(database: String)
    /// A line of a settlement file can't be read. Lines count from 1.
    case malformedSettlement(line: Int, problem: String)
    /// The waiting task was canceled.
    case canceled

    /// Sorts an error of the server.
    init(_ error: PostgreSQLError) {
        switch error.reason {
        case .canceled: self = .canceled
        case .badAddress: self = .badAddress
        case .loginRefused: self = .loginRefused(error)
        default: self.init(state: error.report?.state.rawValue, of: error)
        }
    }

    private init(state: String?, of error: PostgreSQLError) {
        self =
            switch state {
            case "CP001": .unknownLane
            case "CP002": .retired
            case "CP004": .tokenRefused
            case "CP005": .tokenUsed
            case "CP006", "42501": .notAllowed
            case "CP007": .noSuchShop
            case "CP008": .noSuchTimeZone
            case "CP009": .noSuchLogin
            case "CP010": .otherShop
            case "CP011": .noSuchLane
            case "CP012": .noSuchPayment
            case "CP013": .noSuchOffice
            case "CP014": .loginTooMighty
            case "CP016": .loginWithoutOffice
            case "CP017": .malformedName
            case "CP018": .malformedEntries
            // invalid_grant_operation
            case "0LP01": .circularGrant
            // No such schema, table, column, or function.
            case "3F000", "42P01", "42703", "42883": .notSetUp
            default: .office(error)
            }
    }

    /// Whether the same can succeed later without a person: the network, the server, or a lock was in the way. Nothing
    /// is lost when it is not known whether the server committed, because what is repeated is applied once.
    public var isTransient: Bool {
        switch self {
        case .journal(.busy): true
        case .office(let error):
            switch error.reason {
            case .notConnected, .connectionLost, .timedOut, .closed, .commitUnknown, .notCommitted: true
            // Two lanes ship the same attempt at this moment: the later one adopts it when it comes again. A standby
            // takes changes once it is promoted.
            case .server(let report):
                report.state == .uniqueViolation || report.state == .readOnlyTransaction
                    || Self.transientGroups.contains(String(report.state.group))
            default: false
            }
        default: false
        }
    }

    /// Whether the change may be stored or not, because the answer to its commit is lost.
    public var isCommitUnknown: Bool {
        if case .office(let error) = self { error.isCommitUnknown } else { false }
    }

    /// Connection, transaction rollback, resources (such as a full disk), locks, intervention, and system errors.
    private static let transientGroups: Set = ["08", "40", "53", "55", "57", "58"]

    /// The word for programs, which commands and the server share.
    public var code: String {
        switch self {
        case .office: "office_unavailable"
        case .loginRefused: "login_refused"
        case .badAddress: "malformed_office"
        case .journal: "database_failed"
        case .notSetUp: "no_fleet"
        case .notAllowed: "not_allowed"
        case .notEnrolled: "not_enrolled"
        case .enrolled: "already_enrolled"
        case .restored: "lane_restored"
        case .officeRestored: "office_restored"
        case .otherEpoch: "other_epoch"
        case .unknownLane: "unknown_lane"
        case .retired: "lane_replaced"
        case .tokenRefused: "token_refused"
        case .tokenUsed: "token_used"
        case .noSuchShop: "unknown_shop"
        case .noSuchTimeZone: "unknown_time_zone"
        case .noSuchLogin: "unknown_login"
        case .otherShop: "other_shop"
        case .noSuchLane: "no_such_lane"
        case .noSuchPayment: "no_such_payment"
        case .noSuchOffice: "no_such_office"
        case .loginTooMighty: "login_too_mighty"
        case .circularGrant: "circular_grant"
        case .loginWithoutOffice: "login_without_office"
        case .noSuchToken: "no_such_token"
        case .noDigest: "no_digest"
        case .nothingCompared: "nothing_compared"
        case .malformedName: "malformed_name"
        case .malformedDay: "malformed_day"
        case .malformedEntries: "malformed_entries"
        case .otherFleet: "other_fleet"
        case .malformedSettlement: "malformed_settlement"
        case .canceled: "cancelled"
        }
    }

    /// The command or step that mends it; nil when there is none.
    public var fix: String? {
        switch self {
        case .office(let error):
            error.isCommitUnknown
                ? "run the command again"
                : isTransient ? "see that the server runs and that this machine reaches it, then run it again" : nil
        case .loginRefused:
            "correct login and database in CARDPRESENT_FLEET or --office, and the password in ~/.pgpass; the owner of "
                + "the database makes a login with CREATE ROLE … LOGIN"
        case .badAddress: "give postgres://USER@HOST/DATABASE, or words such as host=HOST dbname=DATABASE"
        case .journal: nil
        case .notSetUp: "the owner of the database runs 'cardpresent fleet init'"
        case .notAllowed: "the owner of the database runs 'cardpresent fleet grant LOGIN --as OFFICE'"
        case .notEnrolled:
            "a manager runs 'cardpresent fleet invite SHOP LANE'; then run 'cardpresent fleet enroll --token-file FILE'"
        case .enrolled: "'cardpresent fleet enroll --again' begins a new epoch of the lane"
        case .restored, .otherEpoch:
            "make sure that no other machine is this lane, recover the payments ('cardpresent payments recover'), and "
                + "run 'cardpresent fleet enroll --again', which ships everything anew"
        case .officeRestored: "run 'cardpresent fleet enroll --again', which ships everything anew"
        case .unknownLane, .retired, .tokenRefused, .tokenUsed:
            "a manager makes a new token with 'cardpresent fleet invite SHOP LANE'"
        case .noSuchShop:
            "'cardpresent fleet status' lists the shops that have lanes; the owner of the database adds one with "
                + "'cardpresent fleet init --shop SHOP'"
        case .noSuchTimeZone: "give a name of the time zone database, such as Europe/Berlin"
        case .noSuchLogin: "the owner of the database makes it with CREATE ROLE … LOGIN"
        case .otherShop:
            "enroll with a token of the shop that these records belong to; another shop needs new records"
        case .noSuchLane: "'cardpresent fleet status --shop SHOP' lists the lanes"
        case .noSuchPayment: "'cardpresent fleet payments --shop SHOP --lane LANE' lists the payments"
        case .noSuchOffice:
            "an office that was given for all shops is taken away without --shop; the table fleet.member has all offices"
        case .loginTooMighty: "make a login that owns nothing and is no administrator, and grant it an office"
        case .circularGrant:
            "take a login of its own for this office, or for the token; the office 'server' and a token never go together"
        case .loginWithoutOffice: "the owner of the database runs 'cardpresent fleet grant LOGIN --as OFFICE'"
        case .noSuchToken: "'cardpresent fleet token list' lists them"
        case .nothingCompared: "give the shop and the days of the settlement, or leave --shop, --since, and --until out"
        case .malformedName: "give a name with 1 to 100 characters that can be seen"
        case .malformedDay: "give a day such as 2026-01-02"
        case .malformedEntries:
            "see that the program and the records of the lane are whole ('cardpresent doctor'), and install the program "
                + "again"
        case .otherFleet(let database):
            "give each back office a PostgreSQL server of its own, or run 'cardpresent fleet init' on the database "
                + "'\(database)' to upgrade that one"
        case .malformedSettlement:
            "each line has shop, lane, day, brand, currency, sales, their amount, refunds, and their amount"
        case .noDigest: "repair the installation of OpenSSL"
        case .canceled: nil
        }
    }
}

extension FleetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .office(let error), .loginRefused(let error): error.description
        case .badAddress: "the address of the back office can't be read"
        case .journal(let error): error.description
        case .notSetUp: "the database has no back office, or an older one"
        case .notAllowed: "the login may not do this"
        case .notEnrolled: "this journal belongs to no lane of a fleet"
        case .enrolled(let lane): "this journal is \(lane) already"
        case .restored(let lane, let written, let applied):
            "\(lane) was restored from a backup, or copied: the back office has \(applied) of its entries, and the journal "
                + "has written \(written), or other ones"
        case .officeRestored(let lane, let acknowledged, let applied):
            "the back office was restored from a backup: it has \(applied) entries of \(lane), and had acknowledged "
                + "\(acknowledged)"
        case .otherEpoch(let lane, let office):
            "\(lane) is in epoch \(lane.epoch) here, and in epoch \(office) at the back office"
        case .unknownLane: "the back office does not know this lane"
        case .retired: "another journal has taken the place of this lane"
        case .tokenRefused: "the token is unknown, or its time is over"
        case .tokenUsed: "another lane has used the token"
        case .noSuchShop: "the back office has no such shop, or the login may not see it"
        case .noSuchTimeZone: "the server knows no such time zone"
        case .noSuchLogin: "the server has no such login"
        case .otherShop: "the back office has these records as those of another shop"
        case .noSuchLane: "the shop has no such lane"
        case .noSuchPayment: "the lane has no such payment"
        case .noSuchOffice: "the login has no such office"
        case .loginTooMighty: "the login may do more than an office allows"
        case .circularGrant: "the login and a role that it would get would be members of each other"
        case .loginWithoutOffice: "the login has no office"
        case .noSuchToken: "there is no such token, or it was revoked before"
        case .nothingCompared(let lines):
            "none of the \(lines) lines of the settlement is of the shop and the days that are compared"
        case .malformedName: "a name of a shop or a lane is blank, too long, or has other characters"
        case .malformedDay: "there is no such day"
        case .malformedEntries: "the back office refuses what is no row of a payment"
        case .otherFleet(let database):
            "the database '\(database)' of this PostgreSQL server has a back office, and the roles of both would be the same"
        case .malformedSettlement(let line, let problem): "line \(line) of the settlement: \(problem)"
        case .noDigest: "libcrypto makes no digest of a token"
        case .canceled: "canceled"
        }
    }
}

extension Lane: CustomStringConvertible {
    /// `lane 'till 1' of the shop 'harbor'`
    public var description: String { "lane '\(name)' of the shop '\(shop)'" }
}
