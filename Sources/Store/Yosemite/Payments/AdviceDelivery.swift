import Foundation
import Hardware
import Money
public import Payments
import SmartCard
import Storage
import Text

/// Sends the host the advices of ended attempts. No money depends on them: an advice that cannot be sent now stays in
/// the journal and is sent the next time.
struct AdviceDelivery: Sendable {
    let journal: PaymentJournal
    let host: JournalingPaymentHost

    func run() async {
        guard let attempts = try? journal.attemptsWithAdvice() else { return }
        // The hosts that can't have an advice now.
        var silent: Set<String?> = []
        for attempt in attempts where attempt.hostName == host.name {
            guard let advice = attempt.advice.flatMap(StoredAdvice.init(text:)) else { continue }
            let place = attempt.identity?.destination ?? advice.destination
            guard !silent.contains(place) else { continue }
            do {
                try await host.forward(advice.request(for: attempt), of: attempt.id)
                try journal.forgetAdvice(for: attempt.id)
            } catch {
                if let error = error as? PaymentHostError, error.isOfClosedCardData {
                    // A person has to look; the others can be sent.
                    try? journal.noteFailure("\(error)", for: attempt.id)
                    continue
                }
                if case PaymentHostError.outcomeUnknown = error {
                    try? journal.keepAdvice(advice.afterTry, for: attempt.id)
                }
                // When one advice cannot be sent, the next ones would fail as well.
                silent.insert(place)
            }
        }
    }
}

/// An advice as the journal stores it: the ICC data without PAN or track data.
struct StoredAdvice: Codable, Hashable, Sendable {
    private var lastFour: String
    /// Tag and value, each as hexadecimal digits.
    private var iccData: [[String]]
    /// Nil in records of older versions, which means an offline approval.
    private var purpose: AdviceRequest.Purpose?
    /// True once the advice may have been sent, nil before.
    private var isSent: Bool?
    /// How many times it was sent, and not accepted; nil before, and in records of older versions.
    private var triedCount: Int?
    /// The address of the host that gets it; nil when there is one host only.
    private(set) var destination: String?
    /// How the card was read; nil for a chip with contacts.
    private var entryMode: String?

    init(_ advice: AdviceRequest, destination: String? = nil) {
        lastFour = advice.lastFour
        self.destination = destination
        purpose = advice.purpose
        entryMode = advice.entryMode == .chip ? nil : advice.entryMode.rawValue
        iccData = advice.iccData.map { [$0.tag.description, $0.value.hexadecimal] }
    }

    /// Parses ``text``; nil when it is not valid.
    init?(text: String) {
        guard let advice = try? JSONDecoder().decode(StoredAdvice.self, from: Data(text.utf8)),
            advice.iccData.allSatisfy({ $0.count == 2 && UInt32($0[0], radix: 16) != nil && $0[1].count % 2 == 0 })
        else { return nil }
        self = advice
    }

    /// One line of JSON.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// How many times it was sent, and not accepted. What an older version sent counts once.
    var tries: Int { triedCount ?? (isSent == true ? 1 : 0) }

    /// The text of this advice after one more try that the host did not accept.
    var afterTry: String {
        var advice = self
        (advice.isSent, advice.triedCount) = (true, tries + 1)
        return advice.text
    }

    /// Makes the message. `isRepeat`: whether it may have been sent before, although nothing was noted.
    func request(for attempt: PaymentAttempt, isRepeat: Bool = false) -> AdviceRequest {
        let completion = purpose == .capture ? attempt.completion : nil
        var request = AdviceRequest(
            key: attempt.key, stan: completion?.stan ?? attempt.stan, amount: attempt.amount,
            lastFour: lastFour,
            iccData: iccData.compactMap { pair in
                guard pair.count == 2, let tag = UInt32(pair[0], radix: 16) else { return nil }
                return BERTLV(BERTag(rawValue: tag), [UInt8](hexadecimal: pair[1]) ?? [])
            }, purpose: purpose ?? .offlineApproval,
            identity: purpose == .capture ? completion?.identity : attempt.identity,
            original: purpose == .capture ? attempt.identity : nil, isRepeat: isRepeat || isSent == true)
        request.destination = destination
        if let entryMode { request.entryMode = CardDetails.EntryMode(rawValue: entryMode) }
        return request
    }
}

extension PaymentAttempt {
    /// How many times the advice that waits was sent, and the host did not accept it; nil when none waits.
    public var adviceTries: Int? { advice.flatMap(StoredAdvice.init(text:))?.tries }
}
