import Concurrency
import Connections
import Determinism
import Dispatch

/// Makes a connection. What can block, such as the look-up of names, runs on a thread of its own, which is abandoned
/// when the deadline passes: it then closes what it made.
struct Connecting {
    let address: PostgreSQLAddress
    let deadline: Deadline
    let time: any TimeSource
    private let thread = DispatchQueue(label: "postgresql-connect")

    init(_ address: PostgreSQLAddress, _ deadline: Deadline, _ time: any TimeSource) {
        (self.address, self.deadline, self.time) = (address, deadline, time)
    }

    /// - Throws: ``PostgreSQLError`` with the reason `notConnected`, `timedOut`, `canceled`, or `libraryMissing`.
    func connect() async throws(PostgreSQLError) -> LibraryConnection {
        let library = try PostgreSQLLibrary.load()
        let text = address.text
        guard let connection = try await blocking({ LibraryConnection(library, to: text) }) else {
            throw PostgreSQLError(.notConnected("not enough memory"))
        }
        // The manual has the first wait be one for writing.
        var progress = connection.hasFailed ? LibraryConnection.Progress.failed : .needsWriting
        while true {
            switch progress {
            case .failed: throw refusal(connection)
            case .connected:
                guard connection.prepare() else { throw refusal(connection) }
                return connection
            case .needsReading: try await wait(connection, for: .reading)
            case .needsWriting: try await wait(connection, for: .writing)
            }
            progress = try await blocking { connection.poll() }
        }
    }

    private func refusal(_ connection: LibraryConnection) -> PostgreSQLError {
        let message = LoginMessage(connection.message)
        let text = address.withoutSecrets(message.text)
        return PostgreSQLError(message.isLasting ? .loginRefused(text) : .notConnected(text))
    }

    private func wait(
        _ connection: LibraryConnection, for readiness: DescriptorWait.Readiness
    ) async throws(PostgreSQLError) {
        do throws(ConnectionFailure) {
            try await DescriptorWait(connection.socket)(for: readiness, deadline: deadline, .connect, on: time)
        } catch {
            throw PostgreSQLError(.waiting(error))
        }
    }

    private func blocking<Value: Sendable>(
        _ call: @escaping @Sendable () -> Value
    ) async throws(PostgreSQLError) -> Value {
        let answer = FirstAnswer<Value, ConnectionFailure>()
        thread.async { @Sendable in answer.give(.success(call())) }
        do throws(ConnectionFailure) {
            return try await answer.answer(until: deadline, on: time, for: .connect).get()
        } catch {
            throw PostgreSQLError(.waiting(error))
        }
    }
}

extension PostgreSQLError.Reason {
    /// The end of a wait without its event.
    static func waiting(_ failure: ConnectionFailure) -> PostgreSQLError.Reason {
        switch failure {
        case .timedOut: .timedOut
        case .canceled: .canceled
        case .closed: .closed
        default: .connectionLost(failure.description)
        }
    }
}
