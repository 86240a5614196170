internal import Hardware
internal import ScenarioFormat

/// The names of the bits that were set in what the terminal found out.
struct RecordedBits {
    /// Tag 95.
    let tvr: [String]
    /// Tag 9B.
    let tsi: [String]

    init(_ card: CardPresentTransactionDetails?) {
        tvr = card?.terminalVerificationResults.flatMap(Self.bytes).flatMap(VerificationBitNames.names(inTVR:)) ?? []
        tsi = card?.transactionStatusInformation.flatMap(Self.bytes).flatMap(VerificationBitNames.names(inTSI:)) ?? []
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let nibbles = digits.compactMap(\.hexDigitValue)
        guard nibbles.count == digits.utf8.count, nibbles.count % 2 == 0 else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}
