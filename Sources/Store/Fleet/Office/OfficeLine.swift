import Connections
import Determinism
import PostgreSQL

/// The connection to the database of a back office, made with the first use and again after a failure.
actor OfficeLine {
    private let address: PostgreSQLAddress
    private let time: any TimeSource
    private var connection: PostgreSQLConnection?

    init(address: PostgreSQLAddress, time: any TimeSource) { (self.address, self.time) = (address, time) }

    /// Returns the connection, which is open as far as it is known.
    func open(_ deadline: Deadline) async throws(PostgreSQLError) -> PostgreSQLConnection {
        if let connection, await connection.isOpen { return connection }
        let new = try await PostgreSQLConnection.connect(to: address, deadline: deadline, time: time)
        connection = new
        return new
    }

    func close() async {
        let open = connection
        connection = nil
        await open?.close()
    }
}

/// A login whose rights a statement has.
struct OfficeRole: Sendable {
    /// Nil for the login of the connection.
    let login: String?
    let isReadOnly: Bool

    /// Runs a statement in a transaction of its own, with the role of the login. The role ends with the transaction, so
    /// the next one on the connection can't have it.
    func run(
        _ statement: Statement, on connection: PostgreSQLConnection, _ deadline: Deadline
    ) async throws(PostgreSQLError) -> PostgreSQLRows {
        let options = TransactionOptions(isolation: .readCommitted, isReadOnly: isReadOnly)
        let login = login
        return try await connection.transaction(options, deadline: deadline) {
            transaction throws(PostgreSQLError) in
            if let login {
                try await transaction.run(Statement("SELECT set_config('role', $1, true)", .text(login)))
            }
            return .commit(try await transaction.run(statement))
        }
    }
}

extension FleetError {
    /// Whether a connection that was open is lost.
    var isLostConnection: Bool {
        if case .office(let error) = self { error.reason.isLostConnection } else { false }
    }
}

extension PostgreSQLError.Reason {
    fileprivate var isLostConnection: Bool {
        switch self {
        case .connectionLost, .closed: true
        case .commitUnknown(let cause): cause.isLostConnection
        // The server ends the connection: a shutdown, a crash of another session.
        case .server(let report): report.state.group == "57" && report.severity != "ERROR"
        default: false
        }
    }
}
