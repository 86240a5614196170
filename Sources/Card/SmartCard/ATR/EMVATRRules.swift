import Text

/// The rules by which a payment terminal accepts or rejects an answer to reset (EMV Book 1 §8.3, §8.4).
public enum EMVATRRules {
    /// The reset that an answer follows: after power on, or of a card that has power.
    public enum Reset: Hashable, Sendable { case cold, warm }

    /// The terminal's next step after an answer to reset (EMV Book 1 §8.4).
    public enum Verdict: Hashable, Sendable {
        case accept
        /// Reset the card again with a warm reset.
        case warmReset(Reason)
        /// The card cannot be used here.
        case deactivate(Reason)

        /// Parses the answer to reset that led to this verdict.
        ///
        /// - Throws: The broken rule, unless the verdict is ``accept``.
        public func atr(_ bytes: [UInt8]) throws(Reason) -> ATR {
            switch self {
            case .accept: break
            case .warmReset(let reason), .deactivate(let reason): throw reason
            }
            do throws(ATRError) { return try ATR(bytes) } catch { throw .notAnATR(error) }
        }
    }

    /// A rule that an answer to reset breaks.
    public enum Reason: Error, Hashable, CustomStringConvertible {
        case notAnATR(ATRError)
        /// TB1 is not 00 after a cold reset; nil: it is absent.
        case programmingVoltage(UInt8?)
        /// TB2 is present.
        case programmingVoltageTwo
        /// TD1 offers neither T=0 nor T=1 first.
        case unsupportedProtocol(UInt8)
        /// TD2 continues with a protocol that does not match the first one.
        case unexpectedProtocol(UInt8)
        /// TA2 requires implicit parameters, a protocol other than the first one, or a TA1 rate outside 11...13.
        case unsupportedSpecificMode(ta2: UInt8, ta1: UInt8)
        /// TC2 is 00.
        case waitingTimeZero
        /// The IFSC is not in 10...FE.
        case informationFieldSize(UInt8)
        /// T=1 without TB3, or BWI above 4, CWI above 5, or 2^CWI not above N + 1; nil: TB3 is absent.
        case waitingTimes(UInt8?)
        /// TC3 is not 00: EMV has LRC only.
        case errorDetection(UInt8)

        public var description: String {
            func hex(_ byte: UInt8?) -> String { byte.map { [$0].hexadecimal } ?? "absent" }
            return switch self {
            case .notAnATR(let error): error.description
            case .programmingVoltage(let byte): "answer to reset with TB1 \(hex(byte)) instead of 00"
            case .programmingVoltageTwo: "answer to reset with TB2, which payment cards do not have"
            case .unsupportedProtocol(let number): "card offers protocol T=\(number), neither T=0 nor T=1"
            case .unexpectedProtocol(let number):
                "card also offers protocol T=\(number), which does not match its first one"
            case .unsupportedSpecificMode(let ta2, let ta1):
                "card requires a mode that is not supported (TA2 \(hex(ta2)), TA1 \(hex(ta1)))"
            case .waitingTimeZero: "answer to reset with a waiting time of zero (TC2)"
            case .informationFieldSize(let size): "card takes T=1 blocks of \(size) bytes: 16...254 are allowed"
            case .waitingTimes(let byte): "answer to reset with T=1 waiting times TB3 \(hex(byte))"
            case .errorDetection(let byte): "answer to reset with error detection TC3 \(hex(byte)) instead of 00"
            }
        }
    }

    /// Returns what to do after a card's answer to reset. A rejected answer to a cold reset leads to one warm reset, a
    /// rejected answer to that to deactivation.
    public static func verdict(on bytes: [UInt8], after reset: Reset) -> Verdict {
        let reason: Reason?
        do {
            reason = breaches(of: try ATR(bytes), after: reset).first
        } catch {
            reason = .notAnATR(error)
        }
        guard let reason else { return .accept }
        return reset == .cold ? .warmReset(reason) : .deactivate(reason)
    }

    /// Returns every rule that an answer to reset breaks. The first one decides.
    public static func breaches(of atr: ATR, after reset: Reset) -> [Reason] {
        let (first, second) = (atr.group(1), atr.group(2))
        let offered = (first?.td ?? 0) & 0x0F
        var reasons: [Reason] = []
        if reset == .cold, first?.tb != 0 { reasons.append(.programmingVoltage(first?.tb)) }
        if offered > 1 { reasons.append(.unsupportedProtocol(offered)) }
        if let next = second?.td.map({ $0 & 0x0F }) {
            // T=14 and T=15 carry nothing that a terminal uses.
            let isExpected = next == 1 || next == 14 && offered == 0 || next == 15
            if !isExpected { reasons.append(.unexpectedProtocol(next)) }
        }
        if let ta2 = second?.ta {
            let isSupported = ta2 & 0x10 == 0 && ta2 & 0x0F == offered && (0x11...0x13).contains(atr.rateByte)
            if !isSupported { reasons.append(.unsupportedSpecificMode(ta2: ta2, ta1: atr.rateByte)) }
        }
        if second?.tb != nil { reasons.append(.programmingVoltageTwo) }
        if second?.tc == 0 { reasons.append(.waitingTimeZero) }
        return reasons + (offered == 1 ? breachesOfBlockProtocol(atr) : [])
    }

    private static func breachesOfBlockProtocol(_ atr: ATR) -> [Reason] {
        var reasons: [Reason] = []
        if !(0x10...0xFE).contains(atr.cardInformationFieldSize) {
            reasons.append(.informationFieldSize(atr.cardInformationFieldSize))
        }
        let times = atr.firstSpecific(to: 1, \.tb)
        // N = 255 counts as -1.
        let guardTime = atr.extraGuardTime == 0xFF ? 0 : Int(atr.extraGuardTime) + 1
        let areGood = times.map { $0 >> 4 <= 4 && $0 & 0x0F <= 5 && 1 << Int($0 & 0x0F) > guardTime } ?? false
        if !areGood { reasons.append(.waitingTimes(times)) }
        if let code = atr.firstSpecific(to: 1, \.tc), code != 0 { reasons.append(.errorDetection(code)) }
        return reasons
    }
}
