import SmartCard

/// The card's answer to EXCHANGE RELAY RESISTANCE DATA (Book C-8 §5.2): the value of template 80, 10 bytes. Times are
/// in units of 100 µs.
public struct RelayResistanceAnswer: Hashable, Sendable {
    /// The length of the value, in bytes.
    public static let length = 10

    /// The value as it was received; the IAD-MAC covers it.
    public let bytes: [UInt8]

    /// Reads the data field of the response, without its status: `80 0A` and ten bytes.
    ///
    /// - Throws: ``RelayResistanceError/malformedAnswer(offset:)``
    public init(response: [UInt8]) throws(RelayResistanceError) {
        guard response.first == 0x80 else { throw .malformedAnswer(offset: 0) }
        guard response.dropFirst().first == UInt8(Self.length) else { throw .malformedAnswer(offset: 1) }
        guard response.count == Self.length + 2 else {
            throw .malformedAnswer(offset: min(response.count, Self.length + 2))
        }
        bytes = Array(response.dropFirst(2))
    }

    /// Random bytes of the card, 4.
    public var cardEntropy: [UInt8] { Array(bytes.prefix(4)) }
    /// The shortest time that the card takes.
    public var minimumTime: UInt16 { number(at: 4) }
    /// The longest time that the card takes.
    public var maximumTime: UInt16 { number(at: 6) }
    /// The time that the card expects for the transmission of its answer; 0 if it does not say.
    public var transmissionTime: UInt16 { number(at: 8) }

    private func number(at offset: Int) -> UInt16 { UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]) }
}

/// One exchange of relay resistance data.
public struct RelayResistanceExchange: Hashable, Sendable {
    /// The data of the command, 4 bytes. It is the unpredictable number (9F37); whether a repeated exchange takes a new
    /// one is not known, and the one implementation known repeats with the same.
    public let terminalEntropy: [UInt8]
    /// The card's answer.
    public let answer: RelayResistanceAnswer

    /// Takes the data of the command, 4 bytes, and the card's answer to it.
    public init(terminalEntropy: [UInt8], answer: RelayResistanceAnswer) {
        (self.terminalEntropy, self.answer) = (terminalEntropy, answer)
    }
}

/// The rules by which the kernel judges the times of the exchanges of relay resistance data (Book C-8; the rules of
/// kernel 2 have the same shape). Times are in units of 100 µs.
///
/// Over USB the times show nothing: the jitter of a reader and its host is longer than the way of a relay.
public struct RelayResistanceRules: Hashable, Sendable {
    /// The number of times that the kernel repeats an exchange that was too slow.
    public static let repeats = 2

    /// How much faster than its shortest time a card may be (tag 9F8213).
    public var minimumGrace: UInt16
    /// How much slower than its longest time a card may be (tag 9F8214).
    public var maximumGrace: UInt16
    /// The time that the terminal expects for the transmission of the command (tag 9F8215).
    public var expectedCommandTime: UInt16
    /// The time that the terminal expects for the transmission of the answer (tag 9F8216).
    public var expectedAnswerTime: UInt16
    /// How much longer than the shortest time an exact card takes (tag 9F8217).
    public var accuracyThreshold: UInt16
    /// How much, in percent, one side's estimate of the transmission is of the other side's at least (tag 9F8218).
    public var mismatchThreshold: UInt8

    /// Takes the rules of the kernel's configuration, in units of 100 µs, and the last one in percent.
    public init(
        minimumGrace: UInt16, maximumGrace: UInt16, expectedCommandTime: UInt16, expectedAnswerTime: UInt16,
        accuracyThreshold: UInt16, mismatchThreshold: UInt8
    ) {
        (self.minimumGrace, self.maximumGrace) = (minimumGrace, maximumGrace)
        (self.expectedCommandTime, self.expectedAnswerTime) = (expectedCommandTime, expectedAnswerTime)
        (self.accuracyThreshold, self.mismatchThreshold) = (accuracyThreshold, mismatchThreshold)
    }

