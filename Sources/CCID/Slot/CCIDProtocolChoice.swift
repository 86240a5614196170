internal import SmartCard

/// Which transmission protocol and rate to use with a card in a reader (ISO/IEC 7816-3 §6.3; CCID 1.1 §5.1).
struct CCIDProtocolChoice: Hashable, Sendable {
    /// 0 or 1.
    let transmissionProtocol: UInt8
    /// FI and DI as in TA1.
    var rates: UInt8
    /// Whether the card has to agree to it by a PPS first.
    let needsPPS: Bool

    private static let initialRates: UInt8 = 0x11

    /// The protocol of TA2 in specific mode; else the first on offer that the reader has, at the rate of
    /// TA1 if the reader is fast enough. Where nobody can send a PPS, the card's defaults.
    ///
    /// - Parameters:
    ///   - atr: the card's answer to reset.
    ///   - reader: what the reader can do.
    ///   - usesDefaults: take the card's defaults, because it refused the PPS.
    /// - Throws: ``CCIDError/noCommonProtocol``
    init(atr: ATR, reader: CCIDClassDescriptor, usesDefaults: Bool = false) throws(CCIDError) {
        func isSupported(_ number: UInt8) -> Bool {
            number < 2 && reader.protocols.rawValue >> UInt32(number) & 1 != 0
        }
        if let mode = atr.specificMode {
            guard isSupported(mode.transmissionProtocol) else { throw .noCommonProtocol }
            transmissionProtocol = mode.transmissionProtocol
            rates = mode.usesImplicitParameters ? Self.initialRates : atr.rateByte
            needsPPS = false
            return
        }
        let canSelect = reader.features.contains(.automaticPPS) || reader.level == .tpdu
        guard canSelect, !usesDefaults else {
            guard isSupported(atr.defaultProtocol) else { throw .noCommonProtocol }
            (transmissionProtocol, rates, needsPPS) = (atr.defaultProtocol, Self.initialRates, false)
            return
        }
        guard let offered = atr.offeredProtocols.first(where: isSupported) else { throw .noCommonProtocol }
        transmissionProtocol = offered
        rates = Self.isFastEnough(reader, for: atr) ? atr.rateByte : Self.initialRates
        needsPPS = offered != atr.defaultProtocol || rates != Self.initialRates
    }

    private static func isFastEnough(_ reader: CCIDClassDescriptor, for atr: ATR) -> Bool {
        guard let rate = atr.offeredRate else { return false }
        let bitsPerSecond =
            Int(reader.defaultClock) * 1000 * rate.baudRateAdjustment / rate.clockRateConversion
        return bitsPerSecond <= Int(reader.maximumDataRate)
    }

    /// What the reader is told by SetParameters.
    func parameters(_ atr: ATR) -> CCIDParameters {
        let inverse: UInt8 = atr.convention == .inverse ? 2 : 0
        guard transmissionProtocol == 1 else {
            return .t0(
                CCIDT0Parameters(
                    rates: rates, convention: inverse, guardTime: atr.extraGuardTime,
                    waitingInteger: atr.waitingTimeInteger, clockStop: atr.clockStop.rawValue))
        }
        let check: UInt8 = atr.errorDetection == .crc ? 1 : 0
        return .t1(
            CCIDT1Parameters(
                rates: rates, convention: 0x10 | inverse | check, guardTime: atr.extraGuardTime,
                waitingIntegers: atr.blockWaitingTimeInteger << 4 | atr.characterWaitingTimeInteger,
                clockStop: atr.clockStop.rawValue, informationFieldSize: atr.cardInformationFieldSize))
    }
}
