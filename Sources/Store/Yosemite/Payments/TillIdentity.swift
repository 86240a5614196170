import Determinism
import Payments
import Storage
import Synchronization
import Text

/// Keeps the database's identity apart from numbers that the host knows and the database doesn't, as after the restore
/// of a backup.
///
/// Once per opening, the host is asked for the largest number that it knows of the identity. New attempts begin only
/// under an identity that the host has confirmed, or under a new one, so that no key can be one that was used before.
/// Used by one operation of ``PaymentExclusion`` at a time.
final class TillIdentity: Sendable {
    private struct State {
        /// Whether the host has answered.
        var isConfirmed = false
        /// Whether new attempts have keys that no host knows.
        var isSafe = false
        /// The restored identities that no report has named yet.
        var found: [FormerIdentity] = []
    }

    private let journal: PaymentJournal
    private let host: any PaymentHost
    private let time: any TimeSource
    private let random: any RandomSource
    private let state = Mutex(State())

    init(journal: PaymentJournal, host: any PaymentHost, time: any TimeSource, random: any RandomSource) {
        (self.journal, self.host, self.time, self.random) = (journal, host, time, random)
    }

    /// Asks the host, unless it has answered since the opening.
    ///
    /// - Returns: Nil when the host answered; the error when it is not known whether the database was restored.
    func confirm() async throws(JournalError) -> PaymentHostError? {
        guard !state.withLock({ $0.isConfirmed }) else { return nil }
        // Again when another process has changed the identity in the meantime, or the host knows the new one.
        for _ in 0..<Self.tries {
            let question = try journal.identitiesToConfirm(hostName: host.name)
            let successor = try draw(besides: question.taken)
            let numbers: [String: Int64]
            do throws(PaymentHostError) {
                // A host that knows no keys knows no numbers, so only a backup that `restore` put in place is noticed.
                numbers =
                    host.knowsKeys
                    ? try await host.lastNumbers(of: [question.current] + question.unconfirmed + [successor]) : [:]
            } catch {
                return error
            }
            guard numbers[successor] == nil else { continue }
            let answer = IdentityAnswer(
                current: question.current, numbers: numbers, hostName: host.name, knowsNumbers: host.knowsKeys)
            guard let restored = try journal.confirmIdentity(answer, successor: successor, at: time.now()) else {
                continue
            }
            state.withLock { $0 = State(isConfirmed: true, isSafe: true, found: $0.found + restored) }
            return nil
        }
        return .outcomeUnknown("the identity of the database keeps changing")
    }

    /// Ensures that the keys of new attempts are new to the host. While it does not answer, the database takes a new
    /// identity, once per opening; whether it was restored is asked later.
    ///
    /// - Throws: ``CardPresentPaymentsError/restored(_:)`` while a restored backup is found that no report has named:
    ///   what is asked for may be among the payments that it lost.
    func prepare() async throws(CardPresentPaymentsError) {
        do throws(JournalError) { try await ensureNewKeys() } catch { throw .journal(error) }
        let found = state.withLock { $0.found }
        guard found.isEmpty else { throw .restored(found) }
    }

    private func ensureNewKeys() async throws(JournalError) {
        guard !state.withLock({ $0.isSafe }), try await confirm() != nil else { return }
        let question = try journal.identitiesToConfirm(hostName: host.name)
        try journal.replaceIdentity(
            question.current, by: try draw(besides: question.taken), hostName: host.name, at: time.now())
        state.withLock { $0.isSafe = true }
    }

    /// Returns the identities that were found to be restored since the last call, for a report. From then on
    /// ``prepare()`` succeeds.
    func takeFound() -> [FormerIdentity] {
        state.withLock { state in
            defer { state.found = [] }
            return state.found
        }
    }

    private static let tries = 8

    /// Draws an identity that the database never had.
    private func draw(besides taken: Set<String>) throws(JournalError) -> String {
        for _ in 0...taken.count + Self.tries {
            let drawn = random.bytes(8).lowercaseHexadecimal
            if !taken.contains(drawn) { return drawn }
        }
        throw .noNewIdentity
    }
}
