extension ATR {
    /// TA2: the card works in specific mode, at once and without PPS (ISO/IEC 7816-3 §8.3).
    public struct SpecificMode: Hashable, Sendable {
        /// T of the only protocol that may be used.
        public let transmissionProtocol: UInt8
        /// b5: F and D are not those of TA1 but known to the interface device in another way.
        public let usesImplicitParameters: Bool
        /// b8: another reset does not bring the card into negotiable mode.
        public let isPermanent: Bool
    }

    /// TA of the first group of T=15, low bits: the supply voltages that the card works with.
    public struct SupplyClasses: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Class A.
        public static let fiveVolt = SupplyClasses(rawValue: 1)
        /// Class B.
        public static let threeVolt = SupplyClasses(rawValue: 2)
        /// Class C.
        public static let oneVoltEight = SupplyClasses(rawValue: 4)
    }

    /// TA of the first group of T=15, high bits: whether the clock may be stopped, and in which state.
    public enum ClockStop: UInt8, Hashable, Sendable { case notSupported, low, high, noPreference }

    /// TAi, TBi, TCi and TDi of group `index`, 1...; nil when not announced.
    public func group(_ index: Int) -> InterfaceBytes? {
        interfaceBytes.indices.contains(index - 1) ? interfaceBytes[index - 1] : nil
    }

    /// The protocols on offer, in the card's order, without T=15, which is none. Never empty.
    public var offeredProtocols: [UInt8] {
        var offered: [UInt8] = []
        for case let td? in interfaceBytes.map(\.td) where td & 0x0F != 15 && !offered.contains(td & 0x0F) {
            offered.append(td & 0x0F)
        }
        return offered.isEmpty ? [0] : offered
    }

    /// The protocol that is used when nothing is negotiated: the one of TA2, else the first on offer.
    public var defaultProtocol: UInt8 { specificMode?.transmissionProtocol ?? offeredProtocols.first ?? 0 }

    /// nil: the card works in negotiable mode and takes a PPS.
    public var specificMode: SpecificMode? {
        group(2)?.ta.map {
            SpecificMode(
                transmissionProtocol: $0 & 0x0F, usesImplicitParameters: $0 & 0x10 != 0, isPermanent: $0 & 0x80 != 0)
        }
    }

    /// TA1, 11 when absent: FI in the high nibble, DI in the low one.
    public var rateByte: UInt8 { group(1)?.ta ?? 0x11 }

    /// Fi and Di that the card offers in TA1; nil when it names values that are kept for future use.
    public var offeredRate: TransmissionRate? { TransmissionRate(rateByte: rateByte) }

    /// N of TC1, 0...255, 0 when absent: extra guard time in elementary time units; 255 is special.
    public var extraGuardTime: UInt8 { group(1)?.tc ?? 0 }

    /// The least distance of two characters to the card, in elementary time units: 12 + N, and for N = 255
    /// 12 in T=0 and 11 in T=1.
    public func guardTime(inProtocol transmissionProtocol: UInt8) -> Int {
        guard extraGuardTime == 0xFF else { return 12 + Int(extraGuardTime) }
        return transmissionProtocol == 1 ? 11 : 12
    }

    /// WI of TC2, 10 when absent.
    public var waitingTimeInteger: UInt8 { group(2)?.tc ?? 10 }

    /// IFSC: the longest T=1 information field that the card takes, 32 when absent. 00 and FF are invalid.
    public var cardInformationFieldSize: UInt8 { firstSpecific(to: 1, \.ta) ?? 32 }

    /// BWI, 4 when absent. More than 9 is kept for future use.
    public var blockWaitingTimeInteger: UInt8 { (firstSpecific(to: 1, \.tb) ?? 0x4D) >> 4 }

    /// CWI, 13 when absent.
    public var characterWaitingTimeInteger: UInt8 { (firstSpecific(to: 1, \.tb) ?? 0x4D) & 0x0F }

    /// The error detection code of T=1, LRC when absent.
    public var errorDetection: T1Block.ErrorDetection {
        (firstSpecific(to: 1, \.tc) ?? 0) & 1 == 0 ? .lrc : .crc
    }

    /// nil when the card does not say; class A only is then to be assumed.
    public var supplyClasses: SupplyClasses? {
        firstSpecific(to: 15, \.ta).map { SupplyClasses(rawValue: $0 & 0x07) }
    }

    /// Not supported when the card does not say.
    public var clockStop: ClockStop { ClockStop(rawValue: (firstSpecific(to: 15, \.ta) ?? 0) >> 6) ?? .notSupported }

    /// The first byte of its kind that belongs to a protocol, or with T=15 to the card as a whole. Only
    /// groups 3 and up are specific to one.
    func firstSpecific(to transmissionProtocol: UInt8, _ byte: KeyPath<InterfaceBytes, UInt8?>) -> UInt8? {
        for group in interfaceBytes where group.index > 2 && group.transmissionProtocol == transmissionProtocol {
            if let found = group[keyPath: byte] { return found }
        }
        return nil
    }
}
