internal import SmartCard

/// How a card transmits, by its ATR. Both ends of the simulated contacts work by it. An ATR that cannot be
/// read counts as one without interface bytes: T=0 with default times.
struct CardTransmission: Sendable {
    private static let clockHertz = 4_000_000

    /// Whether the ATR is one, check byte included.
    let isCorrect: Bool
    /// The protocols on offer, in order.
    let protocols: [UInt8]
    /// The protocol that the card starts with.
    let firstProtocol: UInt8
    /// The protocol cannot be negotiated.
    let isSpecificMode: Bool
    /// TA1
    let rates: UInt8
    /// TC1
    let extraGuardTime: UInt8
    /// WI
    let waitingInteger: UInt8
    /// BWI and CWI
    let waitingIntegers: UInt8
    /// IFSC
    let informationFieldSize: UInt8
    let errorDetection: T1Block.ErrorDetection
    let historicalBytes: [UInt8]
    let workWaitingTime: Duration
    let blockWaitingTime: Duration

    init(answerToReset: [UInt8]) {
        let read = try? ATR(answerToReset)
        let atr = read ?? Self.plain
        isCorrect = read != nil
        protocols = atr?.offeredProtocols ?? [0]
        firstProtocol = atr?.defaultProtocol ?? 0
        isSpecificMode = atr?.specificMode != nil
        rates = atr?.rateByte ?? 0x11
        extraGuardTime = atr?.extraGuardTime ?? 0
        waitingInteger = atr?.waitingTimeInteger ?? 10
        waitingIntegers = atr.map { $0.blockWaitingTimeInteger << 4 | $0.characterWaitingTimeInteger } ?? 0x4D
        informationFieldSize = atr?.cardInformationFieldSize ?? 32
        errorDetection = atr?.errorDetection ?? .lrc
        historicalBytes = atr?.historicalBytes ?? []
        workWaitingTime = atr?.workWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
        blockWaitingTime = atr?.blockWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
    }

    /// What a reader with a field says instead of the card (PC/SC part 3 §3.1.3.2.3): T=0 and T=1 without any parameter,
    /// the card's historical bytes, and the check byte.
    var contactlessAnswerToReset: [UInt8] {
        let bytes = [0x80 | UInt8(historicalBytes.count & 0x0F), 0x80, 0x01] + historicalBytes.prefix(15)
        return [0x3B] + bytes + [bytes.reduce(0, ^)]
    }

    private static let plain = try? ATR([0x3B, 0x00])
}
