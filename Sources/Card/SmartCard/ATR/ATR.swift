import Text

/// An answer to reset (ISO/IEC 7816-3 §8): the card's protocols, timing, and historical bytes.
public struct ATR: Hashable, Sendable {
    /// The bit coding on the line (TS). The reader has already decoded it: the bytes here are the same either way.
    public enum Convention: Hashable, Sendable { case direct, inverse }

    /// TAi, TBi, TCi and TDi for one i.
    public struct InterfaceBytes: Hashable, Sendable {
        /// i, 1...
        public let index: Int
        /// T of TD(i-1): the protocol that the bytes of group i > 2 apply to; nil for i = 1.
        public let transmissionProtocol: UInt8?
        public let ta: UInt8?
        public let tb: UInt8?
        public let tc: UInt8?
        public let td: UInt8?
    }

    /// The complete answer, from TS to TCK if present.
    public let bytes: [UInt8]
    public let convention: Convention
    /// Groups 1, 2, ... as announced by the TD bytes. Group 1 is always present.
    public let interfaceBytes: [InterfaceBytes]
    /// T1...TK, 0...15 bytes.
    public let historicalBytes: [UInt8]
    /// TCK; nil when only T=0 is offered.
    public let checkByte: UInt8?

    /// TS and at most 32 further bytes.
    public static let maximumLength = 33

    /// Parses an answer to reset.
    ///
    /// - Throws: ``ATRError``
    public init(_ bytes: [UInt8]) throws(ATRError) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
        var reader = Reader(bytes)
        guard let initial = bytes.first else { throw .empty }
        switch try reader.next() {
        case 0x3B: convention = .direct
        case 0x3F: convention = .inverse
        default: throw .invalidInitialCharacter(initial)
        }
        let format = try reader.next()
        var groups: [InterfaceBytes] = []
        var announced: UInt8? = format
        var transmissionProtocol: UInt8?
        while let presence = announced {
            func present(_ bit: UInt8) throws(ATRError) -> UInt8? { presence & bit == 0 ? nil : try reader.next() }
            let group = InterfaceBytes(
                index: groups.count + 1, transmissionProtocol: transmissionProtocol, ta: try present(0x10),
                tb: try present(0x20), tc: try present(0x40), td: try present(0x80))
            groups.append(group)
            announced = group.td
            transmissionProtocol = group.td.map { $0 & 0x0F }
        }
        var historical: [UInt8] = []
        for _ in 0..<(format & 0x0F) { historical.append(try reader.next()) }
        if groups.contains(where: { ($0.td ?? 0) & 0x0F != 0 }) {
            checkByte = try reader.next()
            guard bytes[1..<reader.offset].reduce(0, ^) == 0 else {
                throw .wrongCheckByte(offset: reader.offset - 1)
            }
        } else {
            checkByte = nil
        }
        guard reader.offset == bytes.count else { throw .trailingBytes(offset: reader.offset) }
        (self.bytes, interfaceBytes, historicalBytes) = (bytes, groups, historical)
    }

    private struct Reader {
        let bytes: [UInt8]
        private(set) var offset = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() throws(ATRError) -> UInt8 {
            guard offset < bytes.count else { throw .truncated(offset: offset) }
            defer { offset += 1 }
            return bytes[offset]
        }
    }
}

extension ATR {
    /// TA2: the card is in specific mode and takes no PPS (ISO/IEC 7816-3 §8.3).
    public struct SpecificMode: Hashable, Sendable {
        /// T, the only protocol that may be used.
        public let transmissionProtocol: UInt8
        /// b5: F and D are implicit values known to the interface device, not those of TA1.
        public let usesImplicitParameters: Bool
        /// b8: a reset does not switch the card to negotiable mode.
        public let isPermanent: Bool
    }