    /// The limits of a shop. They are ours: no payment system has published its values.
    public static let standard = RelayResistanceRules(
        minimumGrace: 20, maximumGrace: 50, expectedCommandTime: 18, expectedAnswerTime: 24, accuracyThreshold: 300,
        mismatchThreshold: 50)

    /// The value fields of the configuration, by tag.
    var kernelData: [BERTag: [UInt8]] {
        func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        return [
            Kernel8Tag.minimumGrace: bytes(minimumGrace), Kernel8Tag.maximumGrace: bytes(maximumGrace),
            Kernel8Tag.expectedCommandTime: bytes(expectedCommandTime),
            Kernel8Tag.expectedAnswerTime: bytes(expectedAnswerTime),
            Kernel8Tag.accuracyThreshold: bytes(accuracyThreshold),
            Kernel8Tag.mismatchThreshold: [mismatchThreshold],
        ]
    }

    /// Judges an exchange.
    ///
    /// - Parameters:
    ///   - answer: the card's answer.
    ///   - elapsed: the time from the command's beginning to the answer's end. Times over 6.5535 s count as that.
    ///   - exchange: 1 for the first exchange, up to 3.
    /// - Returns: what the kernel does next.
    public func judge(
        _ answer: RelayResistanceAnswer, elapsed: Duration, exchange: Int
    ) -> RelayResistanceVerdict {
        let transmission = min(answer.transmissionTime, expectedAnswerTime)
        let measured = Self.units(elapsed).less(expectedCommandTime).less(transmission)
        let excess = measured.less(answer.maximumTime)
        guard measured >= answer.minimumTime.less(minimumGrace) else { return .tooFast }
        let isTooSlow = Int(measured) > Int(answer.maximumTime) + Int(maximumGrace)
        if isTooSlow, exchange <= Self.repeats { return .again(excess: excess) }
        var results: Kernel8VerificationResults = [.relayResistancePerformed]
        if isTooSlow { results.insert(.relayResistanceTimeLimitsExceeded) }
        if exceedsThreshold(answer, measured) { results.insert(.relayResistanceThresholdExceeded) }
        return .done(excess: excess, results)
    }

    /// Without an estimate of one of the sides, nothing can be compared.
    private func exceedsThreshold(_ answer: RelayResistanceAnswer, _ measured: UInt16) -> Bool {
        let (theirs, ours) = (Int(answer.transmissionTime), Int(expectedAnswerTime))
        guard theirs != 0, ours != 0 else { return false }
        let limit = Int(mismatchThreshold)
        return theirs * 100 / ours < limit || ours * 100 / theirs < limit
            || measured.less(answer.minimumTime) > accuracyThreshold
    }

    /// Returns a duration in whole units of 100 µs, 0...FFFF.
    static func units(_ duration: Duration) -> UInt16 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 7 else { return .max }
        return UInt16(clamping: seconds * 10_000 + attoseconds / 100_000_000_000_000)
    }
}

/// The judgment of an exchange of relay resistance data.
public enum RelayResistanceVerdict: Hashable, Sendable {
    /// The answer came before the card can have made it: L2 06, the application ends.
    case tooFast
    /// The answer came too late, and the kernel asks again. The excess is tag 9F810C.
    case again(excess: UInt16)
    /// The exchanges are over: the excess (tag 9F810C) and the bits of the TVR.
    case done(excess: UInt16, Kernel8VerificationResults)
}

/// Why an answer to EXCHANGE RELAY RESISTANCE DATA can't be used.
public enum RelayResistanceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer is not template 80 with ten bytes; the offset of the first wrong byte (L2 04).
    case malformedAnswer(offset: Int)

    public var description: String {
        switch self {
        case .malformedAnswer(let offset):
            "the answer to EXCHANGE RELAY RESISTANCE DATA is not 80 0A and ten bytes, at offset \(offset)"
        }
    }
}

extension UInt16 {
    /// The difference, at least 0.
    fileprivate func less(_ other: UInt16) -> UInt16 { self > other ? self - other : 0 }
}
