internal import SmartCard

/// What the interface bytes of an ATR say of the transmission (ISO/IEC 7816-3 §8.2): the protocols on
/// offer and their times. Both ends of the simulated contacts work by it. Bytes that are missing count as their defaults.
struct CardTransmission {
    /// Bytes whose check byte does not fit, or an ATR cut short.
    private(set) var isCheckCorrect = true
    /// In the order of the ATR; T=0 when it names none. T=15 is no protocol.
    private(set) var protocols: [UInt8] = []
    /// TA1
    private(set) var rates: UInt8 = 0x11
    /// TC1
    private(set) var extraGuardTime: UInt8 = 0
    /// TA2 is there: the protocol cannot be negotiated.
    private(set) var isSpecificMode = false
    /// WI
    private(set) var waitingInteger: UInt8 = 10
    /// IFSC
    private(set) var informationFieldSize: UInt8 = 32
    /// BWI and CWI
    private(set) var waitingIntegers: UInt8 = 0x4D
    private(set) var errorDetection = T1Block.ErrorDetection.lrc

    /// Duration of 372 clock cycles at 4 MHz.
    private static let elementaryTimeUnit: Duration = .microseconds(93)

    init(answerToReset: [UInt8]) {
        var rest = answerToReset.dropFirst()
        guard let format = rest.popFirst() else {
            isCheckCorrect = false
            protocols = [0]
            return
        }
        var present = format >> 4
        var group = 1
        var current: UInt8 = 0
        var isFirstOfT1 = true
        while true {
            let ta = present & 1 != 0 ? rest.popFirst() : nil
            let tb = present & 2 != 0 ? rest.popFirst() : nil
            let tc = present & 4 != 0 ? rest.popFirst() : nil
            let td = present & 8 != 0 ? rest.popFirst() : nil
            switch group {
            case 1: (rates, extraGuardTime) = (ta ?? rates, tc ?? extraGuardTime)
            case 2: (isSpecificMode, waitingInteger) = (ta != nil, tc ?? waitingInteger)
            default:
                if current == 1, isFirstOfT1 {
                    informationFieldSize = ta ?? informationFieldSize
                    waitingIntegers = tb ?? waitingIntegers
                    errorDetection = (tc ?? 0) & 1 == 0 ? .lrc : .crc
                    isFirstOfT1 = false
                }
            }
            guard let td else { break }
            current = td & 0x0F
            if current < 15, !protocols.contains(current) { protocols.append(current) }
            present = td >> 4
            group += 1
        }
        let needsCheck = protocols.contains { $0 != 0 } || current == 15
        if protocols.isEmpty { protocols = [0] }
        let historical = Int(format & 0x0F)
        if rest.count != historical + (needsCheck ? 1 : 0) {
            isCheckCorrect = false
        } else if needsCheck {
            isCheckCorrect = answerToReset.dropFirst().reduce(0, ^) == 0
        }
    }

    /// The protocol that a card starts with.
    var firstProtocol: UInt8 { protocols.first ?? 0 }

    /// Work waiting time of T=0: 960 x D x WI etu, D being 1.
    var workWaitingTime: Duration { Self.elementaryTimeUnit * (960 * max(1, Int(waitingInteger))) }

    /// Block waiting time of T=1: 11 etu + 2^BWI x 960 x 372 / f. BWI above 9 is kept for future use.
    var blockWaitingTime: Duration {
        Self.elementaryTimeUnit * (11 + 960 << Int(min(waitingIntegers >> 4, 9)))
    }
}
