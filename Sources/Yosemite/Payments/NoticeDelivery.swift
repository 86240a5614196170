internal import Hardware
internal import Storage

/// Tells the host what it should know of attempts that have come to an end. No money depends on it: what cannot be
/// told now stays in the journal and is told the next time.
struct NoticeDelivery: Sendable {
    let journal: PaymentJournal
    let host: JournallingPaymentHost

    func run() async {
        guard let attempts = try? journal.attemptsToTell() else { return }
        for attempt in attempts where attempt.hostName == host.name {
            guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { continue }
            do {
                try await host.forward(advice.request(for: attempt))
                try journal.forgetAdvice(for: attempt.id)
            } catch {
                // One that does not get through is not followed by others that would not either.
                return
            }
        }
    }
}
