internal import Amounts
internal import Foundation
internal import Hardware
internal import SmartCard
internal import Storage

/// What the host must be told, as the journal keeps it: the ICC data without PAN or track data.
struct StoredAdvice: Codable, Hashable, Sendable {
    private var lastFour: String
    /// Tag and value, each in hexadecimal digits.
    private var iccData: [[String]]
    /// nil in what was written before there was a choice: an offline approval.
    private var purpose: AdviceRequest.Purpose?

    init(_ advice: AdviceRequest) {
        lastFour = advice.lastFour
        purpose = advice.purpose
        iccData = advice.iccData.map { [$0.tag.description, Self.hexadecimal($0.value)] }
    }

    /// Reads what ``text`` wrote; nil when it is something else.
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

    func request(for attempt: PaymentAttempt) -> AdviceRequest {
        AdviceRequest(
            key: IdempotencyKey(rawValue: attempt.idempotencyKey), stan: attempt.stan, amount: attempt.amount,
            lastFour: lastFour,
            iccData: iccData.compactMap { pair in
                guard pair.count == 2, let tag = UInt32(pair[0], radix: 16) else { return nil }
                return BERTLV(BERTag(rawValue: tag), Self.bytes(pair[1]))
            }, purpose: purpose ?? .offlineApproval)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count - values.count % 2, by: 2).map {
            UInt8(truncatingIfNeeded: values[$0] << 4 | values[$0 + 1])
        }
    }
}
