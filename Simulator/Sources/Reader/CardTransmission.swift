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
        workWaitingTime = atr?.workWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
        blockWaitingTime = atr?.blockWaitingTime(clockHertz: Self.clockHertz) ?? .seconds(1)
    }

    private static let plain = try? ATR([0x3B, 0x00])
}
