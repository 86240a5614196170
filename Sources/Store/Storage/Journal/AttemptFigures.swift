import GRDB
public import Payments

/// Counts and times of the attempts in the records, by what came of them.
public struct AttemptFigures: Hashable, Sendable {
    /// A number of attempts that took the same time.
    public struct Times: Hashable, Sendable {
        /// The direction of the money.
        public var kind: PaymentAttempt.Kind
        /// The state at the end of the time.
        public var state: AttemptState
        /// The time in milliseconds; 0 when the clock was set back meanwhile.
        public var milliseconds: Int64
        /// The number of attempts.
        public var count: Int
    }

    /// The final states, in which an attempt stays.
    public static let outcomes = AttemptState.allCases.filter(\.isFinal)

    /// From the beginning of each attempt to its final state.
    public var finished: [Times] = []
    /// From the state `authorizing`, in which the request is sent, to the state that followed. What the card does after
    /// the answer belongs to it, and after a killed command the time until recovery. When another host took over, it
    /// begins there.
    public var authorizations: [Times] = []
    /// How many attempts have been unknown, including those whose result is known by now.
    public var unknown: [PaymentAttempt.Kind: Int] = [:]

    init(_ database: Database) throws {
        func times(_ sql: String) throws -> [Times] {
            try Row.fetchAll(database, sql: sql).compactMap { row in
                guard let kind = PaymentAttempt.Kind(rawValue: row[0]), let state = AttemptState(rawValue: row[1])
                else { return nil }
                return Times(kind: kind, state: state, milliseconds: row[2], count: row[3])
            }
        }
        finished = try times(
            """
            SELECT attempt.kind, entry.state, max(0, entry.at - attempt.createdAt) AS spent, count(*)
            FROM paymentAttempt AS attempt JOIN attemptTransition AS entry ON entry.attemptID = attempt.id
            WHERE attempt.openState IS NULL AND attempt.state <> 'authorizedOnly' AND entry.state = attempt.state GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            """)
        authorizations = try times(
            """
            SELECT attempt.kind, answer.state, max(0, answer.at - sent.at) AS spent, count(*)
            FROM attemptTransition AS sent
            JOIN attemptTransition AS answer
                ON answer.attemptID = sent.attemptID AND answer.sequence = sent.sequence + 1
            JOIN paymentAttempt AS attempt ON attempt.id = sent.attemptID
            WHERE sent.state = 'authorizing' AND answer.state <> 'authorizing' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
            """)
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT attempt.kind, count(DISTINCT attempt.id)
                FROM attemptTransition AS entry JOIN paymentAttempt AS attempt ON attempt.id = entry.attemptID
                WHERE entry.state = 'unknown' GROUP BY 1
                """)
        for row in rows {
            if let kind = PaymentAttempt.Kind(rawValue: row[0]) { unknown[kind] = row[1] }
        }
    }
}