    /// TA of the first T=15 group, low bits: the supported supply voltages.
    public struct SupplyClasses: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        /// Takes the bits as they are in the interface byte; bits of no class are kept.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Class A.
        public static let fiveVolt = SupplyClasses(rawValue: 1)
        /// Class B.
        public static let threeVolt = SupplyClasses(rawValue: 2)
        /// Class C.
        public static let oneVoltEight = SupplyClasses(rawValue: 4)
    }

    /// TA of the first T=15 group, high bits: whether the clock may be stopped, and in which state.
    public enum ClockStop: UInt8, Hashable, Sendable { case notSupported, low, high, noPreference }

    /// TAi, TBi, TCi and TDi of group `index`, 1...; nil when not announced.
    public func group(_ index: Int) -> InterfaceBytes? {
        interfaceBytes.indices.contains(index - 1) ? interfaceBytes[index - 1] : nil
    }

    /// The offered protocols, in the card's order, without T=15, which is not a protocol. Never empty.
    public var offeredProtocols: [UInt8] {
        var offered: [UInt8] = []
        for case let td? in interfaceBytes.map(\.td) where td & 0x0F != 15 && !offered.contains(td & 0x0F) {
            offered.append(td & 0x0F)
        }
        return offered.isEmpty ? [0] : offered
    }

    /// The protocol used without negotiation: the one in TA2, otherwise the first offered.
    public var defaultProtocol: UInt8 { specificMode?.transmissionProtocol ?? offeredProtocols.first ?? 0 }

    /// The specific mode of TA2; nil when the card is in negotiable mode and accepts a PPS.
    public var specificMode: SpecificMode? {
        group(2)?.ta.map {
            SpecificMode(
                transmissionProtocol: $0 & 0x0F, usesImplicitParameters: $0 & 0x10 != 0, isPermanent: $0 & 0x80 != 0)
        }
    }

    /// TA1, 11 when absent: FI in the high nibble, DI in the low one.
    public var rateByte: UInt8 { group(1)?.ta ?? 0x11 }

    /// Fi and Di of TA1; nil when they are values reserved for future use.
    public var offeredRate: TransmissionRate? { TransmissionRate(rateByte: rateByte) }

    /// N of TC1, 0...255, 0 when absent: extra guard time in elementary time units; 255 is special.
    public var extraGuardTime: UInt8 { group(1)?.tc ?? 0 }

    /// The minimum time between two characters sent to the card, in elementary time units: 12 + N; for N = 255, 12 in
    /// T=0 and 11 in T=1.
    public func guardTime(inProtocol transmissionProtocol: UInt8) -> Int {
        guard extraGuardTime == 0xFF else { return 12 + Int(extraGuardTime) }
        return transmissionProtocol == 1 ? 11 : 12
    }

    /// WI of TC2, 10 when absent.
    public var waitingTimeInteger: UInt8 { group(2)?.tc ?? 10 }

    /// IFSC: the longest T=1 information field that the card accepts, 32 when absent. 00 and FF are invalid.
    public var cardInformationFieldSize: UInt8 { firstSpecific(to: 1, \.ta) ?? 32 }

    /// BWI, 4 when absent. Values above 9 are reserved for future use.
    public var blockWaitingTimeInteger: UInt8 { (firstSpecific(to: 1, \.tb) ?? 0x4D) >> 4 }

    /// CWI, 13 when absent.
    public var characterWaitingTimeInteger: UInt8 { (firstSpecific(to: 1, \.tb) ?? 0x4D) & 0x0F }

    /// The error detection code of T=1, LRC when absent.
    public var errorDetection: T1Block.ErrorDetection {
        (firstSpecific(to: 1, \.tc) ?? 0) & 1 == 0 ? .lrc : .crc
    }

    /// The supported supply classes; nil when the card does not state them: assume class A only.
    public var supplyClasses: SupplyClasses? {
        firstSpecific(to: 15, \.ta).map { SupplyClasses(rawValue: $0 & 0x07) }
    }

    /// The clock stop mode; not supported when the card does not state it.
    public var clockStop: ClockStop { ClockStop(rawValue: (firstSpecific(to: 15, \.ta) ?? 0) >> 6) ?? .notSupported }

    /// The first interface byte of a kind that applies to a protocol, or with T=15 to the card as a whole. Only groups
    /// 3 and up are protocol-specific.
    func firstSpecific(to transmissionProtocol: UInt8, _ byte: KeyPath<InterfaceBytes, UInt8?>) -> UInt8? {
        for group in interfaceBytes where group.index > 2 && group.transmissionProtocol == transmissionProtocol {
            if let found = group[keyPath: byte] { return found }
        }
        return nil
    }
}

extension ATR {
    /// WWT of T=0: the maximum time between two characters, 960 x WI x D etu (ISO/IEC 7816-3 §10.2), with the F and D
    /// in use and the card's clock.
    public func workWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        rate.time(units: 960 * Int(waitingTimeInteger) * rate.baudRateAdjustment, clockHertz: clockHertz)
    }

    /// BWT of T=1: the maximum time until the card's block starts, 2^BWI x 960 x 372 / f + 11 etu (ISO/IEC 7816-3
    /// §11.4.3), with the F and D in use and the card's clock.
    public func blockWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        TransmissionRate.initial.time(units: 960 << Int(blockWaitingTimeInteger), clockHertz: clockHertz)
            + rate.time(units: 11, clockHertz: clockHertz)
    }

    /// CWT of T=1: the maximum time between two characters of a block, 2^CWI + 11 etu (ISO/IEC 7816-3 §11.4.3), with
    /// the F and D in use and the card's clock.
    public func characterWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        rate.time(units: 1 << Int(characterWaitingTimeInteger) + 11, clockHertz: clockHertz)
    }
}

/// Why bytes are not a valid answer to reset, and at which offset. TS has offset 0.
public enum ATRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No byte at all.
    case empty
    /// The first byte is neither 3B nor 3F.
    case invalidInitialCharacter(UInt8)
    /// The bytes end before an announced byte.
    case truncated(offset: Int)
    /// More than 33 bytes.
    case tooLong(Int)
    /// TCK is present, and the exclusive or from T0 to TCK is not zero.
    case wrongCheckByte(offset: Int)
    /// Bytes after the end, including a TCK when only T=0 is offered.
    case trailingBytes(offset: Int)

    /// The offset of the error; TS has offset 0.
    public var offset: Int {
        switch self {
        case .empty, .invalidInitialCharacter: 0
        case .truncated(let offset), .wrongCheckByte(let offset), .trailingBytes(let offset): offset
        case .tooLong: ATR.maximumLength
        }
    }

    public var description: String {
        switch self {
        case .empty: "the card sent no answer to reset"
        case .invalidInitialCharacter(let byte):
            "answer to reset begins with \([byte].hexadecimal) instead of 3B or 3F (offset 0)"
        case .truncated(let offset): "answer to reset ends early, at offset \(offset)"
        case .tooLong(let count): "answer to reset of \(count) bytes: the maximum is 33"
        case .wrongCheckByte(let offset): "answer to reset with a wrong check byte TCK at offset \(offset)"
        case .trailingBytes(let offset): "answer to reset with bytes after its end, at offset \(offset)"
        }
    }
}
